#!/usr/bin/env python3
"""Measures the time from sending a text to its first audible sample, with bare sockets and with the Python client.

The two alternate, so that other load of the machine affects both. Prints the median and the 95th percentile of each,
and the overhead of the client.

usage: first_sound.py http://127.0.0.1:8080 sk_... [ROUNDS]        needs: pip install shruti-tts
"""
import asyncio
import base64
import json
import os
import pathlib
import socket
import statistics
import struct
import sys
import time
from urllib.parse import urlsplit

from shruti_tts import AsyncClient, Audio, Client

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from audible import is_audible  # noqa: E402

TEXT = "ठीक है, मैं अभी आपका order देखती हूँ।"
PAUSE_S = 0.02


class BareSocket:
    """A minimal client of RFC 6455 on a blocking socket."""

    def __init__(self, url, key):
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        nonce = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /v1/tts/stream HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {nonce}\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
        )
        while b"\r\n\r\n" not in self.received:
            self.received += self.socket.recv(65536)
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head
        self.frame()

    def say(self, message):
        data = json.dumps(message, ensure_ascii=False).encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack("!H", len(data))
        # RFC 6455 allows a mask of zeros
        self.socket.sendall(b"\x81" + size + bytes(4) + data)

    def take(self, size):
        while len(self.received) < size:
            more = self.socket.recv(65536)
            assert more, "the connection ended"
            self.received += more
        taken, self.received = self.received[:size], self.received[size:]
        return taken

    def frame(self):
        while True:
            kind, size = self.take(2)
            if size == 126:
                size = struct.unpack("!H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self.take(8))[0]
            data = self.take(size)
            if kind & 0xF in (1, 2):
                return kind & 0xF, data

    def round(self, number):
        begun = time.perf_counter()
        self.say({"text": TEXT, "turn_id": f"r{number}", "final": True})
        took = None
        while True:
            kind, data = self.frame()
            if kind == 2 and took is None and is_audible(data):
                took = time.perf_counter() - begun
                self.say({"type": "cancel", "id": "c"})
            elif kind == 1 and json.loads(data)["type"] == "turn.cancelled":
                return took


async def async_round(session):
    begun = time.perf_counter()
    turn = await session.say(TEXT)
    async for event in turn:
        if isinstance(event, Audio) and is_audible(event.data):
            took = time.perf_counter() - begun
            await session.interrupt()
            return took
    return None


def sync_round(session):
    begun = time.perf_counter()
    turn = session.say(TEXT)
    for event in turn:
        if isinstance(event, Audio) and is_audible(event.data):
            took = time.perf_counter() - begun
            session.interrupt()
            return took
    return None


def main():
    url, key = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    times = {"bare socket": [], "AsyncClient": [], "Client": []}
    bare = BareSocket(url, key)
    loop = asyncio.new_event_loop()
    client = AsyncClient(url, key)
    session = loop.run_until_complete(client.connect().open())
    with Client(url, key) as sync_client, sync_client.connect() as sync_session:
        for number in range(rounds):
            times["bare socket"].append(bare.round(number))
            time.sleep(PAUSE_S)
            times["AsyncClient"].append(loop.run_until_complete(async_round(session)))
            time.sleep(PAUSE_S)
            times["Client"].append(sync_round(sync_session))
            time.sleep(PAUSE_S)
    loop.run_until_complete(session.close())
    loop.run_until_complete(client.close())
    loop.close()
    bare.socket.close()
    base = statistics.median(times["bare socket"]) * 1000
    for way, all_of_it in times.items():
        milliseconds = sorted(took * 1000 for took in all_of_it)
        median, late = statistics.median(milliseconds), milliseconds[len(milliseconds) * 95 // 100]
        print(f"{way:12} first audible sample after p50 {median:6.2f} ms, p95 {late:6.2f} ms; {median - base:+.2f} ms")


if __name__ == "__main__":
    main()
