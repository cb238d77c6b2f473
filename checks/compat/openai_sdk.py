#!/usr/bin/env python3
"""Checks `/v1/audio/speech` with OpenAI's library.

usage: openai_sdk.py http://127.0.0.1:8080 sk_…
"""
import io

import av
import openai
from common import KEY, LONG, TEXT, URL, check, clip, finish, rests, speeches

client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY)
whole = clip(TEXT, "Ananya")
seconds = len(whole) / 48_000


def decoded_seconds(body):
    """Returns the duration of a file in seconds."""
    with av.open(io.BytesIO(body)) as file:
        frames = list(file.decode(audio=0))
    return sum(frame.samples / frame.sample_rate for frame in frames)


for format in ["mp3", "opus", "wav", "pcm"]:
    body = client.audio.speech.create(model="tts-1", voice="nova", input=TEXT, response_format=format).content
    long = len(body) / 48_000 if format == "pcm" else decoded_seconds(body)
    check(f"{format} is as long as the clip", abs(long - seconds) < 0.15, f"{long:.2f} s of {seconds:.2f} s")
    if format == "pcm":
        check("pcm is the clip", body == whole)
check("mp3 is the default", client.audio.speech.create(model="tts-1", voice="nova", input=TEXT).content[:1] == b"\xff")

with client.audio.speech.with_streaming_response.create(
    model="gpt-4o-mini-tts", voice="Arjun", input=(3 * LONG)[:4_900], response_format="pcm"
) as answer:
    pieces = answer.iter_bytes(960)
    first = next(pieces)
    check("audio arrives before synthesis ends", len(first) > 0 and speeches() > 0)
check("a body that is closed stops its speech", rests())

ours = client.audio.speech.create(
    model="tts-1:ta-IN", voice={"id": "Arjun"}, input="25", response_format="pcm", extra_body={"pitch": 0}
).content
check("the model's suffix is the language", ours == clip("25", "Arjun", "ta"))
silence = client.audio.speech.create(model="tts-1", voice="nova", input="🙂", response_format="pcm").content
check("nothing to say is 100 ms of silence", silence == bytes(4_800))
check("models are listed", [model.id for model in client.models.list()] == ["tts-1"])

for what, error, call in [
    ("a wrong key", openai.AuthenticationError, lambda: client.with_options(api_key="sk_wrong").models.list()),
    (
        "an unknown voice",
        openai.BadRequestError,
        lambda: client.audio.speech.create(model="tts-1", voice="Anita", input="a"),
    ),
    (
        "a text that is too long",
        openai.BadRequestError,
        lambda: client.audio.speech.create(model="tts-1", voice="nova", input="a" * 5_001),
    ),
]:
    try:
        call()
        check(f"{what} is refused", False)
    except error as refused:
        told = refused.code and refused.request_id
        check(f"{what} is {error.__name__}", bool(told), f"{refused.status_code} {refused.code}")
finish("openai")
