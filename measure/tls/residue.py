#!/usr/bin/env python3
"""Measures the audio that a slow reader still receives after a cancel, without TLS and with it in the same run.

A client with a small receive buffer requests audio without pacing (`max_lead_ms` 0), reads 4 KiB every 20 ms for two
seconds, sends a cancel, then reads on. The audio before `turn.cancelled` was in the buffers of the server's process and
of both kernels.

usage: residue.py target/release/shruti [--rounds 10]
"""
import argparse
import json
import os
import socket
import ssl
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../stream"))
from serving import say, serving, upgrade  # noqa: E402

TEXT = "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा। " * 90


def frames(data):
    """Returns the complete frames at the start of the data as opcode and payload, and their length in bytes."""
    found, at = [], 0
    while len(data) >= at + 4:
        size, head = data[at + 1] & 127, 2
        if size == 126:
            size, head = int.from_bytes(data[at + 2:at + 4], "big"), 4
        if len(data) < at + head + size:
            break
        found.append((data[at] & 15, data[at + head:at + head + size]))
        at += head + size
    return found, at


def residue(port, key, certificate):
    """Returns the milliseconds of audio between the cancel and its response, and the response time in milliseconds."""
    tcp = socket.socket()
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    tcp.connect(("127.0.0.1", port))
    stream = tcp
    if certificate:
        stream = ssl.create_default_context(cafile=certificate).wrap_socket(tcp, server_hostname="localhost")
    stream.sendall(upgrade(key))
    data = b""
    while b"\r\n\r\n" not in data:
        data += stream.recv(4096)
    data = data.split(b"\r\n\r\n", 1)[1]
    stream.sendall(say(type="config", max_lead_ms=0) + say(text=TEXT, turn_id="a", final=True))
    for _ in range(100):
        data += stream.recv(4096)
        data = data[frames(data)[1]:]
        time.sleep(0.02)
    stream.sendall(say(type="cancel", turn_id="a"))
    asked, sound = time.perf_counter(), 0
    while True:
        found, used = frames(data)
        data = data[used:]
        for kind, payload in found:
            if kind == 2:
                sound += len(payload)
            elif kind == 1 and json.loads(payload)["type"] == "turn.cancelled":
                stream.close()
                return sound / 48, (time.perf_counter() - asked) * 1000
        data += stream.recv(65536)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    for name, flags in (("plain", []), ("TLS", ["--tls-self-signed"])):
        with serving(arguments.binary, *flags) as server:
            certificate = f"{server.data_dir}/self-signed.pem" if flags else None
            rounds = [residue(server.port, server.key, certificate) for _ in range(arguments.rounds)]
        sounds, waits = zip(*rounds)
        print(f"{name:5} residue p50 {statistics.median(sounds):6.0f} ms of sound, most {max(sounds):6.0f}; answer p50 {statistics.median(waits):5.2f} ms, most {max(waits):5.2f}")


main()
