"""Tests of the plugin in LiveKit's streams, and in an agent session with a fake language model."""

import asyncio
import gc
import logging
from collections.abc import AsyncIterable, Coroutine
from typing import Any

import pytest
from livekit.agents import APIConnectionError, APIConnectOptions, APIStatusError
from server import Relay, Server
from shruti_tts import AsyncClient, Cancelled

from livekit.plugins import shruti

TEXT = "नमस्ते, आपका ₹1,25,000 का भुगतान मिल गया है। Thank you for your order!"
LONG = "यह एक लंबा जवाब है, जिसे कोई बीच में काट देगा। इसमें कई वाक्य हैं, और हर वाक्य में कुछ शब्द। " * 20
ONCE = APIConnectOptions(max_retry=0, timeout=10)


def run(work: Coroutine[Any, Any, None]) -> None:
    async def main() -> None:
        try:
            await asyncio.wait_for(work, 30)
        finally:
            for _ in range(3):
                await asyncio.sleep(0)
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert not left, f"tasks are left: {left}"

    asyncio.run(main())
    gc.collect()


async def heard(stream: AsyncIterable[Any]) -> tuple[bytes, list[Any]]:
    sound, words = b"", []
    async for audio in stream:
        sound += bytes(audio.frame.data)
        words += audio.frame.userdata.get("lk.timed_transcripts", [])
    return sound, words


async def clip(server: Server, text: str, **options: Any) -> bytes:
    async with AsyncClient(server.url, server.key) as client:
        return (await client.tts(text, **options)).audio


def same(sound: bytes, whole: bytes) -> bool:
    """Returns whether the audio equals `whole`, except for the padding of LiveKit's last frame."""
    return sound[: len(whole)] == whole and not any(sound[len(whole) :])


def test_a_text_matches_the_clip(server: Server) -> None:
    async def main() -> None:
        async with shruti.TTS(base_url=server.url, api_key=server.key, voice="Arjun") as tts:
            sound, _ = await heard(tts.synthesize(TEXT, conn_options=ONCE))
            assert same(sound, await clip(server, TEXT, voice="Arjun"))

    run(main())


def test_streams_have_words_with_times_over_one_connection(server: Server) -> None:
    async def main() -> None:
        async with shruti.TTS(base_url=server.url, api_key=server.key) as tts:
            tts.prewarm()
            sessions = set()
            for voice in ("Ananya", "Arjun"):
                tts.update_options(voice=voice)
                async with tts.stream(conn_options=ONCE) as stream:
                    for piece in TEXT.split(" "):
                        stream.push_text(f"{piece} ")
                    stream.end_input()
                    sound, words = await heard(stream)
                assert same(sound, await clip(server, TEXT, voice=voice))
                assert "".join(words) == TEXT
                times = [word.start_time for word in words]
                assert times == sorted(times)
                assert 1 < times[-1] < len(sound) / 48_000
                sessions.add((await tts.session()).session_id)
            assert len(sessions) == 1

    run(main())


def test_a_closed_stream_is_silent_and_reports_the_heard_text(server: Server) -> None:
    told: list[Cancelled] = []

    async def main() -> None:
        async with shruti.TTS(base_url=server.url, api_key=server.key, on_heard=told.append) as tts:
            session = await tts.session()
            stream = tts.stream(conn_options=ONCE)
            stream.push_text(LONG)
            await anext(stream)
            await stream.aclose()
            assert told[0].heard.text + told[0].unheard_text == LONG
            assert told[0].unheard_text
            async with tts.stream(conn_options=ONCE) as stream:
                stream.push_text(TEXT)
                stream.end_input()
                sound, _ = await heard(stream)
            assert same(sound, await clip(server, TEXT))
            assert await tts.session() is session

    run(main())


def test_text_without_words_yields_silence(server: Server) -> None:
    async def main() -> None:
        async with shruti.TTS(base_url=server.url, api_key=server.key) as tts:
            async with tts.stream(conn_options=ONCE) as stream:
                stream.push_text("🙂")
                stream.end_input()
                sound, _ = await heard(stream)
            assert sound
            assert not any(sound)
            sound, _ = await heard(tts.synthesize("🙂", conn_options=ONCE))
            assert not any(sound)

    run(main())


@pytest.mark.parametrize("method", ["stream", "synthesize"])
def test_an_invalid_key_raises_a_status_error(server: Server, method: str) -> None:
    logging.disable(logging.CRITICAL)

    async def main() -> None:
        async with shruti.TTS(base_url=server.url, api_key="sk_wrong") as tts:
            if method == "stream":
                stream: Any = tts.stream(conn_options=ONCE)
                stream.push_text(TEXT)
                stream.end_input()
            else:
                stream = tts.synthesize(TEXT, conn_options=ONCE)
            with pytest.raises(APIStatusError) as told:
                await heard(stream)
            await stream.aclose()
            assert (told.value.status_code, told.value.retryable) == (401, False)
            assert (told.value.request_id or "").startswith("req_")

    try:
        run(main())
    finally:
        logging.disable(logging.NOTSET)


def test_invalid_settings_are_reported_and_an_unreachable_server_is_retryable(server: Server) -> None:
    logging.disable(logging.CRITICAL)

    async def main() -> None:
        async with shruti.TTS(base_url=server.url, api_key=server.key, voice="nobody") as tts:
            first = await tts.session()
            stream = tts.stream(conn_options=ONCE)
            stream.push_text(TEXT)
            stream.end_input()
            with pytest.raises(APIStatusError) as told:
                await heard(stream)
            await stream.aclose()
            assert (told.value.status_code, told.value.body) == (400, {"code": "unknown_voice", "param": "voice"})
            # other turns on the same connection are not affected
            session = await tts.session()
            tts.update_options(voice="Arjun")
            stream = tts.stream(conn_options=ONCE)
            stream.push_text(TEXT)
            stream.end_input()
            assert await heard(stream)
            await stream.aclose()
            assert await tts.session() is session
            assert session.session_id == first.session_id
        async with shruti.TTS(base_url="http://127.0.0.1:9", api_key="sk_") as tts:
            stream = tts.stream(conn_options=ONCE)
            stream.push_text(TEXT)
            stream.end_input()
            with pytest.raises(APIConnectionError) as lost:
                await heard(stream)
            await stream.aclose()
            assert lost.value.retryable

    try:
        run(main())
    finally:
        logging.disable(logging.NOTSET)


def test_unspoken_text_of_a_stopping_server_is_spoken_by_another(two_servers: tuple[Server, Server]) -> None:
    old, new = two_servers

    async def main() -> None:
        whole = await clip(old, TEXT)
        async with Relay(old.port) as relay, shruti.TTS(base_url=relay.url, api_key=old.key) as tts:
            first, second = tts.stream(conn_options=ONCE), tts.stream(conn_options=ONCE)
            for stream in (first, second):
                stream.push_text(TEXT)
                stream.end_input()
            begun = bytes((await anext(first)).frame.data)
            relay.far_port = new.port
            old.drain()
            assert same(begun + (await heard(first))[0], whole)
            assert same((await heard(second))[0], whole)
            await asyncio.gather(first.aclose(), second.aclose())
            # even a conversation without an open turn moves to the new server
            async with tts.stream(conn_options=ONCE) as stream:
                stream.push_text(TEXT)
                stream.end_input()
                sound, _ = await heard(stream)
            assert same(sound, whole)
            assert relay.connections == 2

    run(main())
