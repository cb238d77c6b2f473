#!/usr/bin/env python3
"""Checks what each library raises for a key whose quota is used up (402) and for one above its rate limit (429).

usage: limits.py http://127.0.0.1:8080 sk_SPENT sk_SLOW
The cap of `sk_SPENT` is lower than the length of the text here; `sk_SLOW` may send one request per second.
"""
import asyncio
import sys

import aiohttp
import cartesia
import openai
from common import TEXT, URL, WS_URL, check, finish
from deepgram import DeepgramClient
from deepgram.core.api_error import ApiError as DeepgramError
from deepgram.environment import DeepgramClientEnvironment
from elevenlabs.client import ElevenLabs
from elevenlabs.core.api_error import ApiError as ElevenLabsError
from livekit.agents import APIConnectOptions, APIStatusError
from livekit.plugins import elevenlabs as livekit_elevenlabs
from sarvamai import SarvamAI
from sarvamai.core.api_error import ApiError as SarvamError
from sarvamai.environment import SarvamAIEnvironment

SPENT, SLOW = sys.argv[2:4]
# more requests than the server accepts during the test from a key with a limit of one per second
MOST_CALLS = 50
PCM = {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000}


def with_openai(key, text):
    client = openai.OpenAI(api_key=key, base_url=f"{URL}/v1", max_retries=0)
    client.audio.speech.create(model="tts-1", voice="nova", input=text, response_format="pcm")


def with_cartesia(key, text):
    client = cartesia.Cartesia(api_key=key, base_url=URL, max_retries=0)
    client.tts.generate(transcript=text, model_id="sonic-3", voice={"mode": "id", "id": "Ananya"}, output_format=PCM).read()


def with_elevenlabs(key, text):
    client = ElevenLabs(api_key=key, base_url=URL)
    once = {"max_retries": 0}
    b"".join(client.text_to_speech.convert("Ananya", text=text, request_options=once))


def with_deepgram(key, text):
    place = DeepgramClientEnvironment(base=URL, production=WS_URL, agent=WS_URL, agent_rest=URL)
    once = {"max_retries": 0}
    b"".join(DeepgramClient(api_key=key, environment=place).speak.v1.audio.generate(text=text, request_options=once))


def with_sarvam(key, text):
    place = SarvamAIEnvironment(base=URL, creative=URL, production=WS_URL)
    client = SarvamAI(api_subscription_key=key, environment=place)
    once = {"max_retries": 0}
    client.text_to_speech.convert(text=text, language_code="hi-IN", speaker="shubh", request_options=once)


def with_livekit(key, text):
    async def speak():
        async with aiohttp.ClientSession() as session:
            plugin = livekit_elevenlabs.TTS(api_key=key, base_url=f"{URL}/v1", voice_id="Ananya", http_session=session)
            async for _ in plugin.synthesize(text, conn_options=APIConnectOptions(max_retry=0, timeout=30)):
                pass

    asyncio.run(speak())


def refusal(call, key, text, error, calls):
    """Returns the error of the first call that is refused."""
    for _ in range(calls):
        try:
            call(key, text)
        except error as refused:
            return refused
    return None


for name, call, spent, often in [
    ("OpenAI", with_openai, openai.APIStatusError, openai.RateLimitError),
    ("Cartesia", with_cartesia, cartesia.APIStatusError, cartesia.RateLimitError),
    ("ElevenLabs", with_elevenlabs, ElevenLabsError, ElevenLabsError),
    ("Deepgram", with_deepgram, DeepgramError, DeepgramError),
    ("Sarvam", with_sarvam, SarvamError, SarvamError),
    ("LiveKit, ElevenLabs", with_livekit, APIStatusError, APIStatusError),
]:
    for what, key, status, error, calls in [("spent", SPENT, 402, spent, 1), ("slow", SLOW, 429, often, MOST_CALLS)]:
        refused = refusal(call, key, TEXT if what == "spent" else "हाँ", error, calls)
        told = getattr(refused, "status_code", None) == status
        check(f"{name}: a {what} key is {type(refused).__name__} {status}", told, str(refused)[:120])
finish("limits")
