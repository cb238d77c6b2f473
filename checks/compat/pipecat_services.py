#!/usr/bin/env python3
"""Checks Pipecat's services for OpenAI, Cartesia, ElevenLabs, Deepgram and Sarvam, each in its own pipeline.

usage: pipecat_services.py http://127.0.0.1:8080 sk_…
"""
import asyncio
import sys

import aiohttp
from common import KEY, LONG, TEXT, URL, WS_URL, check, clip, finish, peak, rests
from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.cartesia.tts import CartesiaTTSService
from pipecat.services.deepgram.tts import DeepgramTTSService
from pipecat.services.elevenlabs.tts import ElevenLabsHttpTTSService, ElevenLabsTTSService
from pipecat.services.openai.tts import OpenAITTSService
from pipecat.services.sarvam.tts import SarvamHttpTTSService, SarvamTTSService
from pipecat.workers.runner import WorkerRunner

logger.remove()
logger.add(sys.stderr, level="CRITICAL")
PATIENCE_S = 30


class Ear(FrameProcessor):
    """Records the output of a service."""

    def __init__(self):
        super().__init__()
        self.sound, self.words, self.errors, self.stopped = b"", [], [], 0
        self.news = asyncio.Condition()

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        async with self.news:
            if isinstance(frame, TTSAudioRawFrame):
                self.sound += frame.audio
            elif isinstance(frame, TTSTextFrame):
                self.words.append(frame.text)
            elif isinstance(frame, ErrorFrame):
                self.errors.append(frame.error)
            elif isinstance(frame, TTSStoppedFrame):
                self.stopped += 1
            self.news.notify_all()
        await self.push_frame(frame, direction)

    async def until(self, holds):
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(lambda: holds(self)), PATIENCE_S)


async def converse(service, script):
    """Runs a script of frames through a service; returns the frames before and after it."""
    before, after = Ear(), Ear()
    worker = PipelineWorker(
        Pipeline([before, service, after]),
        params=PipelineParams(audio_out_sample_rate=24_000),
        cancel_on_idle_timeout=False,
        enable_rtvi=False,
    )
    started = asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def _started(worker, frame):
        started.set()

    async def say():
        await asyncio.wait_for(started.wait(), PATIENCE_S)
        await script(worker, before, after)
        await worker.queue_frame(EndFrame())

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await asyncio.wait_for(asyncio.gather(runner.run(), say()), 3 * PATIENCE_S)
    return before, after


async def openai():
    print("Pipecat, OpenAI")
    settings = OpenAITTSService.Settings(voice="nova", model="tts-1:hi")
    service = OpenAITTSService(api_key=KEY, base_url=f"{URL}/v1", settings=settings)

    async def script(worker, before, after):
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await after.until(lambda ear: ear.stopped)

    _, after = await converse(service, script)
    check("a sentence is the clip", after.sound == clip(TEXT, "Ananya", "hi"), f"{len(after.sound)} bytes")

    service = OpenAITTSService(api_key="sk_wrong", base_url=f"{URL}/v1", settings=settings)

    async def wrong(worker, before, after):
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await before.until(lambda ear: ear.errors)

    before, _ = await converse(service, wrong)
    check("a wrong key is an error frame", "401" in before.errors[0], before.errors[0][:80])


def cartesia_service(key=KEY):
    settings = CartesiaTTSService.Settings(voice="Ananya", language="hi", model="sonic-3")
    return CartesiaTTSService(api_key=key, url=f"{WS_URL}/tts/websocket", settings=settings)


def deepgram_service(key=KEY):
    settings = DeepgramTTSService.Settings(voice="aura-2-ananya-hi")
    return DeepgramTTSService(api_key=key, base_url=WS_URL, settings=settings)


def elevenlabs_service(key=KEY):
    settings = ElevenLabsTTSService.Settings(voice="Ananya", language="hi", model="eleven_flash_v2_5")
    return ElevenLabsTTSService(api_key=key, url=WS_URL, settings=settings)


def sarvam_service(key=KEY):
    settings = SarvamTTSService.Settings(voice="Ananya", language="hi-IN")
    return SarvamTTSService(api_key=key, url=f"{WS_URL}/text-to-speech/ws", settings=settings)


async def conversation(name, service, has_words, reason="401"):
    """Runs the checks that apply to every service with conversations; `service` creates one, with a key if given."""
    print(f"Pipecat, {name}")

    async def turn(worker, before, after):
        await worker.queue_frame(LLMFullResponseStartFrame())
        for piece in TEXT.split(" "):
            await worker.queue_frame(LLMTextFrame(f"{piece} "))
        await worker.queue_frame(LLMFullResponseEndFrame())
        await after.until(lambda ear: ear.stopped)

    _, after = await converse(service(), turn)
    whole = len(clip(TEXT, "Ananya", "hi"))
    check("a turn has sound", abs(len(after.sound) - whole) < whole / 10, f"{len(after.sound)} of {whole} bytes")
    if has_words:
        check("its words are those of the text", " ".join(after.words).split() == TEXT.split(), len(after.words))

    async def interrupted(worker, before, after):
        await worker.queue_frame(TTSSpeakFrame(LONG))
        await after.until(lambda ear: ear.sound)
        await worker.queue_frame(InterruptionFrame())
        stopped = await asyncio.get_running_loop().run_in_executor(None, rests)
        check("an interruption stops the speech", stopped)
        # the next text is spoken over the same socket
        after.sound, after.stopped = b"", 0
        await worker.queue_frame(TTSSpeakFrame("नमस्ते।"))
        await after.until(lambda ear: ear.stopped and len(ear.sound) > 4_800)

    _, after = await converse(service(), interrupted)
    expected = clip("नमस्ते।", "Ananya", "hi")
    check("the next sentence is its clip", after.sound == expected, f"{len(after.sound)} of {len(expected)} bytes")

    async def silent(worker, before, after):
        await worker.queue_frame(TTSSpeakFrame("🙂"))
        await after.until(lambda ear: ear.stopped)

    _, after = await converse(service(), silent)
    check("nothing to say is silence and an end", peak(after.sound) == 0, f"{len(after.sound)} bytes")

    async def wrong(worker, before, after):
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await before.until(lambda ear: ear.errors)

    before, _ = await converse(service("sk_wrong"), wrong)
    check("a wrong key is an error frame", reason in before.errors[0], before.errors[0][:80])


async def main():
    await openai()
    await conversation("Cartesia", cartesia_service, has_words=True)
    await conversation("Deepgram", deepgram_service, has_words=False)
    await conversation("ElevenLabs", elevenlabs_service, has_words=True)
    await conversation("Sarvam", sarvam_service, has_words=False, reason="403")
    async with aiohttp.ClientSession() as session:

        def elevenlabs_http(key=KEY):
            settings = ElevenLabsHttpTTSService.Settings(voice="Ananya", language="hi", model="eleven_flash_v2_5")
            return ElevenLabsHttpTTSService(api_key=key, base_url=URL, aiohttp_session=session, settings=settings)

        def sarvam_http(key=KEY):
            settings = SarvamHttpTTSService.Settings(voice="Ananya", language="hi-IN")
            return SarvamHttpTTSService(api_key=key, base_url=URL, aiohttp_session=session, settings=settings)

        await conversation("ElevenLabs over HTTP", elevenlabs_http, has_words=True, reason="invalid_api_key")
        await conversation("Sarvam over HTTP", sarvam_http, has_words=False, reason="invalid_api_key")


asyncio.run(main())
finish("pipecat")
