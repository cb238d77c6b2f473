"""A private PostgreSQL cluster, and servers of a release binary that share a database in it, on free ports of this machine."""
import glob
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

WORKSPACE = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = 60  # seconds until something that has to start is taken for broken

# who is stopped (by `timeout`, say) ends what it started
signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(is_so, process, what):
    """Polls what tells no other way; a process that has ended, or patience that has, is an error with what was said."""
    begun = time.monotonic()
    while not is_so():
        if process.poll() is not None or time.monotonic() - begun > PATIENCE:
            raise SystemExit(f"{what()}\n{process.args[0]} did not start (exit status {process.poll()})")
        time.sleep(0.02)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False


def end(process, by=signal.SIGTERM):
    """Ends a process if it has not ended yet; gives its exit status."""
    if process.poll() is None:
        process.send_signal(by)
    return process.wait(PATIENCE)


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.sub(r"\x1b\[\d*m", "", file.read())


def version():
    """That of the workspace."""
    return re.search(r'^version = "(.*)"', (WORKSPACE / "Cargo.toml").read_text("utf-8"), re.MULTILINE)[1]


def settings_of(binary):
    """The names of the settings that the server takes from its environment."""
    told = subprocess.run([binary, "serve", "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\[env: (SHRUTI_\w+)", told))


class Postgres:
    """A cluster that is gone afterwards. PostgreSQL does not run as root: there it runs as `postgres`, else as `nobody`."""

    def __enter__(self):
        installed = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        on_path = shutil.which("initdb")
        programs = installed[-1] if installed else on_path and os.path.dirname(on_path)
        if not programs:
            raise SystemExit("PostgreSQL is not installed (initdb is neither in PATH nor in /usr/lib/postgresql)")
        self.folder = tempfile.mkdtemp(prefix="shruti-postgres-", dir="/tmp")
        who = {}
        if os.geteuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            other = names.get("postgres") or names["nobody"]
            os.chown(self.folder, other.pw_uid, other.pw_gid)
            who = {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}
        data, self.port, log = f"{self.folder}/data", free_port(), f"{self.folder}/log"
        subprocess.run([f"{programs}/initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync",
                        "-D", data], check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **who)
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                [f"{programs}/postgres", "-D", data, "-h", "127.0.0.1", "-p", str(self.port), "-k", self.folder, "-c", "fsync=off"],
                stdout=out, stderr=out, cwd=self.folder, **who)
        is_ready = [f"{programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        wait_until(lambda: subprocess.run(is_ready, check=False).returncode == 0, self.process, lambda: text_of(log))
        self.psql = [f"{programs}/psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        self.run("CREATE DATABASE shruti")
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/shruti"
        return self

    def run(self, statement):
        subprocess.run([*self.psql, "-c", statement], check=True, stdout=subprocess.DEVNULL)

    def create_user(self, name, password):
        """A user who owns the database `shruti` and is asked for a password."""
        self.run(f"CREATE USER {name} PASSWORD '{password}'")
        self.run(f"ALTER DATABASE shruti OWNER TO {name}")
        with open(f"{self.folder}/data/pg_hba.conf", "r+", encoding="utf-8") as rules:
            before = rules.read()
            rules.seek(0)
            rules.write(f"host all {name} 127.0.0.1/32 scram-sha-256\n{before}")
        self.run("SELECT pg_reload_conf()")

    def stop(self):
        # at once: it waits for its connections otherwise
        end(self.process, signal.SIGQUIT)

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder)


class Node:
    """A server with a data folder of its own; one that was ended can start again on its port."""

    def __init__(self, binary, folder, *arguments):
        self.port, self.folder = free_port(), folder
        self.address = f"127.0.0.1:{self.port}"
        self.command = [binary, "serve", "--listen", self.address, "--data-dir", f"{folder}/data", *arguments]
        self.log = f"{folder}/log"
        self.process = None

    def start(self):
        os.makedirs(self.folder, exist_ok=True)
        with open(self.log, "ab") as log, open(f"{self.folder}/out", "wb") as out:
            self.process = subprocess.Popen(self.command, stdout=out, stderr=log)
        wait_until(lambda: answers(f"http://{self.address}/readyz"), self.process, lambda: text_of(self.log))
        return self

    def key(self):
        """The key that its first start printed."""
        return re.search(r"^sk_\w+$", text_of(f"{self.folder}/out"), re.MULTILINE)[0]

    def metrics(self):
        with urllib.request.urlopen(f"http://{self.address}/metrics") as response:
            return response.read().decode()

    def metric(self, name):
        return float(re.search(rf"^{name} (\S+)$", self.metrics(), re.MULTILINE)[1])


def migrate(binary, database, folder):
    """Makes the tables, and a key without limits."""
    where = ["--database", database, "--data-dir", folder]
    subprocess.run([binary, "store", "migrate", *where], check=True, stdout=subprocess.DEVNULL)
    made = subprocess.run([binary, "keys", "create", "--name", "check", *where], check=True, capture_output=True, text=True)
    return re.search(r"^sk_\w+$", made.stdout, re.MULTILINE)[0]
