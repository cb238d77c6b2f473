#!/usr/bin/env python3
"""Checks the guarantees of a cancel with thousands of cancels at random moments.

Each connection keeps sending turns in pieces and cancels active, queued, finished, unknown and just started turns after
random delays. It logs everything and checks:
  one response to each cancel, in order; one end of each turn
  after turn.cancelled, neither audio nor marks nor a start of that turn
  heard.ms <= sent_ms; heard.text + unheard_text equals the text of the turn as it was sent
  audio and marks only of the turn that was started last; marks before their audio

usage: cancels.py ws://127.0.0.1:8080 sk_…  [--cancels 10000] [--connections 8]
needs: pip install websockets
"""
import argparse
import asyncio
import json
import random
import time

import websockets

TEXTS = [
    "नमस्ते, आपका ऑर्डर ₹1,25,000 का है। यह कल शाम तक आपके घर पहुँच जाएगा।",
    "Hello there, your order of 3 items will arrive at 10:30 tomorrow. Is that fine?",
    "வணக்கம், உங்கள் ஆர்டர் நாளை வரும். நன்றி!",
    "ठीक है।",
    "**bold** and <b>tags</b> 😀 are silent, the rest is not.",
]


class Client:
    """One connection and its log."""

    def __init__(self, socket, seed):
        self.socket, self.random = socket, random.Random(seed)
        self.sent, self.ended, self.cancelled, self.late = {}, set(), set(), set()
        self.asked, self.answered, self.audible, self.ends_of_marks = [], [], None, 0
        self.waits, self.latencies = {}, []
        self.sound = 0

    def learn(self, message):
        if isinstance(message, bytes):
            assert self.audible is not None and self.audible not in self.cancelled, "sound of no turn"
            assert len(message) % 2 == 0 and message
            self.sound += len(message) // 48
            return
        message = json.loads(message)
        kind, turn = message["type"], message.get("turn_id")
        if kind == "turn.started":
            assert turn not in self.ended, f"{turn} starts after its end"
            self.audible = turn
        elif kind == "words":
            assert message["words"] and turn == self.audible and turn not in self.ended
        elif kind in ("turn.done", "turn.failed"):
            self.end(turn)
        elif kind == "turn.cancelled":
            if message["id"] is not None:
                self.answered.append(message["id"])
                self.latencies.append(time.perf_counter() - self.waits.pop(message["id"]))
            heard = message["heard"]
            assert heard["ms"] <= message["sent_ms"], message
            if message["state"] == "cancelled":
                self.end(turn)
                self.cancelled.add(turn)
            if message["state"] != "unknown":
                text = heard["text"] + message["unheard_text"]
                # for a turn in `late`, the server has dropped text that arrived after the end of the turn, and has
                # reported this
                whole = self.sent[turn].startswith(text) if turn in self.late else self.sent[turn] == text
                assert whole, (message, self.sent[turn])
                assert len(heard["text"]) == heard["char_end"]
        elif kind == "warning":
            assert message["code"] == "late_text", message
            self.late.add(turn)
        else:
            assert kind in ("ready", "flushed", "pong"), message

    def end(self, turn):
        assert turn in self.sent and turn not in self.ended, f"{turn} ends twice"
        self.ended.add(turn)
        if self.audible == turn:
            self.audible = None

    async def listen(self):
        async for message in self.socket:
            self.learn(message)

    async def talk(self, cancels):
        number = 0
        while len(self.asked) < cancels:
            number += 1
            turn, text = f"t{number}", self.random.choice(TEXTS)
            self.sent[turn] = ""
            at = 0
            while at < len(text):
                size = self.random.randint(1, len(text))
                piece = text[at:at + size]
                at += size
                if turn in self.ended:
                    break
                self.sent[turn] += piece
                message = {"text": piece, "turn_id": turn, "final": at >= len(text), "preempt": self.random.random() < 0.1}
                await self.socket.send(json.dumps(message))
            for _ in range(self.random.choice([0, 1, 1, 2])):
                await asyncio.sleep(self.random.choice([0, 0, 0.001, 0.01, 0.05, 0.3]) * self.random.random())
                known = list(self.sent)[-4:]
                cancel = {"type": "cancel", "id": f"c{len(self.asked)}"}
                choice = self.random.random()
                if choice < 0.1:
                    cancel["all"] = True
                elif choice < 0.2:
                    cancel["turn_id"] = "nobody"
                elif choice < 0.8:
                    cancel["turn_id"] = self.random.choice(known)
                if self.random.random() < 0.3:
                    cancel["played_ms"] = self.random.randint(0, 3000)
                self.asked.append(cancel["id"])
                self.waits[cancel["id"]] = time.perf_counter()
                await self.socket.send(json.dumps(cancel))
                # text sent after the cancel of its turn would be late
                if choice < 0.1 or choice >= 0.8 or cancel.get("turn_id") == turn:
                    break
            if len(self.sent) - len(self.ended) > 6:
                await asyncio.sleep(0.2)
        last = {"type": "cancel", "all": True, "id": f"c{len(self.asked)}"}
        self.asked.append(last["id"])
        self.waits[last["id"]] = time.perf_counter()
        await self.socket.send(json.dumps(last))
        await self.socket.send(json.dumps({"type": "close"}))


async def converse(arguments, seed):
    headers = {"Authorization": f"Bearer {arguments.key}"}
    async with websockets.connect(arguments.url + "/v1/tts/stream", additional_headers=headers, max_size=None) as socket:
        client = Client(socket, seed)
        listening = asyncio.create_task(client.listen())
        await client.talk(arguments.cancels // arguments.connections)
        await asyncio.wait_for(listening, 60)
    assert client.asked == client.answered, "every cancel has one answer, in order"
    assert client.ended == set(client.sent), f"never ended: {set(client.sent) - client.ended}"
    return client


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("key")
    parser.add_argument("--cancels", type=int, default=10_000)
    parser.add_argument("--connections", type=int, default=8)
    arguments = parser.parse_args()
    clients = await asyncio.gather(*(converse(arguments, seed) for seed in range(arguments.connections)))
    waits = sorted(wait for client in clients for wait in client.latencies)
    print(f"{len(waits)} cancels of {sum(len(c.sent) for c in clients)} turns, {sum(c.sound for c in clients) / 1000:.0f} s of sound; "
          f"answered after p50 {waits[len(waits) // 2] * 1000:.2f}, p99 {waits[len(waits) * 99 // 100] * 1000:.2f} ms; nothing broke its word")


if __name__ == "__main__":
    asyncio.run(main())
