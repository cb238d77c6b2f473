#!/usr/bin/env python3
"""Checks `/text-to-speech`, its stream, and the WebSocket `/text-to-speech/ws` with Sarvam's library.

usage: sarvam_sdk.py http://127.0.0.1:8080 sk_…
"""
import base64

from common import KEY, LONG, TEXT, URL, WS_URL, check, clip, finish, rests
from sarvamai import SarvamAI
from sarvamai.core.api_error import ApiError
from sarvamai.environment import SarvamAIEnvironment
from sarvamai.types import AudioOutput, ErrorResponse, EventResponse
from websockets.exceptions import InvalidStatus

PLACE = SarvamAIEnvironment(base=URL, creative=URL, production=WS_URL)


def library(key=KEY):
    return SarvamAI(api_subscription_key=key, environment=PLACE)


client = library()
whole = clip(TEXT, "Arjun", "hi")
asked = {"language_code": "hi-IN", "speaker": "abhilash"}

answer = client.text_to_speech.convert(text=TEXT, speech_sample_rate=24_000, **asked)
sound = base64.b64decode(answer.audios[0])
check("convert() is the clip in WAV", sound[:4] == b"RIFF" and sound[44:] == whole, f"{len(sound)} bytes")
check("and has a request's id", answer.request_id.startswith("req_"), answer.request_id)
bare = {"output_audio_codec": "linear16", "speech_sample_rate": 24_000}
sound = b"".join(client.text_to_speech.convert_stream(text=TEXT, **bare, **asked))
check("convert_stream() is the clip", sound == whole, f"{len(sound)} of {len(whole)} bytes")
sound = b"".join(client.text_to_speech.convert_stream(text=TEXT, **asked))
seconds, expected = len(sound) * 8 / 64_000, len(whole) / 48_000
check("its default, MP3 of 64 kbit/s, is as long", abs(seconds - expected) < 0.15, f"{seconds:.2f} of {expected:.2f} s")


def until_end(socket):
    """Returns the audio up to the end of the flushed text, and its content types."""
    sound, types = b"", set()
    for message in socket:
        if isinstance(message, AudioOutput):
            sound += base64.b64decode(message.data.audio)
            types.add(message.data.content_type)
        elif isinstance(message, EventResponse):
            check("the event is the final one", message.data.event_type == "final")
            return sound, types
        else:
            check(f"a {type(message).__name__}", False, message)


with client.text_to_speech_streaming.connect(model="bulbul:v3", send_completion_event="true") as socket:
    for speaker, voice in [("abhilash", "Arjun"), ("anushka", "Ananya")]:
        # send the configuration again on the same connection
        socket.configure("hi-IN", speaker, **bare)
        for word in TEXT.split(" "):
            socket.convert(word if word.endswith("!") else f"{word} ")
        socket.ping()
        socket.flush()
        sound, types = until_end(socket)
        expected = clip(TEXT, voice, "hi")
        check(f"{speaker} in pieces is the clip of {voice}", sound == expected, f"{len(sound)} bytes")
    socket.configure("hi-IN", "anushka")
    socket.convert("नमस्ते।")
    socket.flush()
    sound, types = until_end(socket)
    check("the default is MP3", types == {"audio/mp3"} and sound[:1] == b"\xff", f"{len(sound)} bytes")
    socket.convert("🙂")
    socket.flush()
    check("nothing to say has sound", len(until_end(socket)[0]) > 0)
    socket.configure("hi-IN", "nobody")
    message = socket.recv()
    told = isinstance(message, ErrorResponse) and message.data.code == 400
    check("an unknown speaker is an ErrorResponse 400", told, str(message)[:150])
    socket.convert(LONG)
    socket.flush()
    check("and the connection continues", isinstance(socket.recv(), AudioOutput))
check("what is left stops with the connection", rests())

for what, status, key, wrong in [
    ("a wrong key", 403, "sk_wrong", {}),
    ("an unknown voice", 400, KEY, {"speaker": "nobody"}),
    ("another language", 400, KEY, {"language_code": "fr-FR"}),
    ("text that is too long", 400, KEY, {"text": "क" * 5_001}),
]:
    try:
        library(key).text_to_speech.convert(**{"text": TEXT, **asked, **wrong})
        check(f"{what} is refused", False)
    except ApiError as refused:
        check(f"{what} is {type(refused).__name__} {status}", refused.status_code == status, refused.status_code)
try:
    with library("sk_wrong").text_to_speech_streaming.connect(model="bulbul:v3"):
        check("a wrong key is refused on the socket", False)
# the library does not wrap the exceptions of its websockets package
except (ApiError, InvalidStatus) as refused:
    status = refused.status_code if isinstance(refused, ApiError) else refused.response.status_code
    check(f"a wrong key is {type(refused).__name__} 403 of the socket", status == 403, status)
finish("sarvam")
