"""Tests of conversations that continue on another server at the same address when their server shuts down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from conftest import run
from server import Relay, Server
from shruti_tts import AsyncClient, AsyncSession, Audio, Client, Done, Started
from turns import LONG, TEXT, ended, finished, first_sound, heard, reconnected, say


@asynccontextmanager
async def behind_a_relay(
    server: Server, *, voice: str | None = None, max_lead_ms: int | None = None
) -> AsyncIterator[tuple[Relay, AsyncClient, AsyncSession]]:
    """Opens a conversation through a relay, which forwards to `server` first."""
    async with (
        Relay(server.port) as relay,
        AsyncClient(relay.url, server.key) as client,
        client.connect(voice=voice, max_lead_ms=max_lead_ms) as session,
    ):
        yield relay, client, session


def test_a_server_completes_its_turn_during_shutdown_and_another_speaks_the_next(
    two_servers: tuple[Server, Server],
) -> None:
    old, new = two_servers

    async def main() -> None:
        async with behind_a_relay(old, voice="Arjun") as (relay, _, session):
            relay.far_port = new.port
            speaking = await session.say(LONG[:80])
            queued = await session.say(TEXT, max_lead_ms=0)
            begun = session.turn(max_lead_ms=0)
            await begun.send(TEXT[:10])
            await first_sound(speaking)
            old.drain()
            # turns that have started continue on the old server
            await begun.send(TEXT[10:], final=True)
            assert isinstance(await ended(speaking), Done)
            async with AsyncClient(new.url, new.key) as other:
                whole = (await other.tts(TEXT, voice="Arjun")).audio
            assert await heard(queued) == whole
            assert await heard(begun) == whole
            assert relay.connections == 2

    run(main())


def test_a_turn_sent_during_the_end_of_its_server_is_spoken_by_another(
    two_servers: tuple[Server, Server],
) -> None:
    old, new = two_servers

    async def main() -> None:
        async with behind_a_relay(old, max_lead_ms=0) as (relay, client, session):
            assert await heard(await session.say("ठीक है।"))
            relay.far_port = new.port
            relay.stall()
            turn = await session.say(TEXT)
            old.drain()
            await asyncio.to_thread(old.process.wait)
            relay.flow()
            assert await heard(turn) == await say(client, TEXT)
            await reconnected(session)

    run(main())


def test_a_conversation_without_a_turn_leaves_a_server_during_shutdown(two_servers: tuple[Server, Server]) -> None:
    old, new = two_servers

    async def main() -> None:
        async with behind_a_relay(old, max_lead_ms=0) as (relay, client, session):
            relay.far_port = new.port
            old.drain()
            await reconnected(session)
            assert await heard(await session.say(TEXT)) == await say(client, TEXT)

    run(main())


def test_a_conversation_is_completed_by_the_next_server(two_servers: tuple[Server, Server]) -> None:
    old, new = two_servers

    async def main() -> None:
        async with behind_a_relay(old) as (relay, _, session):
            relay.far_port = new.port
            turns = [await session.say(text) for text in (LONG[:80], "ठीक है।", "जी।")]
            while not isinstance(await session.next_event(), Audio):
                pass
            old.drain()
            done = [event async for event in finished(session) if isinstance(event, Done)]
            assert [event.turn_id for event in done] == [turn.turn_id for turn in turns]

    run(main())


def test_another_server_speaks_the_next_turn_without_asyncio(two_servers: tuple[Server, Server]) -> None:
    old, new = two_servers

    def talk(relay: Relay) -> bytes:
        with Client(relay.url, old.key) as client, client.connect() as session:
            speaking = session.say(LONG[:80])
            queued = session.say("ठीक है।")
            for event in speaking:
                if isinstance(event, Started):
                    relay.far_port = new.port
                    old.drain()
            assert isinstance(speaking.outcome, Done)
            return b"".join(queued.audio())

    async def main() -> None:
        async with Relay(old.port) as relay, AsyncClient(new.url, new.key) as other:
            assert await asyncio.to_thread(talk, relay) == await say(other, "ठीक है।")

    run(main())
