#!/usr/bin/env python3
"""Mixed load of well-behaved and hostile clients for minutes: memory, descriptors and threads must not grow.

Clips in all languages, some of them aborted; conversations that cancel and end in every way; readers that stop reading;
wrong keys, failed sign-ins, broken JSON, broken frames, random bytes; pages and tokens. The process is measured every
five seconds. The check fails if
  a well-behaved client does not get what the contract promises,
  resident memory grows by more than 8 MiB + 10 % between the second and the last quarter of the run,
  descriptors or threads do not return to their initial numbers,
  or the server does not exit with status 0 on SIGTERM.

usage: soak.py target/release/shruti [--minutes 15] [--clients 50]
needs: pip install aiohttp
"""
import argparse
import asyncio
import collections
import json
import os
import random
import re
import statistics
import sys
import time

import aiohttp

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402

TEXTS = {
    "hi": "नमस्ते, आपका ऑर्डर ₹1,25,000 का है। यह कल शाम 5 बजे तक आपके घर पहुँच जाएगा।",
    "bn": "নমস্কার, আপনার অর্ডার আগামীকাল সকাল ১০টায় পৌঁছে যাবে।",
    "ta": "வணக்கம், உங்கள் ஆர்டர் நாளை மாலை 6 மணிக்கு வரும். நன்றி!",
    "te": "నమస్కారం, మీ ఆర్డర్ రేపు ఉదయం వస్తుంది.",
    "gu": "નમસ્તે, તમારો ઓર્ડર કાલે સાંજે આવી જશે.",
    "kn": "ನಮಸ್ಕಾರ, ನಿಮ್ಮ ಆರ್ಡರ್ ನಾಳೆ ಬರುತ್ತದೆ.",
    "ml": "നമസ്കാരം, നിങ്ങളുടെ ഓർഡർ നാളെ എത്തും.",
    "mr": "नमस्कार, तुमची ऑर्डर उद्या संध्याकाळी येईल.",
    "pa": "ਸਤ ਸ੍ਰੀ ਅਕਾਲ, ਤੁਹਾਡਾ ਆਰਡਰ ਕੱਲ੍ਹ ਆ ਜਾਵੇਗਾ।",
    "or": "ନମସ୍କାର, ଆପଣଙ୍କ ଅର୍ଡର କାଲି ଆସିବ।",
    "en": "Hello, your OTP is 4 8 2 1, and the meeting is at 10:30 AM tomorrow.",
}


class Soak:
    """The running server, the counts of the clients, and the faults."""

    def __init__(self, running):
        self.running = running
        self.host, self.port = running.address
        self.done, self.faults = collections.Counter(), []
        self.stopping = False

    def fault(self, what):
        self.faults.append(what)
        if len(self.faults) <= 10:
            print(f"soak: {what}", flush=True)

    def headers(self):
        return {"authorization": f"Bearer {self.running.key}"}

    async def keep(self, client, seed):
        """Runs one kind of client repeatedly with its own session."""
        chance = random.Random(seed)
        timeout = aiohttp.ClientTimeout(total=60)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            while not self.stopping:
                try:
                    await client(session, chance)
                    self.done[client.__name__] += 1
                except (aiohttp.ClientError, asyncio.TimeoutError, OSError) as error:
                    self.fault(f"{client.__name__}: {type(error).__name__}: {error}")
                    await asyncio.sleep(0.1)

    async def clip(self, session, chance):
        language = chance.choice(list(TEXTS))
        body = {"text": TEXTS[language] * chance.choice([1, 1, 1, 10]), "language": language,
                "voice": chance.choice(["Ananya", "Arjun"]), "speed": chance.choice([0.5, 1.0, 2.0])}
        async with session.post(f"{self.running.url}/v1/tts", json=body, headers=self.headers()) as answer:
            if answer.status != 200:
                return self.fault(f"clip: {answer.status} {await answer.text()}")
            if chance.random() < 0.2:
                await answer.content.readexactly(960)
                answer.close()
                return None
            samples = await answer.read()
            if len(samples) < 24_000 or len(samples) % 2:
                self.fault(f"clip: {len(samples)} bytes of {body['text'][:20]}…")
        await asyncio.sleep(chance.random())

    async def conversation(self, session, chance):
        url = f"{self.running.url}/v1/tts/stream".replace("http", "ws", 1)
        async with session.ws_connect(url, headers=self.headers()) as socket:
            for turn in range(chance.randrange(1, 6)):
                text = TEXTS[chance.choice(list(TEXTS))]
                cut = chance.randrange(len(text))
                name = f"turn-{turn}"
                for piece in (text[:cut], text[cut:]):
                    await socket.send_json({"type": "text", "turn_id": name, "text": piece})
                await socket.send_json({"type": "end", "turn_id": name})
                cancel_at = chance.randrange(1, 40) if chance.random() < 0.5 else None
                frames = 0
                while True:
                    message = await socket.receive(timeout=30)
                    if message.type == aiohttp.WSMsgType.BINARY:
                        frames += 1
                        if frames == cancel_at:
                            await socket.send_json({"type": "cancel", "turn_id": name})
                    elif message.type == aiohttp.WSMsgType.TEXT:
                        event = json.loads(message.data)
                        if event["type"] in ("turn.done", "turn.cancelled", "turn.failed") and event["turn_id"] == name:
                            if event["type"] == "turn.failed":
                                self.fault(f"conversation: {message.data}")
                            break
                    else:
                        return self.fault(f"conversation: {message.type.name} {socket.close_code} in a turn")
            ending = chance.randrange(3)
            if ending == 0:
                await socket.send_json({"type": "close"})
                while (await socket.receive(timeout=10)).type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                    pass
                if socket.close_code != 1000:
                    self.fault(f"conversation: closed with {socket.close_code}")
            elif ending == 1:
                await socket.close()
            else:
                socket._response.close()  # drops the connection without a closing handshake

    async def stalled_reader(self, session, chance):
        body = {"text": TEXTS["hi"] * 40}
        async with session.post(f"{self.running.url}/v1/tts", json=body, headers=self.headers()) as answer:
            await answer.content.readexactly(960)
            await asyncio.sleep(5)
            answer.close()

    async def mistake(self, session, chance):
        """Sends an invalid request, which must get the expected status and never 5xx."""
        url, key = self.running.url, self.headers()
        wrong = chance.choice([
            ("/v1/tts", {"data": b"{", "headers": key}, 400),
            ("/v1/tts", {"data": b"\xff" * 100, "headers": key}, 400),
            ("/v1/tts", {"json": {"text": "क" * 6_000}, "headers": key}, 413),
            ("/v1/tts", {"data": b" " * 70_000, "headers": key}, 413),
            ("/v1/tts", {"json": {"text": "क"}, "headers": {"authorization": "Bearer sk_wrong"}}, 401),
            ("/v1/tts", {"json": {"text": "क"}}, 401),
            ("/v1/tts", {"json": {"text": "क", "voice": "x" * 5_000}, "headers": key}, 400),
            ("/v1/nothing", {"json": {}}, 404),
        ])
        path, given, status = wrong
        given.setdefault("headers", {})
        given["headers"] = {**given["headers"], "content-type": "application/json"}
        async with session.post(url + path, **given) as answer:
            await answer.read()
            if answer.status != status:
                self.fault(f"mistake: {path} returned {answer.status} instead of {status}")
        await asyncio.sleep(0.05)

    async def sign_in(self, session, chance):
        url = self.running.url
        body = {"email": f"nobody{chance.randrange(10**6)}@example.org", "password": "not the password"}
        headers = {"origin": url, "x-studio": "1"}
        async with session.post(f"{url}/studio/api/sign-in", json=body, headers=headers) as answer:
            await answer.read()
            if answer.status not in (401, 429, 503):
                self.fault(f"sign_in: {answer.status}")
        await asyncio.sleep(0.5)

    async def page(self, session, chance):
        url = self.running.url
        path = chance.choice(["/studio", "/docs", "/openapi.json", "/v1/voices", "/healthz", "/readyz"])
        async with session.get(url + path) as answer:
            await answer.read()
            if answer.status != 200:
                self.fault(f"page: {path} returned {answer.status}")
        async with session.post(f"{url}/v1/tokens", headers=self.headers()) as answer:
            await answer.read()
            # status 429 is expected: a key has a limited number of unused tokens
            if answer.status not in (200, 429):
                self.fault(f"page: a token was refused with {answer.status}")
        await asyncio.sleep(0.2)

    async def noise(self, _session, chance):
        """Sends random bytes, truncated frames and endless headers, which the server only has to survive."""
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port)
            kind = chance.randrange(3)
            if kind == 0:
                writer.write(chance.randbytes(chance.randrange(1, 4_000)))
            elif kind == 1:
                writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n" + b"a: b\r\n" * chance.randrange(2_000))
            else:
                writer.write(
                    f"GET /v1/tts/stream HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
                    f"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    f"authorization: Bearer {self.running.key}\r\n\r\n".encode() + chance.randbytes(chance.randrange(1, 500)))
            await writer.drain()
            await asyncio.wait_for(reader.read(2_000), 1)
            writer.transport.abort()
        except (OSError, asyncio.TimeoutError):
            pass
        await asyncio.sleep(0.05)


def measured(pid):
    """Returns the resident memory in MiB, the descriptors and the threads of a process."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        text = status.read()
    resident = int(re.search(r"VmRSS:\s*(\d+) kB", text)[1]) / 1024
    return resident, len(os.listdir(f"/proc/{pid}/fd")), int(re.search(r"Threads:\s*(\d+)", text)[1])


async def soak(running, minutes, clients):
    load = Soak(running)
    start = measured(running.pid)
    print(f"start     {start[0]:6.1f} MiB {start[1]:5} descriptors {start[2]:4} threads", flush=True)
    kinds = [load.clip, load.conversation, load.mistake, load.noise, load.page]
    tasks = [asyncio.create_task(load.keep(kinds[n % len(kinds)], n)) for n in range(clients)]
    tasks += [asyncio.create_task(load.keep(one, 1_000)) for one in (load.sign_in, load.stalled_reader)]
    samples, until = [], time.monotonic() + minutes * 60
    while time.monotonic() < until:
        await asyncio.sleep(5)
        samples.append(measured(running.pid))
        if len(samples) % 12 == 0:
            now = samples[-1]
            print(f"{len(samples) // 12:3} min   {now[0]:6.1f} MiB {now[1]:5} descriptors {now[2]:4} threads  {dict(load.done)}", flush=True)
    load.stopping = True
    await asyncio.gather(*tasks)
    # wait until the clients have closed idle connections and the other connections have ended
    for _ in range(100):
        end = measured(running.pid)
        if end[1] <= start[1] + 4:
            break
        await asyncio.sleep(0.2)
    quarter = len(samples) // 4
    early = statistics.median(sample[0] for sample in samples[quarter:2 * quarter])
    late = statistics.median(sample[0] for sample in samples[-quarter:])
    print(f"end       {end[0]:6.1f} MiB {end[1]:5} descriptors {end[2]:4} threads  {dict(load.done)}")
    print(f"resident under load: {early:.1f} MiB in the second quarter, {late:.1f} MiB in the last")
    if late > early * 1.1 + 8:
        load.fault("memory keeps growing")
    if end[1] > start[1] + 4:
        load.fault(f"{end[1] - start[1]} descriptors stay open")
    # idle blocking threads end after ten seconds
    if end[2] > start[2] + 8:
        load.fault(f"{end[2] - start[2]} threads remain")
    return load


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("--minutes", type=float, default=15)
    arguments.add_argument("--clients", type=int, default=50)
    given = arguments.parse_args()
    with harness.running(given.binary) as running:
        load = asyncio.run(soak(running, given.minutes, given.clients))
        status = running.stop()
    if status != 0:
        load.fault("the server did not exit" if status is None else f"the server exited with {status}")
    print(f"soak: {sum(load.done.values())} rounds, {len(load.faults)} faults")
    sys.exit(bool(load.faults))


if __name__ == "__main__":
    main()
