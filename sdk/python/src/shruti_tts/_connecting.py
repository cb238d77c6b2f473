"""Opening, reopening and closing the connections of a conversation."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, cast

from ._socket import CLOSE_TIMEOUT_S, Socket
from .errors import ConnectionFailedError, ConversationClosedError, ProtocolError, ShrutiError

Connect = Callable[[], Awaitable[Socket]]

#: Maximum time until a server sends `ready`, in seconds.
CONNECT_TIMEOUT_S = 10.0
#: Maximum number of attempts to reconnect before the conversation fails.
MAX_RECONNECTS = 10
#: Initial and longest pause between two attempts, in seconds.
RECONNECT_PAUSES_S = (0.1, 5.0)


async def greeted(connect: Connect) -> tuple[Socket, dict[str, Any]]:
    """Returns a socket and the `ready` message that was received on it."""
    opened: list[Socket] = []
    try:
        return await asyncio.wait_for(_greet(connect, opened), CONNECT_TIMEOUT_S)
    except BaseException as error:
        for socket in opened:
            socket.abort()
        if isinstance(error, asyncio.TimeoutError):
            raise ConnectionFailedError("the server does not answer") from None
        raise


async def reconnected(connect: Connect) -> Socket:
    """Connects again after a loss, with retries; raises the error of the last attempt."""
    pause, longest = RECONNECT_PAUSES_S
    for attempt in range(1, MAX_RECONNECTS + 1):
        try:
            return (await greeted(connect))[0]
        except ShrutiError as error:
            if attempt == MAX_RECONNECTS or not error.retryable:
                raise
        # jitter, so that the clients of a restarted server do not all reconnect at the same time
        await asyncio.sleep(pause * random.uniform(0.5, 1.0))
        pause = min(pause * 2, longest)
    raise AssertionError("the last attempt raises")


async def leave(socket: Socket) -> None:
    """Closes a connection cleanly; aborts it if that takes too long."""
    closing = asyncio.ensure_future(socket.close())
    try:
        await asyncio.wait({closing}, timeout=CLOSE_TIMEOUT_S)
    finally:
        if not closing.done():
            socket.abort()
            closing.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await closing


async def _greet(connect: Connect, opened: list[Socket]) -> tuple[Socket, dict[str, Any]]:
    socket = await connect()
    opened.append(socket)
    try:
        first = await socket.recv()
    except ConversationClosedError as closed:
        raise ConnectionFailedError(str(closed)) from closed
    try:
        ready: Any = json.loads(first)
    except ValueError:
        ready = None
    if not isinstance(ready, dict) or cast("dict[str, Any]", ready).get("type") != "ready":
        raise ProtocolError("the first message is not a greeting")
    return socket, cast("dict[str, Any]", ready)
