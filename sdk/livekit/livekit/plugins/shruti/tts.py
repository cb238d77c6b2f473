"""LiveKit plugin: keeps one conversation with Shruti open for all streams of an agent, with one turn per stream."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from livekit.agents import (
    APIConnectionError,
    APIConnectOptions,
    APIError,
    APIStatusError,
    APITimeoutError,
    tts,
    utils,
)
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN, NotGivenOr, TimedString
from livekit.agents.utils import is_given
from shruti_tts import (
    APIError as ServerSaid,
)
from shruti_tts import (
    AsyncClient,
    AsyncSession,
    AsyncTurn,
    Audio,
    Cancelled,
    Clarity,
    Credential,
    Done,
    Failed,
    InvalidRequestError,
    ShrutiError,
    Words,
)

from .log import logger

#: HTTP status by error code. LiveKit decides by the status whether to retry, but errors in a conversation have no
#: status.
STATUS_OF = {
    "invalid_api_key": 401,
    "expired_api_key": 401,
    "revoked_api_key": 401,
    "missing_api_key": 401,
    "invalid_token": 401,
    "quota_exhausted": 402,
    "access_locked": 403,
    "insufficient_scope": 403,
    "queue_full": 429,
    "rate_limited": 429,
    "overloaded": 503,
    "draining": 503,
    "internal": 500,
}
Heard = Callable[[Cancelled], None]


@dataclass
class _Options:
    voice: str | None
    language: str | None
    speed: float | None
    pitch: float | None
    clarity: Clarity | None
    lexicon: Mapping[str, str] | None

    def of_turn(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


class TTS(tts.TTS):
    """Text-to-speech with word timestamps, over one connection that is kept across interruptions.

    `on_heard` is called for each interrupted turn with the text that was heard and the text that was not.
    """

    def __init__(
        self,
        *,
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        lexicon: Mapping[str, str] | None = None,
        sample_rate: int = 24_000,
        api_key: str | Credential | None = None,
        base_url: str | None = None,
        on_heard: Heard | None = None,
    ) -> None:
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=True, aligned_transcript=True),
            sample_rate=sample_rate,
            num_channels=1,
        )
        self._options = _Options(voice, language, speed, pitch, clarity, lexicon)
        self._client = AsyncClient(base_url, api_key)
        self._session: AsyncSession | None = None
        self._opening = asyncio.Lock()
        self._prewarming: asyncio.Task[Any] | None = None
        self._streams = weakref.WeakSet[tts.SynthesizeStream | tts.ChunkedStream]()
        self._on_heard = on_heard

    @property
    def model(self) -> str:
        return self._options.voice or "Ananya"

    @property
    def provider(self) -> str:
        return "Shruti"

    def update_options(
        self,
        *,
        voice: NotGivenOr[str] = NOT_GIVEN,
        language: NotGivenOr[str | None] = NOT_GIVEN,
        speed: NotGivenOr[float] = NOT_GIVEN,
        pitch: NotGivenOr[float] = NOT_GIVEN,
        clarity: NotGivenOr[Clarity | None] = NOT_GIVEN,
        lexicon: NotGivenOr[Mapping[str, str]] = NOT_GIVEN,
    ) -> None:
        """Changes the settings of streams that begin later; the connection is kept."""
        given = {
            "voice": voice,
            "language": language,
            "speed": speed,
            "pitch": pitch,
            "clarity": clarity,
            "lexicon": lexicon,
        }
        self._options = replace(self._options, **{name: value for name, value in given.items() if is_given(value)})

    def prewarm(self) -> None:
        """Connects before the first text arrives."""
        if self._prewarming is None:
            self._prewarming = asyncio.create_task(self._prewarm())

    async def _prewarm(self) -> None:
        try:
            await self.session()
        except ShrutiError as error:
            # the first stream reports the error to its caller
            logger.debug("prewarming failed", extra={"error": str(error)})

    async def session(self) -> AsyncSession:
        """Returns the open conversation, or opens one."""
        async with self._opening:
            if self._session is None:
                self._session = await self._client.connect(output_format=f"pcm_{self.sample_rate}").open()
            return self._session

    async def leave(self, session: AsyncSession) -> None:
        """Closes a conversation; the next stream opens another."""
        if self._session is session:
            self._session = None
            await session.close()

    def heard(self, cancelled: Cancelled) -> None:
        """Reports what was heard of an interrupted turn to `on_heard`."""
        if self._on_heard is not None:
            self._on_heard(cancelled)

    def synthesize(self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS) -> ChunkedStream:
        stream = ChunkedStream(tts=self, input_text=text, conn_options=conn_options)
        self._streams.add(stream)
        return stream

    def stream(self, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS) -> SynthesizeStream:
        stream = SynthesizeStream(tts=self, conn_options=conn_options)
        self._streams.add(stream)
        return stream

    async def aclose(self) -> None:
        for stream in list(self._streams):
            await stream.aclose()
        if self._prewarming is not None:
            await utils.aio.cancel_and_wait(self._prewarming)
        if self._session is not None:
            await self.leave(self._session)
        await self._client.close()


class ChunkedStream(tts.ChunkedStream):
    """Stream of a complete text."""

    def __init__(self, *, tts: TTS, input_text: str, conn_options: APIConnectOptions) -> None:
        super().__init__(tts=tts, input_text=input_text, conn_options=conn_options)
        self._shruti = tts
        self._options = replace(tts._options)

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        rate = self._shruti.sample_rate
        try:
            async with self._shruti._client.tts_stream(
                self._input_text, output_format=f"pcm_{rate}", **self._options.of_turn()
            ) as stream:
                output_emitter.initialize(
                    request_id=stream.info.request_id or utils.shortuuid(),
                    sample_rate=rate,
                    num_channels=1,
                    mime_type="audio/pcm",
                )
                async for chunk in stream:
                    output_emitter.push(chunk)
                output_emitter.flush()
        except ShrutiError as error:
            if isinstance(error, ServerSaid) and error.code == "empty_text":
                output_emitter.initialize(
                    request_id=error.request_id or "", sample_rate=rate, num_channels=1, mime_type="audio/pcm"
                )
                _silence(output_emitter, rate)
                return
            raise explained(error) from error


class SynthesizeStream(tts.SynthesizeStream):
    """Stream of one turn of the conversation, for text as a language model writes it."""

    def __init__(self, *, tts: TTS, conn_options: APIConnectOptions) -> None:
        super().__init__(tts=tts, conn_options=conn_options)
        self._shruti = tts
        self._options = replace(tts._options)

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id=utils.shortuuid(),
            sample_rate=self._shruti.sample_rate,
            num_channels=1,
            mime_type="audio/pcm",
            stream=True,
        )
        session: AsyncSession | None = None
        turn: AsyncTurn | None = None
        try:
            session = await asyncio.wait_for(self._shruti.session(), self._conn_options.timeout)
            turn = session.turn(turn_id=utils.shortuuid(), **self._options.of_turn())
            await self._speak(turn, output_emitter)
        except asyncio.TimeoutError:
            raise APITimeoutError from None
        except ShrutiError as error:
            # after an error that affects only this turn, the conversation stays open for other turns
            is_own = turn is not None and isinstance(turn.outcome, Failed) and isinstance(error, InvalidRequestError)
            if session is not None and not error.retryable and not is_own:
                await self._shruti.leave(session)
            raise explained(error) from error

    async def _speak(self, turn: AsyncTurn, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.start_segment(segment_id=turn.turn_id)
        feeding = asyncio.create_task(self._feed(turn))
        try:
            await self._listen(turn, output_emitter, feeding)
            output_emitter.end_segment()
        finally:
            await utils.aio.cancel_and_wait(feeding)
            if turn.text and turn.outcome is None:
                # the stream was closed before the end of the turn: treat this as an interruption
                try:
                    self._shruti.heard(await turn.cancel())
                except ShrutiError as error:
                    logger.debug("a cancel was not answered", extra={"error": str(error)})

    async def _feed(self, turn: AsyncTurn) -> None:
        async for piece in self._input_ch:
            if isinstance(piece, self._FlushSentinel):
                if turn.text:
                    await turn.flush()
                continue
            self._mark_started()
            await turn.send(piece)
        await turn.end()

    async def _listen(self, turn: AsyncTurn, output_emitter: tts.AudioEmitter, feeding: asyncio.Task[None]) -> None:
        end = 0
        listening = asyncio.ensure_future(turn.next_event())
        try:
            while True:
                # if sending text fails, stop receiving events too
                waits = {listening} if feeding.done() else {listening, feeding}
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                if feeding.done():
                    feeding.result()
                if not listening.done():
                    continue
                event = listening.result()
                if event is None:
                    break
                if isinstance(event, Audio):
                    output_emitter.push(event.data)
                elif isinstance(event, Words):
                    for word in event.words:
                        # each word includes the spaces before it, so that concatenating the words gives the original
                        # text
                        text = turn.text[end : word.char_end] if word.char_end > end else word.text
                        end = max(end, word.char_end)
                        output_emitter.push_timed_transcript(
                            TimedString(text, start_time=word.start_ms / 1000, end_time=word.end_ms / 1000)
                        )
                elif isinstance(event, Done) and event.audio_ms == 0:
                    _silence(output_emitter, self._shruti.sample_rate)
                listening = asyncio.ensure_future(turn.next_event())
        finally:
            await utils.aio.cancel_and_wait(listening)


def _silence(output_emitter: tts.AudioEmitter, rate: int) -> None:
    """Emits silence for text without speakable content, because LiveKit treats a stream without audio as an error."""
    output_emitter.push(bytes(rate // 50 * 2))
    output_emitter.flush()


def explained(error: ShrutiError) -> APIError:
    """Converts an error to the corresponding error class of LiveKit."""
    if isinstance(error, ServerSaid):
        return APIStatusError(
            error.message,
            status_code=error.status or STATUS_OF.get(error.code, 400),
            request_id=error.request_id,
            body={"code": error.code, "param": error.param},
            retryable=error.retryable,
        )
    return APIConnectionError(str(error), retryable=error.retryable)
