"""Floods the server with failed sign-ins and measures its memory, also under a limit of 256 MB.

usage: python3 checks/attack/sign_in.py target/release/shruti
"""

import collections
import concurrent.futures
import http.client

import cases
import harness

MOST_RESIDENT_MIB = 100
# label for a status 429 that is caused by too many queued password hashes, not by the rate limit of the address
QUEUED = "429 of the queue"
LIMIT = 256 << 20


def flood(s, clients, at_once, tries, word):
    """Sends failed sign-ins from several loopback addresses; returns the count of each status."""

    def one(i):
        client = i % clients
        page = cases.Page(s.address, f"127.0.{client // 250}.{1 + client % 250}")
        tried = {"email": f"{word}{i}@example.org", "password": "wrong horse battery"}
        try:
            status, headers, answer = page.ask("POST", "sign-in", tried)
        except (OSError, http.client.HTTPException):
            return "broken off"
        if status == 429 and not int(headers.get("retry-after", 0)):
            return "429 without Retry-After"
        if status == 429 and "being checked" in answer["error"]["message"]:
            return QUEUED
        return status

    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        return collections.Counter(pool.map(one, range(tries)))


def told(statuses):
    return ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items(), key=str))


def resident(s):
    return s.rss_kib() / 1024


def main():
    binary = cases.binary("sign_in.py")
    table = cases.Cases("floods of sign-ins")
    allowed = {401, 429, QUEUED}
    for clients, at_once, tries in [(1, 20, 20), (3, 60, 60), (20, 120, 400)]:
        with harness.running(binary) as s:
            before = resident(s)
            statuses = flood(s, clients, at_once, tries, "nobody")
            after = resident(s)
            peak = f"{before:.0f} → {after:.0f} MiB; {told(statuses)}"
            ok = after < MOST_RESIDENT_MIB and set(statuses) <= allowed and s.is_running() and cases.speak(s)[0] == 200
            table.note(f"{tries} sign-ins, {at_once} concurrently, from {clients}", ok, peak)
    with harness.running(binary) as s:
        statuses = flood(s, 400, 300, 800, "nobody")
        ok = (
            set(statuses) <= allowed
            and statuses[QUEUED] > 0
            and resident(s) < MOST_RESIDENT_MIB
            and cases.speak(s)[0] == 200
        )
        table.note(
            "800 sign-ins, 300 concurrently, from 400: some are refused", ok, f"{resident(s):.0f} MiB; {told(statuses)}"
        )
    with harness.running(binary) as s:
        # repeat the attack, as an attacker would after the rate limits of the addresses have expired
        for round_ in range(5):
            flood(s, 40, 40, 200, f"round{round_}-")
        after = resident(s)
        table.note("1,000 sign-ins from 40, in five rounds", after < MOST_RESIDENT_MIB, f"{after:.0f} MiB")

    case = "1,000 sign-ins, 60 concurrently, under 256 MiB"
    with harness.running(binary) as s, harness.limited(s, LIMIT) as by:
        if by is None:
            table.skip(case, "cannot create a cgroup with a memory controller: run it as root")
        else:
            statuses = flood(s, 40, 60, 1_000, "nobody")
            if not s.is_running():
                table.note(case, False, f"{told(statuses)}; killed ({by})")
            else:
                ok = set(statuses) <= allowed and cases.speak(s)[0] == 200
                table.note(case, ok, f"{told(statuses)}; {resident(s):.0f} MiB ({by})")
    table.end()


if __name__ == "__main__":
    main()
