"""Tests thousands of clients that send requests and do not finish: clients that never open their flow-control window,
and clients that send incomplete headers, frames and bodies. Measures the memory, also under a limit of 256 MB.

usage: python3 checks/attack/readers.py target/release/shruti
"""

import contextlib
import http.client
import resource
import socket
import struct
import time

import cases
import harness

MOST_RESIDENT_MIB = 200
MOST_KEPT_MIB = 130
LIMIT = 256 << 20

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, SETTINGS = 1, 4
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE = 4


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + struct.pack(">BBI", kind, flags, stream) + payload


def get(stream, path):
    """Returns a GET over HTTP/2; the numbers are those of HPACK's static table (RFC 7541, appendix A)."""
    literal = [(4, path.encode()), (1, b"localhost")]
    fields = b"\x82\x86" + b"".join(bytes([name, len(value)]) + value for name, value in literal)
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, fields)


def reader_without_window(path, streams=250):
    settings = frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, 0))
    return PREFACE + settings + b"".join(get(1 + 2 * i, path) for i in range(streams))


HALF_HEAD = b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 15_800
HALF_FRAME = PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, b"\0" * 16_000)[:-1]


def half_body(s):
    host = f"{s.address[0]}:{s.address[1]}"
    return (
        f"POST /studio/api/sign-in HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\nx-studio: 1\r\n"
        f"content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n10000\r\n"
    ).encode() + b" " * 65_000


def begin(s, stack, count, sent):
    """Opens connections from enough loopback addresses for the rate limits, and sends the same data on each."""
    open_ = 0
    for i in range(count):
        connection = stack.enter_context(socket.socket())
        connection.settimeout(10)
        with contextlib.suppress(OSError):
            connection.bind((f"127.1.{i // 250 % 250}.{1 + i % 250}", 0))
            connection.connect(s.address)
            connection.sendall(sent)
            open_ += 1
    return open_


def attack(s, table, name, count, sent):
    before = s.rss_kib() / 1024
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        open_ = begin(s, stack, count, sent)
        took = time.monotonic() - began
        if not s.is_running():
            table.note(name, False, f"the server exited; {open_} connections, {took:.1f} s")
            return
        # meanwhile, the server must serve other clients
        status = None
        with contextlib.suppress(OSError, http.client.HTTPException):
            status = cases.speak(s)[0]
        during = s.rss_kib() / 1024
    # idle threads do not return memory, so requests wake them
    cases.until(lambda: cases.is_ready(s) and s.rss_kib() / 1024 < MOST_KEPT_MIB, 10)
    after, peak = s.rss_kib() / 1024, s.peak_kib() / 1024
    ok = status == 200 and peak < MOST_RESIDENT_MIB and after < MOST_KEPT_MIB
    told = f"{before:.0f} → {during:.0f} (peak {peak:.0f}) → {after:.0f} MiB; {open_} connections, {took:.1f} s"
    table.note(name, ok, told)


def attacks(s):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200
    return [
        ("1,000 × 250 documents without a window", min(1_000, most), reader_without_window("/openapi.json")),
        ("100 × 100 searches without a window", 100, reader_without_window("/docs/search?q=voice", 100)),
        ("6,000 half request heads of 15.8 KiB", min(6_000, most), HALF_HEAD),
        ("6,000 half HTTP/2 frames of 16 KB", min(6_000, most), HALF_FRAME),
        ("2,000 half bodies of 65 KB", min(2_000, most), half_body(s)),
    ]


def main():
    binary = cases.binary("readers.py")
    table = cases.Cases("clients that do not finish")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with harness.running(binary) as s:
        count = len(attacks(s))
    for i in range(count):
        with harness.running(binary, SHRUTI_LOG="warn,shruti=info") as s:
            attack(s, table, *attacks(s)[i])
    with harness.running(binary) as s, harness.limited(s, LIMIT) as by:
        if by is None:
            table.skip("under 256 MiB", "cannot create a cgroup with a memory controller: run it as root")
        else:
            for name, *how in attacks(s):
                if s.is_running():
                    attack(s, table, f"{name}, under 256 MiB", *how)
    table.end()


if __name__ == "__main__":
    main()
