"""Tests of the service in Pipecat pipelines: a fake language model streams tokens, and a user interrupts."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    Frame,
    InterruptionFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStoppedFrame,
    TTSTextFrame,
    TTSUpdateSettingsFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMAssistantAggregator
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner
from server import Relay, Server
from shruti_tts import AsyncClient, AuthenticationError, Cancelled

from pipecat_shruti import ShrutiTTSService, mend_context

logger.remove()
logger.add(sys.stderr, level="CRITICAL")
TEXT = "नमस्ते, आपका ₹1,25,000 का भुगतान मिल गया है। Thank you for your order!"
LONG = "यह एक लंबा जवाब है, जिसे कोई बीच में काट देगा। इसमें कई वाक्य हैं, और हर वाक्य में कुछ शब्द। " * 20
PATIENCE_S = 20


class Model(FrameProcessor):
    """Fake language model: responds to each context with tokens, one at a time."""

    def __init__(self, answer: str, pause_s: float = 0.0) -> None:
        super().__init__()
        self._tokens, self._pause_s, self.sent_all_at = answer.split(" "), pause_s, 0.0
        self._answering: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            self._answering = self.create_task(self._answer())
            return
        if isinstance(frame, InterruptionFrame) and self._answering is not None:
            await self.cancel_task(self._answering)
        await self.push_frame(frame, direction)

    async def _answer(self) -> None:
        await self.push_frame(LLMFullResponseStartFrame())
        for place, token in enumerate(self._tokens):
            await asyncio.sleep(self._pause_s)
            await self.push_frame(LLMTextFrame(token if place == 0 else f" {token}"))
        self.sent_all_at = time.monotonic()
        await self.push_frame(LLMFullResponseEndFrame())


class Ear(FrameProcessor):
    """Records the frames that pass through."""

    def __init__(self) -> None:
        super().__init__()
        self.sound, self.words, self.errors = b"", list[str](), list[ErrorFrame]()
        self.stopped, self.interruptions = 0, 0
        self.times = list[int]()
        self.news = asyncio.Condition()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        async with self.news:
            if isinstance(frame, TTSAudioRawFrame):
                self.sound += frame.audio
            elif isinstance(frame, TTSTextFrame):
                self.words.append(frame.text)
                self.times.append(frame.pts or 0)
            elif isinstance(frame, ErrorFrame):
                self.errors.append(frame)
            elif isinstance(frame, InterruptionFrame):
                self.interruptions += 1
            elif isinstance(frame, TTSStoppedFrame):
                self.stopped += 1
            self.news.notify_all()
        await self.push_frame(frame, direction)

    async def until(self, holds: Callable[["Ear"], Any]) -> None:
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(lambda: holds(self)), PATIENCE_S)


Script = Callable[[PipelineWorker, Ear, Ear], Awaitable[None]]


async def conversing(processors: list[FrameProcessor], script: Script, after: list[FrameProcessor]) -> None:
    near, far = Ear(), Ear()
    worker = PipelineWorker(
        Pipeline([near, *processors, far, *after]),
        params=PipelineParams(audio_out_sample_rate=24_000),
        cancel_on_idle_timeout=False,
        enable_rtvi=False,
    )
    started = asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def _started(worker: PipelineWorker, frame: Frame) -> None:
        started.set()

    async def say() -> None:
        await asyncio.wait_for(started.wait(), PATIENCE_S)
        try:
            await script(worker, near, far)
        except BaseException as error:
            # end the pipeline cleanly before the test fails; otherwise, the pipeline's own failure would hide this
            # error
            failures.append(error)
        await worker.queue_frame(EndFrame())

    failures = list[BaseException]()
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await asyncio.wait_for(asyncio.gather(runner.run(), say()), 3 * PATIENCE_S)
    if failures:
        raise failures[0]
    for _ in range(3):
        await asyncio.sleep(0)
    left = [task.get_name() for task in asyncio.all_tasks() if "shruti" in task.get_name()]
    assert not left, f"tasks are left: {left}"


def converse(processors: list[FrameProcessor], script: Script, after: list[FrameProcessor] | None = None) -> None:
    """Runs a script while a pipeline is running, and fails if tasks are left over."""
    asyncio.run(conversing(processors, script, after or []))


def service(server: Server, key: str | None = None, **settings: Any) -> ShrutiTTSService:
    return ShrutiTTSService(
        api_key=key or server.key, base_url=server.url, settings=ShrutiTTSService.Settings(**settings)
    )


def clip(server: Server, text: str, **options: Any) -> bytes:
    async def fetch() -> bytes:
        async with AsyncClient(server.url, server.key) as client:
            return (await client.tts(text, **options)).audio

    return asyncio.run(fetch())


def test_tokens_match_the_clip_with_timed_words(server: Server) -> None:
    whole = clip(server, TEXT, voice="Arjun")

    async def script(worker: PipelineWorker, near: Ear, far: Ear) -> None:
        await worker.queue_frame(LLMContextFrame(LLMContext()))
        await far.until(lambda ear: ear.stopped)
        assert far.sound == whole
        assert " ".join(far.words).split() == TEXT.split()
        assert far.times == sorted(far.times)
        assert not near.errors

    converse([Model(TEXT), service(server, voice="Arjun", language="hi")], script)


def test_speech_starts_on_the_first_clause(server: Server) -> None:
    model = Model("पहला वाक्य आ गया। दूसरा वाक्य अभी बहुत देर तक लिखा जा रहा है और खत्म नहीं हुआ।", pause_s=0.05)

    async def script(worker: PipelineWorker, near: Ear, far: Ear) -> None:
        await worker.queue_frame(LLMContextFrame(LLMContext()))
        await far.until(lambda ear: ear.sound)
        assert not model.sent_all_at, "the whole text was waited for"
        await far.until(lambda ear: ear.stopped)

    converse([model, service(server)], script)


def test_an_interruption_corrects_the_context_to_the_heard_text(server: Server) -> None:
    told: list[Cancelled] = []

    async def script(worker: PipelineWorker, near: Ear, far: Ear) -> None:
        await worker.queue_frame(LLMContextFrame(context))
        await far.until(lambda ear: len(ear.sound) > 48_000)
        mended = asyncio.Event()

        @aggregator.event_handler("on_assistant_turn_stopped")
        async def _stopped(*_: Any) -> None:
            mended.set()

        await worker.queue_frame(InterruptionFrame())
        await asyncio.wait_for(mended.wait(), PATIENCE_S)
        assert LONG.startswith(told[0].heard.text)
        # the model was still writing, so the rest of its text never reached the server
        assert LONG.startswith(told[0].heard.text + told[0].unheard_text)
        assert told[0].unheard_text
        spoken = told[0].heard.text.strip()
        assert [m["content"] for m in context.get_messages() if m["role"] == "assistant"] == (
            [spoken] if spoken else []
        )
        # the next text is spoken over the same connection
        far.sound, far.stopped = b"", 0
        await worker.queue_frame(TTSSpeakFrame("नमस्ते।"))
        await far.until(lambda ear: ear.stopped)
        assert far.sound == short

    short = clip(server, "नमस्ते।")
    context = LLMContext([{"role": "user", "content": "बताइए"}])
    aggregator = LLMAssistantAggregator(context)
    tts = service(server)
    keep(tts, told)
    mend_context(tts, aggregator, context)
    converse([Model(LONG), tts], script, after=[aggregator])


def keep(tts: ShrutiTTSService, told: list[Cancelled]) -> None:
    @tts.event_handler("on_heard")
    async def _heard(_: ShrutiTTSService, cancelled: Cancelled) -> None:
        told.append(cancelled)


def test_an_interruption_during_playback_returns_the_heard_text(server: Server) -> None:
    """Interrupts when the context is closed, but the listener still hears audio that has left the service."""
    told: list[Cancelled] = []

    async def script(worker: PipelineWorker, near: Ear, far: Ear) -> None:
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await far.until(lambda ear: ear.stopped)
        await worker.queue_frame(InterruptionFrame())
        await far.until(lambda ear: ear.interruptions)
        assert told[0].state == "already_done"
        assert told[0].heard.text + told[0].unheard_text == TEXT

    tts = service(server)
    keep(tts, told)
    converse([tts], script)


def test_text_without_words_yields_silence_and_an_end(server: Server) -> None:
    async def script(worker: PipelineWorker, near: Ear, far: Ear) -> None:
        for count in range(1, 5):
            await worker.queue_frame(TTSSpeakFrame("🙂"))
            await far.until(lambda ear, count=count: ear.stopped == count)
        assert not any(far.sound)
        assert not near.errors

    converse([service(server)], script)


def test_an_invalid_key_is_a_permanent_error(server: Server) -> None:
    tts = service(server, key="sk_wrong")

    async def script(worker: PipelineWorker, near: Ear, far: Ear) -> None:
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await near.until(lambda ear: ear.errors)
        assert isinstance(near.errors[0].exception, AuthenticationError)
        assert not tts.is_usable

    converse([tts], script)


def test_invalid_settings_are_an_error_and_valid_ones_apply(server: Server) -> None:
    tts = service(server, voice="nobody")

    async def script(worker: PipelineWorker, near: Ear, far: Ear) -> None:
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await near.until(lambda ear: ear.errors)
        assert "nobody" in near.errors[0].error
        await far.until(lambda ear: ear.stopped)
        await worker.queue_frame(TTSUpdateSettingsFrame(delta=ShrutiTTSService.Settings(voice="Arjun")))
        far.stopped = 0
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await far.until(lambda ear: ear.stopped)
        assert far.sound == whole

    whole = clip(server, TEXT, voice="Arjun")
    converse([tts], script)


def test_unspoken_text_of_a_stopping_server_is_spoken_by_another(two_servers: tuple[Server, Server]) -> None:
    old, new = two_servers
    texts = (LONG[:80], TEXT, "नमस्ते।")
    whole = [clip(old, text) for text in texts]

    async def main() -> None:
        async with Relay(old.port) as relay:

            async def script(worker: PipelineWorker, near: Ear, far: Ear) -> None:
                await worker.queue_frame(TTSSpeakFrame(texts[0]))
                await worker.queue_frame(TTSSpeakFrame(texts[1]))
                await far.until(lambda ear: ear.sound)
                relay.far_port = new.port
                old.drain()
                await far.until(lambda ear: ear.stopped == 2)
                assert far.sound == whole[0] + whole[1]
                # even a conversation without an open turn moves to the new server
                await worker.queue_frame(TTSSpeakFrame(texts[2]))
                await far.until(lambda ear: ear.stopped == 3)
                assert far.sound == b"".join(whole)
                assert not near.errors
                assert relay.connections == 2

            tts = ShrutiTTSService(api_key=old.key, base_url=relay.url)
            await conversing([tts], script, [])

    asyncio.run(main())
