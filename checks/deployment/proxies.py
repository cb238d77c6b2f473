#!/usr/bin/env python3
"""Checks the configurations of deploy/haproxy and deploy/nginx, unchanged except for names, certificates and ports, in
front of three servers that share a PostgreSQL database.

Through each proxy: clips by curl over HTTP/2 and HTTP/1.1; a clip whose client stops reading, so that the server must
wait; a conversation that is heard before its text has ended; one with the Python client; the client's address in the
servers' logs; the responses when all servers are full and when none is running. Then one server is stopped with SIGTERM
during clips and conversations, none of which may fail, and is started again; then it is killed, and only its own clips
and conversations may be lost.

If the path of the example binary random_pack is given, also checks pools.cfg and pools.conf: one of the servers has a
voice pack, and requests for the host te.speech.example go to that server.

usage: proxies.py target/release/shruti [target/debug/examples/random_pack]
needs: requirements.txt; curl, openssl, PostgreSQL, haproxy, nginx
"""
import asyncio
import contextlib
import csv
import http.client
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

import websockets

from workspace import WORKSPACE, migrate
from harness import Postgres, Server, answers, end, free_port, text_of, wait_until

DEPLOY = WORKSPACE / "deploy"
sys.path.insert(0, str(DEPLOY.parent / "sdk/python/src"))
from shruti_tts import AsyncClient  # noqa: E402

SENTENCE = "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा। "
LONG = SENTENCE * 90
CONVERSATIONS = 6
MAX_STREAMS = 10  # per server
CLIENTS = 4
CLIPS_WHILE_STOPPING = 100
CLIPS_AFTERWARDS = 100
# name and voice of the pack that the example `random_pack` creates, and the host name whose requests go to the servers
# with this pack
PACK, PACK_VOICE, PACK_HOST = "test", "Test 0", "te.speech.example"
CLIPS_OF_A_POOL = 12


def swap(text, *pairs):
    """Replaces each pattern in the original text only, not in earlier replacements: a port may contain the digits of
    another.
    """
    for old, _ in pairs:
        assert old in text, f"the configuration no longer has {old}"
    return re.sub("|".join(re.escape(old) for old, _ in pairs), lambda found: dict(pairs)[found[0]], text)


def addresses(nodes):
    return [(f"shruti-{number}:8080", node.host) for number, node in enumerate(nodes, 1)]


def haproxy(folder, port, plain, nodes, has_pools=False):
    text = swap((DEPLOY / "haproxy/haproxy.cfg").read_text("utf-8"), *addresses(nodes), (":443", f"127.0.0.1:{port}"),
                (":80\n", f"127.0.0.1:{plain}\n"), ("/etc/haproxy/certs/", f"{folder}/both.pem"),
                # each connection needs a file descriptor, so the limit is lower here
                ("/run/haproxy/admin.sock", f"{folder}/admin.sock"), ("maxconn 20000", "maxconn 1000"))
    pathlib.Path(f"{folder}/haproxy.cfg").write_text(text, "utf-8")
    pools = swap((DEPLOY / "haproxy/pools.cfg").read_text("utf-8"), *addresses(nodes), ("te-padmavathi", PACK))
    pathlib.Path(f"{folder}/pools.cfg").write_text(pools, "utf-8")
    return ["haproxy", "-db", "-f", f"{folder}/haproxy.cfg", *(["-f", f"{folder}/pools.cfg"] if has_pools else [])]


def nginx(folder, port, plain, nodes, has_pools=False):
    text = swap((DEPLOY / "nginx/shruti.conf").read_text("utf-8"), *addresses(nodes), ("listen 443", f"listen 127.0.0.1:{port}"),
                ("listen 80", f"listen 127.0.0.1:{plain}"), (" .speech.example;", " localhost;"),
                ("/etc/ssl/speech.example/fullchain.pem", f"{folder}/c.pem"), ("/etc/ssl/speech.example/privkey.pem", f"{folder}/c.key"),
                ("/var/log/nginx/shruti.log", f"{folder}/access.log"))
    if has_pools:
        text = swap(text, ("# te.speech.example shruti_te;", "te.speech.example shruti_te;"))
        text += swap((DEPLOY / "nginx/pools.conf").read_text("utf-8"), ("shruti-te-1:8080", nodes[0].host))
    path = f"{folder}/nginx.conf"
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    pathlib.Path(path).write_text(f"daemon off; worker_processes 2; error_log {folder}/nginx.log; pid {folder}/nginx.pid; events {{}}\n"
                                  f"http {{ {folders}\n{text} }}\n", "utf-8")
    return ["nginx", "-c", path, "-p", folder]


class Proxy:
    """The view of a client: one address and a key."""

    def __init__(self, port, key, certificate):
        self.host, self.key, self.certificate = f"localhost:{port}", key, certificate
        self.context = ssl.create_default_context(cafile=certificate)
        self.headers = {"authorization": f"Bearer {key}"}

    def connect(self):
        return http.client.HTTPSConnection(self.host, context=self.context, timeout=60)

    def post(self, connection, text, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", "/v1/tts", json.dumps({"text": text}), self.headers | {"content-type": "application/json"} | headers)
        return connection.getresponse()

    def get(self, path):
        connection = self.connect()
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    def converse(self):
        return websockets.connect(f"wss://{self.host}/v1/tts/stream", ssl=self.context, additional_headers=self.headers)


def clips_by_curl(proxy, folder):
    """Returns the time to the first and to the last byte, in seconds, over HTTP/2 and over HTTP/1.1."""
    times = {}
    body = f"{folder}/body.json"
    pathlib.Path(body).write_text(json.dumps({"text": LONG}), "utf-8")
    for version in ("--http1.1", "--http2"):
        command = ["curl", "-sS", "--fail-with-body", version, "--cacert", proxy.certificate, f"https://{proxy.host}/v1/tts", "-d", f"@{body}",
                   "-H", "content-type: application/json", "-H", f"authorization: Bearer {proxy.key}", "-o", f"{folder}/clip",
                   "-w", "%{http_version} %{size_download} %{time_starttransfer} %{time_total}"]
        said, size, first, last = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        assert said == version.removeprefix("--http") and int(size) > 10_000_000, (version, said, size)
        times[said] = (float(first), float(last))
    return times


def a_listener_who_stops(proxy, nodes):
    """Checks that the server waits for a client that does not read while another receives a clip of the same length:
    the proxy passes audio on and does not buffer it.
    """
    streams = lambda: sum(node.metric("shruti_streams") for node in nodes)
    with contextlib.closing(proxy.connect()) as stops, contextlib.closing(proxy.connect()) as listens:
        stopped = proxy.post(stops, LONG)
        first = stopped.read(2)
        whole = proxy.post(listens, LONG).read()
        assert streams() == 1, "the proxy buffered a clip that the client did not read"
        assert first + stopped.read() == whole, "the same text has different audio"


async def heard_before_the_end(proxy):
    """Checks that audio arrives while the text is still being written, and that a cancel is answered."""
    async with proxy.converse() as stream:
        await stream.send(json.dumps({"text": SENTENCE, "turn_id": "a"}))
        while not isinstance(await stream.recv(), bytes):
            pass
        await stream.send(json.dumps({"text": LONG, "turn_id": "a", "final": True}))
        await stream.send(json.dumps({"type": "cancel", "turn_id": "a"}))
        async for message in stream:
            if not isinstance(message, bytes) and json.loads(message)["type"] == "turn.cancelled":
                return
        raise SystemExit("the cancel was not answered")


async def with_the_python_client(proxy):
    async with AsyncClient(f"https://{proxy.host}", proxy.key) as client:
        assert (await client.tts(SENTENCE)).audio
        async with client.connect() as session, session.turn() as turn:
            await turn.send(SENTENCE, final=True)
            assert len(b"".join([piece async for piece in turn.audio()])) > 48_000


async def when_all_are_full(proxy, nodes):
    """Checks that a stream above the limit gets the server's own refusal, and is accepted when another one ends."""
    clip = lambda: subprocess.run(["curl", "-sS", "-i", "--cacert", proxy.certificate, f"https://{proxy.host}/v1/tts", "-d", '{"text": "hello"}',
                                   "-H", "content-type: application/json", "-H", f"authorization: Bearer {proxy.key}", "-o", "-"],
                                  check=True, capture_output=True).stdout
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(MAX_STREAMS * len(nodes)):
            last = await stack.enter_async_context(proxy.converse())
        answer = (await asyncio.to_thread(clip)).decode()
        assert " 503" in answer.splitlines()[0] and "retry-after: " in answer.lower() and '"request_id":"req_' in answer, answer
        await last.close()
        await asyncio.to_thread(wait_until, lambda: sum(node.metric("shruti_streams") for node in nodes) < MAX_STREAMS * len(nodes),
                                nodes[0].process, lambda: "a closed conversation stays open")
        answer = await asyncio.to_thread(clip)
        assert b" 200" in answer.split(b"\n", 1)[0], answer[:500]


class Clips:
    """Clients that request one clip after another over new connections and never retry."""

    def __init__(self, proxy):
        self.proxy, self.made, self.failed = proxy, 0, []
        self.changed, self.is_over = threading.Condition(), False
        self.threads = [threading.Thread(target=self.ask) for _ in range(CLIENTS)]

    def ask(self):
        connection = self.proxy.connect()
        while not self.is_over:
            try:
                response = self.proxy.post(connection, SENTENCE)
                said = response.read()
                failed = [] if response.status == 200 else [(response.status, said)]
            except (OSError, http.client.HTTPException) as error:
                failed = [repr(error)]
                connection.close()
            with self.changed:
                self.made += 1
                self.failed += failed
                self.changed.notify_all()
        connection.close()

    def wait_for(self, more, may_fail=0):
        with self.changed:
            wanted = self.made + more
            assert self.changed.wait_for(lambda: self.made >= wanted or len(self.failed) > may_fail, 60), "no more clips arrive"
            assert len(self.failed) <= may_fail, self.failed[may_fail]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()


async def a_turn(stream, has_begun, go_on):
    """Speaks a turn whose text ends only after its server has been stopped. Returns whether the shutdown was announced
    and whether the turn was complete.
    """
    is_announced, ending, sound = False, None, 0
    # no pacing: the server sends as fast as the client reads
    await stream.send(json.dumps({"type": "config", "max_lead_ms": 0}))
    await stream.send(json.dumps({"text": SENTENCE, "turn_id": "a"}))
    try:
        async for message in stream:
            if isinstance(message, bytes):
                sound += len(message)
                if ending is None:
                    has_begun.set()
                    ending = asyncio.create_task(finish(stream, go_on))
                continue
            event = json.loads(message)
            is_announced |= event["type"] == "closing"
            if event["type"] in ("turn.done", "turn.failed", "turn.cancelled"):
                return is_announced, event["type"] == "turn.done" and sound > 2 * 48_000
    except websockets.ConnectionClosedError:
        pass
    finally:
        if ending:
            ending.cancel()
    return is_announced, False


async def finish(stream, go_on):
    await go_on.wait()
    await stream.send(json.dumps({"text": SENTENCE, "turn_id": "a", "final": True}))


@contextlib.asynccontextmanager
async def conversations(proxy, nodes):
    """Opens turns that end when they are released; yields them and the number on each server."""
    async with contextlib.AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(proxy.converse()) for _ in range(CONVERSATIONS)]
        begun, go_on = [asyncio.Event() for _ in streams], asyncio.Event()
        turns = [asyncio.create_task(a_turn(stream, event, go_on)) for stream, event in zip(streams, begun)]
        for turn in turns:
            stack.callback(turn.cancel)
        await asyncio.gather(*(event.wait() for event in begun))
        spread = [int(node.metric("shruti_streams")) for node in nodes]
        assert min(spread) > 0, f"conversations are not spread: {spread}"
        yield turns, spread, go_on


async def stop_one(proxy, nodes, checks):
    """Stops the first server under load; the proxy detects the shutdown after `checks` health checks.

    Returns the number of conversations on the server, of clips made in the meantime, and of requests that it refused.
    """
    seen = lambda: re.search(r'path="/readyz",status="503"} (\d+)', nodes[0].metrics())
    stopped = nodes[0].process
    async with conversations(proxy, nodes) as (turns, spread, go_on):
        with Clips(proxy) as clips:
            await asyncio.to_thread(clips.wait_for, CLIENTS)
            before = clips.made
            stopped.terminate()
            await asyncio.to_thread(clips.wait_for, CLIPS_WHILE_STOPPING)
            await asyncio.to_thread(wait_until, lambda: not checks or (seen() and int(seen()[1]) >= checks), stopped,
                                    lambda: "the server did not wait for its conversations")
            assert stopped.poll() is None, "the server did not wait for its conversations"
            go_on.set()
            ended = await asyncio.gather(*turns)
            assert sum(is_announced for is_announced, _ in ended) == spread[0], f"{ended}, of {spread}"
            assert all(is_whole for _, is_whole in ended), f"a turn was not complete: {ended}"
            assert await asyncio.to_thread(stopped.wait, 40) == 0, "the server did not exit with status 0"
            await asyncio.to_thread(clips.wait_for, CLIPS_AFTERWARDS)
            refused = text_of(nodes[0].log).count('code="draining"')
            await asyncio.to_thread(nodes[0].start)
            await asyncio.to_thread(wait_until, lambda: 'path="/v1/tts",status="200"' in nodes[0].metrics(), nodes[0].process,
                                    lambda: "the restarted server gets no requests")
    return spread[0], clips.made - before, refused


async def kill_one(proxy, nodes):
    """Kills the first server under load, and checks that only conversations and clips on it are lost. Returns their
    numbers.
    """
    async with conversations(proxy, nodes) as (turns, spread, go_on):
        with Clips(proxy) as clips:
            await asyncio.to_thread(clips.wait_for, CLIENTS)
            nodes[0].process.kill()
            # each client may have been receiving a clip from the killed server
            await asyncio.to_thread(clips.wait_for, CLIPS_AFTERWARDS, CLIENTS)
            go_on.set()
            ended = await asyncio.gather(*turns)
            assert sum(not is_whole for _, is_whole in ended) == spread[0], f"{ended}, of {spread}"
    return spread[0], len(clips.failed)


@contextlib.contextmanager
def before(nodes, configure, folder, key, **arguments):
    """Runs a proxy in front of servers; yields the view of a client and the port for plain HTTP. Prints all logs if a
    check fails.
    """
    process = None
    try:
        for node in nodes:
            node.start()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                        "-addext", f"subjectAltName=DNS:localhost,DNS:{PACK_HOST}", "-keyout", f"{folder}/c.key", "-out", f"{folder}/c.pem"],
                       check=True, capture_output=True)
        pathlib.Path(folder, "both.pem").write_text(text_of(f"{folder}/c.pem") + text_of(f"{folder}/c.key"), "utf-8")
        # both Python clients trust the certificate through this variable
        os.environ["SSL_CERT_FILE"] = f"{folder}/c.pem"
        port, plain = free_port(), free_port()
        with open(f"{folder}/proxy.log", "wb") as log:
            process = subprocess.Popen(configure(folder, port, plain, nodes, **arguments), stdout=log, stderr=log)
        proxy = Proxy(port, key, f"{folder}/c.pem")

        def is_up():
            try:
                return proxy.get("/readyz")[0] == 200
            except OSError:
                return False

        wait_until(is_up, process, lambda: text_of(f"{folder}/proxy.log"))
        yield proxy, plain
    except BaseException:
        for path in [f"{folder}/proxy.log", f"{folder}/nginx.log", *(node.log for node in nodes)]:
            if os.path.exists(path):
                print(f"-- {path}", *text_of(path).splitlines()[-15:], sep="\n", file=sys.stderr)
        raise
    finally:
        for one in filter(None, (process, *(node.process for node in nodes))):
            end(one)


async def a_turn_of_a_pool(proxy):
    """Speaks a turn with the pack's voice through the host name of the pool."""
    port = int(proxy.host.rsplit(":", 1)[1])
    connect = websockets.connect(f"wss://{PACK_HOST}:{port}/v1/tts/stream", host="127.0.0.1", port=port, ssl=proxy.context,
                                 additional_headers=proxy.headers)
    async with connect as stream:
        await stream.send(json.dumps({"text": SENTENCE, "voice": PACK_VOICE, "turn_id": "a", "final": True}))
        async for message in stream:
            event = {} if isinstance(message, bytes) else json.loads(message)
            assert event.get("type") not in ("error", "turn.failed"), event
            if event.get("type") == "turn.done":
                return
    raise SystemExit("the conversation ended before its turn")


def is_settled(folder):
    """Returns whether HAProxy knows which servers have the pack; nginx has it in its configuration."""
    path = f"{folder}/admin.sock"
    if not os.path.exists(path):
        return True
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(path)
        asked.sendall(b"show stat\n")
        told = b"".join(iter(lambda: asked.recv(65536), b"")).decode()
    rows = csv.DictReader(told.removeprefix("# ").splitlines())
    return [row["status"] for row in rows if row["pxname"] == "shruti-te" and row["svname"] != "BACKEND"] == ["UP", "DOWN", "DOWN"]


def check_pools(name, configure, folder, binary, random_pack, database, key):
    """Checks that requests for the host of the one server with a pack go to that server for any voice, and other
    requests to all servers.
    """
    os.makedirs(folder)
    nodes = [Server(binary, "--database", database, "--trust-proxy", folder=f"{folder}/{number}", port=free_port()) for number in (1, 2, 3)]
    subprocess.run([random_pack, f"{nodes[0].folder}/data", "small"], check=True, stdout=subprocess.DEVNULL)
    with before(nodes, configure, folder, key, has_pools=True) as (proxy, _):
        def clip(host):
            with contextlib.closing(proxy.connect()) as connection:
                connection.request("POST", "/v1/tts", json.dumps({"text": SENTENCE, "voice": PACK_VOICE}),
                                   proxy.headers | {"content-type": "application/json", "host": host})
                response = connection.getresponse()
                return response.status, response.read()

        ready = [answers(f"http://{node.host}/readyz?pack={PACK}") for node in nodes]
        assert ready == [True, False, False], ready
        wait_until(lambda: is_settled(folder), nodes[0].process, lambda: "HAProxy does not detect which servers have the pack")
        of_pool = [clip(PACK_HOST) for _ in range(CLIPS_OF_A_POOL)]
        assert all(status == 200 for status, _ in of_pool), [said for status, said in of_pool if status != 200]
        assert len({said for _, said in of_pool}) == 1, "the same text has different audio"
        asyncio.run(a_turn_of_a_pool(proxy))
        of_all = [clip("speech.example") for _ in range(CLIPS_OF_A_POOL)]
        unknown = [said for status, said in of_all if status == 400 and json.loads(said)["error"]["code"] == "unknown_voice"]
        assert unknown, "every server has the pack, or the host is ignored"
        nodes[0].process.kill()
        nodes[0].process.wait()
        status, said = next(answer for answer in (clip(PACK_HOST) for _ in itertools.count()) if answer[0] not in (502, 504))
        assert status == 503 and json.loads(said)["error"]["code"] == "overloaded", (status, said)
        assert clip("speech.example")[0] == 400, "the other servers are unavailable, too"
    print(f"{name}: one of three servers has a pack: {len(of_pool)} clips and a conversation to its host reached it, of {len(of_all)} to the other host "
          f"{len(unknown)} went to servers without it")


def check(name, configure, checks, folder, binary, database, key):
    os.makedirs(folder)
    flags = ["--database", database, "--trust-proxy", f"--max-streams={MAX_STREAMS}", "--log", "info,shruti_server=debug"]
    nodes = [Server(binary, *flags, folder=f"{folder}/{number}", port=free_port()) for number in (1, 2, 3)]
    with before(nodes, configure, folder, key) as (proxy, plain):
        times = clips_by_curl(proxy, folder)
        a_listener_who_stops(proxy, nodes)
        asyncio.run(heard_before_the_end(proxy))
        asyncio.run(with_the_python_client(proxy))
        asyncio.run(when_all_are_full(proxy, nodes))

        with contextlib.closing(proxy.connect()) as connection:
            proxy.post(connection, "hello", x_forwarded_for="203.0.113.9", forwarded="for=203.0.113.9").read()
        logs = "".join(text_of(node.log) for node in nodes)
        assert "client=127.0.0.1" in logs and "203.0.113.9" not in logs, "the server trusts the address that a client claims"
        assert proxy.get("/metrics")[0] == 404, "/metrics is open to everybody"
        redirected = subprocess.run(["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}", f"http://localhost:{plain}/docs"],
                                    check=True, capture_output=True, text=True).stdout
        assert redirected.startswith("308 https://localhost"), redirected

        held, clips, refused = asyncio.run(stop_one(proxy, nodes, checks))
        lost, cut = asyncio.run(kill_one(proxy, nodes))

        for node in nodes:
            end(node.process)
        status, headers, body = next(answer for answer in (proxy.get("/readyz") for _ in itertools.count()) if answer[0] != 502)
        assert (status, headers["retry-after"]) == (503, "1"), (status, body)
        assert json.loads(body)["error"]["code"] == "overloaded"
        told = ", ".join(f"HTTP/{version} {first * 1000:.1f} and {last * 1000:.0f} ms" for version, (first, last) in times.items())
        print(f"{name}: first and last byte of a clip of 5,000 characters: {told}; one of three servers stopped: its {held} conversations of "
              f"{CONVERSATIONS} were completed, {clips} clips in the meantime without a failure, although it refused {refused}; killed: {lost} conversations and {cut} clips lost, no others")


def main():
    binary = os.path.realpath(sys.argv[1])
    random_pack = os.path.realpath(sys.argv[2]) if len(sys.argv) > 2 else None
    missing = [program for program in ("haproxy", "nginx", "curl", "openssl") if not shutil.which(program)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}")
    # the folder is in /tmp itself, because the socket paths of HAProxy and PostgreSQL must be short
    with tempfile.TemporaryDirectory(prefix="shruti-proxies-", dir="/tmp") as folder, Postgres() as postgres:
        key = migrate(binary, postgres.url, f"{folder}/data")
        # three failed health checks are awaited: HAProxy removes a server after two, and the third confirms this. nginx
        # does not check servers
        for name, configure, checks in (("haproxy", haproxy, 3), ("nginx", nginx, 0)):
            check(name, configure, checks, f"{folder}/{name}", binary, postgres.url, key)
            if random_pack:
                check_pools(name, configure, f"{folder}/{name}-pools", binary, random_pack, postgres.url, key)


main()
