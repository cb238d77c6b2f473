"""Pipecat service: keeps one conversation with Shruti open for the lifetime of a pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from loguru import logger
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    TTSAudioRawFrame,
    TTSStoppedFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.services.settings import NOT_GIVEN, NotGiven, TTSSettings, is_given
from pipecat.services.tts_service import TextAggregationMode, TTSService
from pipecat.transcriptions.language import Language
from shruti_tts import (
    AsyncClient,
    AsyncSession,
    AsyncTurn,
    Audio,
    AuthenticationError,
    Cancelled,
    Credential,
    Done,
    PermissionDeniedError,
    QuotaError,
    ShrutiError,
    Words,
)

#: Errors after which a retry does not help.
PERMANENT = (AuthenticationError, PermissionDeniedError, QuotaError)


@dataclass
class ShrutiTTSSettings(TTSSettings):
    """Settings that can change while the pipeline runs; changes apply to turns that start after them.

    Parameters:
        speed: 0.5 to 2.0.
        pitch: -6 to 6 semitones.
        clarity: `off`, `phone` or `room`.
        lexicon: Pronunciation dictionary that maps words to readings.
    """

    speed: float | NotGiven | None = field(default_factory=lambda: NOT_GIVEN)
    pitch: float | NotGiven | None = field(default_factory=lambda: NOT_GIVEN)
    clarity: str | NotGiven | None = field(default_factory=lambda: NOT_GIVEN)
    lexicon: dict[str, str] | NotGiven | None = field(default_factory=lambda: NOT_GIVEN)


class ShrutiTTSService(TTSService):
    """Text-to-speech over one conversation with Shruti.

    The model's tokens are sent to the server as they arrive, so speech starts with the first clause. Each word arrives
    as a `TTSTextFrame` at the time when it is spoken. An interruption is a `cancel`: the connection is kept, and the
    handler of `on_heard` receives what was heard:

        @tts.event_handler("on_heard")
        async def on_heard(tts, cancelled):    # cancelled.heard.text, cancelled.unheard_text
            ...
    """

    Settings = ShrutiTTSSettings
    _settings: ShrutiTTSSettings

    def __init__(
        self,
        *,
        api_key: str | Credential | None = None,
        base_url: str | None = None,
        sample_rate: int | None = None,
        settings: ShrutiTTSSettings | None = None,
        text_aggregation_mode: TextAggregationMode = TextAggregationMode.TOKEN,
        **kwargs: Any,
    ) -> None:
        """Creates the service; it connects when the pipeline is set up.

        Args:
            api_key: API key, or a function that returns it; default: SHRUTI_API_KEY.
            base_url: URL of the server; default: SHRUTI_SERVER.
            sample_rate: Sample rate in Hz; default: that of the pipeline.
            settings: Voice, language, speed, pitch, clarity, lexicon.
            text_aggregation_mode: `TOKEN` by default, because the server segments text; `SENTENCE` waits for sentences.
            **kwargs: Arguments of `TTSService`.
        """
        defaults = self.Settings(
            model=None, voice=None, language=None, speed=None, pitch=None, clarity=None, lexicon=None
        )
        if settings is not None:
            defaults.apply_update(settings)
        super().__init__(
            text_aggregation_mode=text_aggregation_mode,
            push_text_frames=False,
            push_start_frame=True,
            sample_rate=sample_rate,
            settings=defaults,
            **kwargs,
        )
        self._client = AsyncClient(base_url, api_key)
        self._session: AsyncSession | None = None
        self._turns: dict[str, AsyncTurn] = {}
        self._listeners: dict[str, asyncio.Task[None]] = {}
        self._register_event_handler("on_heard", sync=True)

    def can_generate_metrics(self) -> bool:
        return True

    @property
    def supports_processing_metrics(self) -> bool:
        # `run_tts` only sends the text; the audio arrives separately
        return False

    def language_to_service_language(self, language: Language) -> str | None:
        """Returns the language code without its region: `hi` for `hi-IN`."""
        return str(language.value).split("-")[0]

    async def setup(self, setup: FrameProcessorSetup) -> None:
        await super().setup(setup)
        await self._connect()

    async def stop(self, frame: EndFrame) -> None:
        await super().stop(frame)
        await self._disconnect()

    async def cancel(self, frame: CancelFrame) -> None:
        await super().cancel(frame)
        await self._disconnect()

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._disconnect()
        await self._client.close()

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        try:
            turn = self._turns.get(context_id)
            if turn is None:
                turn = await self._begin(context_id)
            if turn is not None:
                await turn.send(text)
                await self.start_tts_usage_metrics(text)
        except ShrutiError as error:
            await self._break_off(context_id, error)
        yield None

    async def flush_audio(self, context_id: str | None = None) -> None:
        """Ends the turn, so that buffered text is spoken."""
        turn = self._turns.get(context_id or self.get_active_audio_context_id() or "")
        if turn is not None:
            await self._quietly(turn.end())

    async def on_audio_context_interrupted(self, context_id: str) -> None:
        await self.stop_all_metrics()
        turn = self._turns.get(context_id)
        if turn is not None and turn.outcome is None:
            await self._told(await self._quietly(turn.cancel()))
        await self._forget(context_id)

    async def on_audio_context_completed(self, context_id: str) -> None:
        await self._forget(context_id)

    async def _handle_interruption(self, frame: InterruptionFrame, direction: FrameDirection) -> None:
        # a Pipecat context ends when its audio has been passed to the transport, which may play it for seconds
        # afterwards, so interrupt all turns, including those that have ended. If a context must not be interrupted, it
        # continues, and the other contexts are cancelled one by one
        protected = any(not context.interruptible for context in self._tts_contexts.values())
        if self._session is not None and not protected:
            await self._told(await self._quietly(self._session.interrupt()))
        await super()._handle_interruption(frame, direction)

    async def _told(self, cancelled: Cancelled | None) -> None:
        if cancelled is not None and cancelled.turn_id is not None:
            await self._call_event_handler("on_heard", cancelled)

    async def _quietly(self, work: Any) -> Any:
        """Awaits `work` and suppresses Shruti's errors, because the turn's listener task reports them."""
        try:
            return await work
        except ShrutiError as error:
            logger.debug(f"{self}: {error}")
            return None

    async def _connect(self) -> AsyncSession | None:
        if self._session is None:
            session = self._client.connect(output_format=f"pcm_{self.sample_rate}")
            try:
                self._session = await session.open()
                await self._call_event_handler("on_connected")
            except ShrutiError as error:
                await self._report(error)
                await self._call_event_handler("on_connection_error", str(error))
        return self._session

    async def _disconnect(self) -> None:
        for context_id in list(self._listeners):
            await self._forget(context_id)
        session, self._session = self._session, None
        if session is not None:
            await session.close()
            await self._call_event_handler("on_disconnected")

    async def _begin(self, context_id: str) -> AsyncTurn | None:
        session = await self._connect()
        if session is None:
            await self._close_context(context_id)
            return None
        given = {
            name: getattr(self._settings, name)
            for name in ("voice", "language", "speed", "pitch", "clarity", "lexicon")
            if is_given(getattr(self._settings, name))
        }
        await self.start_ttfb_metrics()
        turn = session.turn(turn_id=context_id, **given)
        self._turns[context_id] = turn
        self._listeners[context_id] = self.create_task(self._listen(turn), name=f"listen_{context_id}")
        return turn

    async def _listen(self, turn: AsyncTurn) -> None:
        context_id, sounded = turn.turn_id, False
        try:
            async for event in turn:
                if isinstance(event, Words):
                    words = [(word.text, word.start_ms / 1000) for word in event.words]
                    await self.add_word_timestamps(words, context_id)
                elif isinstance(event, Audio):
                    sounded = True
                    await self.append_to_audio_context(context_id, self._frame(event.data, context_id))
                elif isinstance(event, Done) and not sounded:
                    # text without speakable content is not an error, but Pipecat treats a context without audio as one
                    silence = bytes(self.sample_rate // 50 * 2)
                    await self.append_to_audio_context(context_id, self._frame(silence, context_id))
            await self._close_context(context_id)
        except ShrutiError as error:
            await self._break_off(context_id, error)

    def _frame(self, data: bytes, context_id: str) -> TTSAudioRawFrame:
        return TTSAudioRawFrame(data, self.sample_rate, 1, context_id=context_id)

    async def _break_off(self, context_id: str, error: ShrutiError) -> None:
        if self._session is not None and isinstance(error, PERMANENT):
            # the conversation cannot be used after a permanent error
            session, self._session = self._session, None
            await session.close()
        await self._report(error)
        await self._close_context(context_id)

    async def _close_context(self, context_id: str) -> None:
        await self.stop_ttfb_metrics()
        if self.audio_context_available(context_id):
            await self.append_to_audio_context(context_id, TTSStoppedFrame(context_id=context_id))
            await self.remove_audio_context(context_id)

    async def _report(self, error: ShrutiError) -> None:
        permanent = isinstance(error, PERMANENT)
        await self.push_error(f"Shruti: {error}", exception=error, force_treat_as_permanent=permanent)

    async def _forget(self, context_id: str) -> None:
        self._turns.pop(context_id, None)
        listener = self._listeners.pop(context_id, None)
        if listener is not None and listener is not asyncio.current_task():
            await self.cancel_task(listener)
