#!/usr/bin/env python3
"""Measures how many turns of the Python client are completed, lost and failed while their server shuts down.

Two servers accept the same key; a relay sends new connections to the first, and to the second once the first has
received SIGTERM. Every conversation sends turns in pieces, as a model writes them, starts each turn after the previous
one or while the previous one is still being sent, and compares the audio with that of a clip.

usage: shutdown.py target/release/shruti [CONVERSATIONS [TURNS]]        needs: pip install shruti-tts
"""
import asyncio
import os
import pathlib
import random
import sys
import tempfile
import time

TEXTS = [
    "आपका order ₹1,25,000 का है। यह कल शाम तक पहुँच जाएगा।",
    "जी, मैं अभी देखती हूँ।",
    "உங்கள் கணக்கில் ₹1,500 உள்ளது, வேறு ஏதாவது வேண்டுமா?",
    "Your order has been shipped and will reach you by Friday.",
]


class Turns:
    """Outcomes of the turns of all conversations."""

    def __init__(self, clips):
        self.clips = clips
        self.done = self.lost = self.failed = self.different = self.moved = self.broken_off = 0
        self.first_ms = []


async def pieces(text):
    for word in text.split(" "):
        yield word + " "
        await asyncio.sleep(random.uniform(0.005, 0.03))


async def listen(turn, text, turns, is_alone):
    begun, audio = time.monotonic(), b""
    try:
        async for event in turn:
            if isinstance(event, Audio):
                if not audio and is_alone:
                    turns.first_ms.append((time.monotonic() - begun) * 1000)
                audio += event.data
    except ShrutiError:
        pass
    turns.done += isinstance(turn.outcome, Done)
    turns.lost += isinstance(turn.outcome, Lost)
    turns.failed += isinstance(turn.outcome, Failed)
    turns.different += isinstance(turn.outcome, Done) and audio != turns.clips[text]


async def converse(client, count, turns):
    async with client.connect() as session:
        listeners = []
        for _ in range(count):
            text, is_alone = random.choice(TEXTS), all(listener.done() for listener in listeners)
            turn = await session.say(pieces(text))
            listeners.append(asyncio.create_task(listen(turn, text, turns, is_alone)))
            await asyncio.wait(listeners[-1:], timeout=random.uniform(0.5, 8.0))
        await asyncio.gather(*listeners)
        try:
            await session.finish()
            async for event in session:
                turns.moved += isinstance(event, Reconnected)
        except ShrutiError:
            turns.broken_off += 1


async def main(old, new, conversations, count):
    async with Relay(old.port) as relay, AsyncClient(relay.url, old.key) as client:
        clips = {text: (await client.tts("".join([piece async for piece in pieces(text)]))).audio for text in TEXTS}
        turns = Turns(clips)
        talks = [asyncio.create_task(converse(client, count, turns)) for _ in range(conversations)]
        while turns.done < conversations * count / 3:
            await asyncio.sleep(0.1)
        before = turns.done
        relay.far_port = new.port
        told = time.monotonic()
        old.drain()
        await asyncio.to_thread(old.process.wait)
        ended = time.monotonic() - told
        await asyncio.gather(*talks)
    first = sorted(turns.first_ms)
    print(
        f"{conversations} conversations of {count} turns, {before} done when the server was told to end, which took"
        f" {ended:.1f} s: {turns.done} turns done, {turns.lost} lost, {turns.failed} failed, {turns.different} with other"
        f" sound than the clip; {turns.broken_off} conversations broken off, {turns.moved} changes of server; first sound"
        f" after the first piece of turns that had none to wait for p50 {first[len(first) // 2]:.0f} ms, p99"
        f" {first[len(first) * 99 // 100]:.0f} ms"
    )
    return turns.done == conversations * count and not turns.different


if __name__ == "__main__":
    os.environ["SHRUTI_BINARY"] = os.path.realpath(sys.argv[1])
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "sdk/python/tests"))
    from server import Relay, serving_two
    from shruti_tts import AsyncClient, Audio, Done, Failed, Lost, Reconnected, ShrutiError

    conversations, count = [int(given) for given in sys.argv[2:4]] + [20, 8][len(sys.argv) - 2 :]
    with tempfile.TemporaryDirectory() as folder, serving_two(pathlib.Path(folder)) as (old, new):
        sys.exit(not asyncio.run(main(old, new, conversations, count)))
