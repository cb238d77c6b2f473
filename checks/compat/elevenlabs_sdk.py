#!/usr/bin/env python3
"""Checks `/v1/text-to-speech` with ElevenLabs' library.

The library's `convert_realtime` requires TLS: pass the address and the certificate of a server with TLS to check it.

usage: elevenlabs_sdk.py http://127.0.0.1:8080 sk_… [https://localhost:8443 CERTIFICATE.pem]
"""
import base64
import io
import os
import sys

import av
from common import KEY, LONG, TEXT, URL, check, clip, finish, rests, speeches
from elevenlabs import VoiceSettings
from elevenlabs.client import ElevenLabs
from elevenlabs.core.api_error import ApiError

whole = clip(TEXT, "Ananya", "hi")
seconds = len(whole) / 48_000


def decoded_seconds(body):
    """Returns the duration of a file in seconds."""
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
    check("audio arrives before synthesis ends", len(first) > 0 and speeches() > 0, f"{len(first)} bytes")
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
    check("models are listed", models[0].can_do_text_to_speech and len(models[0].languages) == 15)
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

    def once(voice, **options):
        pieces = iter(["नमस्ते, ", "आप कैसे हैं? ", "सब ठीक है।"])
        return b"".join(client.text_to_speech.convert_realtime(voice, text=pieces, **options))

    def realtime(voice, **options):
        # The library reads and writes one TLS socket in two threads, which Python before 3.13 does not support: under
        # load, the library sometimes completes the TLS handshake but never sends its request.
        try:
            return once(voice, **options)
        except TimeoutError as error:
            print(f"  again  the library sent no request: {error}")
            return once(voice, **options)

    sound = realtime("Ananya", output_format="pcm_24000")
    expected = clip("नमस्ते, आप कैसे हैं? सब ठीक है।", "Ananya")
    check("it is the clip", sound == expected, f"{len(sound)} of {len(expected)} bytes")
    long = decoded_seconds(realtime("Ananya"))
    check("its default format is as long", abs(long - len(expected) / 48_000) < 0.15, f"{long:.2f} s")
    try:
        realtime("21m00Tcm4TlvDq8ikWAM")
        check("an unknown voice is refused", False)
    except Exception as refused:  # the library does not wrap the exceptions of its WebSocket
        check("an unknown voice is refused", "404" in str(refused), f"{type(refused).__name__}: {refused}")


with_library()
if len(sys.argv) > 4:
    with_library_over_tls(*sys.argv[3:5])
finish("elevenlabs")
