"""A release binary that serves while it is measured, and raw WebSocket frames for clients by the thousand."""
import argparse
import json
import os
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../checks/attack"))
import server  # noqa: E402

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def arguments(doc, connections):
    """What the command line says of a measurement with so many connections, and files for all of them."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--connections", type=int, default=connections)
    given = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < given.connections + 100:
        raise SystemExit(f"no more than {hard} files may be open")
    return given


def serving(binary):
    """A server (`checks/attack/server.py`) with room for all that is measured."""
    return server.running(binary, "--max-streams", "20000")


def upgrade(key):
    return (f"GET /v1/tts/stream HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
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
