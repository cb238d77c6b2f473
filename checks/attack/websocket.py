#!/usr/bin/env python3
"""RFC 6455 over raw sockets: hostile and faulty messages to `/v1/tts/stream`, and the required reactions.

The cases follow groups 2 to 7 of Autobahn's suite, as far as they apply to a server that accepts JSON text and no
binary messages: 2 pings and pongs, 3 reserved bits, 4 opcodes, 5 fragmentation, 6 UTF-8, 7 closes. Each case has its
own connection. A case lists what must follow, in order: responses to `{"type": "ping"}`, pongs, and the code of the
server's Close frame. After a Close frame, the TCP connection must end within two seconds.

usage: websocket.py target/release/shruti [--verbose]
exit status: 0 if all cases passed
"""

import argparse
import json
import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402

PATIENCE_S = 10
# the server's timeout for the closing handshake, plus a margin for a busy machine, in seconds
CLOSE_S = 2.5
CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
MAX_MESSAGE = 64 * 1024
SHUT = "the connection ends without a Close"


def frame(opcode, payload=b"", fin=True, rsv=0, mask=b"\x37\xfa\x21\x3d", length=None):
    """Returns a client frame. `length` is the size of the length field (7, 16 or 64 bits); If `mask` is None, the frame
    is not masked.
    """
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    size, masked = len(payload), 0x80 if mask is not None else 0
    length = length or (7 if size < 126 else 16 if size < 65536 else 64)
    if length == 7:
        head += bytes([masked | size])
    elif length == 16:
        head += bytes([masked | 126]) + size.to_bytes(2, "big")
    else:
        head += bytes([masked | 127]) + size.to_bytes(8, "big")
    if mask is None:
        return head + payload
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


def ask(name):
    """Returns a ping message; the response contains its `name` as the ID."""
    return json.dumps({"type": "ping", "id": name}, ensure_ascii=False).encode()


def text(name, **how):
    return frame(TEXT, ask(name), **how)


def closing(code=None, reason=b"", **how):
    payload = reason if code is None else code.to_bytes(2, "big") + reason
    return frame(CLOSE, payload, **how)


def in_pieces(payload, size):
    """Returns a text message in frames of the given size."""
    parts = [payload[at : at + size] for at in range(0, len(payload), size)] or [b""]
    last = len(parts) - 1
    return b"".join(frame(CONT if i else TEXT, part, fin=i == last) for i, part in enumerate(parts))


def octets(data, size=1):
    """Splits bytes into packets of the given size."""
    return [data[at : at + size] for at in range(0, len(data), size)]


def cases():
    """Yields the cases: a name, the bytes or packets to send, and what must follow: IDs of pong messages in JSON (str),
    payloads of pong frames (bytes), a close code (int, or -1 for a Close frame without one).
    """
    long_name = "n" * 60
    # 2: pings and pongs
    for size in (0, 1, 4, 124, 125):
        yield f"2 ping of {size} bytes", frame(PING, b"p" * size), [b"p" * size]
    yield "2 ping of non-text bytes", frame(PING, bytes([0, 255, 254, 253, 128])), [
        bytes([0, 255, 254, 253, 128])
    ]
    yield "2 ping of 125 bytes, octet by octet", octets(frame(PING, b"\xfe" * 125)), [b"\xfe" * 125]
    yield "2 ping of 126 bytes", frame(PING, b"p" * 126), [1002]
    yield "2 ping of 65,000 bytes", frame(PING, b"p" * 65_000), [1002]
    yield "2 unsolicited pong", frame(PONG) + text("a"), ["a"]
    yield "2 pong with a payload", frame(PONG, b"hello") + text("a"), ["a"]
    yield "2 pong, then a ping", frame(PONG, b"x") + frame(PING, b"y"), [b"y"]
    yield "2 pong of 126 bytes", frame(PONG, b"p" * 126), [1002]
    yield "2 ten pings", b"".join(frame(PING, b"%d" % i) for i in range(10)), [b"%d" % i for i in range(10)]
    yield "2 ten pings, octet by octet", octets(b"".join(frame(PING, b"%d" % i) for i in range(10))), [
        b"%d" % i for i in range(10)
    ]
    # 3: reserved bits
    for rsv in range(1, 8):
        yield f"3 reserved bits {rsv:03b} on a text", text("a", rsv=rsv), [1002]
        yield f"3 reserved bits {rsv:03b} on a ping", frame(PING, rsv=rsv), [1002]
    yield "3 reserved bits after a valid message", text("a") + text("b", rsv=4) + frame(PING), ["a", 1002]
    yield "3 reserved bits, octet by octet", octets(text("a", rsv=2)), [1002]
    yield "3 reserved bits on a close", closing(1000, rsv=1), [1002]
    yield "3 reserved bits on a continuation", frame(TEXT, b"{", fin=False) + frame(CONT, b"}", rsv=4), [1002]
    # 4: opcodes
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        yield f"4 opcode {opcode}", frame(opcode), [1002]
        yield f"4 opcode {opcode} with a payload, after a message", text("a") + frame(opcode, b"x") + frame(PING), [
            "a",
            1002,
        ]
    yield "4 binary", frame(BINARY, b"\0\1"), [1003]
    yield "4 empty binary", frame(BINARY), [1003]
    yield "4 binary in pieces", frame(BINARY, b"\0", fin=False) + frame(CONT, b"\1"), [1003]
    # 5: framing
    yield "5 not masked", text("a", mask=None), [1002]
    yield "5 not masked, empty", frame(TEXT, mask=None), [1002]
    yield "5 ping not masked", frame(PING, mask=None), [1002]
    yield "5 close not masked", closing(1000, mask=None), [1002]
    yield "5 a mask of zeros", text("a", mask=bytes(4)), ["a"]
    yield "5 a length of 16 bits for a short message", text("a", length=16), ["a"]
    yield "5 a length of 64 bits for a short message", text("a", length=64), ["a"]
    yield "5 a length of 2^63 bytes", b"\x81\xff" + (1 << 63).to_bytes(8, "big") + bytes(4), [1009]
    yield "5 a length of 2^62 bytes", b"\x81\xff" + (1 << 62).to_bytes(8, "big") + bytes(4), [1009]
    yield "5 a message of 64 KiB", frame(TEXT, ask("a").ljust(MAX_MESSAGE)), ["a"]
    yield "5 a message of 64 KiB and a byte", frame(TEXT, ask("a").ljust(MAX_MESSAGE + 1)), [1009]
    yield "5 64 KiB in pieces", in_pieces(ask("a").ljust(MAX_MESSAGE), 1000), ["a"]
    yield "5 64 KiB and a byte in pieces", in_pieces(ask("a").ljust(MAX_MESSAGE + 1), 1000), [1009]
    yield "5 16 MiB", frame(TEXT, b" " * (1 << 24), mask=bytes(4)), [1009]
    # 5: fragmentation
    yield "5 two pieces", in_pieces(ask("a"), 12), ["a"]
    yield "5 two pieces, octet by octet", octets(in_pieces(ask("a"), 12)), ["a"]
    yield "5 pieces of a byte", in_pieces(ask(long_name), 1), [long_name]
    yield "5 empty pieces in between", frame(TEXT, fin=False) + frame(CONT, ask("a"), fin=False) + frame(
        CONT, fin=False
    ) + frame(CONT), ["a"]
    yield "5 a thousand empty pieces", frame(TEXT, ask("a"), fin=False) + frame(CONT, fin=False) * 1000 + frame(CONT), [
        "a"
    ]
    yield "5 a ping between pieces", frame(TEXT, ask("a")[:9], fin=False) + frame(PING, b"p") + frame(
        CONT, ask("a")[9:]
    ), [b"p", "a"]
    yield "5 a pong between pieces", frame(TEXT, ask("a")[:9], fin=False) + frame(PONG, b"p") + frame(
        CONT, ask("a")[9:]
    ), ["a"]
    yield "5 pings between many pieces", frame(TEXT, fin=False) + b"".join(
        frame(PING, b"%d" % i) + frame(CONT, fin=False) for i in range(5)
    ) + frame(CONT, ask("a")), [b"0", b"1", b"2", b"3", b"4", "a"]
    yield "5 incomplete ping", frame(PING, b"p", fin=False), [1002]
    yield "5 fragmented ping", frame(PING, b"p", fin=False) + frame(CONT, b"q"), [1002]
    yield "5 incomplete pong", frame(PONG, b"p", fin=False), [1002]
    yield "5 incomplete close", closing(1000, fin=False), [1002]
    yield "5 a continuation without a message", frame(CONT, ask("a")), [1002]
    yield "5 a continuation without a message, not the last", frame(CONT, ask("a"), fin=False), [1002]
    yield "5 a continuation after a complete message", text("a") + frame(CONT, b"{}"), ["a", 1002]
    yield "5 a message within a message", frame(TEXT, b"{", fin=False) + text("a"), [1002]
    yield "5 a binary within a message", frame(TEXT, b"{", fin=False) + frame(BINARY, b"x"), [1002]
    yield "5 two messages in one packet", text("a") + text("b"), ["a", "b"]
    yield "5 twenty messages, octet by octet", octets(b"".join(text(str(i)) for i in range(20)), 7), [
        str(i) for i in range(20)
    ]
    # 6: UTF-8
    for name in ("é", "नमस्ते", "ਸਤਿ", "😀", "\uffff", "\U0010ffff", "e\u0301", "\u200d"):
        payload = json.dumps({"type": "ping", "id": name}, ensure_ascii=False).encode()
        yield f"6 valid: {name!a}", frame(TEXT, payload), [name]
        yield f"6 valid, split everywhere: {name!a}", in_pieces(payload, 1), [name]
    whole = "κόσμε".encode()
    for bad in (
        b"\xff",
        b"\xfe",
        b"\x80",
        b"\xbf",
        b"\xc0\xaf",
        b"\xc1\xbf",
        b"\xe0\x80\xaf",
        b"\xf0\x80\x80\xaf",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xed\xa0\x80\xed\xb0\x80",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xf8\x88\x80\x80\x80",
        b"\xfc\x84\x80\x80\x80\x80",
        b"\xce",
        b"\xe0\xa4",
        b"\xf0\x9f\x98",
        whole + b"\xed\xa0\x80" + b"edited",
        whole[:-1],
    ):
        payload = b'{"type":"ping","id":"' + bad + b'"}'
        yield f"6 invalid: {bad.hex(' ')}", frame(TEXT, payload), [1007]
        yield f"6 invalid, split everywhere: {bad.hex(' ')}", in_pieces(payload, 1), [1007]
        yield f"6 invalid at the end: {bad.hex(' ')}", frame(TEXT, bad), [1007]
    yield "6 invalid bytes in a ping are allowed", frame(PING, b"\xff\xfe"), [b"\xff\xfe"]
    # 7: closes
    yield "7 close without a code", closing(), [-1]
    for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 3000, 3999, 4000, 4999):
        yield f"7 close {code}", closing(code), [code]
    for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535):
        yield f"7 close {code}, an invalid code", closing(code), [1002]
    yield "7 close with a reason", closing(1000, "अलविदा".encode()), [1000]
    yield "7 close with the longest reason", closing(1000, b"r" * 123), [1000]
    yield "7 close with a reason that is too long", closing(1000, b"r" * 124), [1002]
    yield "7 close of a single byte", frame(CLOSE, b"\x03"), [1002]
    yield "7 close with a reason of invalid UTF-8", closing(1000, b"\xce\xba\xed\xa0\x80"), [1007]
    yield "7 close, octet by octet", octets(closing(1000, b"bye")), [1000]
    yield "7 two closes", closing(1000) + closing(1001), [1000]
    yield "7 a message after the close", closing(1000) + text("a"), [1000]
    yield "7 a ping after the close", closing(1000) + frame(PING, b"p"), [1000]
    yield "7 invalid bytes after the close", closing(1000) + b"\xff" * 500, [1000]
    yield "7 256 KiB after the close", closing(1000) + frame(TEXT, b" " * (1 << 18), mask=bytes(4)), [1000]
    # a message and a Close frame in one packet: the server may receive the Close frame before it responds to the
    # message, and then sends no response
    yield "7 a message in the packet of the close", text("a") + closing(1000), [1000]
    yield "7 a ping before the close", frame(PING, b"p") + closing(1000), [b"p", 1000]
    yield "7 a close within a message", frame(TEXT, b"{", fin=False) + closing(1000), [1000]
    spoken = json.dumps(
        {"text": "This is being said when the client closes. " * 20, "turn_id": "t", "max_lead_ms": 0}
    ).encode()
    yield "7 a close during speech", frame(TEXT, spoken) + closing(1000), [1000]
    yield "7 an error during speech", frame(TEXT, spoken) + frame(TEXT, b"\xff"), [1007]
    yield "7 a close by the server", frame(TEXT, b'{"type":"close"}'), [1000]
    yield "7 an end of the connection without a close", None, [SHUT]


class Connection:
    """A WebSocket connection that sends and reads raw frames."""

    def __init__(self, running):
        self.tcp = socket.create_connection(running.address, timeout=PATIENCE_S)
        self.tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.tcp.sendall(
            (
                f"GET /v1/tts/stream HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
                f"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nauthorization: Bearer {running.key}\r\n\r\n"
            ).encode()
        )
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.data += self.tcp.recv(4096)
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101"):
            raise RuntimeError(head.decode())
        if self.read()[0] != TEXT:
            raise RuntimeError("no greeting")

    def send(self, packets):
        try:
            for packet in [packets] if isinstance(packets, bytes) else packets:
                self.tcp.sendall(packet)
        except OSError:
            pass  # a server that has closed the connection accepts no more frames; its earlier frames are checked

    def need(self, size):
        while len(self.data) < size:
            more = self.tcp.recv(65536)
            if not more:
                raise EOFError
            self.data += more

    def read(self):
        """Returns the opcode and the payload of the server's next frame."""
        self.need(2)
        first, size = self.data[0], self.data[1]
        if first & 0x70 or not first & 0x80 or size & 0x80:
            raise RuntimeError(f"invalid frame from the server: {first:02x} {size:02x}")
        head = 2
        if size == 126:
            self.need(4)
            size, head = int.from_bytes(self.data[2:4], "big"), 4
        self.need(head + size)
        payload, self.data = self.data[head : head + size], self.data[head + size :]
        return first & 15, payload

    def end(self):
        """Returns None if the connection ends correctly after a Close frame, else a description of the fault."""
        begun = time.monotonic()
        self.tcp.settimeout(CLOSE_S)
        try:
            # reply to a Close frame that the server sent first
            self.send(frame(CLOSE, b"\x03\xe8"))
            if self.data or self.tcp.recv(1):
                return "data follows the Close"
        except TimeoutError:
            return f"the connection is open {time.monotonic() - begun:.1f} s after the Close"
        except ConnectionResetError:
            return "the connection is reset after the Close"
        return None


def outcome(running, packets, expected):
    """Runs a case. Returns None if it passed, else a description of what was received instead."""
    connection = Connection(running)
    came = []
    try:
        if packets is None:
            connection.tcp.shutdown(socket.SHUT_WR)
        else:
            connection.send(packets)
        while len(came) < len(expected):
            opcode, payload = connection.read()
            # if only a Close frame is expected, ignore text messages before it
            if opcode == TEXT and expected != [1000]:
                message = json.loads(payload)
                if message["type"] == "pong":
                    came.append(message["id"])
                elif message["type"] == "error" and message["scope"] == "message":
                    came.append(payload.decode())
            elif opcode == PONG:
                came.append(payload)
            elif opcode == CLOSE:
                came.append(int.from_bytes(payload[:2], "big") if payload else -1)
                if wrong := connection.end():
                    return f"{came}, then {wrong}"
                break
    except EOFError:
        came.append(SHUT)
    except TimeoutError:
        came.append("no more data follows")
    except (ConnectionResetError, BrokenPipeError):
        came.append("the connection is reset")
    finally:
        connection.tcp.close()
    return None if came == expected else f"{came} instead of {expected}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--verbose", action="store_true", help="list passed cases, too")
    arguments = parser.parse_args()
    groups, failed = {}, 0
    with harness.running(os.path.abspath(arguments.binary)) as running:
        for name, packets, expected in cases():
            wrong = outcome(running, packets, expected)
            held, told = groups.setdefault(name[0], [0, 0])
            groups[name[0]] = [held + (wrong is None), told + 1]
            if wrong:
                failed += 1
                print(f"{name:60} FAILED: {wrong}")
            elif arguments.verbose:
                print(f"{name:60} held")
        survives = running.is_running() and outcome(running, text("after all"), ["after all"]) is None
    titles = {
        "2": "pings and pongs",
        "3": "reserved bits",
        "4": "opcodes",
        "5": "frames and fragmentation",
        "6": "UTF-8",
        "7": "closes",
    }
    for group, (held, told) in sorted(groups.items()):
        print(f"{group} {titles[group]:26} {held:4} of {told:4} held")
    print(f"the server {'still runs' if survives else 'has exited'}")
    sys.exit(0 if not failed and survives else 1)


if __name__ == "__main__":
    main()
