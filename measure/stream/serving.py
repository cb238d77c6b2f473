"""A server to measure, and raw WebSocket frames for thousands of clients."""
import argparse
import json
import os
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../checks"))
from harness import running  # noqa: E402

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def arguments(doc, connections):
    """Parses the command line and raises the limit of open files for the connections; `connections` is the default
    number.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--connections", type=int, default=connections)
    given = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < given.connections + 100:
        raise SystemExit(f"the limit on open files is {hard}; at least {given.connections + 100} are needed")
    return given


def serving(binary, *flags):
    """Returns a running server with a stream limit above any measured load."""
    return running(binary, "--max-streams", "20000", *flags)


def upgrade(key):
    return (f"GET /v1/tts/stream HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
            f"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nauthorization: Bearer {key}\r\n\r\n").encode()


def frame(kind, payload=b""):
    """Returns a client frame with a mask of zeros."""
    size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
    return bytes([0x80 | kind]) + size + bytes(4) + payload


def say(**message):
    return frame(TEXT, json.dumps(message).encode())


async def read_frame(reader):
    """Returns the opcode and the payload of the next frame; does not respond to pings."""
    kind, size = await reader.readexactly(2)
    if size == 126:
        size = int.from_bytes(await reader.readexactly(2), "big")
    return kind & 15, await reader.readexactly(size)
