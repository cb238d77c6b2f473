"""Client for programs without asyncio."""

from __future__ import annotations

import random
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx

from ._clip_url import expiry, signed_clip_url
from ._loop import LoopThread, in_background
from ._options import (
    Clarity,
    ClipOptions,
    ConversationOptions,
    Credential,
    Credentials,
    Engine,
    Timestamps,
    TurnOptions,
    server_url,
    settings,
)
from ._socket import Socket, open_socket
from .client import TIMEOUT
from .clip import Clip, ClipStream, clip_body, pause_s, refusal_of, unreachable
from .errors import ShrutiError
from .events import Audio, Cancelled, Event, Outcome, TurnEvent
from .session import AsyncSession, AsyncTurn
from .timed import TimedClipStream

if TYPE_CHECKING:
    # `typing` contains `Unpack` only since Python 3.11, and `Unpack` is not needed at run time
    from typing_extensions import Unpack


class Client:
    """Client of one server, for programs without asyncio; see `AsyncClient`."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | Credential | None = None,
        *,
        token: Credential | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._url = server_url(base_url)
        self._credentials = Credentials(api_key, token)
        self._http = http_client or httpx.Client(timeout=TIMEOUT)
        self._owns_http = http_client is None
        self._loop: LoopThread | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the pooled connections for clips, and ends all conversations."""
        if self._owns_http:
            self._http.close()
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    def tts(
        self,
        text: str,
        *,
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        lexicon: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        output_format: str | None = None,
    ) -> Clip:
        """Synthesizes a text of at most 5,000 characters and returns the complete clip."""
        with self.tts_stream(
            text,
            voice=voice,
            language=language,
            speed=speed,
            pitch=pitch,
            clarity=clarity,
            lexicon=lexicon,
            engine=engine,
            output_format=output_format,
        ) as stream:
            return Clip(stream.read(), stream.info)

    @contextmanager
    def tts_stream(
        self,
        text: str,
        *,
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        lexicon: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        output_format: str | None = None,
    ) -> Generator[ClipStream, None, None]:
        """Synthesizes a text and streams the audio as it is generated; see `AsyncClient.tts_stream`."""
        body = clip_body(
            text,
            voice=voice,
            language=language,
            speed=speed,
            pitch=pitch,
            clarity=clarity,
            lexicon=lexicon,
            engine=engine,
            output_format=output_format,
        )
        response = self._post(body)
        try:
            yield ClipStream(response)
        finally:
            response.close()

    def tts_timed(self, text: str, **options: Unpack[ClipOptions]) -> Clip:
        """Synthesizes a text and returns the clip with word timestamps in `words`. Options are those of `tts`."""
        with self.tts_timed_stream(text, **options) as stream:
            return stream.read()

    @contextmanager
    def tts_timed_stream(self, text: str, **options: Unpack[ClipOptions]) -> Generator[TimedClipStream, None, None]:
        """Synthesises a text and streams the audio with word timestamps as it is generated.

        See `AsyncClient.tts_timed_stream`.
        """
        response = self._post(clip_body(text, **options), "/v1/tts/timed")
        try:
            yield TimedClipStream(response)
        finally:
            response.close()

    def sign_clip_url(
        self,
        text: str,
        *,
        voice: str = "Ananya",
        language: str = "auto",
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        engine: Engine | None = None,
        output_format: str | None = None,
        expires_in: float = 86400,
        expires_at: int | None = None,
    ) -> str:
        """Returns the URL of a clip, for software that plays URLs: telephone platforms, `<audio src>`.

        The URL is signed locally, with a secret that is derived from the API key, and does not contain the key. It is
        valid for `expires_in` seconds, rounded up to the next whole hour, or until `expires_at`, in seconds since 1970.
        """
        return signed_clip_url(
            self._url,
            self._credentials.key_now(),
            text,
            expires=expiry(expires_in, expires_at),
            voice=voice,
            language=language,
            output_format=output_format,
            speed=speed,
            pitch=pitch,
            clarity=clarity,
            engine=engine,
        )

    def connect(
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
    ) -> Session:
        """Creates a conversation with these settings: `with client.connect() as session: …`."""
        self._loop = self._loop or LoopThread()
        config = settings(
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
        return Session(self._loop, AsyncSession(self._socket, config))

    def voices(self) -> dict[str, Any]:
        """Returns the response of `GET /v1/voices`."""
        return self._send("GET", "/v1/voices").json()

    def languages(self) -> dict[str, Any]:
        """Returns the response of `GET /v1/languages`."""
        return self._send("GET", "/v1/languages").json()

    def usage(self, start: str | None = None, end: str | None = None) -> dict[str, Any]:
        """Returns the usage of the key on the days from `start` to `end` (`2026-01-31`), both inclusive."""
        return self._send("GET", "/v1/usage", params=settings(**{"from": start, "to": end})).json()

    def create_token(self) -> dict[str, Any]:
        """Creates a single-use token for a web page (`POST /v1/tokens`)."""
        return self._send("POST", "/v1/tokens").json()

    async def _socket(self) -> Socket:
        return await open_socket(self._url, await self._credentials.header())

    def _post(self, body: dict[str, Any], path: str = "/v1/tts") -> httpx.Response:
        attempt = 1
        while True:
            try:
                return self._send("POST", path, json=body, stream=True)
            except ShrutiError as error:
                pause = pause_s(attempt, error, random.random())
                if pause is None:
                    raise
            time.sleep(pause)
            attempt += 1

    def _send(self, method: str, path: str, *, stream: bool = False, **content: Any) -> httpx.Response:
        headers = {"Authorization": self._credentials.header_now()}
        request = self._http.build_request(method, self._url + path, headers=headers, **content)
        try:
            response = self._http.send(request, stream=stream)
            if not response.is_success:
                response.read()
                raise refusal_of(response)
        except httpx.HTTPError as error:
            raise unreachable(error, self._url) from error
        return response


class Session:
    """A conversation; see `AsyncSession`. Its methods may be called from several threads."""

    def __init__(self, loop: LoopThread, session: AsyncSession) -> None:
        self._loop = loop
        self._session = session

    def open(self) -> Session:
        """Connects. `with` does this automatically."""
        self._loop.run(self._session.open())
        return self

    def __enter__(self) -> Session:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def session_id(self) -> str:
        """ID of the conversation in the server's log, assigned by its first connection."""
        return self._session.session_id

    @property
    def limits(self) -> dict[str, int]:
        """Limits of the server, as received in `ready`."""
        return self._session.limits

    def turn(self, **options: Unpack[TurnOptions]) -> Turn:
        """Creates a turn that begins with its first `send`; options are those of `AsyncSession.turn`."""
        return Turn(self._loop, self._session.turn(**options))

    def say(self, text: str | Iterable[str], **options: Unpack[TurnOptions]) -> Turn:
        """Starts a turn with a complete text or with pieces of text; see `AsyncSession.say`."""
        source = text if isinstance(text, str) else in_background(text)
        return Turn(self._loop, self._loop.run(self._session.say(source, **options)))

    def interrupt(self, played_ms: int | None = None, turn: Turn | None = None) -> Cancelled:
        """Barge-in: cancels every turn, and returns what was heard; see `AsyncSession.interrupt`."""
        heard = turn and turn._turn  # pyright: ignore[reportPrivateUsage]: the two are one for users
        return self._loop.run(self._session.interrupt(played_ms, heard))

    def configure(self, **options: Unpack[ConversationOptions]) -> None:
        """Changes the settings of turns that start after the call; options are those of `AsyncSession.configure`."""
        self._loop.run(self._session.configure(**options))

    def finish(self) -> None:
        """Lets all turns complete, then ends the conversation; events continue until then."""
        self._loop.run(self._session.finish())

    def close(self) -> None:
        """Ends the conversation immediately. The server stops its work for the conversation."""
        self._loop.run(self._session.close())

    def __iter__(self) -> Iterator[Event]:
        while (event := self._loop.run(self._session.next_event())) is not None:
            yield event


class Turn:
    """A turn; see `AsyncTurn`."""

    def __init__(self, loop: LoopThread, turn: AsyncTurn) -> None:
        self._loop = loop
        self._turn = turn

    @property
    def turn_id(self) -> str:
        return self._turn.turn_id

    @property
    def text(self) -> str:
        """Text of the turn sent so far."""
        return self._turn.text

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the turn; `None` until it ends."""
        return self._turn.outcome

    def send(self, text: str, *, final: bool = False) -> None:
        """Appends text verbatim; see `AsyncTurn.send`."""
        self._loop.run(self._turn.send(text, final=final))

    def end(self) -> None:
        """Signals that no more text follows."""
        self._loop.run(self._turn.end())

    def flush(self) -> None:
        """Speaks the buffered text; the turn stays open."""
        self._loop.run(self._turn.flush())

    def played(self, played_ms: int) -> None:
        """Reports your player's position in the turn."""
        self._loop.run(self._turn.played(played_ms))

    def cancel(self, played_ms: int | None = None) -> Cancelled:
        """Ends the turn immediately, and returns what was heard of it."""
        return self._loop.run(self._turn.cancel(played_ms))

    def __iter__(self) -> Iterator[TurnEvent]:
        while True:
            # avoid a call to the other thread if the event has already arrived
            event = self._turn.event_now(self._loop.loop) or self._loop.run(self._turn.next_event())
            if event is None:
                return
            yield event

    def audio(self) -> Iterator[bytes]:
        """Yields only the audio of the turn."""
        for event in self:
            if isinstance(event, Audio):
                yield event.data

    def __enter__(self) -> Turn:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.run(self._turn.__aexit__(kind, error, trace))
