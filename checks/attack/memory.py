"""Measures the server's memory after many requests with unknown keys, tokens, origins or links, sign-ups, and large
bodies.

usage: python3 checks/attack/memory.py target/release/shruti
"""

import concurrent.futures
import contextlib
import http.client
import json
import secrets
import string

import cases
import harness

MOST_RESIDENT_MIB = 100
CLIENTS = 16
LETTERS = string.ascii_letters + string.digits


def letters(count):
    return "".join(secrets.choice(LETTERS) for _ in range(count))


def flood(address, requests, make):
    """Sends numbered requests over a few connections; returns their statuses."""

    def some(client):
        statuses = set()
        connection = http.client.HTTPConnection(*address, timeout=30, source_address=(f"127.0.0.{client + 1}", 0))
        for number in range(client, requests, CLIENTS):
            method, path, body, headers = make(number)
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                answer.read()
                statuses.add(answer.status)
            except (OSError, http.client.HTTPException):
                # the server refused the request and closed the connection; the next request opens a new one
                connection.close()
        connection.close()
        return statuses

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        return sorted(set().union(*pool.map(some, range(CLIENTS))))


JSON = {"content-type": "application/json"}


def unknown_key(_):
    return "POST", "/v1/tts", '{"text":"hello"}', {**JSON, "authorization": f"Bearer sk_{letters(40)}"}


def unknown_token(_):
    return "POST", "/v1/tts", '{"text":"hello"}', {**JSON, "authorization": f"Bearer tok_{letters(40)}"}


def unknown_origin(number):
    headers = {"origin": f"https://{letters(40)}-{number}.example", "access-control-request-method": "POST"}
    return "OPTIONS", "/v1/tts", None, headers


def of_pages(s, path, make_body):
    host = f"{s.address[0]}:{s.address[1]}"
    headers = {**JSON, "host": host, "origin": f"http://{host}", "x-studio": "1"}
    return lambda number: ("POST", f"/studio/api/{path}", json.dumps(make_body(number)), headers)


def main():
    binary = cases.binary("memory.py")
    table = cases.Cases("memory growth with requests")
    with harness.running(binary) as s:
        big = json.dumps({"text": "hello", "more": "x" * 60_000})
        key = {**JSON, "authorization": f"Bearer {s.key}"}
        floods = [
            ("nonexistent keys", 40_000, unknown_key),
            ("nonexistent tokens", 20_000, unknown_token),
            ("origins that no key allows", 40_000, unknown_origin),
            ("bodies of 60 kB", 5_000, lambda _: ("POST", "/v1/tts", big, key)),
            ("bodies of 1 MB, refused", 500, lambda _: ("POST", "/v1/tts", "x" * 1_000_000, key)),
            ("tokens of one key", 5_000, lambda _: ("POST", "/v1/tokens", "{}", key)),
            (
                "sign-ups",
                1_000,
                of_pages(
                    s, "sign-up", lambda number: {"email": f"a{number}@example.org", "password": "tidal-kettle-9"}
                ),
            ),
            ("nonexistent links", 2_000, of_pages(s, "link", lambda _: {"secret": f"link_{letters(40)}"})),
        ]
        for name, requests, make in floods:
            before = s.rss_kib() / 1024
            statuses = flood(s.address, requests, make)
            after = s.rss_kib() / 1024
            table.note(
                f"{requests:,} {name}",
                after < MOST_RESIDENT_MIB and s.is_running(),
                f"{before:.0f} → {after:.0f} MiB; {statuses}",
            )
        with contextlib.suppress(OSError):
            table.note("the server speaks", cases.speak(s)[0] == 200, "a clip")
    table.end()


if __name__ == "__main__":
    main()
