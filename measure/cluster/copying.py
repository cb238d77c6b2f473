"""Measures the time and memory of copying a store of 100,000 accounts from SQLite to PostgreSQL and back.

    python3 measure/cluster/copying.py target/release/shruti [ACCOUNTS]

Each account has a password, a key and three rows of usage. A second run with more accounts shows whether memory grows.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time

import cluster

FILL = """
WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {accounts})
INSERT INTO accounts (id, email, password, created_ms, is_operator, access_ms, monthly_chars)
SELECT printf('acc_%020d', n), 'a' || n || '@example.org',
    '$argon2id$v=19$m=12288,t=3,p=1$' || hex(randomblob(11)) || '$' || hex(randomblob(21)), 1, 0, 1, 100000 FROM n;
INSERT INTO keys (prefix, hash, name, scopes, created_ms, revision, account, last_used_ms, purpose)
SELECT 'sk_' || substr(id, -8), randomblob(32), 'key of ' || email, 'tts', 1, 1, id, 2, 'api' FROM accounts;
UPDATE key_revision SET value = 1;
INSERT INTO usage (prefix, day, voice, language, api, chars, requests, audio_ms)
SELECT prefix, 20000 + n.value, 'Ananya', 'hi', 'clip', 100, 1, 8000 FROM keys, json_each('[1, 2, 3]') AS n;
"""


def run(*command):
    """Returns the output of a command, its elapsed time in seconds and its peak memory in MiB."""
    begun = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        took = time.monotonic() - begun
        out.seek(0)
        said = out.read().decode()
    if status:
        sys.exit(f"{command}\n{said}")
    return said, took, used.ru_maxrss / 1024


def main():
    binary = os.path.realpath(sys.argv[1])
    accounts = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory(prefix="shruti-copying-") as folder, cluster.Postgres(*cluster.SETTINGS) as postgres:
        there, back = f"{folder}/there", f"{folder}/back"
        run(binary, "store", "migrate", "--data-dir", there)
        with sqlite3.connect(f"{there}/shruti.db") as database:
            database.executescript(FILL.format(accounts=accounts))
        database.close()
        size = os.path.getsize(f"{there}/shruti.db") / 2**20
        print(f"{accounts} accounts, {accounts} keys, {3 * accounts} rows of usage: {size:.0f} MiB in SQLite")
        said, took, memory = run(binary, "store", "copy", "--data-dir", there, postgres.url)
        print(f"to PostgreSQL: {took:.1f} s, {memory:.0f} MiB")
        said_back, took, memory = run(binary, "store", "copy", "--database", postgres.url, back)
        print(f"and back: {took:.1f} s, {memory:.0f} MiB; the hashes {'are equal' if said == said_back else 'DIFFER'}")


main()
