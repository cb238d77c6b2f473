"""Runs the command of a container as a container engine would: as its user, without privileges, with a read-only root
file system, a writable data folder and its own environment. Paths and network are the host's. Needs root and unshare.
"""
import contextlib
import os
import re
import subprocess

from harness import end, free_port, text_of

PLAIN = {"PATH": os.environ["PATH"]}


class Sandbox:
    """A folder for data and log, and the user who owns its data; `mount` has the options of its tmpfs."""

    def __init__(self, folder, user, mount):
        self.folder, self.user = folder, str(user)
        self.data, self.log = f"{folder}/data", f"{folder}/log"
        self.listen = f"127.0.0.1:{free_port()}"
        self.environment = {}
        self.inside = f"mount --make-rprivate / && mount -t tmpfs -o {mount} tmpfs {self.data} && mount -o remount,bind,ro /"
        self.drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
        os.makedirs(self.data, exist_ok=True)
        os.chmod(folder, 0o755)

    @contextlib.contextmanager
    def running(self, command, environment, database):
        """Runs a command with the environment of the container, except for paths and addresses of this machine."""
        self.environment = environment | {"SHRUTI_DATABASE": database, "SHRUTI_DATA_DIR": self.data, "SHRUTI_LISTEN": self.listen}
        with open(self.log, "ab") as log:
            process = subprocess.Popen(["unshare", "--mount", "sh", "-c", f'{self.inside} && exec "$@"', "sh", *self.drop, *command],
                                       env=PLAIN | self.environment, stdout=log, stderr=log)
        try:
            yield process
        finally:
            end(process)

    def run(self, command, environment, database):
        with self.running(command, environment, database) as process:
            assert process.wait(60) == 0, text_of(self.log)

    def is_confined(self, process):
        """Checks that a process is confined as the sandbox promises."""
        status, mounts = text_of(f"/proc/{process.pid}/status"), text_of(f"/proc/{process.pid}/mountinfo")
        assert re.search(rf"^Uid:\t{self.user}\t", status, re.MULTILINE), status
        assert re.search(r"^CapEff:\t0+$", status, re.MULTILINE) and re.search(r"^NoNewPrivs:\t1$", status, re.MULTILINE), status
        assert re.search(r"^\S+ \S+ \S+ \S+ / ro[, ]", mounts, re.MULTILINE), "the root file system is writable"

    def beside(self, process, command):
        """Runs a command next to a process in its container, as a health check runs; returns its exit status and
        output.
        """
        done = subprocess.run(["nsenter", "--mount", f"--target={process.pid}", "--", *self.drop, *command], env=PLAIN | self.environment,
                              capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr
