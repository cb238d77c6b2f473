#!/usr/bin/env python3
"""Cost of refused requests: checks/attack/refusals.py [target/release/shruti]

A refused request costs the client nothing, so it must cost the server little. Prints the CPU time per request of each
kind and exits with an error if it exceeds MOST_MS. Standard library only; loopback only; REQUESTS of each kind.
"""
import http.client
import json
import os
import sys

import lexicon
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402

REQUESTS = 100
# maximum CPU time per refused request, in milliseconds; reading 5,000 characters once takes about half of this time
MOST_MS = 20.0
WAIT_S = 60

JSON = {"content-type": "application/json"}
HEAVY = {"text": "k " * 2500, "lexicon": {"k": lexicon.LONG}}
LATE = {"text": "aeiou " * 750 + "k " * 200, "lexicon": {"k": lexicon.LONG}}
KINDS = {
    "a lexicon with an exhausted cap": ("capped", "/v1/tts", HEAVY, JSON, 402),
    "a lexicon that makes the text too long": ("open", "/v1/tts", HEAVY, JSON, 413),
    "a lexicon that exceeds the limit at the end": ("open", "/v1/tts", LATE, JSON, 413),
    "a Deepgram model of 15,000 hyphens": ("open", "/v1/speak?model=" + "-" * 15_000, {"text": "a"}, JSON, 400),
    "a Deepgram model of 7,000 voices": ("open", "/v1/speak?model=" + "a-" * 7_000, {"text": "a"}, JSON, 400),
    "an Accept of 700 ranges": (
        "open", "/v1/tts", {"text": ""}, {**JSON, "accept": "audio/l16;rate=8000," * 700}, 400),
}


def cpu_ms(pid):
    """Returns the CPU time that a process has used, in milliseconds."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1e3 / os.sysconf("SC_CLK_TCK")


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else "target/release/shruti"
    failed = False
    print(f"{'kind':<42} {'status':>6} {'ms per request':>12}")
    with harness.running(binary) as s:
        keys = {"open": s.key, "capped": lexicon.capped_key(binary, s)}
        connection = http.client.HTTPConnection(*s.address, timeout=WAIT_S)
        for kind, (key, path, body, headers, wanted) in KINDS.items():
            headers = {**headers, "authorization": f"Bearer {keys[key]}"}
            statuses, began = set(), cpu_ms(s.pid)
            for _ in range(REQUESTS):
                connection.request("POST", path, json.dumps(body), headers)
                answer = connection.getresponse()
                answer.read()
                statuses.add(answer.status)
            took = (cpu_ms(s.pid) - began) / REQUESTS
            is_right = statuses == {wanted} and took <= MOST_MS
            failed |= not is_right
            print(f"{kind:<42} {','.join(map(str, sorted(statuses))):>6} {took:>12.2f}"
                  + ("" if is_right else "  WRONG"), flush=True)
        connection.close()
        failed |= not s.is_running()
    sys.exit(failed)


if __name__ == "__main__":
    main()
