#!/usr/bin/env python3
"""Measures the time from a request to its first audible sample through each vendor's API and through the native one, in
one run.

All requests are for raw samples at 24 kHz except the last two rows, which show when the first bytes of MP3 and Opus
arrive; docs/http.md explains the delay of their frames. Rounds alternate between the APIs; compare ratios and
differences, not times.

usage: first_sound.py http://127.0.0.1:8080 sk_… [rounds]
"""
import base64
import http.client
import itertools
import json
import pathlib
import statistics
import sys
import time
from urllib.parse import urlsplit

from common import KEY, URL, WS_URL
from websockets.sync.client import connect

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "measure"))
from audible import is_audible  # noqa: E402

ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 100
TEXT = "नमस्ते, आप कैसे हैं?"
PCM = {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000}


class Http:
    """Client that sends one text per request over a connection that stays open."""

    def __init__(self, path, body, headers=None, any_byte=False):
        self.path, self.body, self.any_byte = path, json.dumps(body).encode(), any_byte
        self.headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json", **(headers or {})}
        self.connection = http.client.HTTPConnection(urlsplit(URL).netloc, timeout=30)

    def measure(self):
        begun = time.perf_counter()
        self.connection.request("POST", self.path, self.body, self.headers)
        answer = self.connection.getresponse()
        heard = None
        while piece := answer.read1(65_536):
            if heard is None and (self.any_byte or is_audible(piece)):
                heard = time.perf_counter() - begun
        return heard


class Socket:
    """Client that sends one turn after another over a connection that stays open."""

    def __init__(self, path, messages, headers, sound, is_last):
        self.messages, self.sound, self.is_last = messages, sound, is_last
        self.socket = connect(f"{WS_URL}{path}", additional_headers=headers, max_size=None)
        self.turns = itertools.count()

    def measure(self):
        turn = f"t{next(self.turns)}"
        begun = time.perf_counter()
        for message in self.messages(turn):
            self.socket.send(json.dumps(message))
        heard = None
        while True:
            message = self.socket.recv(timeout=30)
            told = None if isinstance(message, bytes) else json.loads(message)
            sound = message if told is None else self.sound(told)
            if heard is None and sound and is_audible(sound):
                heard = time.perf_counter() - begun
            if told is not None and self.is_last(told):
                return heard


def decoded(field):
    return lambda told: base64.b64decode(told[field]) if told.get(field) else b""


BEARER = {"authorization": f"Bearer {KEY}"}
WAYS = {
    "own, HTTP": Http("/v1/tts", {"text": TEXT, "voice": "Ananya", "language": "hi"}),
    "OpenAI": Http("/v1/audio/speech", {"input": TEXT, "voice": "nova", "model": "tts-1", "language": "hi", "response_format": "pcm"}),
    "Cartesia, bytes": Http("/tts/bytes", {"transcript": TEXT, "voice": "Ananya", "model_id": "s", "language": "hi", "output_format": PCM}),
    "Deepgram": Http("/v1/speak?encoding=linear16&container=none&model=Ananya-hi", {"text": TEXT}),
    "ElevenLabs": Http("/v1/text-to-speech/Ananya/stream?output_format=pcm_24000", {"text": TEXT, "language_code": "hi"}),
    "own, socket": Socket(
        "/v1/tts/stream",
        lambda turn: [{"text": TEXT, "turn_id": turn, "final": True, "language": "hi"}],
        BEARER,
        lambda told: b"",
        lambda told: told["type"] in ("turn.done", "error"),
    ),
    "Cartesia, socket": Socket(
        "/tts/websocket",
        lambda turn: [
            {"context_id": turn, "transcript": TEXT, "voice": "Ananya", "model_id": "s", "language": "hi", "output_format": PCM}
        ],
        {"x-api-key": KEY},
        decoded("data"),
        lambda told: told.get("done"),
    ),
    "Deepgram, socket": Socket(
        "/v1/speak?model=Ananya-hi",
        lambda turn: [{"type": "Speak", "text": TEXT}, {"type": "Flush"}],
        BEARER,
        lambda told: b"",
        lambda told: told["type"] in ("Flushed", "Error"),
    ),
    "ElevenLabs, socket": Socket(
        "/v1/text-to-speech/Ananya/multi-stream-input?output_format=pcm_24000&language_code=hi",
        lambda turn: [{"context_id": turn, "text": TEXT}, {"context_id": turn, "close_context": True}],
        {"xi-api-key": KEY},
        decoded("audio"),
        lambda told: told.get("isFinal") or told.get("error"),
    ),
    "own, MP3": Http("/v1/tts", {"text": TEXT, "voice": "Ananya", "language": "hi", "output_format": "mp3_24000_64"}, any_byte=True),
    "own, Opus": Http("/v1/tts", {"text": TEXT, "voice": "Ananya", "language": "hi", "output_format": "opus_48000_32"}, any_byte=True),
}

times = {name: [] for name in WAYS}
for turn in range(ROUNDS + 5):
    for name, way in WAYS.items():
        took = way.measure()
        assert took is not None, f"{name}: nothing was heard"
        if turn >= 5:
            times[name].append(took * 1_000)
print(f"{'ms, ' + str(ROUNDS) + ' rounds':20} {'p50':>6} {'p90':>6}  to own")
for name, took in times.items():
    own = times["own, socket" if "socket" in name else "own, HTTP"]
    middle = statistics.median(took)
    print(f"{name:20} {middle:6.2f} {statistics.quantiles(took, n=10)[-1]:6.2f} {middle - statistics.median(own):+7.2f}")
