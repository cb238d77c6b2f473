"""Helpers of the scripts in this folder: the server's address, a clip to compare with, and a list of results."""
import json
import re
import struct
import sys
import time
import urllib.request

URL, KEY = sys.argv[1], sys.argv[2]
WS_URL = URL.replace("http", "ws", 1)
TEXT = "नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है। Thank you for your order!"
LONG = "यह एक लंबा जवाब है, जिसे कोई बीच में काट देगा। इसमें कई वाक्य हैं, और हर वाक्य में कुछ शब्द। " * 20
PATIENCE_S = 30

failures = []


def check(what, holds, detail=""):
    """Records and prints whether a check held."""
    print(f"  {'ok    ' if holds else 'FAILED'} {what}{f': {detail}' if detail else ''}", flush=True)
    if not holds:
        failures.append(what)


def finish(name):
    """Prints the failed checks and exits."""
    print(f"{name}: {f'{len(failures)} FAILED' if failures else 'all held'}", flush=True)
    sys.exit(1 if failures else 0)


def clip(text, voice, language=None):
    """Returns the samples of `POST /v1/tts`."""
    body = {"text": text, "voice": voice, "language": language}
    request = urllib.request.Request(
        f"{URL}/v1/tts",
        json.dumps(body).encode(),
        {"authorization": f"Bearer {KEY}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return answer.read()


def speeches():
    """Returns the number of active streams of the server."""
    with urllib.request.urlopen(f"{URL}/metrics", timeout=PATIENCE_S) as answer:
        return int(re.search(r"^shruti_speeches (\d+)$", answer.read().decode(), re.M)[1])


def rests():
    """Waits until the server has no active streams. Returns whether this happens within the time limit."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if speeches() == 0:
            return True
    return False


def peak(samples):
    """Returns the peak of 16-bit samples."""
    return max((abs(sample) for (sample,) in struct.iter_unpack("<h", samples)), default=0)
