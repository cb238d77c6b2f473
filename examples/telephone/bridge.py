#!/usr/bin/env python3
"""A telephone agent: µ-law of 8 kHz into a WebSocket, as telephony providers' media streams speak it.

A provider (Twilio's Media Streams and those after its manner) connects to this server and sends `start`, `media`, `mark`
and `stop` as JSON. The answer is spoken in `media` of 20 ms, base64. Behind each piece goes a `mark`, which the provider
sends back when the caller has heard it: so it is known what was heard when the caller interrupts, which is a DTMF key here
and speech with a recogniser behind `on_media`.

usage: SHRUTI_API_KEY=sk_... python bridge.py 8090        and point the provider's stream to ws://HOST:8090/
"""

import asyncio
import base64
import json
import sys

from websockets.asyncio.server import ServerConnection, serve

from shruti_tts import AsyncClient, AsyncSession, AsyncTurn, Audio, ShrutiError

FRAME = 160  # 20 ms of µ-law at 8 kHz
FRAME_MS = 20
ANSWERS = ["नमस्ते! आपका order कल पहुँचेगा। और बात करने के लिए कोई key दबाइए।", "जी, बताइए। मैं सुन रही हूँ।"]


class Call:
    """One caller."""

    def __init__(self, socket: ServerConnection, session: AsyncSession) -> None:
        self._socket, self._session = socket, session
        self._stream_sid = ""
        self._played: dict[str, int] = {}
        self._speaking: asyncio.Task[None] | None = None
        self._turn: AsyncTurn | None = None

    async def serve(self) -> None:
        answers = iter(ANSWERS)
        try:
            async for message in self._socket:
                event = json.loads(message)
                if event["event"] == "start":
                    self._stream_sid = event["start"]["streamSid"]
                    self.say(next(answers))
                elif event["event"] == "mark":
                    turn_id, _, played_ms = event["mark"]["name"].rpartition(":")
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
        sent, rest = 0, b""
        try:
            async for event in turn:
                if isinstance(event, Audio):
                    rest += event.data
                    while len(rest) >= FRAME:
                        sent = await self._send(turn, rest[:FRAME], sent)
                        rest = rest[FRAME:]
            if rest:
                await self._send(turn, rest.ljust(FRAME, b"\xff"), sent)
        except ShrutiError as error:
            print(f"the answer broke off: {error}", file=sys.stderr)

    async def _send(self, turn: AsyncTurn, audio: bytes, sent: int) -> int:
        sent += FRAME_MS
        media = {"payload": base64.b64encode(audio).decode()}
        await self._tell("media", media=media)
        await self._tell("mark", mark={"name": f"{turn.turn_id}:{sent}"})
        return sent

    async def interrupt(self) -> None:
        """The provider drops what it holds; the server says what the caller heard."""
        await self._stop()
        await self._tell("clear")
        # marks of what is dropped come back as well, but only behind the answer
        turn = self._turn
        cut = await self._session.interrupt(self._played.get(turn.turn_id) if turn else None, turn)
        print("heard:", cut.heard.text, "| not heard:", cut.unheard_text, flush=True)

    async def _stop(self) -> None:
        if self._speaking is not None:
            self._speaking.cancel()
            await asyncio.gather(self._speaking, return_exceptions=True)

    async def _tell(self, event: str, **content: object) -> None:
        await self._socket.send(json.dumps({"event": event, "streamSid": self._stream_sid, **content}))


async def answer(socket: ServerConnection) -> None:
    # a telephone's sound is shaped for telephones
    async with AsyncClient() as client, client.connect(output_format="mulaw_8000", voice="Ananya") as session:
        await Call(socket, session).serve()


async def main(port: int) -> None:
    async with serve(answer, "127.0.0.1", port) as server:
        print(f"listening on port {server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 8090))
    except KeyboardInterrupt:
        pass
