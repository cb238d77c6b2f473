"""Table of test cases with their outcomes, and helpers shared by the scripts in this folder. Loopback only.
"""

import contextlib
import http.client
import json
import os
import sys
import time

# lets the scripts that import this module import `harness` afterwards
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


class Cases:
    """Collects the outcome of each case. `end` exits with 1 if a case failed."""

    def __init__(self, title):
        self.title, self.rows = title, []
        print(f"# {title}\n")

    def note(self, case, ok, outcome):
        self.rows.append(ok)
        print(f"{'ok  ' if ok else 'FAIL'}  {case:58}  {outcome}", flush=True)

    def skip(self, case, why):
        print(f"SKIP  {case:58}  {why}", flush=True)

    def end(self):
        failed = self.rows.count(False)
        print(f"\n{self.title}: {len(self.rows) - failed} held, {failed} failed")
        sys.exit(1 if failed or not self.rows else 0)


def binary(usage):
    """Returns the path of the binary that is given on the command line."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {usage} target/release/shruti")
    return os.path.abspath(sys.argv[1])


def ask(address, method, path, body=None, headers=None, timeout=30, source=None):
    """Sends one request over a new connection; returns status, headers and body."""
    connection = http.client.HTTPConnection(*address, timeout=timeout, source_address=source and (source, 0))
    try:
        given = {"content-type": "application/json", **(headers or {})}
        connection.request(
            method, path, body if body is None or isinstance(body, bytes) else json.dumps(body).encode(), given
        )
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def speak(s, key=None, text="hello", timeout=30):
    """Requests a clip; returns the status, the body and the elapsed time in seconds."""
    began = time.monotonic()
    status, _, body = ask(
        s.address, "POST", "/v1/tts", {"text": text}, {"authorization": f"Bearer {key or s.key}"}, timeout
    )
    return status, body, time.monotonic() - began


class Page:
    """A session of the Studio, with its cookie."""

    def __init__(self, address, source=None):
        self.address, self.source, self.cookie = address, source, None

    def ask(self, method, path, body=None, timeout=60):
        host = f"{self.address[0]}:{self.address[1]}"
        headers = {
            "host": host,
            "origin": f"http://{host}",
            "x-studio": "1",
            **({"cookie": self.cookie} if self.cookie else {}),
        }
        status, got, answer = ask(self.address, method, f"/studio/api/{path}", body, headers, timeout, self.source)
        if "set-cookie" in got:
            self.cookie = got["set-cookie"].split(";")[0]
        return status, got, json.loads(answer or b"null")


def until(true, within_s):
    """Polls a condition. Returns the seconds until it held, or None if it did not hold within `within_s`."""
    began = time.monotonic()
    while time.monotonic() - began < within_s:
        if true():
            return time.monotonic() - began
        time.sleep(0.02)
    return None


def is_ready(s):
    with contextlib.suppress(OSError):
        return ask(s.address, "GET", "/readyz", timeout=5)[0] == 200
    return False
