#!/usr/bin/env python3
"""Measures the memory of an idle conversation: the server's memory with thousands of them minus that without any.

Measures once after `ready`, and once after each has spoken a short turn and been quiet for a while. Starts a server.

usage: idle.py target/release/shruti [--connections 10000]
"""
import asyncio
import json

from serving import PING, PONG, TEXT, arguments, frame, read_frame, say, serving, upgrade

AT_ONCE = 50


class Idle:
    """A connection that only answers pings."""

    @classmethod
    async def open(cls, server):
        self = cls()
        # use a small buffer, to limit the memory of the client
        self.reader, self.writer = await asyncio.open_connection(*server.address, limit=4096)
        self.writer.write(upgrade(server.key))
        head = await self.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head
        await self.message("ready")
        return self

    async def message(self, kind):
        while True:
            got, payload = await read_frame(self.reader)
            if got == PING:
                self.writer.write(frame(PONG, payload))
            if got == TEXT and json.loads(payload)["type"] == kind:
                return

    async def speak(self):
        self.writer.write(say(text="नमस्ते जी।", final=True, max_lead_ms=0))
        await self.message("turn.done")

    async def keep(self):
        await self.message("closing")
        raise SystemExit("the server closed an idle connection too early")


async def in_groups(coroutines):
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(coroutine):
        async with gate:
            return await coroutine
    return await asyncio.gather(*map(one, coroutines))


async def measure(server, connections):
    def row(name):
        kib = server.rss_kib()
        print(f"{name:32} {kib / 1024:8.1f} MiB   {(kib - before) / connections:6.2f} KiB each", flush=True)

    # open some conversations first, because every server keeps some memory after its first conversations
    for _ in range(AT_ONCE):
        warm = await Idle.open(server)
        await warm.speak()
        warm.writer.close()
    await asyncio.sleep(2)
    before = server.rss_kib()
    row("before")
    idle = await in_groups(Idle.open(server) for _ in range(connections))
    row(f"{connections} are open")
    keeping = [asyncio.create_task(one.keep()) for one in idle]
    await asyncio.sleep(25)
    row("after a ping of each")
    for task in keeping:
        task.cancel()
    await asyncio.gather(*keeping, return_exceptions=True)
    await in_groups(one.speak() for one in idle)
    row("after a turn of each")
    for one in idle:
        one.writer.close()
    await asyncio.sleep(5)
    row("after all disconnected")


def main():
    given = arguments(__doc__, connections=10_000)
    with serving(given.binary) as server:
        asyncio.run(measure(server, given.connections))


if __name__ == "__main__":
    main()
