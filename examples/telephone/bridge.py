#!/usr/bin/env python3
"""A telephone agent: connects media streams of Twilio, Exotel and Plivo to conversations with Shruti.

The provider connects to this server and sends `start`, `media`, marks and `stop` as JSON. The audio of a response is
sent in base64 chunks. Each chunk is followed by a mark, which the provider sends back when the caller has heard it. The
marks show what was heard when the caller interrupts. Here, a DTMF key interrupts; with a speech recogniser on `media`,
speech can.

usage: SHRUTI_API_KEY=sk_... python bridge.py 8090 [twilio|exotel|plivo]
Point the provider's stream to wss://HOST, where a TLS proxy forwards to port 8090.
"""

import asyncio
import base64
import json
import sys

from websockets.asyncio.server import ServerConnection, serve

from shruti_tts import AsyncClient, AsyncSession, AsyncTurn, Audio, ShrutiError

ANSWERS = ["नमस्ते! आपका order कल पहुँचेगा। और बात करने के लिए कोई key दबाइए।", "जी, बताइए। मैं सुन रही हूँ।"]


class Twilio:
    """Twilio Media Streams: µ-law at 8 kHz, in 20 ms chunks."""

    output_format = "mulaw_8000"
    frame, frame_ms, silence = 160, 20, b"\xff"

    def stream_id(self, start: dict) -> str:
        return start["start"]["streamSid"]

    def media(self, stream: str, payload: str) -> dict:
        return {"event": "media", "streamSid": stream, "media": {"payload": payload}}

    def mark(self, stream: str, name: str) -> dict:
        return {"event": "mark", "streamSid": stream, "mark": {"name": name}}

    def clear(self, stream: str) -> dict:
        return {"event": "clear", "streamSid": stream}

    def heard(self, event: dict) -> str | None:
        """Returns the name of a returned mark."""
        return event["mark"]["name"] if event["event"] == "mark" else None


class Exotel(Twilio):
    """Exotel Voicebot applet: 16-bit samples at 8 kHz; chunks of at least 3,200 bytes, in multiples of 320."""

    output_format = "pcm_8000"
    frame, frame_ms, silence = 3200, 200, b"\0"

    def stream_id(self, start: dict) -> str:
        return start["stream_sid"]

    def media(self, stream: str, payload: str) -> dict:
        return {"event": "media", "stream_sid": stream, "media": {"payload": payload}}

    def mark(self, stream: str, name: str) -> dict:
        return {"event": "mark", "stream_sid": stream, "mark": {"name": name}}

    def clear(self, stream: str) -> dict:
        return {"event": "clear", "stream_sid": stream}


class Plivo(Twilio):
    """Plivo Audio Streaming, bidirectional: µ-law at 8 kHz; marks are called checkpoints."""

    def stream_id(self, start: dict) -> str:
        return start["start"]["streamId"]

    def media(self, stream: str, payload: str) -> dict:
        media = {"contentType": "audio/x-mulaw", "sampleRate": 8000, "payload": payload}
        return {"event": "playAudio", "streamId": stream, "media": media}

    def mark(self, stream: str, name: str) -> dict:
        return {"event": "checkpoint", "streamId": stream, "name": name}

    def clear(self, stream: str) -> dict:
        return {"event": "clearAudio", "streamId": stream}

    def heard(self, event: dict) -> str | None:
        return event["name"] if event["event"] == "playedStream" else None


PROVIDERS = {"twilio": Twilio, "exotel": Exotel, "plivo": Plivo}


class Call:
    """A call and the conversation that it is connected to."""

    def __init__(self, socket: ServerConnection, session: AsyncSession, provider: Twilio) -> None:
        self._socket, self._session, self._provider = socket, session, provider
        self._stream = ""
        self._played: dict[str, int] = {}
        self._speaking: asyncio.Task[None] | None = None
        self._turn: AsyncTurn | None = None

    async def serve(self) -> None:
        answers = iter(ANSWERS)
        try:
            async for message in self._socket:
                event = json.loads(message)
                if event["event"] == "start":
                    self._stream = self._provider.stream_id(event)
                    self.say(next(answers))
                elif name := self._provider.heard(event):
                    turn_id, _, played_ms = name.rpartition(":")
                    self._played[turn_id] = int(played_ms)
                elif event["event"] == "dtmf":
                    await self.interrupt()
                    self.say(next(answers, ANSWERS[-1]))
                elif event["event"] == "stop":
                    break
        finally:
            await self._stop()

    def say(self, text: str) -> None:
        self._speaking = asyncio.create_task(self._say(text))

    async def _say(self, text: str) -> None:
        turn = await self._session.say(text)
        self._turn = turn
        self._played[turn.turn_id] = 0
        sent, rest, frame = 0, b"", self._provider.frame
        try:
            async for event in turn:
                if isinstance(event, Audio):
                    rest += event.data
                    while len(rest) >= frame:
                        sent = await self._send(turn, rest[:frame], sent)
                        rest = rest[frame:]
            if rest:
                await self._send(turn, rest.ljust(frame, self._provider.silence), sent)
        except ShrutiError as error:
            print(f"the answer failed: {error}", file=sys.stderr)

    async def _send(self, turn: AsyncTurn, audio: bytes, sent: int) -> int:
        sent += self._provider.frame_ms
        await self._tell(self._provider.media(self._stream, base64.b64encode(audio).decode()))
        await self._tell(self._provider.mark(self._stream, f"{turn.turn_id}:{sent}"))
        return sent

    async def interrupt(self) -> None:
        """Drops the provider's buffered audio, cancels the response, and prints what the caller heard."""
        await self._stop()
        await self._tell(self._provider.clear(self._stream))
        # the provider also returns the marks of dropped audio, but the played position is read below before they arrive
        turn = self._turn
        cut = await self._session.interrupt(self._played.get(turn.turn_id) if turn else None, turn)
        print("heard:", cut.heard.text, "| not heard:", cut.unheard_text, flush=True)

    async def _stop(self) -> None:
        if self._speaking is not None:
            self._speaking.cancel()
            await asyncio.gather(self._speaking, return_exceptions=True)

    async def _tell(self, message: dict) -> None:
        await self._socket.send(json.dumps(message))


async def main(port: int, provider: Twilio) -> None:
    async def answer(socket: ServerConnection) -> None:
        # at 8 kHz, the server optimises the audio for telephones
        settings = {"output_format": provider.output_format, "voice": "Ananya"}
        async with AsyncClient() as client, client.connect(**settings) as session:
            await Call(socket, session, provider).serve()

    async with serve(answer, "127.0.0.1", port) as server:
        print(f"listening on port {server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    try:
        port, name = (sys.argv[1:] + ["8090", "twilio"][len(sys.argv) - 1 :])[:2]
        asyncio.run(main(int(port), PROVIDERS[name]()))
    except KeyboardInterrupt:
        pass
