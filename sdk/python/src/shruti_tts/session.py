"""Conversations: send text as a language model writes it, receive speech, and learn what was heard when you cancel."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union, cast

from ._connecting import Connect
from ._connection import Connection
from ._options import Clarity, Engine, Timestamps, TurnOptions, settings
from ._turn_state import TurnState
from .errors import ShrutiError
from .events import Audio, Cancelled, Event, Failed, Lost, Outcome, TurnEvent

if TYPE_CHECKING:
    # `typing` contains `Unpack` only since Python 3.11, and `Unpack` is not needed at run time
    from typing_extensions import Unpack

#: A whole text, or its pieces as a model writes them.
Text = Union[str, Iterable[str], AsyncIterable[str]]
#: Maximum length of the text in a message, in characters.
MAX_MESSAGE_CHARS = 5_000
#: Maximum length of a turn ID, in characters.
MAX_TURN_ID_CHARS = 64
#: Control characters as defined by the server: Unicode category Cc.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class AsyncSession:
    """A conversation, created by `AsyncClient.connect`.

    A lost connection is restored automatically. Turns that were open end with `Lost`: none of their text is sent again,
    so nothing is spoken twice. If a server shuts down, the client moves to another one between two turns; the next
    server speaks the turns whose audio has not started. Iterate over the events of one turn (`async for event in turn`)
    or of all turns (`async for event in session`), not both at the same time.
    """

    def __init__(self, connect: Connect, config: dict[str, Any]) -> None:
        self._connection = Connection(connect, config)
        self._turn_count = 0
        self._feeds: set[asyncio.Task[None]] = set()

    async def open(self) -> AsyncSession:
        """Connects. `async with` does this automatically."""
        await self._connection.open()
        return self

    async def __aenter__(self) -> AsyncSession:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def session_id(self) -> str:
        """ID of the conversation in the server's log, assigned by its first connection."""
        return str(self._connection.ready.get("session_id", ""))

    @property
    def limits(self) -> dict[str, int]:
        """Limits of the server, as received in `ready`."""
        return dict(self._connection.ready.get("limits", {}))

    def turn(
        self,
        *,
        turn_id: str | None = None,
        preempt: bool = False,
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        lexicon: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        timestamps: Timestamps | None = None,
        max_lead_ms: int | None = None,
    ) -> AsyncTurn:
        """Creates a turn that begins with its first `send`. An omitted option takes its value from the conversation.

        `preempt` cancels the current turn and is spoken before all queued turns. If the turn is used as a context
        manager, it is cancelled when the block ends first. A custom `turn_id` has 1 to 64 characters and no control
        characters.
        """
        # checked here, because the server could not name the turn in an error about its ID
        if turn_id is not None and not (0 < len(turn_id) <= MAX_TURN_ID_CHARS and not CONTROL.search(turn_id)):
            raise ValueError(f"turn_id must have 1 to {MAX_TURN_ID_CHARS} characters and no control characters")
        self._turn_count += 1
        options = settings(
            voice=voice,
            language=language,
            speed=speed,
            pitch=pitch,
            clarity=clarity,
            lexicon=lexicon,
            engine=engine,
            timestamps=timestamps,
            max_lead_ms=max_lead_ms,
            preempt=preempt or None,
        )
        return AsyncTurn(self._connection, turn_id or f"t{self._turn_count}", options)

    async def say(self, text: Text, **options: Unpack[TurnOptions]) -> AsyncTurn:
        """Starts a turn with a complete text or with pieces of text. Options are those of `turn`.

        Pieces are sent as they arrive; the turn can be played immediately. An exception from the source of the pieces
        ends the turn at that point, and is raised when the turn is iterated.
        """
        turn = self.turn(**options)
        if isinstance(text, str):
            await turn.send(text, final=True)
        else:
            turn.feed(text, self._feeds)
        return turn

    async def interrupt(self, played_ms: int | None = None, turn: AsyncTurn | None = None) -> Cancelled:
        """Handles a barge-in: cancels every turn, and returns what was heard of the turn that the listener hears.

        From this call on, no audio of the existing turns is returned. `played_ms` is the position of your player in the
        current turn, if known. `turn` is that turn; by default, it is the turn that the server is sending, although
        your player may still be playing an earlier one.
        """
        for feed in list(self._feeds):
            feed.cancel()
        if turn is None:
            return await self._connection.cancel(({"all": True, **settings(played_ms=played_ms)}, None))
        # the listener may hear a turn that the server has finished, while the server sends the next one: cancel both
        heard = {"turn_id": turn.turn_id, **settings(played_ms=played_ms)}
        return await self._connection.cancel((heard, turn.turn_id), ({"all": True, "played_ms": 0}, None))

    async def configure(
        self,
        *,
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        lexicon: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        timestamps: Timestamps | None = None,
        max_lead_ms: int | None = None,
        output_format: str | None = None,
    ) -> None:
        """Changes the settings of turns that start after the call. The settings are kept across reconnections."""
        await self._connection.configure(
            settings(
                voice=voice,
                language=language,
                speed=speed,
                pitch=pitch,
                clarity=clarity,
                lexicon=lexicon,
                engine=engine,
                timestamps=timestamps,
                max_lead_ms=max_lead_ms,
                output_format=output_format,
            )
        )

    async def finish(self) -> None:
        """Lets all turns complete, then ends the conversation; events continue until then."""
        await self._connection.finish()

    async def close(self) -> None:
        """Ends the conversation immediately. The server stops its work for the conversation."""
        for feed in list(self._feeds):
            feed.cancel()
        await asyncio.gather(*self._feeds, return_exceptions=True)
        await self._connection.close()

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[Event]:
        while (event := await self.next_event()) is not None:
            yield event

    async def next_event(self) -> Event | None:
        """Returns the next event of any turn; `None` after the end that `finish` requested. Raises the error of any
        other end.
        """
        return await self._connection.take()


class AsyncTurn:
    """A turn: one utterance of an assistant."""

    def __init__(self, connection: Connection, turn_id: str, options: dict[str, Any]) -> None:
        self._connection = connection
        self._state = TurnState(turn_id, settings=frozenset(options) - {"preempt"})
        self._options = options
        self._begun = False
        self._feed: asyncio.Task[None] | None = None

    @property
    def turn_id(self) -> str:
        return self._state.turn_id

    @property
    def text(self) -> str:
        """Text of the turn sent so far."""
        return self._state.text

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the turn; `None` until it ends."""
        return self._state.outcome

    async def send(self, text: str, *, final: bool = False) -> None:
        """Appends text verbatim, so include the spaces. Text after the end of the turn is dropped.

        `final`: no more text follows.
        """
        pieces = [text[at : at + MAX_MESSAGE_CHARS] for at in range(0, len(text), MAX_MESSAGE_CHARS)] or [""]
        for place, piece in enumerate(pieces):
            options = {} if self._begun else self._options
            if not self._begun:
                self._connection.begin(self._state)
                self._begun = True
            if final and place + 1 == len(pieces):
                options = {**options, "final": True}
            await self._connection.text(self._state, piece, options)

    async def end(self) -> None:
        """Signals that no more text follows."""
        if self._begun:
            await self._connection.about(self._state, {"type": "end"})
        else:
            await self.send("", final=True)

    async def flush(self) -> None:
        """Speaks the buffered text, including the unfinished last word; the turn stays open."""
        await self._connection.about(self._state, {"type": "flush"})

    async def played(self, played_ms: int) -> None:
        """Reports your player's position in the turn, which makes the reported heard text exact."""
        await self._connection.about(self._state, {"type": "played", "played_ms": played_ms})

    async def cancel(self, played_ms: int | None = None) -> Cancelled:
        """Ends the turn immediately and returns what was heard of it. From this call on, it yields no audio."""
        if self._feed is not None:
            self._feed.cancel()
        message = {"turn_id": self.turn_id, **settings(played_ms=played_ms)}
        return await self._connection.cancel((message, self.turn_id))

    def feed(self, text: Iterable[str] | AsyncIterable[str], feeds: set[asyncio.Task[None]]) -> None:
        """Sends pieces in the background as they arrive, and then ends the text of the turn."""
        self._connection.begin(self._state)
        self._begun = True
        task = asyncio.create_task(self._feed_all(text), name=f"shruti text of {self.turn_id}")
        self._feed = task
        feeds.add(task)
        task.add_done_callback(feeds.discard)
        # marks the exception as retrieved; `next_event` raises it
        task.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _feed_all(self, text: Iterable[str] | AsyncIterable[str]) -> None:
        first = True
        error: Exception | None = None
        try:
            async for piece in _pieces(text):
                if self.outcome is not None:
                    return
                await self._connection.text(self._state, piece, self._options if first else {})
                first = False
        except Exception as raised:
            error = raised
        if self.outcome is None:
            await self._connection.text(self._state, "", {"final": True, **(self._options if first else {})})
        if error is not None:
            raise error

    def __aiter__(self) -> AsyncIterator[TurnEvent]:
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[TurnEvent]:
        while (event := await self.next_event()) is not None:
            yield event

    async def next_event(self) -> TurnEvent | None:
        """Returns the turn's next event; `None` after its end. Raises the error of a failed or lost turn, or the error
        of its text source.
        """
        return self._seen(await self._connection.take(self._state))

    def event_now(self, loop: asyncio.AbstractEventLoop) -> TurnEvent | None:
        """Returns the turn's next event if it has already arrived. May be called from any thread."""
        event = self._connection.take_now(self._state, loop)
        return None if event is None else self._seen(event)

    def _seen(self, event: Event | None) -> TurnEvent | None:
        if isinstance(event, (Failed, Lost)):
            raise event.error
        if event is None and self._feed is not None and self._feed.done() and not self._feed.cancelled():
            error = self._feed.exception()
            if error is not None:
                raise error
        return cast("TurnEvent | None", event)

    async def audio(self) -> AsyncIterator[bytes]:
        """Yields only the audio of the turn."""
        async for event in self:
            if isinstance(event, Audio):
                yield event.data

    async def __aenter__(self) -> AsyncTurn:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._begun and self.outcome is None:
            try:
                await self.cancel()
            except ShrutiError:
                # the turn has ended with its connection; an exception of the block takes precedence
                if error is None:
                    raise


async def _pieces(text: Iterable[str] | AsyncIterable[str]) -> AsyncIterator[str]:
    if isinstance(text, AsyncIterable):
        async for piece in text:
            yield piece
    else:
        for piece in text:
            yield piece
