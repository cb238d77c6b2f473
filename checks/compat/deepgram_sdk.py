#!/usr/bin/env python3
"""Checks `/v1/speak` with Deepgram's library, over HTTP and WebSocket.

usage: deepgram_sdk.py http://127.0.0.1:8080 sk_…
"""
from common import KEY, LONG, TEXT, URL, WS_URL, check, clip, finish, rests
from deepgram import DeepgramClient
from deepgram.core.api_error import ApiError
from deepgram.environment import DeepgramClientEnvironment
from deepgram.speak.v1.types import SpeakV1Text
from websockets.exceptions import InvalidStatus

PLACE = DeepgramClientEnvironment(base=URL, production=WS_URL, agent=WS_URL, agent_rest=URL)


def library(key=KEY):
    return DeepgramClient(api_key=key, environment=PLACE)


client = library()
whole = clip(TEXT, "Arjun", "hi")
asked = {"model": "aura-2-arjun-hi"}

sound = b"".join(client.speak.v1.audio.generate(text=TEXT, encoding="linear16", container="none", sample_rate=24_000, **asked))
check("bare samples are the clip", sound == whole, f"{len(sound)} of {len(whole)} bytes")
sound = b"".join(client.speak.v1.audio.generate(text=TEXT, encoding="linear16", **asked))
check("WAV is the clip", sound[:4] == b"RIFF" and sound[44:] == whole, f"{len(sound)} bytes")
sound = b"".join(client.speak.v1.audio.generate(text=TEXT, encoding="mulaw", sample_rate=8_000, **asked))
check("µ-law is as long as the clip", abs(len(sound) - len(whole) / 6) <= 1, f"{len(sound)} bytes")
sound = b"".join(client.speak.v1.audio.generate(text=TEXT, **asked))
seconds, expected = len(sound) * 8 / 48_000, len(whole) / 48_000
check("the default, MP3 of 48 kbit/s, is as long as the clip", abs(seconds - expected) < 0.15, f"{seconds:.2f} of {expected:.2f} s")


def until(connection, kind):
    """Returns the audio that arrives before a message of the given type, and that message."""
    sound = b""
    for message in connection:
        if isinstance(message, bytes):
            sound += message
        elif message.type == kind:
            return sound, message
        elif message.type not in ("Metadata", "Flushed"):
            check(f"a {message.type} message", False, message)
    return sound, None


with client.speak.v1.connect(encoding="linear16", sample_rate="24000", **asked) as connection:
    for number in range(2):
        for word in TEXT.split(" "):
            connection.send_text(SpeakV1Text(text=word if word.endswith("!") else f"{word} "))
        connection.send_flush()
        sound, flushed = until(connection, "Flushed")
        check(f"flush {number} in pieces is the clip", sound == whole, f"{len(sound)} of {len(whole)} bytes")
        check("and is counted", flushed.sequence_id == number)
    connection.send_text(SpeakV1Text(text=LONG))
    connection.send_flush()
    next(message for message in connection if isinstance(message, bytes))
    connection.send_clear()
    _, cleared = until(connection, "Cleared")
    check("a clear is answered", cleared is not None and cleared.sequence_id == 2)
    check("and stops the speech", rests())
    connection.send_text(SpeakV1Text(text="नमस्ते।"))
    connection.send_flush()
    sound, _ = until(connection, "Flushed")
    check("what follows is its clip alone", sound == clip("नमस्ते।", "Arjun", "hi"), f"{len(sound)} bytes")
    connection.send_close()
    check("a close ends the connection", not [message for message in connection if isinstance(message, bytes)])

for what, status, call in [
    ("a wrong key", 401, lambda: library("sk_wrong").speak.v1.audio.generate(text=TEXT, **asked)),
    ("an unknown voice", 400, lambda: client.speak.v1.audio.generate(text=TEXT, model="aura-2-thalia-en")),
    ("no text", 400, lambda: client.speak.v1.audio.generate(text=5, **asked)),
]:
    try:
        b"".join(call())
        check(f"{what} is refused", False)
    except ApiError as refused:
        check(f"{what} is ApiError {status}", refused.status_code == status, refused.status_code)
try:
    with library("sk_wrong").speak.v1.connect(**asked):
        check("a wrong key is refused on the socket", False)
# the library does not wrap the exceptions of its websockets package
except (ApiError, InvalidStatus) as refused:
    status = refused.status_code if isinstance(refused, ApiError) else refused.response.status_code
    check(f"a wrong key is {type(refused).__name__} 401 of the socket", status == 401, status)
finish("deepgram")
