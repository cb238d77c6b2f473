#!/usr/bin/env python3
"""Runs the scenarios of scenarios.mjs with Python's `websockets`.

Each connection keeps a log of all events with their times and checks each server message against the contract.

usage: python.py http://127.0.0.1:8080 sk_… [FOLDER FOR LOGS]
needs: pip install -r requirements.txt, ffmpeg, sox
"""
import asyncio
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import time
import unicodedata
import urllib.request

import websockets

PATIENCE_S = 30
BYTES_PER_MS = 48
LONG = "यह एक लंबा जवाब है, जिसे कोई बीच में काट देगा। इसमें कई वाक्य हैं, और हर वाक्य में कुछ शब्द। " * 4
SHORT = "ठीक है, मैं अभी आपका ऑर्डर देखती हूँ।"
TEXTS = json.loads(pathlib.Path(__file__).with_name("texts.json").read_text("utf-8"))
FORMAT = {"encoding": "pcm_s16le", "sample_rate": 24000, "channels": 1}


class Broken(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Broken(what)


def sound_ms(size):
    return size // BYTES_PER_MS


class Turn:
    def __init__(self):
        self.text, self.sound, self.words, self.started, self.end = "", b"", [], None, None


class Conversation:
    """One connection and its log."""

    def __init__(self, socket):
        self.socket, self.begun = socket, time.perf_counter()
        self.log, self.turns, self.order, self.messages, self.cancels = [], {}, [], [], []
        self.audible = self.ready = self.broken = self.closed = None
        self.news = asyncio.Condition()

    def note(self, what, detail):
        self.log.append((round((time.perf_counter() - self.begun) * 1000, 2), what, detail))

    async def listen(self):
        try:
            async for message in self.socket:
                async with self.news:
                    try:
                        self.hear(message)
                    except Exception as error:  # any error means that the server violated the contract
                        self.broken = self.broken or error
                    self.news.notify_all()
        except websockets.ConnectionClosedError:
            pass
        async with self.news:
            self.closed = (self.socket.close_code, self.socket.close_reason)
            self.note("close", self.closed)
            self.news.notify_all()

    async def say(self, **message):
        if "text" in message:
            self.turns.setdefault(message["turn_id"], Turn()).text += message["text"]
        if message.get("type") == "cancel" and "id" in message:
            self.cancels.append(message["id"])
        await self.send(json.dumps(message, ensure_ascii=False))

    async def send(self, text):
        self.note("said", text)
        await self.socket.send(text)

    def hear(self, message):
        if isinstance(message, bytes):
            self.note("sound", len(message))
            check(self.audible, "audio outside a turn")
            check(message and len(message) % 2 == 0, "incomplete samples")
            self.turns[self.audible].sound += message
            return
        self.note("heard", message)
        message = json.loads(message)
        self.messages.append(message)
        kind, name = message["type"], message.get("turn_id")
        turn = self.turns.get(name)
        if self.ready is None:
            check(kind == "ready", f"{kind} before ready")
            self.ready = message
        elif kind == "turn.started":
            check(turn.started is None and turn.end is None, f"{name} starts again")
            check(self.audible is None, f"{name} starts during {self.audible}")
            turn.started, self.audible = message, name
            self.order.append(name)
        elif kind == "words":
            check(self.audible == name, f"marks of {name}, which is not playing")
            check(message["words"], "no words")
            for word in message["words"]:
                check(sound_ms(len(turn.sound)) <= word["start_ms"], f"{word['text']} is reported after its audio")
                check(word["text"] == turn.text[word["char_start"]:word["char_end"]], f"{word['text']} is not at its offsets")
            turn.words += message["words"]
        elif kind == "turn.done":
            check(message["audio_ms"] == sound_ms(len(turn.sound)), f"{name}: audio_ms differs from the received audio")
            self.end(name, message)
        elif kind == "turn.failed":
            self.end(name, message)
        elif kind == "turn.cancelled":
            self.cancelled(name, turn, message)

    def cancelled(self, name, turn, message):
        if message["id"] is not None:
            check(self.cancels.pop(0) == message["id"], f"{message['id']}: answers are out of order")
        heard = message["heard"]
        check(heard["ms"] <= message["sent_ms"], "heard.ms exceeds sent_ms")
        check(len(heard["text"]) == heard["char_end"], "char_end is not the end of the heard text")
        if message["state"] != "unknown":
            check(heard["text"] + message["unheard_text"] == turn.text, f"{name}: heard and unheard text are not the sent text")
            check(message["sent_ms"] == sound_ms(len(turn.sound)), f"{name}: sent_ms differs from the received audio")
        if message["state"] == "cancelled":
            self.end(name, message)

    def end(self, name, message):
        check(self.turns[name].end is None, f"{name} ends twice")
        self.turns[name].end = message
        if self.audible == name:
            self.audible = None

    async def until(self, condition, what):
        """Waits until a condition returns a true value, and returns it."""
        def settled():
            return self.broken or condition() or self.closed
        try:
            async with asyncio.timeout(PATIENCE_S), self.news:
                await self.news.wait_for(settled)
        except TimeoutError:
            raise Broken(f"{what}: timeout") from None
        if self.broken:
            raise self.broken
        held = condition()
        check(held, f"{what}: the connection closed with {self.closed}")
        return held

    async def message(self, kind):
        """Returns the first message of a kind after the last one that was returned."""
        def find():
            return next((message for message in self.messages if message["type"] == kind), None)
        found = await self.until(find, kind)
        self.messages.remove(found)
        return found

    async def ended(self, name, kind="turn.done"):
        turn = self.turns[name]
        await self.until(lambda: turn.end, f"the end of {name}")
        check(turn.end["type"] == kind, f"{name} ends with {turn.end['type']}")
        return turn

    async def sounded(self, name, size):
        await self.until(lambda: len(self.turns[name].sound) >= size, f"sound of {name}")

    async def close(self):
        """Sends `close` and waits until the connection has ended."""
        await self.say(type="close")
        await self.until(lambda: self.closed, "close")
        check(self.closed == (1000, f"normal {self.ready['session_id']}"), f"closed with {self.closed}")


class Stage:
    """The environment of a scenario: opens conversations, requests clips and knows the players."""

    def __init__(self, url, key):
        self.url, self.key, self.conversations, self.exits = url, key, [], contextlib.AsyncExitStack()

    async def open(self):
        headers = {"authorization": f"Bearer {self.key}"}
        connecting = websockets.connect(
            self.url.replace("http", "ws", 1) + "/v1/tts/stream", additional_headers=headers, subprotocols=["tts.v1"])
        conversation = Conversation(await self.exits.enter_async_context(connecting))
        self.conversations.append(conversation)
        listening = asyncio.create_task(conversation.listen())
        self.exits.callback(listening.cancel)
        await conversation.until(lambda: conversation.ready, "ready")
        return conversation

    async def post(self, **body):
        def answer():
            headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
            request = urllib.request.Request(self.url + "/v1/tts", json.dumps(body).encode(), headers)
            with urllib.request.urlopen(request) as response:
                return response.read()
        return await asyncio.to_thread(answer)


def players(samples):
    """Returns the duration, in seconds, that each player reports for a clip."""
    def pipe(command):
        done = subprocess.run(command.split(), input=samples, capture_output=True, check=True)
        return (done.stdout + done.stderr).decode()
    ffmpeg = pipe("ffmpeg -nostats -v error -f s16le -ar 24000 -ac 1 -i - -progress pipe:1 -f null -")
    sox = pipe("sox -t raw -r 24000 -e signed -b 16 -c 1 - -n stat")
    return {
        "ffmpeg": int(re.findall(r"out_time_us=(\d+)", ffmpeg)[-1]) / 1e6,
        "sox": float(re.search(r"Length \(seconds\): *([\d.]+)", sox)[1]),
    }


async def ready_reports_the_settings(stage):
    ready = (await stage.open()).ready
    check(ready["protocol"] == "tts.v1" and ready["session_id"].startswith("req_"), "protocol and session")
    check(ready["audio"] == FORMAT, "audio")
    check((ready["config"]["voice"], ready["config"]["max_lead_ms"]) == ("Ananya", 3000), "config")
    check((ready["limits"]["max_message_chars"], ready["limits"]["max_queued_turns"]) == (5000, 8), "limits")


async def one_turn_in_one_message(stage):
    talk = await stage.open()
    await talk.say(text=SHORT, turn_id="a", final=True, voice="Arjun")
    turn = await talk.ended("a")
    check((turn.started["voice"], turn.started["language"]) == ("Arjun", "hi"), "voice and language")
    check(turn.end["reason"] == "complete" and turn.end["chars"] == len(SHORT) and turn.end["ttfa_ms"] >= 0, "the values of turn.done")
    check(turn.sound == await stage.post(text=SHORT, voice="Arjun"), "samples differ from POST /v1/tts")
    await talk.close()


async def chunked_text_has_the_same_audio(stage):
    talk = await stage.open()
    for language, text in TEXTS.items():
        alone = await stage.post(text=text)
        for size in (1, 3, 7):
            name = f"{language} by {size}"
            for at in range(0, len(text), size):
                await talk.say(text=text[at:at + size], turn_id=name, max_lead_ms=0)
            await talk.say(type="end", turn_id=name)
            check((await talk.ended(name)).sound == alone, f"{name}: samples differ from POST /v1/tts")
    await talk.close()


async def words_precede_their_audio(stage):
    talk = await stage.open()
    for language, text in TEXTS.items():
        await talk.say(text=text, turn_id=language, final=True, max_lead_ms=0)
        turn = await talk.ended(language)
        covered, last = set(), 0
        for word in turn.words:
            check(last <= word["start_ms"] <= word["end_ms"] <= sound_ms(len(turn.sound)) + 1, f"{language}: times")
            last = word["start_ms"]
            covered.update(range(word["char_start"], word["char_end"]))
        missed = [char for at, char in enumerate(text) if unicodedata.category(char)[0] in "LN" and at not in covered]
        # only the spoken parts of Markdown and tags have word timestamps
        check("".join(missed).replace("b", "") == "", f"{language}: no mark for {missed}")
        check(any("₹" in word["text"] and word.get("spoken") for word in turn.words), f"{language}: money is expanded")
    await talk.close()


async def barge_in_during_a_turn(stage):
    talk = await stage.open()
    await talk.say(text=LONG, turn_id="a", final=True)
    await talk.sounded("a", 24_000)
    await talk.say(type="cancel", turn_id="a", id="c1")
    await talk.say(text=SHORT, turn_id="b")
    end = (await talk.ended("a", "turn.cancelled")).end
    check(end["state"] == "cancelled" and end["heard"]["basis"] == "playhead" and end["unheard_text"], "the answer")
    await talk.sounded("b", 48_000)
    await talk.say(type="cancel", turn_id="b", id="c2", played_ms=600)
    end = (await talk.ended("b", "turn.cancelled")).end
    check((end["heard"]["ms"], end["heard"]["basis"]) == (600, "played_ms"), "a known position")
    check(end["heard"]["text"] and end["unheard_text"], "heard or unheard text is empty")
    for name in ("c3", "c4"):
        await talk.say(type="cancel", turn_id="nobody", id=name)
    await talk.say(type="ping", id="settle")
    await talk.message("pong")
    check(not talk.cancels, "every cancel is answered")
    await talk.close()


async def cancel_of_a_short_turn_after_its_end(stage):
    talk = await stage.open()
    await talk.say(text=SHORT, turn_id="a", final=True)
    turn = await talk.ended("a")
    await asyncio.sleep(0.5)
    await talk.say(type="cancel", turn_id="a", id="late")
    answer = await talk.message("turn.cancelled")
    heard = answer["heard"]
    check((answer["state"], heard["basis"]) == ("already_done", "playhead"), answer["state"])
    check(heard["ms"] >= min(450, sound_ms(len(turn.sound))) and heard["text"], f"heard only {heard['ms']} ms")
    await talk.close()


async def a_preempting_turn(stage):
    talk = await stage.open()
    await talk.say(text=LONG, turn_id="live", final=True)
    await talk.sounded("live", 4_800)
    await talk.say(text=SHORT, turn_id="waiting", final=True)
    await talk.say(text="रुकिए।", turn_id="urgent", final=True, preempt=True)
    check((await talk.ended("live", "turn.cancelled")).end["id"] is None, "no cancel had an id")
    waiting = await talk.ended("waiting")
    check(talk.order == ["live", "urgent", "waiting"], f"wrong order: {talk.order}")
    check(waiting.sound == await stage.post(text=SHORT), "the waiting turn is incomplete")
    await talk.close()


async def queued_turns(stage):
    talk = await stage.open()
    names, alone = ["one", "two", "three"], await stage.post(text=SHORT)
    for name in names:
        await talk.say(text=SHORT, turn_id=name, final=True, max_lead_ms=0)
    for name in names:
        check((await talk.ended(name)).sound == alone, name)
    check(talk.order == names, f"wrong order: {talk.order}")
    await talk.close()


async def flush(stage):
    talk = await stage.open()
    await talk.say(text="No end in sig", turn_id="a")
    await talk.say(type="flush", turn_id="a", id="f")
    flushed, turn = await talk.message("flushed"), talk.turns["a"]
    check(flushed["id"] == "f" and flushed["audio_ms"] == sound_ms(len(turn.sound)) > 0, "the flushed message")
    check(turn.end is None, "the turn stays open")
    await talk.say(text=" and more", turn_id="a", final=True)
    await talk.ended("a")
    check(sound_ms(len(turn.sound)) > flushed["audio_ms"], "more came")
    await talk.say(type="flush", turn_id="nobody", id="g")
    check((await talk.message("flushed"))["audio_ms"] == 0, "an unknown turn")
    await talk.close()


async def config(stage):
    talk = await stage.open()
    settings = {"voice": "Arjun", "language": "hi", "speed": 1.25, "pitch": -2, "lexicon": {"AIIMS": "एम्स"}}
    await talk.say(type="config", timestamps="none", **settings)
    answer = await talk.message("config")
    check({key: answer[key] for key in settings} == settings, "its answer")
    text = "AIIMS में आपका स्वागत है।"
    await talk.say(text=text, turn_id="a", final=True)
    turn = await talk.ended("a")
    check(not turn.words, "unexpected marks")
    check(turn.sound == await stage.post(text=text, **settings), "samples differ from POST /v1/tts")
    await talk.close()


async def ping(stage):
    talk = await stage.open()
    await talk.say(type="ping", id="p")
    check((await talk.message("pong"))["id"] == "p", "its id")
    await asyncio.wait_for(await talk.socket.ping(), PATIENCE_S)
    await talk.close()


async def malformed_messages(stage):
    talk = await stage.open()
    mistakes = [("{", "invalid_json"), ("[]", "invalid_json"), ("{}", "missing_field"),
                ('{"type":"shout"}', "invalid_field"), ('{"text":"a","voice":"Nobody"}', "unknown_voice")]
    for message, code in mistakes:
        await talk.send(message)
        answer = await talk.message("error")
        check((answer["scope"], answer["error"]["code"]) == ("message", code), f"{message}: {answer['error']['code']}")
    await talk.say(text=SHORT, turn_id="a", final=True)
    await talk.ended("a")
    await talk.close()


async def close_drains(stage):
    talk = await stage.open()
    await talk.say(text=SHORT, turn_id="a", final=True)
    await talk.say(text="और यह खुला है", turn_id="b", max_lead_ms=0)
    await talk.close()
    for name in ("a", "b"):
        await talk.ended(name)


async def players_agree_on_the_duration(stage):
    talk = await stage.open()
    await talk.say(text=LONG, turn_id="a", final=True, max_lead_ms=0)
    turn = await talk.ended("a")
    for player, seconds in (await asyncio.to_thread(players, turn.sound)).items():
        check(abs(seconds * 1000 - turn.end["audio_ms"]) < 2, f"{player} plays {seconds} s, not {turn.end['audio_ms']} ms")
    await talk.close()


async def requests_without_a_key_are_refused(stage):
    for query, headers, code in [("", {}, "missing_api_key"), ("", {"authorization": "Bearer sk_wrong"}, "invalid_api_key"),
                                 (f"?api_key={stage.key}", {}, "invalid_api_key")]:
        try:
            address = stage.url.replace("http", "ws", 1) + "/v1/tts/stream" + query
            async with websockets.connect(address, additional_headers=headers):
                raise Broken("the connection was accepted")
        except websockets.InvalidStatus as refused:
            told = json.loads(refused.response.body)["error"]["code"]
            check((refused.response.status_code, told) == (401, code), f"{refused.response.status_code} {told}")


SCENARIOS = [
    ready_reports_the_settings, one_turn_in_one_message, chunked_text_has_the_same_audio, words_precede_their_audio,
    barge_in_during_a_turn, cancel_of_a_short_turn_after_its_end, a_preempting_turn, queued_turns, flush, config, ping,
    malformed_messages, close_drains, players_agree_on_the_duration, requests_without_a_key_are_refused,
]


async def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    url, key, *logs = sys.argv[1:]
    failed, lines = 0, []
    for scenario in SCENARIOS:
        stage, begun, failure = Stage(url, key), time.perf_counter(), None
        async with stage.exits:
            try:
                await scenario(stage)
                failure = next((talk.broken for talk in stage.conversations if talk.broken), None)
            except Exception as error:  # an exception of the client fails its scenario, not the whole run
                failure = error
        name, took = scenario.__name__.replace("_", " "), (time.perf_counter() - begun) * 1000
        print(f"{'python':10} {name:38} {f'FAILED: {failure!r}' if failure else 'held'}  ({took:.0f} ms)")
        for number, talk in enumerate(stage.conversations):
            lines += [json.dumps([name, number, *line], ensure_ascii=False) for line in talk.log]
            if failure:
                print(*(f"  {name}: {line}"[:240] for line in talk.log[-12:]), sep="\n")
        failed += failure is not None
    if logs:
        pathlib.Path(logs[0]).mkdir(parents=True, exist_ok=True)
        pathlib.Path(logs[0], "python.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    print(f"python: {len(SCENARIOS) - failed} held, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    asyncio.run(main())
