"""WebSocket interface, which tests can replace."""

from __future__ import annotations

from typing import Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from .errors import ConnectionFailedError, ConnectionLostError, ConversationClosedError, ProtocolError, refusal

PROTOCOL = "tts.v1"
#: Maximum time until both sides have closed the connection, in seconds.
CLOSE_TIMEOUT_S = 2.0


class Socket(Protocol):
    """A connection after a successful upgrade."""

    async def send(self, text: str) -> None:
        """Writes a message immediately, then waits until the buffer has room. Raises `ConnectionLostError`."""
        ...

    async def recv(self) -> str | bytes:
        """Returns the next message. Raises `ConnectionLostError`, or `ConversationClosedError` after a close frame."""
        ...

    async def close(self) -> None:
        """Closes the connection cleanly, or after a timeout."""
        ...

    def abort(self) -> None:
        """Closes the connection immediately; `recv` then raises."""
        ...


class WebSocket:
    """A `Socket` over the network."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, text: str) -> None:
        try:
            await self._connection.send(text)
        except ConnectionClosed as closed:
            raise _reason(closed) from None

    async def recv(self) -> str | bytes:
        try:
            return await self._connection.recv()
        except ConnectionClosed as closed:
            raise _reason(closed) from None

    async def close(self) -> None:
        await self._connection.close()

    def abort(self) -> None:
        self._connection.transport.abort()


async def open_socket(url: str, authorization: str) -> Socket:
    """Connects to a server and authenticates."""
    uri = f"{url.replace('http', 'ws', 1)}/v1/tts/stream"
    try:
        connection = await connect(
            uri,
            additional_headers={"Authorization": authorization},
            subprotocols=[Subprotocol(PROTOCOL)],
            # compression is off: speech does not compress well, and for small messages it is not worth the time
            compression=None,
            # WebSocket pings are off: the conversation detects a silent server with messages that any client can send
            ping_interval=None,
            close_timeout=CLOSE_TIMEOUT_S,
            open_timeout=None,
        )
    except InvalidStatus as refused:
        raise refusal(refused.response.status_code, bytes(refused.response.body or b"")) from None
    except OSError as error:
        raise ConnectionFailedError(f"no connection to {url}: {error}") from error
    except (InvalidHandshake, EOFError) as error:
        raise ProtocolError(f"{url} does not speak WebSocket: {error}") from error
    return WebSocket(connection)


def _reason(closed: ConnectionClosed) -> ConnectionLostError | ConversationClosedError:
    if closed.rcvd is None:
        return ConnectionLostError("the connection was lost: it ended without a close frame")
    return ConversationClosedError(closed.rcvd.code, closed.rcvd.reason)
