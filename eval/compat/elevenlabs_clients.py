#!/usr/bin/env python3
"""ElevenLabs' own library, LiveKit's plugin and Pipecat's services for it.

The library's `convert_realtime` speaks TLS alone: give the address and the certificate of a server with TLS to try it.

usage: elevenlabs_clients.py http://127.0.0.1:8080 sk_… [https://localhost:8443 CERTIFICATE.pem]
"""
import asyncio
import base64
import io
import logging
import os
import sys
import time

import aiohttp
import av
from common import KEY, LONG, TEXT, URL, WS_URL, check, clip, finish, peak, rests, speeches
from elevenlabs import VoiceSettings
from elevenlabs.client import ElevenLabs
from elevenlabs.core.api_error import ApiError
from livekit.agents import APIConnectOptions, APIError, APIStatusError
from livekit.plugins import elevenlabs as livekit_elevenlabs
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
from pipecat.services.elevenlabs.tts import ElevenLabsHttpTTSService, ElevenLabsTTSService
from pipecat.workers.runner import WorkerRunner

logger.remove()
logger.add(sys.stderr, level="CRITICAL")
logging.disable(logging.CRITICAL)
PATIENCE_S = 30
ONCE = APIConnectOptions(max_retry=0, timeout=PATIENCE_S)
whole = clip(TEXT, "Ananya", "hi")
seconds = len(whole) / 48_000


def decoded_seconds(body):
    """How long a file plays."""
    with av.open(io.BytesIO(body)) as file:
        frames = list(file.decode(audio=0))
    return sum(frame.samples / frame.sample_rate for frame in frames)


def is_near(long):
    return abs(long - seconds) < 0.15


def with_library():
    print("ElevenLabs' library")
    client = ElevenLabs(api_key=KEY, base_url=URL)
    speak = client.text_to_speech
    asked = {"voice_id": "Ananya", "text": TEXT, "language_code": "hi"}
    for name in [None, "mp3_22050_32", "opus_48000_32", "wav_16000"]:
        options = {"output_format": name} if name else {}
        long = decoded_seconds(b"".join(speak.convert(**asked, **options)))
        check(f"{name or 'the default'} is as long as the clip", is_near(long), f"{long:.2f} s of {seconds:.2f} s")
    check("convert() is the clip", b"".join(speak.convert(**asked, output_format="pcm_24000")) == whole)
    check("stream() is the clip", b"".join(speak.stream(**asked, output_format="pcm_24000")) == whole)

    sound = speak.stream(voice_id="Arjun", text=LONG, output_format="pcm_24000")
    first = next(sound)
    check("sound comes before synthesis ends", len(first) > 0 and speeches() > 0, f"{len(first)} bytes")
    sound.close()
    check("a stream that is closed stops its speech", rests())

    timed = speak.convert_with_timestamps(**asked, output_format="pcm_24000")
    check("convert_with_timestamps() is the clip", base64.b64decode(timed.audio_base_64) == whole)
    check("with each character", "".join(timed.alignment.characters) == TEXT, len(timed.alignment.characters))
    pieces = list(speak.stream_with_timestamps(**asked, output_format="pcm_24000"))
    sound = b"".join(base64.b64decode(piece.audio_base_64) for piece in pieces)
    check("stream_with_timestamps() is the clip", sound == whole, f"{len(pieces)} pieces")
    alignments = [piece.alignment for piece in pieces if piece.alignment]
    check("with each character", "".join(c for one in alignments for c in one.characters) == TEXT)
    starts = [start for one in alignments for start in one.character_start_times_seconds]
    check("and its time", starts == sorted(starts) and 0 < starts[-1] <= seconds, f"to {starts[-1]:.2f} s")

    fast = speak.convert(**asked, output_format="pcm_24000", voice_settings=VoiceSettings(speed=1.2))
    check("speed is heard", len(b"".join(fast)) < len(whole) * 0.9)
    silence = b"".join(speak.convert("Ananya", text="🙂", output_format="pcm_24000"))
    check("nothing to say is 100 ms of silence", silence == bytes(4_800))
    check("voices are listed", [voice.voice_id for voice in client.voices.get_all().voices] == ["Ananya", "Arjun"])
    models = client.models.list()
    stranger = ElevenLabs(api_key="sk_wrong", base_url=URL)
    check("models are listed", models[0].can_do_text_to_speech and len(models[0].languages) == 11)
    for what, status, word, call in [
        ("a wrong key", 401, "invalid_api_key", lambda: stranger.text_to_speech.convert(**asked)),
        ("an unknown voice", 404, "voice_not_found", lambda: speak.convert("21m00Tcm4TlvDq8ikWAM", text="a")),
        ("too long a text", 400, "max_character_limit_exceeded", lambda: speak.convert("Ananya", text="a" * 5_001)),
        ("a wrong format", 400, "invalid_field", lambda: speak.convert("Ananya", text="a", output_format="flac_1")),
    ]:
        try:
            b"".join(call())
            check(f"{what} is refused", False)
        except ApiError as refused:
            told = (refused.status_code, refused.body["detail"]["status"]) == (status, word)
            check(f"{what} is {type(refused).__name__}", told, f"{refused.status_code} {refused.body}")


def with_library_over_tls(url, certificate):
    print("ElevenLabs' library, convert_realtime()")
    os.environ["SSL_CERT_FILE"] = certificate
    client = ElevenLabs(api_key=KEY, base_url=url)

    def realtime(voice, **options):
        pieces = iter(["नमस्ते, ", "आप कैसे हैं? ", "सब ठीक है।"])
        return b"".join(client.text_to_speech.convert_realtime(voice, text=pieces, **options))

    sound = realtime("Ananya", output_format="pcm_24000")
    expected = clip("नमस्ते, आप कैसे हैं? सब ठीक है।", "Ananya")
    check("it is the clip", sound == expected, f"{len(sound)} of {len(expected)} bytes")
    long = decoded_seconds(realtime("Ananya"))
    check("its default format is as long", abs(long - len(expected) / 48_000) < 0.15, f"{long:.2f} s")
    try:
        realtime("21m00Tcm4TlvDq8ikWAM")
        check("an unknown voice is refused", False)
    except Exception as refused:  # the library lets through that of its WebSocket
        check("an unknown voice is refused", "404" in str(refused), f"{type(refused).__name__}: {refused}")


async def heard(stream):
    """The samples, and the timed words, of all frames of a stream."""
    sound, words = b"", []
    async for audio in stream:
        sound += bytes(audio.frame.data)
        words += audio.frame.userdata.get("lk.timed_transcripts", [])
    return sound, words


async def refusal(stream):
    """The error that a stream ends with."""
    try:
        await heard(stream)
    except APIError as error:
        return error
    return None


async def with_livekit(session):
    print("LiveKit")

    def plugin(key=KEY, voice="Ananya", **options):
        return livekit_elevenlabs.TTS(
            api_key=key, base_url=f"{URL}/v1", voice_id=voice, language="hi", http_session=session, **options
        )

    def said(stream):
        return asyncio.wait_for(heard(stream), PATIENCE_S)

    async def turn(speaker, text):
        stream = speaker.stream(conn_options=ONCE)
        for piece in text.split(" "):
            stream.push_text(f"{piece} ")
        stream.end_input()
        result = await said(stream)
        await stream.aclose()
        return result

    speaker = plugin()
    sound, _ = await said(speaker.synthesize(TEXT, conn_options=ONCE))
    at_rate = len(sound) / 2 / speaker.sample_rate
    check("synthesize() in its default format is as long as the clip", is_near(at_rate), f"{at_rate:.2f} s")
    for number in ["first", "second"]:
        sound, words = await turn(speaker, TEXT)
        long = len(sound) / 2 / speaker.sample_rate
        near = abs(long - seconds) < seconds / 10
        check(f"the {number} stream is about as long", near, f"{long:.2f} of {seconds:.2f} s")
        check("its words are the text", "".join(words).split() == TEXT.split(), len(words))
        times = [word.start_time for word in words]
        check("and have times", times == sorted(times) and 1 < times[-1] < long, times[-1])

    stream = speaker.stream(conn_options=ONCE)
    stream.push_text(LONG)
    stream.flush()
    await asyncio.wait_for(anext(stream), PATIENCE_S)
    await stream.aclose()
    sound, _ = await turn(speaker, "नमस्ते।")
    check("after an interruption the next stream has sound", len(sound) > 4_800, f"{len(sound)} bytes")
    sound, _ = await turn(speaker, "🙂")
    check("nothing to say is silence and no error", len(sound) > 0, f"{len(sound)} bytes")
    await speaker.aclose()
    stopped = await asyncio.get_running_loop().run_in_executor(None, rests)
    check("what was interrupted stops with the socket at the latest", stopped)

    refused = [("a wrong key", 401, {"key": "sk_wrong"}), ("an unknown voice", 404, {"voice": "Rachel"})]
    for what, status, options in refused:
        for name in ["synthesize", "stream"]:
            wrong = plugin(**options)
            if name == "stream":
                stream = wrong.stream(conn_options=ONCE)
                stream.push_text(TEXT)
                stream.end_input()
            else:
                stream = wrong.synthesize(TEXT, conn_options=ONCE)
            error = await asyncio.wait_for(refusal(stream), PATIENCE_S)
            told = isinstance(error, APIStatusError) and error.status_code == status
            check(f"{what} is APIStatusError {status} of {name}()", told, repr(error)[:100])
            await wrong.aclose()


class Ear(FrameProcessor):
    """Keeps what a service says."""

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
                self.words.append((frame.text, frame.pts))
            elif isinstance(frame, ErrorFrame):
                self.errors.append(frame.error)
            elif isinstance(frame, TTSStoppedFrame):
                self.stopped += 1
            self.news.notify_all()
        await self.push_frame(frame, direction)

    async def until(self, holds):
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(lambda: holds(self)), PATIENCE_S)

    def text(self):
        return " ".join(text for text, _ in self.words).split()


async def converse(service, script):
    """Runs a script of frames beside a service; gives what was heard before and after it."""
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


async def with_pipecat(session):
    print("Pipecat")

    def service(key=KEY):
        settings = ElevenLabsTTSService.Settings(voice="Ananya", language="hi", model="eleven_flash_v2_5")
        return ElevenLabsTTSService(api_key=key, url=WS_URL, settings=settings)

    def http_service(key=KEY):
        settings = ElevenLabsHttpTTSService.Settings(voice="Ananya", language="hi", model="eleven_flash_v2_5")
        return ElevenLabsHttpTTSService(api_key=key, base_url=URL, aiohttp_session=session, settings=settings)

    async def turn(worker, before, after):
        await worker.queue_frame(LLMFullResponseStartFrame())
        for piece in TEXT.split(" "):
            await worker.queue_frame(LLMTextFrame(f"{piece} "))
        await worker.queue_frame(LLMFullResponseEndFrame())
        await after.until(lambda ear: ear.stopped)

    for name, made in [("WebSocket", service()), ("HTTP", http_service())]:
        _, after = await converse(made, turn)
        long = len(after.sound) / 48_000
        check(f"{name}: a turn is about as long", abs(long - seconds) < seconds / 10, f"{long:.2f} of {seconds:.2f} s")
        check(f"{name}: its words are the text", after.text() == TEXT.split(), " ".join(after.text()))
        times = [time for _, time in after.words]
        check(f"{name}: their times grow", times == sorted(times) and len(set(times)) > 3, len(set(times)))

    async def interrupted(worker, before, after):
        await worker.queue_frame(TTSSpeakFrame(LONG))
        await after.until(lambda ear: ear.sound)
        begun = time.perf_counter()
        await worker.queue_frame(InterruptionFrame())
        stopped = await asyncio.get_running_loop().run_in_executor(None, rests)
        check("an interruption stops the speech", stopped, f"after {time.perf_counter() - begun:.2f} s")
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

    strangers = [("WebSocket", service("sk_wrong"), "401"), ("HTTP", http_service("sk_wrong"), "invalid_api_key")]
    for name, made, word in strangers:
        before, _ = await converse(made, wrong)
        check(f"{name}: a wrong key is an error frame", word in before.errors[0], before.errors[0][:80])


async def main():
    async with aiohttp.ClientSession() as session:
        await with_livekit(session)
        await with_pipecat(session)


with_library()
if len(sys.argv) > 4:
    with_library_over_tls(*sys.argv[3:5])
asyncio.run(main())
finish("elevenlabs")
