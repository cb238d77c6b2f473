"""Shared code of the deployment checks: the workspace's version, the server's settings, a migrated database."""
import pathlib
import re
import signal
import subprocess
import sys

WORKSPACE = pathlib.Path(__file__).resolve().parent.parent.parent

# lets the checks that import this module import `harness` afterwards
sys.path.insert(0, str(WORKSPACE / "checks"))

# exit normally if the check is stopped, for example by `timeout`, so that its child processes are ended
signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))


def version():
    """Returns the version of the workspace."""
    return re.search(r'^version = "(.*)"', (WORKSPACE / "Cargo.toml").read_text("utf-8"), re.MULTILINE)[1]


def settings_of(binary):
    """Returns the names of the environment variables that `serve` reads."""
    shown = subprocess.run([binary, "serve", "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\[env: (SHRUTI_\w+)", shown))


def migrate(binary, database, folder):
    """Creates the tables and an API key without limits; returns the key."""
    where = ["--database", database, "--data-dir", folder]
    subprocess.run([binary, "store", "migrate", *where], check=True, stdout=subprocess.DEVNULL)
    made = subprocess.run([binary, "keys", "create", "--name", "check", *where], check=True, capture_output=True, text=True)
    return re.search(r"^sk_\w+$", made.stdout, re.MULTILINE)[0]
