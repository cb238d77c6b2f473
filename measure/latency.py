#!/usr/bin/env python3
"""Measures first audio over HTTP on loopback, and the round trip of the same connection in the same run.

Sends the same sentence of 12 words on one kept-alive connection, with a `GET /healthz` between any two, and prints
  healthz   the time of the whole small request: the lower bound
  client    from sending the request to the first audible sample at the client
  ttfa      the value in Server-Timing: from the last byte of the request to the first audible sample
  first     the same as client, for a text of 5,000 characters

usage: latency.py http://127.0.0.1:8080 sk_…  [--rounds 300]
"""
import argparse
import http.client
import json
import re
import statistics
import time
from urllib.parse import urlsplit

from audible import is_audible

SENTENCE = "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा।"


def speak(connection, key, text):
    """Returns the time to the first audible sample, in milliseconds, as measured by the client and by the server."""
    body = json.dumps({"text": text, "language": "hi"}).encode()
    begun = time.perf_counter()
    connection.request("POST", "/v1/tts", body, {"authorization": f"Bearer {key}", "content-type": "application/json"})
    response = connection.getresponse()
    if response.status != 200:
        raise SystemExit(f"{response.status}: {response.read().decode()}")
    heard = b""
    while not is_audible(heard):
        piece = response.read1(65536)
        if not piece:
            break
        heard = piece
    first = (time.perf_counter() - begun) * 1000
    response.read()
    return first, float(re.search(r"ttfa;dur=([0-9.]+)", response.headers["server-timing"]).group(1))


def healthz(connection):
    begun = time.perf_counter()
    connection.request("GET", "/healthz")
    connection.getresponse().read()
    return (time.perf_counter() - begun) * 1000


def row(name, values):
    values = sorted(values)
    at = lambda q: values[min(len(values) - 1, int(q * len(values)))]
    print(f"{name:8} p50 {statistics.median(values):7.2f}   p90 {at(0.9):7.2f}   p99 {at(0.99):7.2f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("key")
    parser.add_argument("--rounds", type=int, default=300)
    arguments = parser.parse_args()
    connection = http.client.HTTPConnection(urlsplit(arguments.url).netloc)
    long_text = (SENTENCE + " ") * (5000 // (len(SENTENCE) + 1))
    floors, clients, servers = [], [], []
    for _ in range(arguments.rounds):
        floors.append(healthz(connection))
        client, server = speak(connection, arguments.key, SENTENCE)
        clients.append(client)
        servers.append(server)
    longs = [speak(connection, arguments.key, long_text)[0] for _ in range(max(5, arguments.rounds // 30))]
    row("healthz", floors)
    row("client", clients)
    row("ttfa", servers)
    row("first", longs)


if __name__ == "__main__":
    main()
