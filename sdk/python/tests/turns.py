"""Helpers and texts for tests of turns."""

from __future__ import annotations

from collections.abc import AsyncIterator

from shruti_tts import AsyncClient, AsyncSession, AsyncTurn, Audio, Event, Outcome, Reconnected

TEXT = "आपका order ₹1,25,000 का है। यह कल पहुँचेगा 😀। और क्या मैं आपकी मदद कर सकता हूँ?"
LONG = "यह एक लंबा जवाब है, जिसे कोई बीच में काट देगा। इसमें कई वाक्य हैं, और हर वाक्य में कुछ शब्द। " * 20


async def heard(turn: AsyncTurn) -> bytes:
    return b"".join([chunk async for chunk in turn.audio()])


async def first_sound(turn: AsyncTurn, at_least_ms: int = 1) -> None:
    size = 0
    async for event in turn:
        if isinstance(event, Audio):
            size += len(event.data)
            if size >= at_least_ms * 48:
                return


async def ended(turn: AsyncTurn) -> Outcome | None:
    async for _ in turn:
        pass
    return turn.outcome


async def finished(session: AsyncSession) -> AsyncIterator[Event]:
    await session.finish()
    async for event in session:
        yield event


async def reconnected(session: AsyncSession) -> None:
    while not isinstance(await session.next_event(), Reconnected):
        pass


async def say(client: AsyncClient, text: str) -> bytes:
    return (await client.tts(text)).audio
