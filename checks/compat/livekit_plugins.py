#!/usr/bin/env python3
"""Checks LiveKit's plugins for OpenAI, Cartesia, ElevenLabs, Deepgram and Sarvam without a room.

usage: livekit_plugins.py http://127.0.0.1:8080 sk_…
"""
import asyncio
import logging

import aiohttp
from common import KEY, LONG, TEXT, URL, check, clip, finish, rests
from livekit.agents import APIConnectOptions, APIError, APIStatusError
from livekit.plugins import cartesia, deepgram, elevenlabs, openai, sarvam

logging.disable(logging.CRITICAL)
ONCE = APIConnectOptions(max_retry=0, timeout=30)
PATIENCE_S = 30


async def heard(stream):
    """Returns the samples and the timed words of all frames of a stream."""
    sound, words = b"", []
    async for audio in stream:
        sound += bytes(audio.frame.data)
        words += audio.frame.userdata.get("lk.timed_transcripts", [])
    return sound, words


async def refusal(stream):
    """Returns the error that ends a stream."""
    try:
        await heard(stream)
    except APIError as error:
        return error
    return None


async def with_openai():
    print("LiveKit, OpenAI")
    whole = clip(TEXT, "Ananya")
    # with its default options, the plugin requests MP3 as events
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


async def conversation(name, plugin, has_words, refused=(401, 401)):
    """Runs the checks that apply to every plugin with a WebSocket; `plugin` creates one for a key. `refused` has the
    statuses that synthesize() and stream() report for a wrong key; None for an error without a status.
    """
    print(f"LiveKit, {name}")
    speaker = plugin(KEY)
    whole = clip(TEXT, "Ananya", "hi")
    seconds = len(whole) / 48_000
    sound, _ = await asyncio.wait_for(heard(speaker.synthesize(TEXT, conn_options=ONCE)), PATIENCE_S)
    long = len(sound) / 2 / speaker.sample_rate
    if speaker.sample_rate == 24_000:
        # the plugin pads its last frame to 10 ms
        check("synthesize() is the clip", sound[: len(whole)] == whole and not any(sound[len(whole) :]))
    else:
        check("synthesize() in its default format is as long as the clip", abs(long - seconds) < 0.15, f"{long:.2f} s")

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
        long = len(sound) / 2 / speaker.sample_rate
        check(f"the {number} stream is about as long", abs(long - seconds) < seconds / 5, f"{long:.2f} of {seconds:.2f} s")
        if has_words:
            # the plugin aligns each word with the text; a word that it could not find would differ
            check("its words are the text with its spaces", "".join(words).split() == TEXT.split(), len(words))
            times = [word.start_time for word in words]
            check("and have times", times == sorted(times) and 1 < times[-1] < long, times[-1])

    stream = speaker.stream(conn_options=ONCE)
    stream.push_text(LONG)
    stream.flush()
    await asyncio.wait_for(anext(stream), PATIENCE_S)
    await stream.aclose()
    # plugins send no cancel: they drop the socket, some plugins only when the next stream begins
    sound, _ = await turn("नमस्ते।")
    check("the stream after an interruption has sound", len(sound) > 4_800, f"{len(sound)} bytes")
    sound, _ = await turn("🙂")
    check("nothing to say is silence and no error", len(sound) > 0, f"{len(sound)} bytes")
    await speaker.aclose()
    stopped = await asyncio.get_running_loop().run_in_executor(None, rests)
    check("what was interrupted stops with the socket at the latest", stopped)

    for method, status in zip(["synthesize", "stream"], refused, strict=True):
        wrong = plugin("sk_wrong")
        if method == "stream":
            stream = wrong.stream(conn_options=ONCE)
            stream.push_text(TEXT)
            stream.end_input()
        else:
            stream = wrong.synthesize(TEXT, conn_options=ONCE)
        error = await asyncio.wait_for(refusal(stream), PATIENCE_S)
        told = getattr(error, "status_code", None) == status and error is not None
        check(f"a wrong key is {type(error).__name__} {status} of {method}()", told, repr(error)[:100])
        await wrong.aclose()


async def main():
    await with_openai()
    async with aiohttp.ClientSession() as session:

        def with_cartesia(key):
            return cartesia.TTS(api_key=key, base_url=URL, voice="Ananya", language="hi", http_session=session)

        def with_elevenlabs(key):
            return elevenlabs.TTS(api_key=key, base_url=f"{URL}/v1", voice_id="Ananya", language="hi", http_session=session)

        def with_deepgram(key):
            return deepgram.TTS(api_key=key, base_url=f"{URL}/v1/speak", model="aura-2-ananya-hi", http_session=session)

        def with_sarvam(key, model="bulbul:v3", speaker="shubh"):
            urls = {"base_url": f"{URL}/text-to-speech", "ws_url": f"{URL}/text-to-speech/ws"}
            asked = {"target_language_code": "hi-IN", "model": model, "speaker": speaker}
            return sarvam.TTS(api_key=key, http_session=session, **asked, **urls)

        def with_another_path(key):
            return with_sarvam(key, "bulbul:v4-flash", "shubh_en_narration")

        await conversation("Cartesia", with_cartesia, has_words=True)
        await conversation("ElevenLabs", with_elevenlabs, has_words=True)
        # this plugin splits the text into words and drops punctuation
        await conversation("Deepgram", with_deepgram, has_words=False)
        # this plugin does not report the status of a refused upgrade
        await conversation("Sarvam", with_sarvam, has_words=False, refused=(403, None))
        await conversation("Sarvam, /ws/v2", with_another_path, has_words=False, refused=(403, None))


asyncio.run(main())
finish("livekit")
