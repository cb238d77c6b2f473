"""Keys that the Studio revokes, or rotates without overlap, under load: how many requests come through afterwards.

usage: python3 eval/attack/revocation.py target/release/shruti
"""

import subprocess
import threading
import time

import cases
import server

ROUNDS = 10


def through(s, key, end):
    """Ends a key while four connections use it: requests begun after the answer and not refused, and the last of them."""
    ended = []
    served = []

    def use():
        while not ended or time.monotonic() < ended[0] + 0.4:
            began = time.monotonic()
            # a 429 too is an answer to a key that holds
            if cases.speak(s, key, "a")[0] != 401:
                served.append(began)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    end()
    ended.append(time.monotonic())
    for thread in threads:
        thread.join()
    late = [1_000 * (began - ended[0]) for began in served if began > ended[0]]
    return len(late), max(late, default=0)


def main():
    binary = cases.binary("revocation.py")
    table = cases.Cases("keys that were ended")
    with server.running(binary) as s:
        promo = [binary, "promo", "create", "--chars", "100000000", "--data-dir", s.data_dir]
        code = subprocess.run(promo, check=True, capture_output=True, text=True).stdout.strip()
        page = cases.Page(s.address)
        assert page.ask("POST", "sign-up", {"email": "asha@example.org", "password": "tidal-kettle-9"})[0] == 200
        assert page.ask("POST", "promo", {"code": code})[0] == 200
        for what in ["revoked", "rotated without overlap"]:
            counts, longest = [], 0
            for _ in range(ROUNDS):
                status, _, made = page.ask("POST", "keys", {"name": "a", "scopes": ["tts"]})
                assert status == 200, made
                path = f"keys/{made['prefix']}"
                if what == "revoked":
                    end = lambda: page.ask("DELETE", path)
                else:
                    end = lambda: page.ask("POST", f"{path}/rotate", {"overlap_hours": 0})
                count, late = through(s, made["secret"], end)
                counts.append(count)
                longest = max(longest, late)
            told = f"{sum(counts)} requests of {ROUNDS} keys came through, the last {longest:.0f} ms after the answer"
            table.note(f"{what} in the Studio", sum(counts) == 0, told)
    table.end()


if __name__ == "__main__":
    main()
