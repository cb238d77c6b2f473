"""Measures how clients are affected when parts of a cluster fail, and prints one row per fault.

    python3 measure/cluster/faults.py target/release/shruti target/release/examples/conversations [FAULT...]

Three servers, HAProxy, PostgreSQL. Faults: revocation, rolling, killed, stopped, slow, failover.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

import cluster

CONVERSATIONS = int(os.environ.get("CONVERSATIONS", "300"))
BODY = json.dumps({"text": "नमस्ते, आपका स्वागत है।"}).encode()


def conversations(c, program, seconds, number=CONVERSATIONS):
    return subprocess.Popen([program, c.url, str(number), str(seconds)], env={**os.environ, "SHRUTI_API_KEY": c.key},
                            stdout=subprocess.PIPE, text=True)


class Clips:
    """Requests clips from one server until it is stopped; counts statuses and times the first byte."""

    def __init__(self, url, key, threads=4, pause_s=0.005):
        self.url, self.key, self.pause_s = url, key, pause_s
        self.codes, self.first_ms, self.ended = {}, [], threading.Event()
        self.threads = [threading.Thread(target=self._speak) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def _speak(self):
        while not self.ended.is_set():
            begun = time.monotonic()
            code, _ = cluster.status(f"{self.url}/v1/tts", self.key, BODY)
            self.codes[code] = self.codes.get(code, 0) + 1
            self.first_ms.append((time.monotonic() - begun) * 1000)
            time.sleep(self.pause_s)

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        times = sorted(self.first_ms)
        return f"{self.codes}, whole clip p50 {times[len(times) // 2]:.1f} p99 {times[len(times) * 99 // 100]:.1f} max {times[-1]:.1f} ms, {sum(time > 1000 for time in times)} over 1 s"


def revocation(c, _program):
    """Measures the time from a revocation in the database to the first refusal by each server."""
    for heard in (True, False):
        times = []
        for _ in range(10):
            key = c.command("keys", "create", "--name", "short-lived").split()[0]
            for node in c.nodes:
                assert cluster.status(f"{node.url}/v1/tts", key, BODY)[0] == 200
            prefix = key[:11]
            if not heard:
                c.postgres.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
            # run the same statements as `shruti keys revoke`, without starting a process
            c.postgres.sql(f"UPDATE key_revision SET value = value + 1; UPDATE keys SET revoked_ms = 1, revision = (SELECT value FROM "
                           f"key_revision) WHERE prefix = '{prefix}'; " + ("NOTIFY shruti_keys" if heard else ""))
            begun, left = time.monotonic(), list(c.nodes)
            while left:
                for node in list(left):
                    if cluster.status(f"{node.url}/v1/tts", key, BODY)[0] == 401:
                        times.append((time.monotonic() - begun) * 1000)
                        left.remove(node)
        how = "by notification" if heard else "notifications lost"
        print(f"revocation, {how}: {len(times)} times, median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")


def rolling(c, program):
    """Restarts each server while conversations are open."""
    talking = conversations(c, program, 60)
    time.sleep(8)
    for node in c.nodes:
        took = time.monotonic()
        node.stop()
        node.start()
        print(f"rolling: restarted after {time.monotonic() - took:.1f} s")
        time.sleep(3)
    print(f"rolling restart, {CONVERSATIONS} conversations:", talking.communicate()[0].strip())


def killed(c, program):
    """Kills one server."""
    talking = conversations(c, program, 30)
    time.sleep(8)
    on_it = c.nodes[1].metric("shruti_streams") or c.nodes[1].metric("shruti_conversations")
    c.nodes[1].kill()
    print(f"killed: {on_it:.0f} of {CONVERSATIONS} conversations were on this server")
    time.sleep(5)
    c.nodes[1].start()
    print("kill -9 of one of three:", talking.communicate()[0].strip())


def metered_key(c, chars):
    """Returns a key with a cap. For such a key, the server reserves characters in the database."""
    return c.command("keys", "create", "--name", "metered", "--monthly-cap", str(chars)).split()[0]


def usage_of(c, key):
    return int(c.postgres.sql(f"SELECT coalesce(sum(chars), 0) FROM usage WHERE prefix = '{key[:11]}'"))


def stopped(c, _program):
    """Stops the database for 20 s while clips are requested with a known key."""
    key = metered_key(c, 100_000_000)
    clips = Clips(c.nodes[0].url, key)
    time.sleep(5)
    c.postgres.stop(signal.SIGINT)
    time.sleep(2)
    unknown = cluster.status(f"{c.nodes[0].url}/v1/tts", "sk_" + "a" * 40, BODY)
    ready = cluster.status(f"{c.nodes[0].url}/readyz")[0]
    time.sleep(18)
    c.postgres.start()
    time.sleep(5)
    told = clips.end()
    spoken = clips.codes.get(200, 0) * len("नमस्ते, आपका स्वागत है।")
    cluster.until("usage is written", lambda: usage_of(c, key) == spoken)
    print(f"database stopped for 20 s: {told}; unknown key {unknown[0]}, readyz {ready}; "
          f"characters spoken {spoken}, counted {usage_of(c, key)}")


def slow(c, _program):
    """Delays each packet to and from the database by `delay_s` for a minute, while each caller requests clips with the
    same key at about 240 characters per second.
    """
    for delay_s, callers in ((0.0, 1), (0.1, 4), (0.5, 1), (0.5, 4)):
        key = metered_key(c, 100_000_000)
        assert cluster.status(f"{c.nodes[0].url}/v1/usage", key)[0] == 200
        c.slow.delay_s = delay_s
        time.sleep(3)
        clips = Clips(c.nodes[0].url, key, threads=callers, pause_s=0.1)
        time.sleep(60)
        print(f"database {delay_s * 1000:.0f} ms away each way, {callers} concurrent callers: {clips.end()}, first clip {clips.first_ms[0]:.0f} ms")
        c.slow.delay_s = 0.0
        time.sleep(3)


def failover(c, _program):
    """Stops the database without a clean shutdown and promotes its standby."""
    key = metered_key(c, 100_000_000)
    clips = Clips(c.nodes[0].url, key)
    time.sleep(5)
    c.postgres.stop(signal.SIGQUIT)
    begun = time.monotonic()
    c.standby.promote()
    back = cluster.until("the database is back", lambda: c.nodes[0].metric("shruti_nothing") == 0 and
                         cluster.status(f"{c.nodes[0].url}/v1/tts", c.key, BODY)[0] == 200)
    c.postgres, c.standby = c.standby, c.postgres
    new = metered_key(c, 1_000)
    cluster.until("a new key is known", lambda: cluster.status(f"{c.nodes[0].url}/v1/tts", new, BODY)[0] == 200)
    took = time.monotonic() - begun
    time.sleep(3)
    print(f"failover to a standby: {clips.end()}; known key after {back:.1f} s, a new key after {took:.1f} s; counted {usage_of(c, key)} "
          f"of {clips.codes.get(200, 0) * len('नमस्ते, आपका स्वागत है।')} characters")


FAULTS = [revocation, rolling, killed, stopped, slow, failover]


def main():
    binary, program, *names = sys.argv[1:]
    for fault in FAULTS:
        if names and fault.__name__ not in names:
            continue
        with cluster.running(binary, standby=fault is failover) as c:
            fault(c, os.path.abspath(program))
            print(f"  connections to the database {c.postgres.sql('SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL')}, "
                  f"memory {', '.join(str(node.rss_kib() // 1024) for node in c.nodes)} MiB", flush=True)


main()
