"""Checks the Wyoming protocol with the library of Home Assistant (`wyoming` on PyPI).

usage: wyoming_client.py HOST:PORT
"""

import asyncio
import sys

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped, SynthesizeVoice

TEXT = "नमस्ते! आपका ऑर्डर ₹1,25,000 का है। यह कल पहुँचेगा।"
HOST, PORT = sys.argv[1].rsplit(":", 1)


def connection() -> AsyncTcpClient:
    return AsyncTcpClient(HOST, int(PORT))


async def heard(client: AsyncTcpClient, last: type) -> bytes:
    """Returns the audio that arrives before the event `last`, as Home Assistant reads it."""
    sound = b""
    while True:
        event = await asyncio.wait_for(client.read_event(), 30)
        assert event is not None, "the connection ended"
        assert not Error.is_type(event.type), event
        if AudioStart.is_type(event.type):
            start = AudioStart.from_event(event)
            assert (start.rate, start.width, start.channels) == (24000, 2, 1), start
        if AudioChunk.is_type(event.type):
            chunk = AudioChunk.from_event(event)
            assert (chunk.rate, chunk.width, chunk.channels) == (24000, 2, 1), chunk
            sound += chunk.audio
        if last.is_type(event.type):
            return sound


async def main() -> None:
    async with connection() as client:
        await client.write_event(Describe().event())
        event = await asyncio.wait_for(client.read_event(), 10)
        assert event is not None and Info.is_type(event.type), event
        info = Info.from_event(event)
        program = info.tts[0]
        assert program.installed and program.supports_synthesize_streaming
        languages = {language for voice in program.voices for language in voice.languages}
        assert len(languages) == 15, languages
        voice = SynthesizeVoice(name=next(voice.name for voice in program.voices if "hi" in voice.languages))

    async with connection() as client:
        await client.write_event(Synthesize(text=TEXT, voice=voice).event())
        whole = await heard(client, AudioStop)
    assert len(whole) > 48_000, len(whole)

    async with connection() as client:
        await client.write_event(SynthesizeStart(voice=voice).event())
        for word in TEXT.split(" "):
            await client.write_event(SynthesizeChunk(text=word + " ").event())
        await client.write_event(Synthesize(text=TEXT, voice=voice).event())
        await client.write_event(SynthesizeStop().event())
        pieces = await heard(client, SynthesizeStopped)
    assert pieces == whole, (len(pieces), len(whole))

    async with connection() as client:
        await client.write_event(Synthesize(text=TEXT, voice=SynthesizeVoice(name="nobody")).event())
        event = await asyncio.wait_for(client.read_event(), 10)
        assert event is not None and Error.is_type(event.type), event
        assert Error.from_event(event).code == "unknown_voice"
        assert await asyncio.wait_for(client.read_event(), 10) is None, "the connection stays open"
    print(f"wyoming: {len(program.voices)} voices, {len(whole) / 48_000:.1f} s of speech, the same in pieces")


asyncio.run(main())
