#!/usr/bin/env python3
"""Measures turns that the server synthesises, and the same turn repeated from its cache, on one connection.

Sends 30 turns with different texts, and one turn 32 times, without a lead limit. Prints the time to the first frame and
to the last one, for the turns that are synthesised and for the repetitions after the second.

usage: repeats.py http://127.0.0.1:8080 sk_…
needs: pip install websockets
"""
import asyncio
import json
import statistics
import sys
import time

import websockets

TEXT = "नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है। Thank you! क्या मैं और कुछ मदद कर सकती हूँ?"


async def turn(socket, name, text):
    """Returns the time to the first and to the last frame of a turn, in milliseconds, and its number of bytes."""
    begun, first, size = time.perf_counter(), None, 0
    await socket.send(json.dumps({"text": text, "turn_id": name, "final": True}))
    while True:
        received = await socket.recv()
        if isinstance(received, bytes):
            first = first or time.perf_counter() - begun
            size += len(received)
            continue
        message = json.loads(received)
        if message["type"] == "turn.done":
            return first * 1e3, (time.perf_counter() - begun) * 1e3, size
        if message["type"] in ("error", "turn.failed"):
            sys.exit(received)


async def main(url, key):
    url = url.replace("http", "ws", 1) + "/v1/tts/stream"
    async with websockets.connect(url, additional_headers={"authorization": "Bearer " + key}, max_size=None) as socket:
        await socket.recv()
        await socket.send(json.dumps({"type": "config", "max_lead_ms": 0}))
        await socket.recv()
        synthesized = [await turn(socket, f"new {n}", TEXT + " अ" * n) for n in range(30)]
        repeated = []
        for n in range(32):
            repeated.append(await turn(socket, f"again {n}", TEXT))
            await asyncio.sleep(0.05)  # the server stores the second turn after it has sent the turn's last frame
        for name, turns in ("synthesized", synthesized), ("from the cache", repeated[2:]):
            first, last = (sorted(times) for times in list(zip(*turns))[:2])
            print(f"{name}: first frame p50 {statistics.median(first):.2f} ms, p95 {first[int(0.95 * len(first))]:.2f} ms; "
                  f"last frame p50 {statistics.median(last):.1f} ms; {turns[0][2] / 48_000:.1f} s of audio")


if len(sys.argv) != 3:
    sys.exit(__doc__)
asyncio.run(main(*sys.argv[1:]))
