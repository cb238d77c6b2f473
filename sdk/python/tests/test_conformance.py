"""Runs the test vectors shared by all clients; the README in their folder explains the steps."""

from __future__ import annotations

import asyncio
import json
import pathlib
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from conftest import TestClockLoop, run
from shruti_tts import _connecting, client, events
from shruti_tts.client import AsyncClient
from shruti_tts.errors import (
    APIError,
    ConnectionFailedError,
    ConnectionLostError,
    ConversationClosedError,
    ConversationEndedError,
    ProtocolError,
    ShrutiError,
    refusal,
)
from shruti_tts.session import AsyncSession, AsyncTurn

VECTORS = pathlib.Path(__file__).parents[2] / "conformance"
READY = json.loads((VECTORS / "ready.json").read_text("utf-8"))
HAS = {"token", "retry", "calls_beside", "sources", "timed_clips"}


def vectors() -> list[Any]:
    files = ("turns", "cancels", "losses", "moves", "connects", "clips")
    read = {name: json.loads((VECTORS / f"{name}.json").read_text("utf-8")) for name in files}
    return [pytest.param(v, id=f"{name}: {v['name']}") for name, many in read.items() for v in many]


def sound(size: int) -> bytes:
    return bytes(place % 251 for place in range(size))


async def nothing_yet() -> AsyncIterator[str]:
    await asyncio.Event().wait()
    yield ""


class Wire:
    """A socket between the client and the driver."""

    def __init__(self) -> None:
        self.said: deque[dict[str, Any]] = deque()
        self.coming: deque[str | bytes | ShrutiError] = deque()
        self.news = asyncio.Event()
        self.stalled = self.lingers = self.ended = False
        #: Set when a lingering socket may close.
        self.gone = asyncio.Event()

    async def send(self, text: str) -> None:
        if self.ended:
            raise ConnectionLostError("the driver cut the connection")
        if self.stalled:
            return
        message = json.loads(text)
        if message["type"] == "ping":
            self.tell(json.dumps({"type": "pong", "id": message.get("id")}))
        else:
            self.said.append(message)

    async def recv(self) -> str | bytes:
        while not self.coming:
            self.news.clear()
            await self.news.wait()
        frame = self.coming[0]
        if isinstance(frame, ShrutiError):
            raise frame
        return self.coming.popleft()

    async def close(self) -> None:
        if self.lingers:
            await self.gone.wait()
        self.end(ConnectionLostError("closed here"))

    def abort(self) -> None:
        self.end(ConnectionLostError("the connection broke"))

    def end(self, error: ShrutiError) -> None:
        if not self.ended:
            self.ended = True
            self.coming.append(error)
            self.news.set()

    def tell(self, frame: str | bytes) -> None:
        self.coming.append(frame)
        self.news.set()


class Driver:
    """Test driver that acts as the server, the user and the clock."""

    def __init__(self, loop: TestClockLoop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.loop = loop
        self.knocks: deque[tuple[str, asyncio.Future[Wire]]] = deque()
        self.requests: deque[tuple[httpx.Request, asyncio.Future[httpx.Response]]] = deque()
        self.answering: asyncio.Future[httpx.Response] | None = None
        self.wire: Wire | None = None
        self.accepts = False
        self.calls: dict[str, asyncio.Task[Any]] = {}
        self.turns: dict[str, AsyncTurn] = {}
        self.bound: dict[str, Any] = {}
        self.session: AsyncSession | None = None
        self.client: AsyncClient | None = None
        monkeypatch.setattr(client, "open_socket", self.knock)

    async def knock(self, url: str, authorization: str) -> Wire:
        opened: asyncio.Future[Wire] = self.loop.create_future()
        self.knocks.append((authorization, opened))
        if self.accepts:
            self.accept(self.knocks.popleft()[1], greet=True)
        return await opened

    async def handle(self, request: httpx.Request) -> httpx.Response:
        answer: asyncio.Future[httpx.Response] = self.loop.create_future()
        self.requests.append((request, answer))
        return await answer

    async def play(self, vector: dict[str, Any]) -> None:
        if "opened" in vector:
            config = vector["opened"].get("config")
            await self.step({"call": "open", **vector["opened"]})
            await self.step({"accept": {"credential": vector["opened"].get("tokens", ["sk_test"])[0]}})
            if config:
                await self.step({"client": {"type": "config", **config}})
            await self.step({"returns": {}, "of": "open"})
        for number, step in enumerate(vector["steps"], 1):
            try:
                await self.step(step)
            except (AssertionError, ShrutiError) as error:
                raise AssertionError(f"step {number}, {json.dumps(step, ensure_ascii=False)}: {error!r}") from error
        await self.quiet()
        if self.session is not None:
            await self.session.close()
        if self.client is not None:
            await self.client.close()
        await self.loop.settle()
        assert not self.knocks
        assert self.wire is None or self.wire.ended, "the connection is left open"

    async def step(self, step: dict[str, Any]) -> None:
        kind = next(iter(step))
        value = self.fill(step[kind]) if kind == "server" else step[kind]
        if kind == "call":
            await self.call(**step)
        elif kind in ("returns", "raises"):
            await self.answered(kind, value, step["of"])
        elif kind == "event":
            self.match(described(await self.event()), value)
        elif kind == "ends":
            await self.ends(value)
        elif kind in ("accept", "refuse", "unreachable"):
            await self.connection(kind, value)
        elif kind == "client":
            await self.loop.settle()
            assert self.wire is not None and self.wire.said, "no message came"
            self.match_all(self.wire.said.popleft(), value)
        elif kind in ("server", "sound", "close", "cut", "stall", "lingers"):
            self.serve(kind, value)
        elif kind == "request":
            await self.request(value)
        elif kind == "answer":
            await self.answer(value)
        elif kind == "advance_ms":
            self.accepts = step.get("accepts", False)
            await self.loop.advance(value / 1000)
            self.accepts = False
        elif kind == "settle":
            await self.loop.settle()
        elif kind == "quiet":
            await self.quiet()
        else:
            raise AssertionError(f"no such step: {kind}")

    # steps of the user

    async def call(self, call: str, **given: Any) -> None:
        work = getattr(self, f"do_{call}")(**given)
        task = self.calls[call] = self.loop.create_task(work)
        await self.loop.settle()
        if call not in ("open", "interrupt", "cancel", "clip", "timed_clip"):
            assert task.done(), f"{call} waits"
            await task

    def new_client(self, tokens: list[str] | None = None) -> AsyncClient:
        http = httpx.AsyncClient(transport=httpx.MockTransport(self.handle))
        fetch = (lambda: tokens.pop(0)) if tokens else None
        key = None if tokens else "sk_test"
        self.client = AsyncClient("http://server.example", key, token=fetch, http_client=http)
        self.client._owns_http = True
        return self.client

    async def do_open(self, config: dict[str, Any] | None = None, tokens: list[str] | None = None) -> None:
        session = self.new_client(list(tokens or [])).connect(**(config or {}))
        await session.open()
        self.session = session

    async def do_begin(self, turn_id: str, text: str | None = None, final: bool = False, **options: Any) -> None:
        assert self.session is not None
        if text is None:
            self.turns[turn_id] = await self.session.say(nothing_yet(), turn_id=turn_id)
            return
        self.turns[turn_id] = self.session.turn(turn_id=turn_id, **options)
        await self.turns[turn_id].send(text, final=final)

    async def do_say(self, turn_id: str, text: str, **options: Any) -> None:
        await self.do_begin(turn_id, text, True, **options)

    async def do_append(self, turn_id: str, text: str) -> None:
        await self.turns[turn_id].send(text)

    async def do_end(self, turn_id: str) -> None:
        await self.turns[turn_id].end()

    async def do_flush(self, turn_id: str) -> None:
        await self.turns[turn_id].flush()

    async def do_played(self, turn_id: str, played_ms: int) -> None:
        await self.turns[turn_id].played(played_ms)

    async def do_configure(self, config: dict[str, Any]) -> None:
        assert self.session is not None
        await self.session.configure(**config)

    async def do_interrupt(self, played_ms: int | None = None, turn_id: str | None = None) -> dict[str, Any]:
        assert self.session is not None
        heard = self.turns[turn_id] if turn_id else None
        return described(await self.session.interrupt(played_ms, heard))

    async def do_cancel(self, turn_id: str, played_ms: int | None = None) -> dict[str, Any]:
        return described(await self.turns[turn_id].cancel(played_ms))

    async def do_finish(self) -> None:
        assert self.session is not None
        await self.session.finish()

    async def do_clip(self, text: str, **options: Any) -> dict[str, Any]:
        clip = await self.new_client().tts(text, **options)
        assert clip.audio == sound(len(clip.audio)), "other samples"
        return {"bytes": len(clip.audio), **vars(clip.info)}

    async def do_timed_clip(self, text: str, **options: Any) -> dict[str, Any]:
        clip = await self.new_client().tts_timed(text, **options)
        assert clip.audio == sound(len(clip.audio)), "other samples"
        return {"bytes": len(clip.audio), **vars(clip.info), "words": [vars(word) for word in clip.words]}

    async def answered(self, kind: str, value: dict[str, Any], of: str) -> None:
        task = self.calls.pop(of)
        await self.loop.settle()
        assert task.done(), f"{of} waits"
        if kind == "raises":
            error = task.exception()
            assert isinstance(error, ShrutiError), repr(error)
            self.match(error_of(error), value)
        elif of == "open":
            await task
            assert self.session is not None
            self.match({"session_id": self.session.session_id}, value)
        else:
            self.match(await task, value)

    async def event(self) -> events.Event:
        assert self.session is not None
        taking = self.loop.create_task(self.session.next_event())
        await self.loop.settle()
        if not taking.done():
            taking.cancel()
            raise AssertionError("no event came")
        event = await taking
        assert event is not None, "the conversation has ended"
        return event

    async def ends(self, value: dict[str, Any]) -> None:
        assert self.session is not None
        taking = self.loop.create_task(self.session.next_event())
        await self.loop.settle()
        assert taking.done(), "it continues"
        if value:
            error = taking.exception()
            assert isinstance(error, ShrutiError), repr(error or taking.result())
            self.match(error_of(error), value)
        else:
            assert await taking is None

    # steps of the server

    async def connection(self, kind: str, value: dict[str, Any]) -> None:
        await self.loop.settle()
        assert self.knocks, "nobody connects"
        authorization, opened = self.knocks.popleft()
        assert authorization == f"Bearer {value.get('credential', authorization[7:])}"
        if kind == "refuse":
            body = value["body"]
            raw = body if isinstance(body, str) else json.dumps(body)
            opened.set_exception(refusal(value["status"], raw.encode()))
        elif kind == "unreachable":
            opened.set_exception(ConnectionFailedError("nobody is there"))
        else:
            self.accept(opened, value.get("greet", True))
        await self.loop.settle()

    def accept(self, opened: asyncio.Future[Wire], greet: bool) -> None:
        if self.wire is not None:
            assert self.wire.ended or self.wire.lingers, "a second connection"
            self.wire.gone.set()
        self.wire = Wire()
        if greet:
            self.wire.tell(json.dumps(READY))
        opened.set_result(self.wire)

    def serve(self, kind: str, value: Any) -> None:
        assert self.wire is not None
        if kind == "server":
            self.wire.tell(json.dumps(value, ensure_ascii=False))
        elif kind == "sound":
            self.wire.tell(sound(value))
        elif kind == "close":
            self.wire.end(ConversationClosedError(value["code"], value["reason"]))
        elif kind == "cut":
            self.wire.end(ConnectionLostError("the driver cut the connection"))
        elif kind == "stall":
            self.wire.stalled = True
        else:
            self.wire.lingers = True

    async def request(self, value: dict[str, Any]) -> None:
        await self.loop.settle()
        assert self.requests, "no request came"
        request, self.answering = self.requests.popleft()
        assert (request.method, request.url.path) == ("POST", value.get("path", "/v1/tts"))
        assert request.headers["authorization"] == f"Bearer {value.get('credential', 'sk_test')}"
        assert request.headers["content-type"] == "application/json"
        self.match_all(json.loads(request.content), value["body"])

    async def answer(self, value: dict[str, Any]) -> None:
        assert self.answering is not None
        if value.get("unreachable"):
            self.answering.set_exception(httpx.ConnectError("nobody is there"))
            return

        async def body() -> AsyncIterator[bytes]:
            yield sound(value["sound"])
            if value.get("cut"):
                raise httpx.RemoteProtocolError("the connection broke")

        given = value.get("body")
        if "lines" in value:
            given = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in value["lines"])
        content = body() if "sound" in value else (given if isinstance(given, str) else json.dumps(given)).encode()
        self.answering.set_result(httpx.Response(value["status"], headers=value.get("headers", {}), content=content))
        await self.loop.settle()

    async def quiet(self) -> None:
        await self.loop.settle()
        assert not self.knocks, "somebody connects"
        assert not self.requests, "a request came"
        assert self.wire is None or self.wire.ended or not self.wire.said, f"it said {self.wire.said}"
        if self.session is not None:
            waiting = list(self.session._connection._events)
            assert not waiting, f"events wait: {waiting}"

    # matching

    def fill(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self.fill(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        return self.bound[value] if isinstance(value, str) and value.startswith("$") else value

    def match(self, given: Any, wanted: Any, path: str = "") -> None:
        if isinstance(wanted, dict):
            assert isinstance(given, dict), f"{path} is {given!r}"
            for name, item in wanted.items():
                assert name in given, f"{path}.{name} is not there"
                self.match(given[name], item, f"{path}.{name}")
        elif isinstance(wanted, list):
            assert isinstance(given, list) and len(given) == len(wanted), f"{path} is {given!r}"
            for place, (one, other) in enumerate(zip(given, wanted, strict=True)):
                self.match(one, other, f"{path}[{place}]")
        elif isinstance(wanted, str) and wanted.startswith("$"):
            assert self.bound.setdefault(wanted, given) == given, f"{path} is {given!r}"
        else:
            assert given == wanted, f"{path} is {given!r}, not {wanted!r}"

    def match_all(self, given: dict[str, Any], wanted: dict[str, Any]) -> None:
        self.match({"type": "text", **given}, wanted)
        silent = {name for name, value in given.items() if value is None or value is False}
        more = given.keys() - wanted.keys() - silent - {"type"}
        assert not more, f"{more} were not expected in {given}"


NAMES = {
    events.Started: "started",
    events.Words: "words",
    events.Audio: "audio",
    events.Flushed: "flushed",
    events.Done: "done",
    events.Cancelled: "cancelled",
    events.Failed: "failed",
    events.Lost: "lost",
    events.Reconnected: "reconnected",
    events.ConfigChanged: "config",
    events.Warned: "warning",
    events.Rejected: "rejected",
}


def described(event: events.Event) -> dict[str, Any]:
    told = {"type": NAMES[type(event)], **vars(event)}
    if isinstance(event, events.Audio):
        assert event.data == sound(len(event.data)), "other samples"
        told["bytes"] = len(event.data)
    elif isinstance(event, events.Words):
        told["words"] = [vars(word) for word in event.words]
    elif isinstance(event, events.Cancelled):
        told["heard"] = vars(event.heard)
    elif isinstance(event, (events.Failed, events.Lost, events.Rejected)):
        told["error"] = error_of(event.error)
    return told


def error_of(error: ShrutiError) -> dict[str, Any]:
    kinds = {
        APIError: "refused",
        ConversationClosedError: "closed",
        ConnectionFailedError: "connect",
        ConnectionLostError: "broken",
        ConversationEndedError: "ended",
        ProtocolError: "protocol",
    }
    kind = next(name for kind, name in kinds.items() if isinstance(error, kind))
    return {"kind": kind, "retryable": error.retryable, **vars(error)}


@pytest.mark.parametrize("vector", vectors())
def test_vector(vector: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(vector.get("needs", [])) <= HAS
    loop = TestClockLoop()
    driver = Driver(loop, monkeypatch)
    run(driver.play(vector), loop)


def test_the_first_pause_matches_the_vectors() -> None:
    assert (_connecting.MAX_RECONNECTS, _connecting.RECONNECT_PAUSES_S) == (10, (0.1, 5.0))
