"""A server for tests, and a wire to it that can be cut or stall."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).parents[3]
BINARY = os.environ.get("SHRUTI_BINARY") or str(ROOT / "target/release/shruti")


class Server:
    """A running `shruti serve` on a free port, with a data folder of its own."""

    def __init__(self, folder: pathlib.Path, port: int = 0) -> None:
        self.folder = folder
        command = [BINARY, "serve", "--listen", f"127.0.0.1:{port}", "--data-dir", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.url = ""
        for line in self.process.stderr:
            if found := re.search(r"address=([0-9.:]+)", line):
                self.url = f"http://{found[1]}"
                break
        assert self.url, "the server did not start"
        # its log must not fill the pipe
        self._reader = threading.Thread(target=self.process.stderr.read, daemon=True)
        self._reader.start()
        first = not (folder / "key").exists()
        if first:
            key = next(line.strip() for line in self.process.stdout if line.startswith("sk_"))
            (folder / "key").write_text(key)
        self.key = (folder / "key").read_text()

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def keys(self, *command: str) -> str:
        """Runs `shruti keys`; gives what it prints."""
        done = subprocess.run(
            [BINARY, "keys", *command, "--data-dir", str(self.folder)], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def expire(self, key: str) -> None:
        """Has a key stop now. No command does that: those that are made last for a day at least."""
        with contextlib.closing(sqlite3.connect(self.folder / "shruti.db", timeout=10)) as store, store:
            store.execute("UPDATE key_revision SET value = value + 1")
            store.execute(
                "UPDATE keys SET expires_ms = created_ms + 1, revision = (SELECT value FROM key_revision)"
                " WHERE prefix = ?",
                (key[:11],),
            )

    def expire_tokens(self) -> None:
        """Has all tokens that nobody used stop now."""
        with contextlib.closing(sqlite3.connect(self.folder / "shruti.db", timeout=10)) as store, store:
            store.execute("UPDATE tokens SET expires_ms = 1")

    def drain(self) -> None:
        """Has it shut down in order: what is being said is said."""
        self.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it as a power cut does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._close()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._close()

    def _close(self) -> None:
        self._reader.join()
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()


@contextlib.contextmanager
def serving(folder: pathlib.Path) -> Iterator[Server]:
    server = Server(folder)
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def serving_two(folder: pathlib.Path) -> Iterator[tuple[Server, Server]]:
    """Two servers that take the same key, as behind a load balancer."""
    Server(folder / "one").stop()
    shutil.copytree(folder / "one", folder / "two")
    with serving(folder / "one") as one, serving(folder / "two") as two:
        yield one, two


class Relay:
    """Passes connections on until it is told to cut them, or to let nothing through any more.

    `far_port` is where new connections go; those that there are stay where they are.
    """

    def __init__(self, port: int) -> None:
        self.far_port = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self.connections = 0
        self.said = b""

    async def __aenter__(self) -> Relay:
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def stall(self) -> None:
        self._flows.clear()

    def flow(self) -> None:
        self._flows.set()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.far_port)
        except OSError:
            writer.transport.abort()
            return
        self.connections += 1
        self._writers |= {writer, far_writer}
        for way in (self._pass(reader, far_writer), self._pass(far_reader, writer)):
            task = asyncio.create_task(way)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
