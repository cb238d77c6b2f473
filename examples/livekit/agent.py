#!/usr/bin/env python3
"""A local LiveKit agent: type, and it speaks; type again, and it stops and prints what you heard.

usage: SHRUTI_API_KEY=sk_... python agent.py        with a running server; SHRUTI_SERVER sets its URL
"""

import asyncio
import sys

from livekit import rtc
from livekit.agents import Agent, AgentSession, llm
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS
from livekit.agents.voice import io
from livekit.plugins import shruti

from shruti_tts.player import ProgramSink


class Model(llm.LLM):
    """Fake language model: repeats the user's words, one at a time."""

    def chat(self, *, chat_ctx, tools=None, conn_options=DEFAULT_API_CONNECT_OPTIONS, **_):
        return Answer(self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class Answer(llm.LLMStream):
    async def _run(self) -> None:
        said = [item for item in self._chat_ctx.items if getattr(item, "role", "") == "user"][-1].text_content
        for word in f"आपने कहा: {said} क्या मैं ठीक समझी? मैं इसे एक बार और, थोड़ा धीरे, दोहरा सकती हूँ।".split():
            delta = llm.ChoiceDelta(role="assistant", content=f"{word} ")
            self._event_ch.send_nowait(llm.ChatChunk(id="answer", delta=delta))
            await asyncio.sleep(0.02)


class Speaker(io.AudioOutput):
    """Audio output through a local program that is fed a tenth of a second ahead; tracks how much was heard."""

    def __init__(self) -> None:
        super().__init__(label="speaker", capabilities=io.AudioOutputCapabilities(pause=False), sample_rate=24_000)
        self._sink = ProgramSink()
        self._written, self._heard_until = 0.0, 0.0
        self._ending: asyncio.Task | None = None

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        clock = asyncio.get_running_loop()
        await asyncio.sleep(max(self._heard_until - 0.1 - clock.time(), 0))
        if self._written == 0:
            self.on_playback_started(created_at=clock.time())
        await self._sink.write(bytes(frame.data))
        self._heard_until = max(self._heard_until, clock.time()) + frame.duration
        self._written += frame.duration

    def flush(self) -> None:
        super().flush()
        if self._written and self._ending is None:
            self._ending = asyncio.create_task(self._end())

    def clear_buffer(self) -> None:
        if not self._written:
            return
        if self._ending is not None:
            self._ending.cancel()
        ahead = max(self._heard_until - asyncio.get_running_loop().time(), 0)
        self._ending = asyncio.create_task(self._sink.clear())
        self._finished(self._written - ahead, interrupted=True)

    async def _end(self) -> None:
        await asyncio.sleep(max(self._heard_until - asyncio.get_running_loop().time(), 0))
        self._finished(self._written, interrupted=False)

    def _finished(self, position: float, interrupted: bool) -> None:
        self._written, self._heard_until, self._ending = 0.0, 0.0, None
        self.on_playback_finished(playback_position=position, interrupted=interrupted)

    async def close(self) -> None:
        await self._sink.close()


def on_heard(cancelled) -> None:
    print("heard:", cancelled.heard.text, "| not heard:", cancelled.unheard_text, flush=True)


async def main() -> None:
    speaker = Speaker()
    async with shruti.TTS(on_heard=on_heard) as tts:
        session = AgentSession(llm=Model(), tts=tts, use_tts_aligned_transcript=True)
        session.output.audio = speaker
        await session.start(Agent(instructions="Repeat."))
        print("Say something (Ctrl-D ends):", flush=True)
        speech = None
        while line := await asyncio.to_thread(sys.stdin.readline):
            if speech is not None and not speech.done():
                await session.interrupt()
            speech = session.generate_reply(user_input=line.strip())
        if speech is not None:
            await speech
        await session.aclose()
        await speaker.close()


if __name__ == "__main__":
    asyncio.run(main())
