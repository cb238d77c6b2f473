"""A release binary that serves while it is measured, and raw WebSocket frames for clients by the thousand."""
import contextlib
import json
import os
import re
import subprocess
import tempfile
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Server:
    """A running server: its address, its key, and its process."""

    def __init__(self, binary, folder):
        self.log = os.path.join(folder, "log")
        command = [binary, "serve", "--listen", "127.0.0.1:0", "--data-dir", os.path.join(folder, "data"), "--max-streams", "20000"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self.key = next(line.strip() for line in self.process.stdout if re.fullmatch(r"sk_\w+\s*", line))
        while not (found := re.search(r"address=([\d.]+):(\d+)", open(self.log, encoding="utf-8").read())):
            time.sleep(0.01)
        self.host, self.port = found[1], int(found[2])

    def rss_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return int(re.search(r"VmRSS:\s*(\d+) kB", status.read())[1])


@contextlib.contextmanager
def serving(binary):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(binary, folder)
        try:
            yield server
        finally:
            server.process.kill()
            server.process.wait()


def upgrade(key):
    return (f"GET /v1/tts/stream HTTP/1.1\r\nhost: measure\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
            f"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nauthorization: Bearer {key}\r\n\r\n").encode()


def frame(kind, payload=b""):
    """A client's frame, under a mask of zeros."""
    size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
    return bytes([0x80 | kind]) + size + bytes(4) + payload


def say(**message):
    return frame(TEXT, json.dumps(message).encode())


async def read_frame(reader):
    """The kind and the payload of the next frame; pings are not answered here."""
    kind, size = await reader.readexactly(2)
    if size == 126:
        size = int.from_bytes(await reader.readexactly(2), "big")
    return kind & 15, await reader.readexactly(size)
