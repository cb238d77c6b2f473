"""Counts requests that succeed after the Studio has revoked a key, or rotated it without overlap, under load.

usage: python3 checks/attack/revocation.py target/release/shruti
"""

import concurrent.futures
import subprocess
import time

import cases
import harness

ROUNDS = 10


def through(s, key, end):
    """Ends a key while four connections use it. Returns the number of clips served before, the number of requests that
    started after the key had ended and were not refused, and the start of the last of these requests, in milliseconds
    after the end.
    """
    ended = []
    answers = []

    def use():
        while not ended or time.monotonic() < ended[0] + 0.4:
            began = time.monotonic()
            answers.append((began, cases.speak(s, key, "a")[0]))

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        users = [threads.submit(use) for _ in range(4)]
        try:
            cases.until(lambda: len(answers) >= 4, within_s=10)
            end()
        finally:
            ended.append(time.monotonic())
        for user in users:
            user.result()
    before = sum(status == 200 for began, status in answers if began < ended[0])
    # status 429 also shows that the key is still valid
    late = [1_000 * (began - ended[0]) for began, status in answers if began > ended[0] and status != 401]
    return before, len(late), max(late, default=0)


def main():
    binary = cases.binary("revocation.py")
    table = cases.Cases("revoked keys")
    with harness.running(binary) as s:
        promo = [binary, "promo", "create", "--chars", "100000000", "--data-dir", s.data_dir]
        code = subprocess.run(promo, check=True, capture_output=True, text=True).stdout.strip()
        page = cases.Page(s.address)
        assert page.ask("POST", "sign-up", {"email": "asha@example.org", "password": "tidal-kettle-9"})[0] == 200
        assert page.ask("POST", "promo", {"code": code})[0] == 200
        for what in ["revoked", "rotated without overlap"]:
            counts, longest, least = [], 0, None
            for _ in range(ROUNDS):
                status, _, made = page.ask("POST", "keys", {"name": "a", "scopes": ["tts"]})
                assert status == 200, made
                path = f"keys/{made['prefix']}"
                if what == "revoked":
                    end = lambda: page.ask("DELETE", path)
                else:
                    end = lambda: page.ask("POST", f"{path}/rotate", {"overlap_hours": 0})
                before, count, late = through(s, made["secret"], end)
                counts.append(count)
                longest = max(longest, late)
                least = before if least is None else min(least, before)
            told = (
                f"{sum(counts)} requests of {ROUNDS} keys were accepted, the last {longest:.0f} ms after the answer; "
                f"before it, at least {least} of each were served"
            )
            table.note(f"{what} in the Studio", sum(counts) == 0 and least > 0, told)
    table.end()


if __name__ == "__main__":
    main()
