"""Connection of a conversation: its open turns, received events, and reconnection after a loss."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from ._connecting import Connect, greeted, leave, reconnected
from ._options import bytes_per_ms
from ._socket import Socket
from ._turn_state import MAX_KEPT, TurnState, in_turn_order
from .errors import (
    APIError,
    ConnectionLostError,
    ConversationClosedError,
    ConversationEndedError,
    ProtocolError,
    ShrutiError,
    api_error,
)
from .events import (
    SOUND,
    Audio,
    Cancelled,
    ConfigChanged,
    Done,
    Event,
    Failed,
    Flushed,
    Heard,
    Lost,
    Outcome,
    Reconnected,
    Rejected,
    Started,
    Warned,
    Words,
    word_of,
)

#: Silence, in seconds, after which the server is pinged: the first value while a response is expected, otherwise the
#: second.
PING_AFTER_S = (5.0, 20.0)
#: Maximum time until the pong arrives, in seconds.
PONG_WITHIN_S = 5.0
#: Maximum number of events in the queue. Reading from the socket pauses while the queue is full.
MAX_EVENTS = 256
NORMAL = 1000
GOING_AWAY = 1001
IDLE = 4408
CLOSE = {"type": "close"}


@dataclass
class _Cancel:
    """A cancel whose response has not arrived yet. Until then, the audio of its turns is suppressed."""

    turn_ids: frozenset[str]
    answer: asyncio.Future[Cancelled]


class Connection:
    """A conversation, which can span several sockets."""

    def __init__(self, connect: Connect, config: dict[str, Any]) -> None:
        self._connect = connect
        self._config = config
        self._socket: Socket | None = None
        self._task: asyncio.Task[None] | None = None
        self._turns: dict[str, TurnState] = {}
        self._cancels: dict[str, _Cancel] = {}
        self._cancel_count = 0
        self._events: deque[Event] = deque()
        #: Lock for the event queue, because the synchronous client takes events in another thread.
        self._events_lock = threading.Lock()
        self._pending: deque[dict[str, Any]] = deque()
        self._takers: list[tuple[str | None, asyncio.Future[None]]] = []
        self._room = asyncio.Event()
        self._room.set()
        self._to_say = asyncio.Event()
        self._sounding: TurnState | None = None
        #: Turn whose text or setting was rejected. It must be cancelled.
        self._refused: TurnState | None = None
        #: Turns whose settings the server has not accepted or rejected yet, in the order in which they were sent.
        self._unjudged: deque[TurnState] = deque()
        self._config_unjudged = False
        self._closing_error: APIError | None = None
        #: Whether the server is shutting down. If it is, the client reconnects as soon as no turn is open on this
        #: connection.
        self._leaving = False
        self._finishing = False
        self._over: ShrutiError | None = None
        self._last_heard = 0.0
        self._pinged = False
        #: The `ready` message of the first connection.
        self.ready: dict[str, Any] = {}

    # methods for `AsyncSession` and `AsyncTurn`

    async def open(self) -> None:
        """Connects for the first time."""
        socket, self.ready = await greeted(self._connect)
        self._task = asyncio.create_task(self._run(socket), name="shruti conversation")

    async def text(self, turn: TurnState, text: str, options: dict[str, Any]) -> None:
        """Sends a piece of a turn's text; drops it if the turn has ended."""
        self._check()
        if turn.outcome is not None:
            return
        turn.text += text
        await self._send({"type": "text", "text": text, "turn_id": turn.turn_id, **options})

    async def about(self, turn: TurnState, message: dict[str, Any]) -> None:
        """Sends a non-text message for a turn. Drops it if the turn has ended, except `played` after `Done`."""
        self._check()
        # even after all audio of the turn was received, a player may report its position
        if turn.outcome is None or (message["type"] == "played" and isinstance(turn.outcome, Done)):
            await self._send({**message, "turn_id": turn.turn_id})

    async def configure(self, config: dict[str, Any]) -> None:
        self._check()
        self._config.update(config)
        if self._socket is not None:
            await self._send({"type": "config", **config})

    async def cancel(self, *requests: tuple[dict[str, Any], str | None]) -> Cancelled:
        """Cancels turns. Each request consists of a message and the ID of its turn, or `None` for all turns.

        Suppresses the audio of all these turns immediately, waits for the responses, and returns the first one.
        """
        self._check()
        asked = [self._begin_cancel(message, turn_id) for message, turn_id in requests]
        for message, _ in asked:
            if message is not None:
                await self._send(message)
        return (await asyncio.gather(*(answer for _, answer in asked)))[0]

    def _begin_cancel(
        self, message: dict[str, Any], turn_id: str | None
    ) -> tuple[dict[str, Any] | None, asyncio.Future[Cancelled]]:
        turn_ids = frozenset(self._turns) if turn_id is None else frozenset((turn_id,))
        for turn in self._unsaid(turn_ids):
            # no message of this turn was sent, so the server cannot respond
            heard = Heard(ms=0, text="", char_end=0, basis="playhead")
            cancelled = Cancelled(turn.turn_id, "cancelled", 0, heard, turn.text)
            self._pending = deque(m for m in self._pending if m.get("turn_id") != turn.turn_id)
            self._end(turn, cancelled)
            if turn_id is not None:
                answer: asyncio.Future[Cancelled] = asyncio.get_running_loop().create_future()
                answer.set_result(cancelled)
                return None, answer
            self._put(cancelled)
        asked = self._silence(message, turn_ids)
        # a cancel of all turns also drops the audio of turns that have ended but whose events were not taken
        self._drop(lambda event: turn_id is None or event.turn_id in turn_ids)
        self._room.set()
        return asked

    def _silence(
        self, message: dict[str, Any], turn_ids: frozenset[str]
    ) -> tuple[dict[str, Any], asyncio.Future[Cancelled]]:
        """Suppresses the audio of turns until a cancel is confirmed. Returns the message and a future for the reply."""
        for turn_id in turn_ids & self._turns.keys():
            # a cancelled turn must not move to another server
            self._turns[turn_id].kept = None
        self._cancel_count += 1
        name = f"c{self._cancel_count}"
        cancel = _Cancel(turn_ids, asyncio.get_running_loop().create_future())
        self._cancels[name] = cancel
        return {"type": "cancel", **message, "id": name}, cancel.answer

    async def finish(self) -> None:
        """Lets open turns complete, then ends the conversation."""
        if self._over is None and not self._finishing:
            self._finishing = True
            if self._socket is None:
                # there is no connection: the next connection sends the pending messages and then the close message
                self._to_say.set()
            else:
                await self._hand_over(self._socket, CLOSE)

    async def take(self, turn: TurnState | None = None) -> Event | None:
        """Returns the next event of the conversation, or of `turn` if given; `None` if there are no more events."""
        while True:
            event = self._pop(turn)
            if event is not None:
                if len(self._events) < MAX_EVENTS:
                    self._room.set()
                return event
            if turn is not None and turn.outcome is not None:
                return None
            if self._over is not None:
                if isinstance(self._over, ConversationEndedError) and turn is None:
                    return None
                raise self._over
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            taker = (turn and turn.turn_id, waiter)
            self._takers.append(taker)
            # the queue may be full of events of other turns, so `_make_room` must check it again
            self._room.set()
            try:
                await waiter
            finally:
                self._takers.remove(taker)

    async def close(self) -> None:
        """Ends the conversation immediately. The server stops its work for the conversation."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        self._give_up(ConversationEndedError("the conversation has ended"))

    def _check(self) -> None:
        if self._over is not None:
            raise self._over
        if self._finishing:
            raise ConversationEndedError("the conversation is closing; no more text can be sent")

    def take_now(self, turn: TurnState | None, loop: asyncio.AbstractEventLoop) -> Event | None:
        """Returns the next event if it has already arrived. May be called from any thread."""
        event = self._pop(turn)
        if event is not None and not self._room.is_set() and len(self._events) < MAX_EVENTS:
            loop.call_soon_threadsafe(self._room.set)
        return event

    def _pop(self, turn: TurnState | None) -> Event | None:
        with self._events_lock:
            if turn is None:
                return self._events.popleft() if self._events else None
            for place, event in enumerate(self._events):
                if getattr(event, "turn_id", None) == turn.turn_id:
                    del self._events[place]
                    return event
        return None

    def _drop(self, unwanted: Callable[[Started | Words | Audio], bool]) -> None:
        """Drops audio events that have not been taken."""
        with self._events_lock:
            self._events = deque(e for e in self._events if not (isinstance(e, SOUND) and unwanted(e)))

    # sending

    async def _send(self, message: dict[str, Any]) -> None:
        turn = self._turns.get(message.get("turn_id") or "")
        if self._socket is None or (turn is not None and turn.moves):
            if len(self._pending) >= MAX_KEPT:
                raise ConnectionLostError(f"{MAX_KEPT} messages are already waiting for a connection")
            self._pending.append(message)
            self._to_say.set()
        else:
            await self._hand_over(self._socket, message)

    async def _hand_over(self, socket: Socket, message: dict[str, Any]) -> None:
        turn = self._turns.get(message.get("turn_id") or "")
        judges = turn is not None and bool(turn.settings) and not turn.handed_over
        if turn is not None:
            turn.hand_over(message)
        # errors are ignored: the loss of the connection is reported as an event
        with suppress(ConnectionLostError, ConversationClosedError):
            await socket.send(json.dumps(message, ensure_ascii=False))
            if judges and turn is not None:
                # older servers do not name the turn in an error: an error that arrives before the pong is about this
                # turn
                self._unjudged.append(turn)
                await socket.send('{"type":"ping","id":"settings"}')

    def begin(self, turn: TurnState) -> None:
        """Registers a turn, which is then open until it has an outcome."""
        if turn.turn_id in self._turns:
            raise ValueError(f"turn {turn.turn_id} is already open")
        self._turns[turn.turn_id] = turn

    def _unsaid(self, turn_ids: frozenset[str]) -> list[TurnState]:
        """Returns the given turns for which no message has been sent."""
        return [turn for turn in self._turns.values() if turn.turn_id in turn_ids and not turn.handed_over]

    # receiving

    async def _run(self, socket: Socket) -> None:
        leaving: deque[asyncio.Task[None]] = deque()
        try:
            while True:
                try:
                    await self._serve(socket)
                    self._give_up(ConversationEndedError("the conversation has ended"))
                    return
                except ShrutiError as error:
                    cause = error
                finally:
                    self._socket = None
                    # closing may take long, so do not wait for it before reporting the loss and opening the next
                    # connection
                    leaving.append(asyncio.create_task(leave(socket), name="shruti close"))
                self._report_loss(cause)
                if not cause.retryable or (self._finishing and not self._pending):
                    self._give_up(cause)
                    return
                # limit the number of connections that are being closed, in case the server ends every connection
                while len(leaving) > 1:
                    await leaving.popleft()
                if isinstance(cause, ConversationClosedError) and cause.code == IDLE:
                    self._to_say.clear()
                    # reconnect only when there is something to send
                    if not self._pending and not self._finishing:
                        await self._to_say.wait()
                try:
                    socket = await reconnected(self._connect)
                except ShrutiError as error:
                    self._report_loss(error)
                    self._give_up(error)
                    return
                self._put(Reconnected())
        except Exception as error:
            # end the conversation after any error, so that no caller waits forever
            self._give_up(ProtocolError(f"{type(error).__name__}: {error}"))
            raise
        finally:
            await asyncio.gather(*leaving)

    async def _serve(self, socket: Socket) -> None:
        """Serves one connection until it ends. Returns after a clean end; raises the error of a loss."""
        loop = asyncio.get_running_loop()
        self._last_heard, self._pinged = loop.time(), False
        self._leaving = False
        self._unjudged.clear()
        self._config_unjudged = bool(self._config)
        if self._config:
            await socket.send(json.dumps({"type": "config", **self._config}, ensure_ascii=False))
        while self._pending:
            await self._hand_over(socket, self._pending.popleft())
        if self._finishing:
            await self._hand_over(socket, CLOSE)
        self._socket = socket
        watch = loop.create_task(self._watch(socket), name="shruti silence")
        try:
            while True:
                frame = await socket.recv()
                self._last_heard, self._pinged = loop.time(), False
                event = self._sound(frame) if isinstance(frame, bytes) else self._message(frame)
                if event is not None:
                    self._put(event)
                    if self._refused is not None:
                        await self._cancel_refused(socket)
                    if len(self._events) >= MAX_EVENTS:
                        await self._make_room()
                        self._last_heard = loop.time()
                if self._leaving and not self._is_needed():
                    raise ConversationClosedError(GOING_AWAY, "shutdown")
        except ConversationClosedError as closed:
            nothing_waits = not self._pending and not self._is_speaking()
            is_all_said = closed.code == NORMAL or (closed.code == GOING_AWAY and nothing_waits)
            if self._finishing and is_all_said:
                return
            raise self._closing_error or closed from None
        finally:
            watch.cancel()
            self._closing_error = None

    async def _watch(self, socket: Socket) -> None:
        """Pings the server when it is silent, and aborts the connection if no pong arrives in time."""
        loop = asyncio.get_running_loop()
        while True:
            limit = PONG_WITHIN_S if self._pinged else PING_AFTER_S[0 if self._turns_wait() else 1]
            rest = self._last_heard + limit - loop.time()
            if rest > 0 or not self._room.is_set():
                await asyncio.sleep(max(min(rest, PING_AFTER_S[0]), 0.001) if rest > 0 else 0.5)
                continue
            if self._pinged:
                socket.abort()
                return
            self._last_heard, self._pinged = loop.time(), True
            with suppress(ConnectionLostError, ConversationClosedError):
                # if the network accepts no data, the send blocks: abort the connection in this case too
                asking = loop.create_task(socket.send('{"type":"ping"}'))
                done, _ = await asyncio.wait({asking}, timeout=PONG_WITHIN_S)
                if not done:
                    asking.cancel()
                    socket.abort()
                    return
                asking.result()

    def _is_needed(self) -> bool:
        """Returns whether the response to a cancel or the end of a turn is expected from the server."""
        return bool(self._cancels) or self._is_speaking()

    def _is_speaking(self) -> bool:
        """Returns whether the server has a turn that has not ended."""
        return any(turn.handed_over for turn in self._turns.values())

    def _turns_wait(self) -> bool:
        return bool(self._turns or self._cancels)

    def _put(self, event: Event) -> None:
        if any(self._is_silenced(event, cancel) for cancel in self._cancels.values()):
            return
        with self._events_lock:
            self._events.append(event)
        if len(self._events) >= MAX_EVENTS:
            self._room.clear()
        self._wake()

    def _wake(self) -> None:
        for _, waiter in self._takers:
            if not waiter.done():
                waiter.set_result(None)

    async def _make_room(self) -> None:
        """Waits for room in the event queue. If all callers wait for single turns, drops the audio of other turns."""
        while len(self._events) >= MAX_EVENTS and not self._cancels:
            awaited = {turn_id for turn_id, _ in self._takers}
            if awaited and None not in awaited:
                self._drop(lambda event, awaited=awaited: event.turn_id not in awaited)
                break
            self._room.clear()
            await self._room.wait()
        self._room.set()

    def _is_silenced(self, event: Event, cancel: _Cancel) -> bool:
        return isinstance(event, SOUND) and event.turn_id in cancel.turn_ids

    def _sound(self, data: bytes) -> Event | None:
        turn = self._sounding
        if turn is None:
            raise ProtocolError("received audio that belongs to no turn")
        turn.received += len(data)
        turn.kept = None
        return Audio(turn.turn_id, data)

    def _message(self, text: str) -> Event | None:
        try:
            message: Any = json.loads(text)
            return self._told(cast("dict[str, Any]", message))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ProtocolError(f"an invalid message: {error!r}") from error

    def _told(self, message: dict[str, Any]) -> Event | None:
        kind, turn_id = message["type"], cast("str | None", message.get("turn_id"))
        known = self._turns.get(turn_id or "")
        if known is not None and known.moves and kind != "turn.cancelled":
            # this turn moves to another server, which will report its outcome
            return None
        if kind == "turn.started":
            output_format = message.get("output_format", "pcm_24000")
            turn = self._turns.get(str(turn_id)) or TurnState(str(turn_id))
            turn.bytes_per_ms = bytes_per_ms(output_format)
            self._sounding = turn
            return Started(turn.turn_id, message["voice"], message["language"], output_format)
        if kind == "words":
            return Words(str(turn_id), tuple(word_of(word) for word in message["words"]))
        if kind == "flushed":
            return Flushed(turn_id, message["audio_ms"])
        if kind == "turn.done":
            done = Done(str(turn_id), message["audio_ms"], message["chars"], message.get("ttfa_ms"), message["reason"])
            return self._ended(done)
        if kind == "turn.failed":
            error = api_error(message["error"])
            if error.code == "draining":
                self._leaving = True
                if known is not None and known.kept is not None:
                    self._move([known])
                    return None
            return self._ended(Failed(str(turn_id), error, message["sent_ms"]))
        if kind == "turn.cancelled":
            return self._cancelled(message)
        if kind == "pong" and message.get("id") == "settings" and self._unjudged:
            self._unjudged.popleft()
        if kind == "config":
            self._config_unjudged = False
            return ConfigChanged({name: value for name, value in message.items() if name != "type"})
        if kind == "closing":
            self._leaving |= message["code"] == GOING_AWAY
            return None
        if kind == "warning":
            return Warned(message["code"], message["message"], turn_id)
        if kind == "error":
            error = api_error(message["error"])
            if message["scope"] == "message":
                return self._rejected(message, error)
            self._closing_error = error
        # ignore the message types of newer servers
        return None

    def _rejected(self, message: dict[str, Any], error: APIError) -> Event:
        field, turn_id = (error.param or "").partition(".")[0], cast("str | None", message.get("turn_id"))
        if self._config_unjudged and turn_id is None and field in self._config:
            # end the connection: a caller that requested a voice must not hear a different one
            raise error
        unjudged = self._unjudged[0] if self._unjudged else None
        turn = self._turns.get(turn_id or "") if "turn_id" in message else unjudged
        is_text = field == "text" and turn_id is not None
        if turn is None or turn.outcome is not None or not (is_text or field in turn.settings):
            return Rejected(error, turn_id)
        self._refused = turn
        return self._ended(Failed(turn.turn_id, error, turn.sound_ms() or 0))

    async def _cancel_refused(self, socket: Socket) -> None:
        """Cancels a turn whose text has a gap, so that the server does not continue it."""
        turn, self._refused = self._refused, None
        assert turn is not None
        # ignore the response to the cancel
        message, _ = self._silence({"turn_id": turn.turn_id}, frozenset((turn.turn_id,)))
        await self._hand_over(socket, message)

    def _ended(self, outcome: Done | Failed) -> Event:
        turn = self._turns.get(outcome.turn_id)
        if turn is not None:
            self._end(turn, outcome)
        return outcome

    def _cancelled(self, message: dict[str, Any]) -> Event | None:
        heard = message["heard"]
        cancelled = Cancelled(
            message["turn_id"],
            message["state"],
            message["sent_ms"],
            Heard(heard["ms"], heard["text"], heard["char_end"], heard["basis"], heard.get("cut_at", "word")),
            message["unheard_text"],
        )
        turn = self._turns.get(cancelled.turn_id or "")
        if turn is not None:
            self._end(turn, cancelled)
        answered = self._cancels.pop(message.get("id") or "", None)
        if answered is None:
            # no cancel of this client is waiting for this response
            return cancelled if message.get("id") is None else None
        if not answered.answer.done():
            answered.answer.set_result(cancelled)
        return None

    def _end(self, turn: TurnState, outcome: Outcome) -> None:
        turn.outcome = outcome
        self._turns.pop(turn.turn_id, None)
        self._wake()

    # lost connections

    def _move(self, turns: list[TurnState]) -> None:
        """Queues the turns that the current server has received, and that can move, for the next server."""
        moving = [turn for turn in turns if turn.handed_over and turn.kept is not None]
        for turn in moving:
            self._pending.extend(turn.kept or [])
            turn.kept, turn.handed_over, turn.moves = [], False, True
        self._pending = deque(in_turn_order(self._pending, self._turns))
        # drop the events of these turns, because the next server will report their start again
        self._drop(lambda event: any(event.turn_id == turn.turn_id for turn in moving))

    def _report_loss(self, cause: ShrutiError) -> None:
        """Ends the turns and cancels of a lost connection, except turns that the next connection can speak."""
        self._sounding = None
        if isinstance(cause, ConversationClosedError) and cause.code == GOING_AWAY and self._over is None:
            self._move(list(self._turns.values()))
        unsaid = self._unsaid(frozenset(self._turns))
        for turn in list(self._turns.values()):
            if turn in unsaid and self._over is None:
                continue
            self._pending = deque(m for m in self._pending if m.get("turn_id") != turn.turn_id)
            lost = Lost(turn.turn_id, turn.sound_ms(), cause)
            self._end(turn, lost)
            self._put(lost)
        # drop cancels that have not been sent, because their turns do not exist on the next connection
        self._pending = deque(m for m in self._pending if m["type"] != "cancel")
        for cancel in self._cancels.values():
            if not cancel.answer.done():
                cancel.answer.set_exception(cause)
                # mark the exception as retrieved, so that asyncio does not log it
                cancel.answer.exception()
        self._cancels.clear()

    def _give_up(self, error: ShrutiError) -> None:
        if self._over is None:
            self._over = error
        self._pending.clear()
        self._report_loss(self._over)
        self._wake()
