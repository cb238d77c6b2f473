"""Server for tests, and a TCP proxy that can cut or stall its connections."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import shutil
import signal
import sqlite3
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "checks"))
import harness  # noqa: E402

BINARY = os.environ.get("SHRUTI_BINARY") or str(ROOT / "target/release/shruti")


class Server(harness.Server):
    """A server, with methods that change its store for tests."""

    key: str

    def keys(self, *command: str) -> str:
        """Runs `shruti keys` and returns its output."""
        return self.command("keys", *command)

    def expire(self, key: str) -> None:
        """Expires a key now. There is no command for this: the shortest lifetime is a day."""
        with contextlib.closing(sqlite3.connect(pathlib.Path(self.data_dir, "shruti.db"), timeout=10)) as store, store:
            store.execute("UPDATE key_revision SET value = value + 1")
            store.execute(
                "UPDATE keys SET expires_ms = created_ms + 1, revision = (SELECT value FROM key_revision)"
                " WHERE prefix = ?",
                (key[:11],),
            )

    def expire_tokens(self) -> None:
        """Expires all unused tokens now."""
        with contextlib.closing(sqlite3.connect(pathlib.Path(self.data_dir, "shruti.db"), timeout=10)) as store, store:
            store.execute("UPDATE tokens SET expires_ms = 1")

    def drain(self) -> None:
        """Asks the server to shut down; it completes the open turns."""
        self.process.send_signal(signal.SIGTERM)


@contextlib.contextmanager
def serving(folder: pathlib.Path) -> Iterator[Server]:
    server = Server(BINARY, folder=folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def serving_two(folder: pathlib.Path) -> Iterator[tuple[Server, Server]]:
    """Starts two servers that accept the same key, as behind a load balancer."""
    with serving(folder / "one") as one:
        one.stop()
        shutil.copytree(one.data_dir, folder / "two/data")
        one.port = 0
        one.start()
        with serving(folder / "two") as two:
            two.key = one.key
            yield one, two


class Relay:
    """A TCP proxy that can cut its connections or stop forwarding data.

    `far_port` is the destination port of new connections; open connections keep their destination.
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
