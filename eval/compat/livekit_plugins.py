#!/usr/bin/env python3
"""LiveKit's plugins for OpenAI, Cartesia and Deepgram, by themselves.

usage: livekit_plugins.py http://127.0.0.1:8080 sk_…
"""
import asyncio
import logging

import aiohttp
from common import KEY, LONG, TEXT, URL, check, clip, finish, rests
from livekit.agents import APIConnectOptions, APIError, APIStatusError
from livekit.plugins import cartesia, deepgram, openai

logging.disable(logging.CRITICAL)
ONCE = APIConnectOptions(max_retry=0, timeout=30)
PATIENCE_S = 30


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


async def with_openai():
    print("LiveKit, OpenAI")
    whole = clip(TEXT, "Ananya")
    # the default asks for MP3 as events
    for options in [{}, {"model": "tts-1"}, {"response_format": "pcm"}, {"response_format": "opus"}, {"response_format": "wav"}]:
        plugin = openai.TTS(base_url=f"{URL}/v1", api_key=KEY, voice="nova", **options)
        sound, _ = await asyncio.wait_for(heard(plugin.synthesize(TEXT, conn_options=ONCE)), PATIENCE_S)
        close = abs(len(sound) - len(whole)) < 48_000 * 0.15
        check(f"{options or 'the default'} is as long as the clip", close, f"{len(sound)} of {len(whole)} bytes")
        await plugin.aclose()
    plugin = openai.TTS(base_url=f"{URL}/v1", api_key="sk_wrong", voice="nova")
    error = await asyncio.wait_for(refusal(plugin.synthesize(TEXT, conn_options=ONCE)), PATIENCE_S)
    check("a wrong key is APIStatusError 401", isinstance(error, APIStatusError) and error.status_code == 401)
    await plugin.aclose()


async def with_cartesia(session):
    print("LiveKit, Cartesia")

    def plugin(key=KEY):
        return cartesia.TTS(api_key=key, base_url=URL, voice="Ananya", language="hi", http_session=session)

    speaker = plugin()
    whole = clip(TEXT, "Ananya", "hi")
    sound, _ = await asyncio.wait_for(heard(speaker.synthesize(TEXT, conn_options=ONCE)), PATIENCE_S)
    # the plugin fills its last frame of 10 ms up
    check("synthesize() is the clip", sound[: len(whole)] == whole and not any(sound[len(whole) :]))

    async def turn(text):
        stream = speaker.stream(conn_options=ONCE)
        for piece in text.split(" "):
            stream.push_text(f"{piece} ")
        stream.end_input()
        said = await asyncio.wait_for(heard(stream), PATIENCE_S)
        await stream.aclose()
        return said

    for number in ["first", "second"]:
        sound, words = await turn(TEXT)
        near = abs(len(sound) - len(whole)) < len(whole) / 10
        check(f"the {number} stream has sound", near, f"{len(sound)} of {len(whole)} bytes")
        # the plugin aligns each with the text: what it could not find it would have marked otherwise
        check("its words are the text with its spaces", "".join(words).split() == TEXT.split(), len(words))
        times = [word.start_time for word in words]
        check("and have times", times == sorted(times) and times[-1] > 1)

    stream = speaker.stream(conn_options=ONCE)
    stream.push_text(LONG)
    stream.flush()
    await asyncio.wait_for(anext(stream), PATIENCE_S)
    await stream.aclose()
    # the plugin sends no cancel: it drops the socket with its next stream
    sound, _ = await turn("नमस्ते।")
    check("the stream after an interruption has sound", len(sound) > 4_800, f"{len(sound)} bytes")
    stopped = await asyncio.get_running_loop().run_in_executor(None, rests)
    check("and the interrupted speech has stopped", stopped)
    sound, _ = await turn("🙂")
    check("nothing to say is silence and no error", len(sound) > 0, f"{len(sound)} bytes")
    await speaker.aclose()

    for what, stream in [("synthesize()", lambda it: it.synthesize(TEXT, conn_options=ONCE)), ("stream()", None)]:
        wrong = plugin("sk_wrong")
        if stream is None:
            stream = wrong.stream(conn_options=ONCE)
            stream.push_text(TEXT)
            stream.end_input()
        else:
            stream = stream(wrong)
        error = await asyncio.wait_for(refusal(stream), PATIENCE_S)
        check(f"a wrong key is APIStatusError 401 of {what}", isinstance(error, APIStatusError) and error.status_code == 401)
        await wrong.aclose()


async def with_deepgram(session):
    print("LiveKit, Deepgram")

    def plugin(key=KEY):
        return deepgram.TTS(api_key=key, base_url=f"{URL}/v1/speak", model="aura-2-ananya-hi", http_session=session)

    speaker = plugin()
    whole = clip(TEXT, "Ananya", "hi")
    sound, _ = await asyncio.wait_for(heard(speaker.synthesize(TEXT, conn_options=ONCE)), PATIENCE_S)
    check("synthesize() is the clip", sound[: len(whole)] == whole and not any(sound[len(whole) :]))

    async def turn(text):
        stream = speaker.stream(conn_options=ONCE)
        for piece in text.split(" "):
            stream.push_text(f"{piece} ")
        stream.end_input()
        said = await asyncio.wait_for(heard(stream), PATIENCE_S)
        await stream.aclose()
        return said

    for number in ["first", "second"]:
        # the plugin takes the text apart into words, and signs fall away
        sound, _ = await turn(TEXT)
        near = abs(len(sound) - len(whole)) < len(whole) / 5
        check(f"the {number} stream has sound", near, f"{len(sound)} of {len(whole)} bytes")

    stream = speaker.stream(conn_options=ONCE)
    stream.push_text(LONG)
    stream.flush()
    await asyncio.wait_for(anext(stream), PATIENCE_S)
    await stream.aclose()
    sound, _ = await turn("नमस्ते।")
    check("the stream after an interruption has sound", len(sound) > 4_800, f"{len(sound)} bytes")
    stopped = await asyncio.get_running_loop().run_in_executor(None, rests)
    check("and the interrupted speech has stopped", stopped)
    sound, _ = await turn("🙂")
    check("nothing to say is silence and no error", len(sound) > 0, f"{len(sound)} bytes")
    await speaker.aclose()

    wrong = plugin("sk_wrong")
    error = await asyncio.wait_for(refusal(wrong.synthesize(TEXT, conn_options=ONCE)), PATIENCE_S)
    check("a wrong key is APIStatusError 401 of synthesize()", isinstance(error, APIStatusError) and error.status_code == 401)
    await wrong.aclose()
    wrong = plugin("sk_wrong")
    stream = wrong.stream(conn_options=ONCE)
    stream.push_text(TEXT)
    stream.end_input()
    error = await asyncio.wait_for(refusal(stream), PATIENCE_S)
    check("a wrong key is an APIError of stream()", error is not None, repr(error)[:80])
    await wrong.aclose()


async def main():
    await with_openai()
    async with aiohttp.ClientSession() as session:
        await with_cartesia(session)
        await with_deepgram(session)


asyncio.run(main())
finish("livekit")
