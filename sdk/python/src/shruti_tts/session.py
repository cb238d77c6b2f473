"""A conversation: text goes in as a language model writes it, speech comes out, and a cancel says what was heard."""

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
    # in `typing` only from Python 3.11 on; nothing of it is needed when the program runs
    from typing_extensions import Unpack

#: Text as a whole, or in the pieces in which a model writes it.
Text = Union[str, Iterable[str], AsyncIterable[str]]
#: The longest text of one message.
MAX_MESSAGE_CHARS = 5_000
#: The longest name of a turn.
MAX_TURN_ID_CHARS = 64
#: As the server tells them: Unicode's Cc.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class AsyncSession:
    """One conversation, made by `AsyncClient.connect`.

    A lost connection is opened again by itself. Turns that were open end with `Lost`: none of what they said is sent
    again, so nothing is spoken twice. A server that shuts down is left between two turns; what it did not begin to say
    is said by the next. Take events of one turn (`async for event in turn`) or of all turns
    (`async for event in session`), not both at once.
    """

    def __init__(self, connect: Connect, config: dict[str, Any]) -> None:
        self._connection = Connection(connect, config)
        self._turn_count = 0
        self._feeds: set[asyncio.Task[None]] = set()

    async def open(self) -> AsyncSession:
        """Connects. `async with` does it by itself."""
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
        """The conversation's id in the server's log, as of its first connection."""
        return str(self._connection.ready.get("session_id", ""))

    @property
    def limits(self) -> dict[str, int]:
        """The server's limits, as `ready` told them."""
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
        """A turn that begins with its first `send`. What is left out is as the conversation's settings say.

        `preempt` cancels the live turn and goes before all that wait. As a context, the turn is cancelled where the
        block ends before it does. A `turn_id` of your own has 1 to 64 characters, none of them for control.
        """
        # the server could not say which turn it refuses for its name
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
        """Has a turn spoken: a text that is complete, or pieces as they come. Options are those of `turn`.

        Pieces are sent while they come; the turn can be listened to at once. What the pieces' source raises ends the
        turn where it is, and is raised by the turn's iteration.
        """
        turn = self.turn(**options)
        if isinstance(text, str):
            await turn.send(text, final=True)
        else:
            turn.feed(text, self._feeds)
        return turn

    async def interrupt(self, played_ms: int | None = None, turn: AsyncTurn | None = None) -> Cancelled:
        """Barge-in: cancels every turn, and says what was heard of the one that the listener hears.

        No sound of turns that were begun comes out from the call on. `played_ms` is how much of the turn that sounds
        your player has played, if you know. `turn`: which turn that is; without it the server takes the one that it
        sends, though your player may still be in one before.
        """
        for feed in list(self._feeds):
            feed.cancel()
        if turn is None:
            return await self._connection.cancel(({"all": True, **settings(played_ms=played_ms)}, None))
        # the one that is heard may have come whole while the next is being sent: each is asked for by itself
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
        """Changes the settings of turns that start later. They stay when the connection is another one."""
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
        """Lets everything be said that was begun, then ends the conversation; events go on until then."""
        await self._connection.finish()

    async def close(self) -> None:
        """Ends the conversation now, and with it the server's work."""
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
        """The next event of any turn; `None` behind the end that `finish` asked for. Raises what ended it otherwise."""
        return await self._connection.take()


class AsyncTurn:
    """One turn: what an assistant says at a time."""

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
        """What was sent of the turn so far."""
        return self._state.text

    @property
    def outcome(self) -> Outcome | None:
        """How the turn ended; `None` while it has not."""
        return self._state.outcome

    async def send(self, text: str, *, final: bool = False) -> None:
        """Appends text, verbatim: put the spaces in yourself. What comes after the turn's end is dropped.

        `final`: no more follows.
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
        """Says that no more text follows."""
        if self._begun:
            await self._connection.about(self._state, {"type": "end"})
        else:
            await self.send("", final=True)

    async def flush(self) -> None:
        """Has spoken what is held back, the unfinished last word too; the turn stays open."""
        await self._connection.about(self._state, {"type": "flush"})

    async def played(self, played_ms: int) -> None:
        """Tells how much of the turn your player has played, which makes what was heard exact."""
        await self._connection.about(self._state, {"type": "played", "played_ms": played_ms})

    async def cancel(self, played_ms: int | None = None) -> Cancelled:
        """Ends the turn at once, and says what was heard of it. No sound of it comes out from the call on."""
        if self._feed is not None:
            self._feed.cancel()
        message = {"turn_id": self.turn_id, **settings(played_ms=played_ms)}
        return await self._connection.cancel((message, self.turn_id))

    def feed(self, text: Iterable[str] | AsyncIterable[str], feeds: set[asyncio.Task[None]]) -> None:
        """Sends pieces while they come, beside everything else, and then the end."""
        self._connection.begin(self._state)
        self._begun = True
        task = asyncio.create_task(self._feed_all(text), name=f"shruti text of {self.turn_id}")
        self._feed = task
        feeds.add(task)
        task.add_done_callback(feeds.discard)
        # it is raised where the turn is listened to
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
        """The turn's next event; `None` behind its end. Raises why it broke off, was lost, or had no more text."""
        return self._seen(await self._connection.take(self._state))

    def event_now(self, loop: asyncio.AbstractEventLoop) -> TurnEvent | None:
        """The turn's next event, if it is there already. May be called from any thread."""
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
        """The turn's sound alone."""
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
                # the turn has ended with its connection; what was raised in the block says more
                if error is None:
                    raise


async def _pieces(text: Iterable[str] | AsyncIterable[str]) -> AsyncIterator[str]:
    if isinstance(text, AsyncIterable):
        async for piece in text:
            yield piece
    else:
        for piece in text:
            yield piece
