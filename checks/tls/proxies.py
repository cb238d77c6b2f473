#!/usr/bin/env python3
"""Runs the snippets of docs/deploy.md in real proxies in front of a server: nginx and Caddy, if they are installed.

Checks through each: a clip over HTTP/1.1 streams, a conversation can be interrupted, the browser's own origin is
accepted with the right scheme and refused with the wrong one, and the server's log has the address of the client.

usage: proxies.py target/release/shruti
needs: pip install websockets; nginx or caddy; openssl
"""
import asyncio
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

import websockets

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import free_port, running, text_of, wait_until  # noqa: E402

TEXT = "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा। " * 90
DOCUMENT = os.path.join(os.path.dirname(__file__), "../../docs/deploy.md")


def snippet(language):
    with open(DOCUMENT, encoding="utf-8") as document:
        return re.search(rf"```{language}\n(.*?)```", document.read(), re.S)[1]


def swap(text, *pairs):
    for old, new in pairs:
        assert old in text, f"the snippet no longer has {old}"
        text = text.replace(old, new)
    return text


def nginx(folder, port, server):
    text = swap(snippet("nginx"), ("443", str(port)), ("127.0.0.1:8080", server), ("speech.example;", "localhost;"),
                ("/etc/ssl/speech.example/fullchain.pem", f"{folder}/c.pem"), ("/etc/ssl/speech.example/privkey.pem", f"{folder}/c.key"))
    path = f"{folder}/nginx.conf"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"daemon off; error_log {folder}/nginx.log; pid {folder}/nginx.pid; events {{}}\n"
                   f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;"
                   f" uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n{text} }}\n")
    return ["nginx", "-c", path, "-p", folder]


def caddy(folder, port, server):
    text = swap(snippet("caddy"), ("speech.example {", f"https://localhost:{port} {{\n    tls {folder}/c.pem {folder}/c.key"), ("127.0.0.1:8080", server))
    path = f"{folder}/Caddyfile"
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n    auto_https off\n    admin off\n}\n" + text)
    return ["caddy", "run", "--config", path, "--adapter", "caddyfile"]


def post(context, port, key, text, **headers):
    connection = http.client.HTTPSConnection("localhost", port, context=context)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    headers |= {"authorization": f"Bearer {key}", "content-type": "application/json"}
    begun = time.perf_counter()
    connection.request("POST", "/v1/tts", json.dumps({"text": text}), headers)
    response = connection.getresponse()
    first = response.read1(4096)
    to_first = time.perf_counter() - begun
    rest = response.read()
    return response.status, first + rest, to_first, time.perf_counter() - begun


async def converse(context, port, key):
    url = f"wss://localhost:{port}/v1/tts/stream"
    async with websockets.connect(url, ssl=context, additional_headers={"authorization": f"Bearer {key}"}) as stream:
        await stream.send(json.dumps({"text": TEXT, "turn_id": "a", "final": True}))
        sound, asked = 0, None
        async for message in stream:
            if isinstance(message, bytes):
                sound += len(message)
                if sound > 24_000 and asked is None:
                    asked = time.perf_counter()
                    await stream.send(json.dumps({"type": "cancel", "turn_id": "a"}))
            elif json.loads(message)["type"] == "turn.cancelled":
                return sound / 48_000, time.perf_counter() - asked


def check(name, configure, folder, server):
    port, log = free_port(), f"{folder}/proxy.log"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{folder}/c.key", "-out", f"{folder}/c.pem"],
                   check=True, capture_output=True)
    with open(log, "wb") as file:
        proxy = subprocess.Popen(configure(folder, port, server.host), stdout=subprocess.DEVNULL, stderr=file)
    try:
        wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, proxy, lambda: text_of(log))
        context = ssl.create_default_context(cafile=f"{folder}/c.pem")
        own = f"https://localhost:{port}"
        status, samples, first, whole = post(context, port, server.key, TEXT, x_forwarded_for="203.0.113.9")
        assert status == 200 and len(samples) > 10_000_000, (status, len(samples))
        assert first < whole / 3, f"the clip was not streamed: {first:.3f} of {whole:.3f} s"
        assert post(context, port, server.key, "hello", origin=own)[0] == 200, "the server's own page is refused"
        assert post(context, port, server.key, "hello", origin=own.replace("https", "http"))[0] == 403, "the scheme is not forwarded"
        sound, answered = asyncio.run(converse(context, port, server.key))
        http2 = subprocess.run(["curl", "-sS", "--cacert", f"{folder}/c.pem", "--http2", f"{own}/healthz", "-w", "%{http_version}"],
                               check=True, capture_output=True, text=True).stdout
        assert http2 == '{"status":"ok"}2', http2
        client = "203.0.113.9" if name == "nginx" else "127.0.0.1"  # Caddy replaces received addresses
        assert re.search(rf"client.{{0,12}}{client}", server.log_text()), "the log does not show the client"
        print(f"{name}: first bytes of a clip of {len(samples) / 48_000:.0f} s after {first * 1000:.1f} ms, the last after {whole * 1000:.0f} ms; "
              f"a cancel answered after {answered * 1000:.1f} ms and {sound:.2f} s of sound; scheme and address are known")
    finally:
        proxy.terminate()
        proxy.wait()


def main():
    binary = os.path.realpath(sys.argv[1])
    checked = 0
    for name, configure in (("nginx", nginx), ("caddy", caddy)):
        if not shutil.which(name):
            print(f"{name}: not installed, skipped")
            continue
        # at this level, the log has a line for each request
        flags = ["--trust-proxy", "--log", "info,shruti_server=debug"]
        with tempfile.TemporaryDirectory() as folder, running(binary, *flags) as server:
            check(name, configure, folder, server)
        checked += 1
    sys.exit(0 if checked else "neither nginx nor caddy is installed")


main()
