"""A release binary that serves on a free port of loopback, with a data folder of its own, while it is measured.

    with server.running("target/release/shruti", "--max-streams", "50", SHRUTI_LOG="warn") as s:
        ...  # s.url, s.address, s.key, s.pid, s.data_dir, s.log, s.stop()

Keyword arguments are environment variables. The process is ended and its folder removed, whatever happens.
"""

import contextlib
import os
import re
import selectors
import signal
import subprocess
import tempfile
import time

START_S = 30
STOP_S = 40


class Server:
    """A running server."""

    def __init__(self, process, folder):
        self.process, self.pid = process, process.pid
        self.data_dir = os.path.join(folder, "data")
        # where its standard error goes; it tells the address
        self.log = os.path.join(folder, "log")
        self.key = self.url = self.address = None

    def stop(self, patience_s=STOP_S):
        """Asks it to end and waits; the exit status, or None where it had to be killed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def is_running(self):
        return self.process.poll() is None

    def rss_kib(self):
        """Resident memory."""
        return self._status_kib("VmRSS")

    def peak_kib(self):
        """The most resident memory since the start."""
        return self._status_kib("VmHWM")

    def _status_kib(self, field):
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as status:
            return int(re.search(rf"{field}:\s*(\d+) kB", status.read())[1])

    def words(self):
        """What it has logged so far."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def _await_start(self):
        due = time.monotonic() + START_S
        self.key = self._first_line(due)
        while not (told := re.search(r"address=([\d.]+):(\d+)", re.sub(r"\x1b\[[\d;]*m", "", self.words()))):
            if not self.is_running() or time.monotonic() > due:
                raise RuntimeError(f"the server does not start:\n{self.words()}")
            time.sleep(0.01)
        self.address = (told[1], int(told[2]))
        scheme = "https" if re.search(r"url=\"?https", self.words()) else "http"
        self.url = f"{scheme}://{told[1]}:{told[2]}"

    def _first_line(self, due):
        """The first key, alone on the first line of standard output."""
        said = b""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in said:
                if not waiting.select(max(0, due - time.monotonic())):
                    raise RuntimeError(f"the server prints no key:\n{self.words()}")
                more = os.read(self.process.stdout.fileno(), 4096)
                if not more:
                    raise RuntimeError(f"the server ends without a key:\n{self.words()}")
                said += more
        key = said.split(b"\n")[0].decode()
        if not re.fullmatch(r"sk_\w+", key):
            raise RuntimeError(f"this is no key: {key}")
        return key


@contextlib.contextmanager
def running(binary, *flags, **env):
    """Starts a server and gives it once it listens."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            os.fspath(binary),
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--data-dir",
            os.path.join(folder, "data"),
            *flags,
        ]
        with open(os.path.join(folder, "log"), "wb") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env={**os.environ, **env})
        server = Server(process, folder)
        try:
            server._await_start()
            yield server
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


@contextlib.contextmanager
def limited(s, limit):
    """Puts a running server under a limit of memory, counting what it holds already; None where this machine cannot."""
    limit -= s.rss_kib() * 1024
    for root, name in [("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")]:
        folder = os.path.join(root, f"shruti-attack-{os.getpid()}")
        try:
            os.mkdir(folder)
        except OSError:
            continue
        if not os.path.exists(os.path.join(folder, name)):
            # no controller of memory, or no cgroup at all
            os.rmdir(folder)
            continue
        try:
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(str(limit))
            with open(os.path.join(folder, "cgroup.procs"), "w", encoding="ascii") as file:
                file.write(str(s.pid))
            yield f"{folder}/{name}"
            return
        finally:
            # empty only once its process has ended
            s.process.kill()
            s.process.wait()
            for _ in range(100):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
                    break
                time.sleep(0.02)
    yield None
