"""Servers of a release binary on loopback, each with its own data folder."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator

from .process import PATIENCE_S, text_of, wait_until


class Server:
    """A `shruti serve`. After `stop` or `kill`, `start` starts it again on its port and data folder."""

    def __init__(
        self,
        binary: str | os.PathLike[str],
        *flags: str,
        folder: str | os.PathLike[str],
        data_dir: str | os.PathLike[str] | None = None,
        port: int = 0,
        env: dict[str, str] | None = None,
        umask: int = -1,
    ) -> None:
        """Describes a server; `start` starts it.

        `folder` receives the files `log` (standard error) and `printed` (standard output), and the data folder `data`
        unless `data_dir` names another. Port 0 means any free port. `env` is added to the environment of this process.
        `umask` replaces that of this process unless it is negative.
        """
        self.binary, self.flags, self.port = os.fspath(binary), flags, port
        self.folder = os.fspath(folder)
        self.log, self._printed = (os.path.join(self.folder, name) for name in ("log", "printed"))
        self.data_dir = os.fspath(data_dir or os.path.join(self.folder, "data"))
        self._env, self._umask = {**os.environ, **(env or {})}, umask
        #: API key that the first start with the data folder prints; None if an earlier server has used the folder.
        self.key: str | None = None
        #: Link that signs in to the Studio as the operator, from the latest start.
        self.link: str | None = None
        self.process: subprocess.Popen[bytes]

    def start(self) -> Server:
        """Starts the server and waits until it listens.

        A server that ran before keeps its port; set `port` to 0 for any free one. The log of the new process replaces
        the old log.
        """
        address = f"127.0.0.1:{self.port}"
        command = [self.binary, "serve", "--listen", address, "--data-dir", self.data_dir, *self.flags]
        os.makedirs(self.folder, exist_ok=True)
        with open(self.log, "wb") as log, open(self._printed, "wb") as printed:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=printed, stderr=log, env=self._env, umask=self._umask
            )
        try:
            wait_until(self._listens, self.process, self.log_text)
        except BaseException:
            self.kill()
            raise
        printed_text = text_of(self._printed)
        key, link = (re.search(p, printed_text, re.MULTILINE) for p in (r"^sk_\w+$", r"^https?://\S+/studio/link#\S+$"))
        self.key = key[0] if key else self.key
        self.link = link[0] if link else self.link
        return self

    def _listens(self) -> bool:
        found = re.search(r'address"?[=:]"?[\d.]+:(\d+)', self.log_text())
        if found:
            self.port = int(found[1])
        return found is not None

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def host(self) -> str:
        """Address and port, as in `127.0.0.1:8080`."""
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> tuple[str, int]:
        return ("127.0.0.1", self.port)

    @property
    def url(self) -> str:
        scheme = "https" if any(flag.startswith("--tls") for flag in self.flags) else "http"
        return f"{scheme}://{self.host}"

    def log_text(self) -> str:
        """Returns the server's log so far, without colours."""
        return text_of(self.log)

    def printed_text(self) -> str:
        """Returns the server's standard output so far."""
        return text_of(self._printed)

    def command(self, *arguments: str) -> str:
        """Runs a command of the binary on the data folder and returns its standard output."""
        command = [self.binary, *arguments, "--data-dir", self.data_dir]
        done = subprocess.run(command, capture_output=True, text=True, env=self._env, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
        return done.stdout.strip()

    def metrics(self) -> str:
        """Returns the metrics in Prometheus' text format."""
        with urllib.request.urlopen(f"{self.url}/metrics") as response:
            return response.read().decode()

    def metric(self, name: str) -> float:
        """Returns a metric, summed over its labels."""
        lines = self.metrics().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if re.match(rf"{name}(\{{| )", line))

    def rss_kib(self) -> int:
        """Returns the resident memory."""
        return self._status_kib("VmRSS")

    def peak_kib(self) -> int:
        """Returns the peak of the resident memory since the start."""
        return self._status_kib("VmHWM")

    def _status_kib(self, field: str) -> int:
        found = re.search(rf"{field}:\s*(\d+) kB", text_of(f"/proc/{self.pid}/status"))
        assert found, f"the system does not report {field}"
        return int(found[1])

    def is_running(self) -> bool:
        return self.process.poll() is None

    def stop(self, patience_s: float = PATIENCE_S) -> int | None:
        """Asks the server to shut down. Returns its exit status, or None if it had to be killed after `patience_s`."""
        if self.is_running():
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self) -> None:
        """Kills the server, so that it cannot shut down cleanly."""
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def running(binary: str | os.PathLike[str], *flags: str, **env: str) -> Iterator[Server]:
    """Runs a server in a temporary folder for the length of a `with` block."""
    folder = tempfile.mkdtemp(prefix="shruti-")
    try:
        server = Server(binary, *flags, folder=folder, env=env).start()
        try:
            yield server
        finally:
            server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def limited(server: Server, limit: int) -> Iterator[str | None]:
    """Puts a running server into a cgroup that may use `limit` bytes, minus what the server already uses.

    Yields the file of the limit, or None if this machine or user cannot create memory cgroups. The server is killed
    afterwards, since a cgroup can only be removed when it is empty.
    """
    limit -= server.rss_kib() * 1024
    for root, name in [("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")]:
        folder = os.path.join(root, f"shruti-attack-{os.getpid()}")
        try:
            os.mkdir(folder)
        except OSError:
            continue
        if not os.path.exists(os.path.join(folder, name)):
            # the cgroup has no memory controller, or there are no cgroups at all
            os.rmdir(folder)
            continue
        try:
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(str(limit))
            with open(os.path.join(folder, "cgroup.procs"), "w", encoding="ascii") as file:
                file.write(str(server.pid))
            yield f"{folder}/{name}"
            return
        finally:
            server.kill()
            # the kernel removes the process from the cgroup some time after the process exits
            for _ in range(100):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
                    break
                time.sleep(0.02)
    yield None
