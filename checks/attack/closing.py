#!/usr/bin/env python3
"""Checks that conversations end cleanly for third-party clients: each must receive a close code other than 1006.

The clients are Python's `websockets` and `aiohttp`, Node's `ws`, the WebSocket of headless Chromium (closing.mjs runs
in both), and curl, which requests two clips over one connection. A close that takes two seconds has run into the
server's time limit and fails.

usage: closing.py target/release/shruti [--without-browser]
needs: the packages that checks/clients/run.sh installs (its .venv runs this, its node_modules has `ws`), curl, chromium
exit status: 0 if all cases passed
"""

import argparse
import asyncio
import functools
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import aiohttp
import websockets

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402

PATIENCE_S = 60
BOUND_MS = 1900
HERE = pathlib.Path(__file__).parent
PAGE = """<!doctype html><title>closing</title><script type="module">
import { tryAll } from "/closing.mjs";
const open = async () => {
  const { url, token } = await (await fetch("/token")).json();
  return () => new WebSocket(`${url}?token=${token}`);
};
await fetch("/results", { method: "POST", body: JSON.stringify(await tryAll(open).catch((error) => `${error}`)) });
</script>"""
TEXT = json.dumps({"text": "This is being said when the end comes. " * 40, "turn_id": "t", "max_lead_ms": 0})


def came(expected, code, begun, clean=True):
    return {"expected": expected, "code": code, "wasClean": clean, "ms": (time.perf_counter() - begun) * 1000}


async def by_websockets(url, key):
    def open_():
        # by default, the library stops reading once 16 frames are queued for the program, and then never receives the
        # reply to its own Close frame
        return websockets.connect(url, additional_headers={"Authorization": f"Bearer {key}"}, max_size=None, max_queue=None)

    async def to_the_end(socket):
        try:
            while True:
                await socket.recv()
        except websockets.ConnectionClosed:
            return socket.close_code

    found = {}
    for name, expected, code in (
        ("the client closes", 1000, 1000),
        ("the client closes with a custom code", 4000, 4000),
    ):
        async with open_() as socket:
            await socket.recv()
            begun = time.perf_counter()
            await socket.close(code)
            found[name] = came(expected, socket.close_code, begun)
    async with open_() as socket:
        await socket.recv()
        await socket.send(TEXT)
        while isinstance(await socket.recv(), str):
            pass
        begun = time.perf_counter()
        await socket.close(1000)
        found["the client closes during audio"] = came(1000, socket.close_code, begun)
    for name, message, expected in (
        ("the client requests the close", '{"type":"close"}', 1000),
        ("the server refuses binary", b"x", 1003),
        ("the server refuses an oversized message", " " * 70_000, 1009),
    ):
        async with open_() as socket:
            await socket.recv()
            begun = time.perf_counter()
            await socket.send(message)
            found[name] = came(expected, await to_the_end(socket), begun)
    return found


async def by_aiohttp(url, key):
    found = {}
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {key}"}) as session:
        for name, expected, code in (
            ("the client closes", 1000, 1000),
            ("the client closes with a custom code", 4000, 4000),
        ):
            async with session.ws_connect(url, autoclose=False) as socket:
                await socket.receive()
                begun = time.perf_counter()
                await socket.close(code=code)
                found[name] = came(expected, socket.close_code, begun)
        async with session.ws_connect(url) as socket:
            await socket.receive()
            await socket.send_str(TEXT)
            while (await socket.receive()).type == aiohttp.WSMsgType.TEXT:
                pass
            begun = time.perf_counter()
            await socket.close(code=1000)
            found["the client closes during audio"] = came(1000, socket.close_code, begun)
        for name, message, expected in (
            ("the client requests the close", '{"type":"close"}', 1000),
            ("the server refuses binary", b"x", 1003),
            ("the server refuses an oversized message", " " * 70_000, 1009),
        ):
            async with session.ws_connect(url) as socket:
                await socket.receive()
                begun = time.perf_counter()
                await (socket.send_bytes if isinstance(message, bytes) else socket.send_str)(message)
                while (await socket.receive()).type not in (
                    aiohttp.WSMsgType.CLOSE,
                    aiohttp.WSMsgType.CLOSED,
                    aiohttp.WSMsgType.ERROR,
                ):
                    pass
                found[name] = came(expected, socket.close_code, begun)
    return found


def by_ws(url, key):
    said = subprocess.run(["node", HERE / "closing.mjs", url, key], capture_output=True, text=True, timeout=PATIENCE_S)
    if said.returncode:
        raise RuntimeError(said.stderr)
    return json.loads(said.stdout)


def by_curl(running):
    """Requests two clips over one connection."""
    clip = [
        "-sS",
        "--fail-with-body",
        "-o",
        "/dev/null",
        "-H",
        f"Authorization: Bearer {running.key}",
        "-H",
        "content-type: application/json",
        "-d",
        '{"text":"Hello there."}',
        "-w",
        "%{http_code} %{num_connects}\n",
        f"{running.url}/v1/tts",
    ]
    begun = time.perf_counter()
    said = subprocess.run(["curl", *clip, "--next", *clip], capture_output=True, text=True, timeout=PATIENCE_S)
    return {
        "two clips over one connection": came(
            [0, "200 1", "200 0"], [said.returncode, *said.stdout.split("\n")[:-1]], begun
        )
    }


class Pages(http.server.BaseHTTPRequestHandler):
    """Serves the page and its tokens to the browser and receives the results."""

    def __init__(self, results, running, *arguments):
        self.results, self.running = results, running
        super().__init__(*arguments)

    def answer(self, content, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        if self.path == "/token":
            asked = urllib.request.Request(
                f"{self.running.url}/v1/tokens",
                method="POST",
                headers={"authorization": f"Bearer {self.results['key']}"},
            )
            with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:
                token = json.load(answer)["token"]
            url = self.running.url.replace("http", "ws", 1) + "/v1/tts/stream"
            self.answer(json.dumps({"url": url, "token": token}).encode(), "application/json")
        elif self.path == "/closing.mjs":
            self.answer((HERE / "closing.mjs").read_bytes(), "text/javascript")
        else:
            self.answer(PAGE.encode(), "text/html")

    def do_POST(self):
        self.results["came"] = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.answer(b"", "text/plain")
        self.results["done"].set()

    def log_message(self, *_):
        pass


def by_chromium(binary, running):
    results = {"done": threading.Event()}
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Pages, results, running))
    origin = f"http://127.0.0.1:{pages.server_address[1]}"
    made = subprocess.run(
        [binary, "keys", "create", "--data-dir", running.data_dir, "--name", "page", "--origin", origin],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    results["key"] = made.stdout.strip()
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        chromium = subprocess.Popen(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                f"--user-data-dir={profile}",
                f"{origin}/",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            if not results["done"].wait(PATIENCE_S):
                raise RuntimeError("the page reported nothing")
        finally:
            os.killpg(chromium.pid, signal.SIGKILL)
            chromium.wait()
            pages.shutdown()
    if isinstance(results["came"], str):
        raise RuntimeError(results["came"])
    return results["came"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--without-browser", action="store_true")
    arguments = parser.parse_args()
    binary, failed = os.path.abspath(arguments.binary), 0
    with harness.running(binary) as running:
        url = running.url.replace("http", "ws", 1) + "/v1/tts/stream"
        clients = {
            "websockets": lambda: asyncio.run(asyncio.wait_for(by_websockets(url, running.key), PATIENCE_S)),
            "aiohttp": lambda: asyncio.run(asyncio.wait_for(by_aiohttp(url, running.key), PATIENCE_S)),
            "ws": lambda: by_ws(url, running.key),
            "curl": lambda: by_curl(running),
            "chromium": lambda: by_chromium(binary, running),
        }
        if arguments.without_browser:
            del clients["chromium"]
        for client, play in clients.items():
            try:
                found = play()
            except Exception as error:  # any error means that this client failed
                print(f"{client:11} FAILED: {type(error).__name__}: {error}")
                failed += 1
                continue
            for name, what in found.items():
                held = what["code"] == what["expected"] and what.get("wasClean", True) and what["ms"] < BOUND_MS
                failed += not held
                print(
                    f"{client:11} {name:46} {what['code']!s:18} {what.get('ms', 0):7.1f} ms  {'held' if held else 'FAILED, expected ' + str(what['expected'])}"
                )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
