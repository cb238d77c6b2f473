"""WebSockets without a key: their number, the size of their first message, and their time limit.

usage: python3 checks/attack/unsigned_sockets.py target/release/shruti
"""

import base64
import collections
import json
import os
import socket
import time

import cases
import harness
import websocket

PATH = "/v1/text-to-speech/Ananya/stream-input"
ADDRESSES = 12
OF_ADDRESS, IN_ALL = 32, 256
# the server's timeouts for the first message and for the close, plus a margin for a busy machine, in seconds
WAIT_S = 10 + 2 + 8
MOST_GROWN_MIB = 40


def opened(s, source):
    """Opens a socket from a loopback address; returns it and the status of its upgrade."""
    client = socket.create_connection(s.address, 10, (source, 0))
    key = base64.b64encode(os.urandom(16)).decode()
    head = f"GET {PATH} HTTP/1.1\r\nhost: {s.address[0]}\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    client.sendall(f"{head}sec-websocket-version: 13\r\nsec-websocket-key: {key}\r\n\r\n".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        more = client.recv(4096)
        if not more:
            return client, 0
        answer += more
    return client, int(answer.split(b" ", 2)[1])


def closed(client, timeout):
    """Returns the code of the server's Close frame, or None if the connection ends without one."""
    client.settimeout(timeout)
    heard = b""
    try:
        while more := client.recv(4096):
            heard += more
    except ConnectionError:
        pass
    except TimeoutError:
        return "open"
    at = heard.rfind(b"\x88")
    return int.from_bytes(heard[at + 2 : at + 4], "big") if at >= 0 else None


def main():
    table = cases.Cases("unauthenticated WebSockets")
    with harness.running(cases.binary(__file__)) as s:
        before = s.rss_kib()
        waiting, statuses = [], []
        for n in range(ADDRESSES):
            of_address = [opened(s, f"127.0.1.{n + 1}") for _ in range(OF_ADDRESS + 4)]
            statuses.append(collections.Counter(status for _, status in of_address))
            waiting += [client for client, status in of_address if status == 101]
        table.note("one address", statuses[0] == {101: OF_ADDRESS, 429: 4}, dict(statuses[0]))
        let_in = sum(of_address[101] for of_address in statuses)
        table.note("all addresses", let_in == IN_ALL and statuses[-1][503] == OF_ADDRESS + 4, f"{let_in} waiting")
        # send messages that never end
        half = websocket.frame(websocket.TEXT, b"x" * (websocket.MAX_MESSAGE - 1), fin=False)
        for client in waiting:
            client.sendall(half)
        began = time.monotonic()
        grown = (s.rss_kib() - before) / 1024
        table.note("memory of unfinished messages", grown < MOST_GROWN_MIB, f"{grown:.0f} MiB more")
        codes = collections.Counter(closed(client, max(1, began + WAIT_S - time.monotonic())) for client in waiting)
        table.note("all are closed", set(codes) == {1008}, f"{dict(codes)} after {time.monotonic() - began:.0f} s")
        for name, message, code in [
            ("a wrong key", json.dumps({"text": " ", "xi_api_key": "sk_" + "a" * 40}).encode(), 1008),
            ("no key", b'{"text": " "}', 1008),
            ("no JSON", b"\xf0\x9f\x98\x80", 1008),
            ("the right key", json.dumps({"text": "", "xi_api_key": s.key}).encode(), 1000),
        ]:
            client, status = opened(s, "127.0.0.1")
            client.sendall(websocket.frame(websocket.TEXT, message))
            table.note(name, (status, told := closed(client, WAIT_S)) == (101, code), f"closed with {told}")
        table.note("other clients are served", cases.speak(s)[0] == 200, "200")
    table.end()


if __name__ == "__main__":
    main()
