"""Fixtures: event loops that must end without leftover tasks, and a clock that only the test advances."""

from __future__ import annotations

import asyncio
import gc
import pathlib
import selectors
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest

from server import Server, serving, serving_two


class TestClockLoop(asyncio.SelectorEventLoop):
    """Event loop whose time advances only when the test advances it."""

    __test__ = False

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(selectors.DefaultSelector())

    def time(self) -> float:
        return self._now

    async def settle(self) -> None:
        """Waits until no task can run at the current time."""
        for _ in range(50):
            await asyncio.sleep(0)

    async def advance(self, seconds: float) -> None:
        """Advances the time, from one timer to the next."""
        until = self._now + seconds
        await self.settle()
        while True:
            timers = [t.when() for t in self._scheduled if not t.cancelled() and t.when() <= until]  # type: ignore[attr-defined]
            if not timers:
                break
            self._now = max(self._now, min(timers))
            await self.settle()
        self._now = until
        await self.settle()


def run(work: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop | None = None) -> None:
    """Runs a test to its end, and fails if tasks or sockets are left over."""
    loop = loop or asyncio.new_event_loop()
    complaints: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    try:
        loop.run_until_complete(work)
        # the event loop notifies closed transports only in its next iterations
        for _ in range(3):
            loop.run_until_complete(asyncio.sleep(0))
        left = [task for task in asyncio.all_tasks(loop) if not task.done()]
        timers = [t for t in loop._scheduled if not t.cancelled()]  # type: ignore[attr-defined]
        assert not left, f"tasks are left: {left}"
        assert not timers, f"timers are left: {timers}"
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
        gc.collect()
    assert not complaints, complaints


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def two_servers(tmp_path: pathlib.Path) -> Iterator[tuple[Server, Server]]:
    """Two servers that the test may stop."""
    with serving_two(tmp_path) as servers:
        yield servers


@pytest.fixture
def own_server(tmp_path: pathlib.Path) -> Iterator[Server]:
    """A server that the test may stop."""
    with serving(tmp_path) as running:
        yield running
