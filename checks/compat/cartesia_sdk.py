#!/usr/bin/env python3
"""Checks `/tts/bytes`, `/tts/sse` and `/tts/websocket` with Cartesia's library.

usage: cartesia_sdk.py http://127.0.0.1:8080 sk_…
"""
import cartesia
from common import KEY, LONG, TEXT, URL, WS_URL, check, clip, finish, rests

client = cartesia.Cartesia(api_key=KEY, base_url=URL, websocket_base_url=WS_URL)
VOICE = {"mode": "id", "id": "Ananya"}
PCM = {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000}
whole = clip(TEXT, "Ananya", "hi")
asked = {"model_id": "sonic-3", "voice": VOICE, "language": "hi"}

check("bytes are the clip", client.tts.generate(transcript=TEXT, output_format=PCM, **asked).read() == whole)
events = list(client.tts.generate_sse(transcript=TEXT, output_format=PCM, add_timestamps=True, **asked))
check("events are the clip", b"".join(event.audio for event in events if event.type == "chunk") == whole)
words = [word for event in events if event.type == "timestamps" for word in event.word_timestamps.words]
check("events have a time for each token", words == TEXT.split())

with client.tts.websocket_connect() as connection:
    context = connection.context(output_format=PCM, add_timestamps=True, **asked)
    for piece in TEXT.split(" "):
        context.push(piece if piece.endswith("!") else f"{piece} ")
    context.no_more_inputs()
    sound, words = b"", []
    for event in context.receive():
        if event.type == "chunk":
            sound += event.audio
        elif event.type == "timestamps":
            words += zip(event.word_timestamps.words, event.word_timestamps.start, event.word_timestamps.end)
    check("a context in pieces is the clip", sound == whole, f"{len(sound)} of {len(whole)} bytes")
    check("it has a time for each token", [word for word, *_ in words] == TEXT.split())
    check("times grow", all(start < end for _, start, end in words) and words == sorted(words, key=lambda w: w[1]))

    # use the default options of the library
    context = connection.context()
    context.send(transcript="नमस्ते!", voice=VOICE, continue_=True)
    context.no_more_inputs()
    sound = b"".join(event.audio for event in context.receive() if event.type == "chunk")
    expected = len(clip("नमस्ते!", "Ananya")) / 2 / 24_000 * 44_100 * 4
    check("its default format is as long as the clip", abs(len(sound) - expected) <= 8, f"{len(sound)} bytes")

    contexts = [connection.context(output_format=PCM, **asked) for _ in range(3)]
    for context in contexts:
        context.send(transcript=TEXT, voice=VOICE, language="hi", continue_=False)
    sounds = [b"".join(event.audio for event in context.receive() if event.type == "chunk") for context in contexts]
    check("three contexts at once are each the clip", sounds == [whole] * 3)

    context = connection.context(output_format=PCM, **asked)
    context.send(transcript=LONG, voice=VOICE, continue_=False)
    next(event for event in context.receive() if event.type == "chunk")
    context.cancel()
    check("a cancel stops the speech", rests())

    context = connection.context(context_id="unknown", output_format=PCM, **asked)
    context.send(transcript="a", voice={"mode": "id", "id": "a0e99841-438c-4a64-b679-ae501e7d6091"}, continue_=False)
    # the library also returns pending events of the cancelled context
    (error,) = [event for event in context.receive() if event.context_id == "unknown"]
    check("an unknown voice is an error of its context", (error.type, error.status_code) == ("error", 400), error.message)

for what, error, call in [
    (
        "a wrong key",
        cartesia.AuthenticationError,
        lambda wrong: wrong.tts.generate(transcript="a", output_format=PCM, **asked),
    ),
    (
        "an unknown voice",
        cartesia.BadRequestError,
        lambda _: client.tts.generate(transcript="a", model_id="sonic-3", voice="Anita", output_format=PCM),
    ),
]:
    try:
        call(cartesia.Cartesia(api_key="sk_wrong", base_url=URL))
        check(f"{what} is refused", False)
    except error as refused:
        check(f"{what} is {error.__name__}", True, refused.status_code)
finish("cartesia")
