"""Tests of conversations with a real server."""

from __future__ import annotations

import asyncio
import pathlib
import random

import pytest

from conftest import run
from server import Relay, Server
from shruti_tts import (
    AsyncClient,
    AsyncPlayer,
    AsyncSession,
    Audio,
    AuthenticationError,
    Cancelled,
    Client,
    Clip,
    ConnectionFailedError,
    ConnectionLostError,
    ConversationEndedError,
    Done,
    InvalidRequestError,
    Lost,
    ShrutiError,
    Started,
    Words,
    _connection,
)
from turns import LONG, TEXT, first_sound, heard, reconnected, say


def test_a_chunked_turn_matches_the_clip(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client, client.connect() as session:

            async def model():
                for letter in TEXT:
                    yield letter

            turn = await session.say(model())
            words, audio = [], b""
            async for event in turn:
                if isinstance(event, Words):
                    assert event.words[0].start_ms >= len(audio) // 48, "words precede their audio"
                    words += event.words
                elif isinstance(event, Audio):
                    audio += event.data
            assert audio == await say(client, TEXT)
            assert all(TEXT[word.char_start : word.char_end] == word.text for word in words)
            assert isinstance(turn.outcome, Done)
            assert turn.outcome.chars == len(TEXT)
            assert turn.text == TEXT

    run(main())


def test_text_of_any_length_is_split_into_messages(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client, client.connect(max_lead_ms=0) as session:
            text = "ठीक है। " * 1000
            turn = await session.say(text)
            await first_sound(turn)
            cut = await turn.cancel()
            assert cut.heard.text + cut.unheard_text == text

    run(main())


def test_an_interruption_returns_the_heard_text_and_the_next_turn_is_complete(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client, client.connect(voice="Arjun") as session:
            turn = await session.say(LONG)
            await first_sound(turn, at_least_ms=1000)
            cut = await session.interrupt(played_ms=700)
            assert (cut.turn_id, cut.state, cut.heard.basis) == (turn.turn_id, "cancelled", "played_ms")
            assert cut.heard.ms <= 700
            assert cut.heard.text
            assert cut.heard.text + cut.unheard_text == LONG
            assert turn.outcome == cut
            assert [event async for event in turn] == []
            after = await session.say(TEXT)
            assert await heard(after) == (await client.tts(TEXT, voice="Arjun")).audio

    run(main())


def test_an_error_of_the_text_source_ends_its_turn_and_is_raised(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client, client.connect() as session:

            async def model():
                yield "ठीक है। "
                raise RuntimeError("the model broke")

            turn = await session.say(model())
            with pytest.raises(RuntimeError, match="the model broke"):
                await heard(turn)
            assert isinstance(turn.outcome, Done)

    run(main())


def test_leaving_a_block_early_stops_all_work(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client, client.connect() as session:
            async with session.turn() as turn:
                await turn.send(LONG)
                await first_sound(turn)
            assert isinstance(turn.outcome, Cancelled)
            assert turn.outcome.heard.text + turn.outcome.unheard_text == LONG

    run(main())


def test_a_listener_of_a_later_turn_is_not_delayed_by_earlier_turns(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client, client.connect(max_lead_ms=0) as session:
            for _ in range(3):
                await session.say(LONG)
            assert await heard(await session.say(TEXT)) == await say(client, TEXT)
            assert len(session._connection._events) <= _connection.MAX_EVENTS

    run(main())


@pytest.mark.parametrize("seed", [1, 2])
def test_random_cancels_keep_the_contract(server: Server, seed: int) -> None:
    """Cancels 500 turns: heard and unheard text must add up to the text, and no audio may follow a cancel."""
    chance = random.Random(seed)
    texts = [TEXT, LONG, "ठीक है।", "**bold** and <b>tags</b> 😀 are silent, the rest is not.", "வணக்கம், நன்றி!"]

    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client, client.connect() as session:
            for _ in range(500):
                text = chance.choice(texts)
                turn = session.turn(preempt=chance.random() < 0.1)
                at = 0
                while at < len(text):
                    size = chance.randint(1, len(text))
                    await turn.send(text[at : at + size], final=at + size >= len(text))
                    at += size
                    if chance.random() < 0.1:
                        break
                sent = turn.text
                await asyncio.sleep(chance.choice([0, 0, 0.001, 0.01]) * chance.random())
                if sent == text and chance.random() < 0.3:
                    async for event in turn:
                        if isinstance(event, Started):
                            break
                played = chance.choice([None, chance.randint(0, 3000)])
                if chance.random() < 0.5:
                    cut = await turn.cancel(played)
                    assert cut.turn_id == turn.turn_id
                    assert cut.heard.text + cut.unheard_text == sent
                else:
                    cut = await session.interrupt(played)
                    assert cut.turn_id is not None
                    if cut.turn_id == turn.turn_id:
                        assert cut.heard.text + cut.unheard_text == sent
                assert cut.heard.ms <= cut.sent_ms
                assert len(cut.heard.text) == cut.heard.char_end
                assert turn.outcome is not None
                late = [e for e in session._connection._events if isinstance(e, (Started, Words, Audio))]
                assert not [e for e in late if e.turn_id == turn.turn_id], "sound behind the cancel"
            assert not session._connection._turns
            assert not session._connection._cancels

    run(main())


@pytest.mark.parametrize("seed", [3, 4])
def test_random_cancels_without_asyncio_keep_the_contract(server: Server, seed: int) -> None:
    chance = random.Random(seed)
    with Client(server.url, server.key) as client, client.connect() as session:
        for _ in range(500):
            text = chance.choice([TEXT, LONG, "ठीक है।", "வணக்கம், நன்றி!"])
            with session.turn(preempt=chance.random() < 0.1) as turn:
                at = 0
                while at < len(text):
                    size = chance.randint(1, len(text))
                    turn.send(text[at : at + size], final=at + size >= len(text))
                    at += size
                    if chance.random() < 0.1:
                        break
                sent = turn.text
                if sent == text and chance.random() < 0.5:
                    for event in turn:
                        if isinstance(event, Audio) and chance.random() < 0.5:
                            break
                        if isinstance(event, Words) and chance.random() < 0.5:
                            break
                played = chance.choice([None, chance.randint(0, 3000)])
                alone = chance.random() < 0.5
                cut = turn.cancel(played) if alone else session.interrupt(played)
                assert cut.heard.ms <= cut.sent_ms
                if alone or cut.turn_id == turn.turn_id:
                    assert cut.heard.text + cut.unheard_text == sent
                assert not [event for event in turn if isinstance(event, (Started, Words, Audio))]
                assert turn.outcome is not None


def test_a_key_expires_during_a_turn(server: Server) -> None:
    key = server.keys("create", "--name", "short", "--expires", "1d")
    with Client(server.url, key) as client, client.connect() as session:
        turn = session.say(LONG)
        next(turn.audio())
        server.expire(key)
        with pytest.raises(AuthenticationError) as told:
            list(turn)
        assert told.value.code == "expired_api_key"
        with pytest.raises(AuthenticationError) as told:
            list(session)
        assert (told.value.code, told.value.retryable) == ("expired_api_key", False)
        for ask in (lambda: client.tts(TEXT), lambda: client.connect().open()):
            with pytest.raises(AuthenticationError) as told:
                ask()
            assert (told.value.code, told.value.status) == ("expired_api_key", 401)


def test_an_expired_token_is_rejected(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as issuer:
            token = (await issuer.create_token())["token"]
        server.expire_tokens()
        async with AsyncClient(server.url, token=lambda: token) as client:
            with pytest.raises(AuthenticationError) as told:
                await client.connect().open()
        assert (told.value.code, told.value.status, told.value.retryable) == ("invalid_token", 401, False)

    run(main())


def test_a_clip_is_charged_to_the_current_key(server: Server) -> None:
    keys = [server.keys("create", "--name", "yesterday"), server.keys("create", "--name", "today")]
    current = iter(keys)
    with Client(server.url, lambda: next(current)) as client:
        assert client.tts("ठीक है।").audio
        server.keys("revoke", keys[0][:11])
        assert client.tts("ठीक है।").audio


def test_a_server_is_killed_during_a_turn(own_server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(own_server.url, own_server.key) as client, client.connect() as session:
            turn = await session.say(LONG)
            await first_sound(turn)
            own_server.kill()
            with pytest.raises(ConnectionLostError):
                await heard(turn)
            assert isinstance(turn.outcome, Lost)
            own_server.start()
            await reconnected(session)
            after = await session.say(TEXT)
            # the audio of the lost turn must not precede the new audio
            assert await heard(after) == await say(client, TEXT)

    run(main())


def test_a_stalled_network_ends_the_connection(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_connection, "PING_AFTER_S", (0.3, 0.3))
    monkeypatch.setattr(_connection, "PONG_WITHIN_S", 0.3)

    async def main() -> None:
        async with (
            Relay(server.port) as relay,
            AsyncClient(relay.url, server.key) as client,
            client.connect() as session,
        ):
            turn = await session.say(LONG)
            await first_sound(turn)
            relay.stall()
            with pytest.raises(ConnectionLostError):
                await heard(turn)
            relay.flow()
            after = await session.say(TEXT)
            assert await heard(after) == await say(client, TEXT)
            assert relay.connections >= 2

    run(main())


def test_an_interruption_on_a_lost_connection_does_not_hang(server: Server) -> None:
    async def main() -> None:
        async with (
            Relay(server.port) as relay,
            AsyncClient(relay.url, server.key) as client,
            client.connect() as session,
        ):
            turn = await session.say(LONG)
            await first_sound(turn)
            relay.cut()
            try:
                cut = await session.interrupt()
            except ConnectionLostError:
                pass
            else:
                assert cut.turn_id is None
            assert isinstance(turn.outcome, Lost)
            assert await heard(await session.say(TEXT)) == await say(client, TEXT)

    run(main())


def test_revoking_a_key_during_a_turn_ends_the_conversation(server: Server) -> None:
    async def main() -> None:
        key = server.keys("create", "--name", "rotated")
        async with AsyncClient(server.url, key) as client, client.connect() as session:
            turn = await session.say(LONG)
            await first_sound(turn)
            server.keys("revoke", key[:11])
            with pytest.raises(AuthenticationError) as told:
                await heard(turn)
            assert told.value.code == "revoked_api_key"
            with pytest.raises(AuthenticationError) as told:
                await reconnected(session)
            assert (told.value.code, told.value.retryable) == ("revoked_api_key", False)
            with pytest.raises(AuthenticationError):
                await session.say(TEXT)

    run(main())


def test_the_next_connection_can_use_another_key(server: Server) -> None:
    async def main() -> None:
        keys = [server.keys("create", "--name", "old"), server.keys("create", "--name", "new")]
        current = iter(keys)
        async with (
            Relay(server.port) as relay,
            AsyncClient(relay.url, lambda: next(current)) as client,
            client.connect() as session,
        ):
            server.keys("revoke", keys[0][:11])
            relay.cut()
            await reconnected(session)
            assert await heard(await session.say("ठीक है।"))

    run(main())


def test_tokens_open_one_conversation_each(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as issuer:
            tokens: list[str] = []

            async def fetch() -> str:
                tokens.append((await issuer.create_token())["token"])
                return tokens[-1]

            async with Relay(server.port) as relay, AsyncClient(relay.url, token=fetch) as client:
                async with client.connect() as session:
                    relay.cut()
                    await reconnected(session)
                    assert await heard(await session.say("ठीक है।"))
                assert len(set(tokens)) == 2
            with pytest.raises(AuthenticationError) as told:
                # the token can be used only once
                async with AsyncClient(server.url, token=lambda: tokens[0]) as late, late.connect():
                    pass
            assert (told.value.code, told.value.status) == ("invalid_token", 401)

    run(main())


def test_rejections_contain_the_reason(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, "sk_wrong") as client:
            with pytest.raises(AuthenticationError) as told:
                await client.connect().open()
            assert (told.value.code, told.value.status) == ("invalid_api_key", 401)
            assert told.value.request_id.startswith("req_")
        async with AsyncClient("http://127.0.0.1:9", "sk_wrong") as client:
            with pytest.raises(ConnectionFailedError):
                await client.connect().open()
        async with AsyncClient(server.url, server.key) as client, client.connect() as session:
            fine = await session.say(LONG, voice="Arjun")
            wrong = await session.say("क्या", language="hi", voice="nobody")
            with pytest.raises(InvalidRequestError) as refused:
                await heard(wrong)
            assert (refused.value.code, refused.value.param) == ("unknown_voice", "voice")
            assert fine.outcome is None
            await fine.cancel()
            await session.finish()
            assert await session.next_event() is None
            with pytest.raises(ConversationEndedError):
                await session.say(TEXT)

    run(main())


def test_a_rejection_ends_only_its_turn(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client, client.connect(max_lead_ms=0) as session:
            await heard(await session.say("हाँ।"))
            # an error about the settings of the conversation that arrives before a turn begins does not end the turn
            await session.configure(speed=9)
            fine = await session.say(TEXT, speed=1.0)
            assert await heard(fine) == await say(client, TEXT)
            for name in ("", "x" * 65, "a\nb"):
                with pytest.raises(ValueError, match="64 characters"):
                    session.turn(turn_id=name)
            assert await heard(await session.say("हाँ।", turn_id="न" * 64))
            pieces = await session.say(iter(["एक, ", "दो, ", "तीन।"]), voice="nobody")
            alone = await session.say("शून्य \0 है।")
            for refused, param in [(pieces, "voice"), (alone, "text")]:
                with pytest.raises(InvalidRequestError) as told:
                    await asyncio.wait_for(heard(refused), 10)
                assert told.value.param == param
            after = await session.say(TEXT)
            assert await heard(after) == await say(client, TEXT)
            await session.finish()
            rest = [event async for event in session]
            assert {event.turn_id for event in rest if isinstance(event, (Started, Words, Audio))} == set(), rest

    run(main())


class HeldSink:
    """A sink that plays for a limited time, then blocks."""

    def __init__(self, limit_ms: int) -> None:
        self.left = limit_ms * 48
        self.full = asyncio.Event()

    async def write(self, samples: bytes) -> None:
        self.left -= len(samples)
        if self.left <= 0:
            self.full.set()
            await asyncio.Event().wait()

    async def clear(self) -> None:
        pass

    async def close(self) -> None:
        pass


def test_a_late_player_names_the_audible_turn(server: Server) -> None:
    async def main() -> None:
        sink = HeldSink(limit_ms=200)
        async with (
            AsyncClient(server.url, server.key) as client,
            client.connect(max_lead_ms=0) as session,
            AsyncPlayer(session, sink) as player,
        ):
            first = await player.say("पहला जवाब।")
            second = await player.say(LONG)
            await asyncio.wait_for(sink.full.wait(), 10)
            # poll the outcome: the player takes the events of the turn, and a write to the sink blocks the player
            while not isinstance(first.outcome, Done):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            cut = await player.interrupt()
            assert (cut.turn_id, cut.state, cut.heard.basis) == (first.turn_id, "already_done", "played_ms")
            assert 0 < cut.heard.ms <= 200
            assert cut.heard.text + cut.unheard_text == "पहला जवाब।"
            assert isinstance(second.outcome, Cancelled)
            assert second.outcome.heard.text == ""

    run(main())


def test_a_conversation_with_invalid_settings_ends(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client, client.connect(voice="nobody") as session:
            with pytest.raises(InvalidRequestError):
                await heard(await session.say(TEXT))

    run(main())


def test_without_asyncio(server: Server) -> None:
    with Client(server.url, server.key) as client, client.connect(voice="Arjun") as session:
        whole = client.tts(TEXT, voice="Arjun").audio
        turn = session.say(piece + " " for piece in TEXT.split(" "))
        assert len(b"".join(turn.audio())) > 0.9 * len(whole)
        turn = session.say(TEXT)
        assert b"".join(turn.audio()) == whole
        with session.turn() as turn:
            turn.send(LONG)
            next(turn.audio())
            cut = turn.cancel(played_ms=500)
        assert cut.heard.text + cut.unheard_text == LONG
        session.finish()
        assert list(session) is not None


def test_a_timed_clip_matches_the_clip(server: Server) -> None:
    text = "\n🙂 आपका Rs. 1,25,000 का भुगतान मिल गया है। Thank you! "

    def check(clip: Clip, whole: bytes) -> None:
        assert clip.audio == whole
        assert [text[word.char_start : word.char_end] for word in clip.words] == [word.text for word in clip.words]
        assert " ".join(word.text for word in clip.words) == text[2:].strip()
        starts = [word.start_ms for word in clip.words]
        assert starts == sorted(starts) and starts[-1] < len(whole) / 48
        assert (clip.info.voice, clip.info.content_type) == ("Arjun", "audio/L16; rate=24000; channels=1")

    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client:
            whole = (await client.tts(text, voice="Arjun")).audio
            check(await client.tts_timed(text, voice="Arjun"), whole)
            async with client.tts_timed_stream(text, voice="Arjun") as stream:
                pieces = [piece async for piece in stream]
            assert len(pieces) > 10 and b"".join(piece.data for piece in pieces) == whole
            with pytest.raises(InvalidRequestError):
                await client.tts_timed(text, voice="nobody")

    run(main())
    with Client(server.url, server.key) as client:
        check(client.tts_timed(text, voice="Arjun"), client.tts(text, voice="Arjun").audio)
        with client.tts_timed_stream(LONG) as stream:
            assert next(piece for piece in stream if piece.words).words[0].text == LONG.split(" ")[0]


def test_many_conversations_leave_no_file_open(server: Server) -> None:
    def open_files() -> int:
        return len(list(pathlib.Path("/proc/self/fd").iterdir()))

    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client:
            for _ in range(20):
                async with client.connect() as session:
                    turn = await session.say(LONG)
                    await first_sound(turn)

    run(main())
    before = open_files()
    run(main())
    assert open_files() <= before


def test_closing_while_a_caller_waits(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as client:
            session: AsyncSession = await client.connect().open()
            turn = session.turn()
            await turn.send("अधूरा")
            waiting = [asyncio.create_task(turn.next_event()), asyncio.create_task(session.interrupt())]
            await asyncio.sleep(0)
            await session.close()
            for ended in await asyncio.gather(*waiting, return_exceptions=True):
                assert ended is None or isinstance(ended, (ShrutiError, Cancelled)), ended

    run(main())
