"""Runs the examples as a user does: types a line, waits for audio, interrupts with another line."""

import asyncio
import base64
import json
import pathlib

import pytest
from programs import running
from server import Server
from websockets.asyncio.client import ClientConnection, connect

EXAMPLES = pathlib.Path(__file__).parents[1]


@pytest.mark.parametrize("framework", ["pipecat", "livekit"])
def test_an_agent_is_interrupted(framework: str, server: Server, tmp_path: pathlib.Path) -> None:
    with running([str(EXAMPLES / framework / "agent.py")], tmp_path, server) as agent:
        agent.until_said("Say something")
        agent.type("मेरा order कहाँ है, और वह कब तक मेरे घर पहुँचेगा?")
        agent.until_played(48_000)
        agent.type("बस।")
        line = agent.until_said("heard:")
        heard, _, unheard = line[line.index("heard: ") + 7 :].partition(" | not heard: ")
        assert heard.startswith("आपने"), line
        assert unheard.strip(), line
        before = agent.played()
        agent.until_played(before + 48_000)
        said = agent.rest()
        assert agent.process.returncode == 0, said
        assert "Traceback" not in said, said


class Phone:
    """The provider's end of a media stream: Twilio."""

    frame = 160

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self.held = socket, list[str]()
        self.media, self.clears = b"", 0

    async def tell(self, event: str, **content: object) -> None:
        await self._socket.send(json.dumps({"event": event, "streamSid": "MZ1", **content}))

    async def start(self) -> None:
        await self.tell("start", start={"streamSid": "MZ1", "mediaFormat": {"encoding": "audio/x-mulaw"}})

    async def heard(self, name: str) -> None:
        await self.tell("mark", mark={"name": name})

    async def take(self) -> None:
        event = json.loads(await asyncio.wait_for(self._socket.recv(), 10))
        self.check(event)
        if event["event"] in ("media", "playAudio"):
            audio = base64.b64decode(event["media"]["payload"])
            assert len(audio) == self.frame
            self.media += audio
        elif event["event"] in ("mark", "checkpoint"):
            self.held.append(event["mark"]["name"] if "mark" in event else event["name"])
        elif event["event"] in ("clear", "clearAudio"):
            self.clears += 1

    def check(self, event: dict) -> None:
        assert event["streamSid"] == "MZ1"
        assert event["event"] in ("media", "mark", "clear")

    async def hear(self, frames: int) -> None:
        """Reports to the bridge that the caller has heard this many frames."""
        while len(self.held) < frames:
            await self.take()
        for name in self.held[:frames]:
            await self.heard(name)


class ExotelPhone(Phone):
    """The provider's end of a media stream: Exotel."""

    frame = 3200

    async def tell(self, event: str, **content: object) -> None:
        await self._socket.send(json.dumps({"event": event, "stream_sid": "MZ1", **content}))

    async def start(self) -> None:
        await self.tell("start", start={"stream_sid": "MZ1", "media_format": {"sample_rate": "8000"}})

    def check(self, event: dict) -> None:
        assert event["stream_sid"] == "MZ1"
        assert event["event"] in ("media", "mark", "clear")


class PlivoPhone(Phone):
    """The provider's end of a media stream: Plivo."""

    async def tell(self, event: str, **content: object) -> None:
        await self._socket.send(json.dumps({"event": event, **content}))

    async def start(self) -> None:
        await self.tell("start", start={"streamId": "MZ1", "callId": "1"})

    async def heard(self, name: str) -> None:
        await self.tell("playedStream", streamId="MZ1", name=name)

    def check(self, event: dict) -> None:
        assert event["streamId"] == "MZ1"
        assert event["event"] in ("playAudio", "checkpoint", "clearAudio")
        if event["event"] == "playAudio":
            assert (event["media"]["contentType"], event["media"]["sampleRate"]) == ("audio/x-mulaw", 8000)


PHONES = {"twilio": Phone, "exotel": ExotelPhone, "plivo": PlivoPhone}


@pytest.mark.parametrize("provider", PHONES)
def test_a_telephone_call_is_interrupted_by_a_key(provider: str, server: Server, tmp_path: pathlib.Path) -> None:
    async def call(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/") as socket:
            phone = PHONES[provider](socket)
            await phone.start()
            # receive one second of audio
            await phone.hear(8000 // phone.frame if provider != "exotel" else 5)
            await phone.tell("dtmf", dtmf={"digit": "1"})
            while not phone.clears:
                await phone.take()
            phone.media = b""
            while len(phone.media) < 8000:
                await phone.take()
            assert len(set(phone.media)) > 20, "silence"
            await phone.tell("stop")
            # the bridge hangs up without waiting for the rest of its reply
            async for _ in socket:
                pass

    with running([str(EXAMPLES / "telephone/bridge.py"), "0", provider], tmp_path, server) as bridge:
        port = int(bridge.until_said("listening").split()[-1])
        asyncio.run(call(port))
        line = bridge.until_said("heard:")
        # in one second, some of the words were heard
        assert "नमस्ते!" in line.partition("|")[0], line
        assert "key" in line.partition("|")[2], line
