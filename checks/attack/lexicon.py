#!/usr/bin/env python3
"""Abuse of the pronunciation dictionary: checks/attack/lexicon.py [target/release/shruti]

Measures the charged characters and the audio length of texts with a dictionary, over HTTP, over WebSocket, and as a
visitor of the open playground. Prints a table of cases and exits with an error if a limit does not hold. Standard
library only; loopback only; each case reads at most MOST_BYTES.
"""
import base64
import json
import os
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402

# maximum length of the audio per charged character, in seconds at speed 1; docs/http.md states this limit
MOST_SECONDS_A_CHARACTER = 2.5
MOST_CHARS = 10_000
MOST_BYTES = 650_000_000
RATE_BYTES = 48_000
# bytes per second in the other formats
FORMATS = {"mulaw_8000": 8_000, "wav_48000": 96_000}
CAP = 200
WAIT_S = 60


def post(url, key, body):
    """Returns the status, the error code or charged characters, and the duration of the audio in seconds."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{url}/v1/tts", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
            size = 0
            while size < MOST_BYTES and (piece := answer.read(1 << 20)):
                size += len(piece)
            rate = FORMATS.get(body.get("output_format"), RATE_BYTES)
            return answer.status, int(answer.headers["x-tts-chars"]), size / rate
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)["error"]["code"], 0.0


class Conversation:
    """A minimal WebSocket client."""

    def __init__(self, address, key=None, token=None):
        self.socket = socket.create_connection(address, timeout=WAIT_S)
        query = f"?token={token}" if token else ""
        lines = [f"GET /v1/tts/stream{query} HTTP/1.1", f"Host: {address[0]}:{address[1]}", "Upgrade: websocket",
                 "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                 "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        if key:
            lines.append(f"Authorization: Bearer {key}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.stream = self.socket.makefile("rb")
        status = self.stream.readline()
        if b" 101 " not in status:
            raise RuntimeError(status.decode())
        while self.stream.readline().strip():
            pass

    def say(self, message):
        data = json.dumps(message, ensure_ascii=False).encode()
        length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        mask = os.urandom(4)
        self.socket.sendall(b"\x81" + length + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)))

    def turn(self, message):
        """Returns the outcome of a turn, the charged characters, and the duration of the audio in seconds."""
        self.say({"max_lead_ms": 0, "turn_id": "a", "final": True, **message})
        size = 0
        while size < MOST_BYTES:
            head = self.stream.read(2)
            if len(head) < 2:
                return "closed", None, size / RATE_BYTES
            length = head[1] & 0x7F
            if length == 126:
                length = struct.unpack(">H", self.stream.read(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.stream.read(8))[0]
            data, kind = self.stream.read(length), head[0] & 0xF
            if kind == 2:
                size += len(data)
            elif kind == 8:
                return f"closed {struct.unpack('>H', data[:2])[0]}", None, size / RATE_BYTES
            elif kind == 1:
                event = json.loads(data)
                if event["type"] == "turn.done":
                    return "done", event["chars"], size / RATE_BYTES
                if event["type"] in ("turn.failed", "error"):
                    return event["error"]["code"], None, size / RATE_BYTES
        return "too much audio", None, size / RATE_BYTES

    def close(self):
        self.socket.close()


def visitor_token(url):
    headers = {"content-type": "application/json", "x-studio": "1", "origin": url}
    request = urllib.request.Request(f"{url}/studio/api/token", b"{}", headers)
    while True:
        try:
            with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
                return json.load(answer)["token"]
        except urllib.error.HTTPError as refused:
            # the number of cases exceeds the rate limit for visitors from one address
            if refused.code != 429:
                raise
            time.sleep(float(refused.headers["retry-after"]))


def capped_key(binary, s):
    """Returns a key with a monthly cap of CAP characters."""
    command = [binary, "keys", "create", "--name", "capped", "--monthly-cap", str(CAP), "--data-dir", s.data_dir]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=WAIT_S).stdout
    return next(word for word in told.split() if word.startswith("sk_"))


LONG = ("अबकखग " * 21).strip()
UNSPOKEN = "a text that is not spoken " * 5


def alias(inside, content=UNSPOKEN):
    return f"<speak><sub alias='{inside.strip()}'>{content.strip()}</sub></speak>"


TEXTS = {
    "the attack: k × 2,500, 192 characters each": ({"text": "k " * 2500, "lexicon": {"k": "अबकखग " * 32}}, "invalid_field"),
    "k × 2,500, 125 characters each": ({"text": "k " * 2500, "lexicon": {"k": LONG}}, "text_too_long"),
    "k × 79, 125 characters each": ({"text": "k " * 79, "lexicon": {"k": LONG}}, None),
    "the same at half the speed": ({"text": "k " * 79, "lexicon": {"k": LONG}, "speed": 0.5}, None),
    "IPA of 100 vowels, × 40": ({"text": "k " * 40, "lexicon": {"k": "/" + "aː" * 60 + "/"}}, None),
    "readings of a number": ({"text": "77 " * 20, "language": "hi", "lexicon": {"सतहत्तर": LONG}}, None),
    "digits in readings": ({"text": "k " * 100, "lexicon": {"k": "99 " * 16}}, None),
    "5,000 symbols": ({"text": "≤" * 5000, "language": "te"}, None),
    "5,000 digits": ({"text": "7" * 5000, "language": "te"}, None),
    "5,000 lines": ({"text": "a\n" * 2500, "language": "te"}, None),
    "an alias of k × 60": ({"text": alias("k " * 60), "lexicon": {"k": LONG}}, None),
    "an alias of symbols": ({"text": alias("k " * 60), "lexicon": {"k": "≤7 " * 16}}, None),
    "an alias of sentences": ({"text": alias("k. " * 60), "lexicon": {"k": LONG}}, None),
    "an alias in an empty element": ({"text": alias("k " * 60, ""), "lexicon": {"k": LONG}}, None),
    "an alias as µ-law": ({"text": alias("k " * 60), "lexicon": {"k": LONG}, "output_format": "mulaw_8000"}, None),
    "an alias as WAV": ({"text": alias("k " * 60), "lexicon": {"k": LONG}, "output_format": "wav_48000"}, None),
    "characters of a <say-as>": (
        {"text": "<speak><say-as interpret-as='characters'>%%%%%%%%%%%%</say-as></speak>", "language": "hi",
         "lexicon": {"प्रतिशत": "≤≥≠±≤≥7"}}, None),
    "symbols for the reading of a symbol": (
        {"text": "%" * 300, "language": "hi", "lexicon": {"प्रतिशत": "≤≥≠±≤≥7"}}, None),
}


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else "target/release/shruti"
    failed = False
    print(f"{'case':<46} {'API':<10} {'outcome':<16} {'charged':>8} {'seconds':>9} {'s/char':>7}")

    def tell(case, door, outcome, chars, seconds, speed, wanted):
        nonlocal failed
        ratio = seconds / chars if isinstance(chars, int) and chars else 0.0
        is_right = ratio <= MOST_SECONDS_A_CHARACTER / speed and seconds * RATE_BYTES < MOST_BYTES
        is_right &= wanted is None or wanted == outcome
        if door == "HTTP" and isinstance(chars, int):
            is_right &= chars <= MOST_CHARS
        failed |= not is_right
        print(f"{case:<46} {door:<10} {outcome:<16} {chars or '-':>8} {seconds:>9.1f} {ratio:>7.2f}"
              + ("" if is_right else "  WRONG"), flush=True)

    with harness.running(binary, "--open-playground") as s:
        for case, (body, wanted) in TEXTS.items():
            status, told, seconds = post(s.url, s.key, body)
            chars = told if status == 200 else None
            tell(case, "HTTP", "sound" if chars else told, chars, seconds, body.get("speed", 1), wanted)
        for case, (body, wanted) in TEXTS.items():
            # over a WebSocket, a turn may be longer and is charged as it is sent
            wanted = wanted if wanted == "invalid_field" else None
            body = {**body, "text": body["text"][:400]}
            # the format is a setting of the connection; the test over HTTP covers it
            body.pop("output_format", None)
            for door in ("WebSocket", "visitor"):
                key, token = (s.key, None) if door == "WebSocket" else (None, visitor_token(s.url))
                conversation = Conversation(s.address, key, token)
                outcome, chars, seconds = conversation.turn(body)
                conversation.close()
                tell(case, door, outcome, chars, seconds, body.get("speed", 1), wanted)
        conversation = Conversation(s.address, capped_key(binary, s))
        outcome, _, seconds = conversation.turn({"text": alias("k " * 60, ""), "lexicon": {"k": "≤7 " * 16}})
        conversation.close()
        tell(f"an alias with a cap of {CAP}", "WebSocket", outcome, CAP, seconds, 1, None)
        if not s.is_running():
            print("the server has exited")
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
