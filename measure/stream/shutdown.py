#!/usr/bin/env python3
"""Measures the messages that a hundred open conversations receive after `kill -TERM`.

A third are in the middle of a turn whose text is complete, a third in an open turn, a third have no turn. Prints for
each third the order in which kinds of messages arrived after the signal, with the number of connections, and the
duration of the shutdown. Starts a server.

usage: shutdown.py target/release/shruti [--conversations 100]
"""
import argparse
import asyncio
import collections
import json
import time

from serving import BINARY, CLOSE, PING, PONG, frame, read_frame, say, serving, upgrade

TEXT = "यह एक जवाब है, जो कुछ देर तक चलता है और फिर पूरा हो जाता है। इसके बाद एक और वाक्य आता है। "
KINDS = {"whole turn": {"final": True}, "open turn": {}, "no turn": None}


async def converse(server, kind, ready, signal):
    reader, writer = await asyncio.open_connection(*server.address)
    writer.write(upgrade(server.key))
    await reader.readuntil(b"\r\n\r\n")
    await read_frame(reader)
    if KINDS[kind] is not None:
        writer.write(say(text=TEXT, turn_id="t", **KINDS[kind]))
        while (await read_frame(reader))[0] != BINARY:
            pass
    ready.release()
    saw = []
    while True:
        try:
            got, payload = await read_frame(reader)
        except (asyncio.IncompleteReadError, ConnectionError):
            saw.append("ended without a close")
            break
        told = None
        if got == PING:
            writer.write(frame(PONG, payload))
        elif got == BINARY:
            told = "sound"
        elif got == CLOSE:
            told = f"close {int.from_bytes(payload[:2], 'big')} {payload[2:].split()[0].decode()}"
        elif (message := json.loads(payload))["type"] != "words":
            told = message["type"] + (f" {message['reason']}" if "reason" in message else "")
        if told and signal.is_set() and (not saw or saw[-1] != told):
            saw.append(told)
        if got == CLOSE:
            writer.write(frame(CLOSE, payload[:2]))
            break
    writer.close()
    return kind, ", ".join(saw), time.perf_counter()


async def measure(server, conversations):
    ready, signal = asyncio.Semaphore(0), asyncio.Event()
    kinds = [list(KINDS)[number % len(KINDS)] for number in range(conversations)]
    talking = [asyncio.create_task(converse(server, kind, ready, signal)) for kind in kinds]
    for _ in talking:
        await ready.acquire()
    begun = time.perf_counter()
    signal.set()
    server.process.terminate()
    seen = collections.defaultdict(list)
    for kind, saw, at in await asyncio.gather(*talking):
        seen[kind, saw].append(at - begun)
    code = await asyncio.to_thread(server.process.wait)
    for (kind, saw), times in sorted(seen.items()):
        print(f"{len(times):4} {kind:12} {saw}   ({min(times):.1f} to {max(times):.1f} s)")
    print(f"the server exited with {code} after {time.perf_counter() - begun:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--conversations", type=int, default=100)
    arguments = parser.parse_args()
    with serving(arguments.binary) as server:
        asyncio.run(measure(server, arguments.conversations))


if __name__ == "__main__":
    main()
