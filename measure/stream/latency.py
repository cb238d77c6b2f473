#!/usr/bin/env python3
"""Measures first audio of a turn over WebSocket, and a WebSocket ping on the same connections in the same run.

Ten conversations run concurrently. Each sends a ping frame and waits for its pong, then a turn of a short sentence and
waits for its first audible sample, repeatedly, at independent moments. Half of the turns have `end`, half end a clause
(a comma and a space) and stay open. Prints p50, p90 and p99 of the ping and of both kinds of turns.

usage: latency.py http://127.0.0.1:8080 sk_…  [--conversations 10] [--rounds 200]
needs: pip install websockets
"""
import argparse
import asyncio
import json
import os
import pathlib
import random
import sys
import time

import websockets

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from audible import is_audible  # noqa: E402

SENTENCE = "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा।"
CLAUSE = "नमस्ते जी, "


class Conversation:
    def __init__(self, socket, seed):
        self.socket, self.random = socket, random.Random(seed)
        self.pings, self.ends, self.clauses = [], [], []

    async def first_sound(self, turn, **message):
        """Returns the time from sending the text of a turn to its first audible sample, in milliseconds."""
        begun = time.perf_counter()
        await self.socket.send(json.dumps({"turn_id": turn, "max_lead_ms": 200, **message}))
        while True:
            heard = await self.socket.recv()
            if isinstance(heard, bytes) and is_audible(heard):
                return (time.perf_counter() - begun) * 1000

    async def cut(self, turn):
        """Cancels a turn and reads to its end."""
        await self.socket.send(json.dumps({"type": "cancel", "turn_id": turn}))
        while True:
            heard = await self.socket.recv()
            if isinstance(heard, str) and json.loads(heard)["type"] == "turn.cancelled":
                return

    async def run(self, rounds):
        await self.socket.recv()
        for number in range(rounds):
            await asyncio.sleep(self.random.random() * 0.05)
            begun = time.perf_counter()
            await (await self.socket.ping())
            self.pings.append((time.perf_counter() - begun) * 1000)
            await asyncio.sleep(self.random.random() * 0.05)
            turn = f"t{number}"
            if number % 2:
                self.ends.append(await self.first_sound(turn, text=SENTENCE, final=True))
            else:
                self.clauses.append(await self.first_sound(turn, text=CLAUSE))
            await self.cut(turn)


async def converse(arguments, seed):
    headers = {"Authorization": f"Bearer {arguments.key}"}
    address = arguments.url.replace("http", "ws", 1) + "/v1/tts/stream"
    async with websockets.connect(address, additional_headers=headers, compression=None) as socket:
        conversation = Conversation(socket, seed)
        await conversation.run(arguments.rounds)
    return conversation


def row(name, values):
    values = sorted(values)
    at = lambda q: values[min(len(values) - 1, int(q * len(values)))]
    print(f"{name:22} p50 {at(0.5):6.2f}   p90 {at(0.9):6.2f}   p99 {at(0.99):6.2f} ms   ({len(values)})")


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("key")
    parser.add_argument("--conversations", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=200)
    arguments = parser.parse_args()
    print(f"load before: {' '.join(f'{load:.2f}' for load in os.getloadavg())}")
    all_of_them = await asyncio.gather(*(converse(arguments, seed) for seed in range(arguments.conversations)))
    together = lambda field: [value for one in all_of_them for value in getattr(one, field)]
    row("ping", together("pings"))
    row("turn that ends", together("ends"))
    row("clause of an open turn", together("clauses"))


if __name__ == "__main__":
    asyncio.run(main())
