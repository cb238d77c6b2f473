#!/usr/bin/env python3
"""A local Pipecat agent: type, and it speaks; type again, and it stops and prints what you heard.

usage: SHRUTI_API_KEY=sk_... python agent.py        with a running server; SHRUTI_SERVER sets its URL
"""

import asyncio
import sys

from pipecat.frames.frames import (
    EndFrame,
    Frame,
    InterruptionFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMAssistantAggregator
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner
from pipecat_shruti import ShrutiTTSService, mend_context

from shruti_tts.player import ProgramSink


class Model(FrameProcessor):
    """Fake language model: repeats the user's words, one at a time."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            return await self.push_frame(frame, direction)
        said = frame.context.get_messages()[-1]["content"]
        await self.push_frame(LLMFullResponseStartFrame())
        for word in f"आपने कहा: {said} क्या मैं ठीक समझी? मैं इसे एक बार और, थोड़ा धीरे, दोहरा सकती हूँ।".split():
            await self.push_frame(LLMTextFrame(f"{word} "))
            await asyncio.sleep(0.02)
        await self.push_frame(LLMFullResponseEndFrame())


class Speaker(FrameProcessor):
    """Audio output through a local program that is fed a tenth of a second ahead; stops when interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self._sink = ProgramSink()
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue()
        self._playing: asyncio.Task | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        self._playing = self._playing or self.create_task(self._play())
        if isinstance(frame, TTSAudioRawFrame):
            self._waiting.put_nowait(frame.audio)
        elif isinstance(frame, InterruptionFrame):
            await self._stop()
            await self._sink.clear()
        elif isinstance(frame, EndFrame):
            await self._waiting.join()
            await self._stop()
            await self._sink.close()
        await self.push_frame(frame, direction)

    async def _stop(self) -> None:
        await self.cancel_task(self._playing)
        self._playing, self._waiting = None, asyncio.Queue()

    async def _play(self) -> None:
        clock, heard_until = asyncio.get_running_loop(), 0.0
        while True:
            audio = await self._waiting.get()
            await asyncio.sleep(max(heard_until - 0.1 - clock.time(), 0))
            await self._sink.write(audio)
            heard_until = max(heard_until, clock.time()) + len(audio) / 48_000
            self._waiting.task_done()


async def main() -> None:
    context = LLMContext()
    tts, aggregator = ShrutiTTSService(), LLMAssistantAggregator(context)
    mend_context(tts, aggregator, context)

    @tts.event_handler("on_heard")
    async def on_heard(_, cancelled) -> None:
        print("heard:", cancelled.heard.text, "| not heard:", cancelled.unheard_text, flush=True)

    pipeline = Pipeline([Model(), tts, Speaker(), aggregator])
    worker = PipelineWorker(pipeline, params=PipelineParams(audio_out_sample_rate=24_000), enable_rtvi=False)

    async def listen() -> None:
        print("Say something (Ctrl-D ends):", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            await worker.queue_frame(InterruptionFrame())
            context.add_message({"role": "user", "content": line.strip()})
            await worker.queue_frame(LLMContextFrame(context))
        await worker.queue_frame(EndFrame())

    runner = WorkerRunner()
    await runner.add_workers(worker)
    await asyncio.gather(runner.run(), listen())


if __name__ == "__main__":
    asyncio.run(main())
