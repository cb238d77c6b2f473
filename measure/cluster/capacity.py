"""Measures how many calls per second PostgreSQL serves with a million keys of 100,000 accounts.

python3 measure/cluster/capacity.py target/release/shruti target/release/examples/writes [KEYS [ACCOUNTS]]
"""

import subprocess
import sys
import time

import cluster

FILL = """
INSERT INTO accounts (id, email, created_ms, is_operator, access_ms, monthly_chars)
SELECT 'acc_' || lpad(n::text, 20, '0'), 'a' || n || '@example.org', 1, false, 1, 1000000000 FROM generate_series(1, {accounts}) AS n;
INSERT INTO keys (prefix, hash, name, scopes, created_ms, revision, account, purpose)
SELECT 'sk_' || lpad(n::text, 8, '0'), decode(md5(n::text) || md5(n::text), 'hex'), 'key ' || n, 'tts', 1, 1,
    'acc_' || lpad((n % {accounts} + 1)::text, 20, '0'), 'api' FROM generate_series(1, {keys}) AS n;
UPDATE key_revision SET value = 1;
INSERT INTO usage (prefix, day, voice, language, api, chars, requests, audio_ms)
SELECT prefix, 20000 + n, 'Ananya', 'hi', 'clip', 100, 1, 8000 FROM keys, generate_series(1, 3) AS n;
VACUUM ANALYZE;
"""


def main():
    binary, program = sys.argv[1:3]
    keys, accounts = (int(number) for number in (sys.argv[3:] + ["1000000", "100000"][len(sys.argv) - 3:])[:2])
    with cluster.running(binary, nodes=1) as c:
        for statement in FILL.format(keys=keys, accounts=accounts).strip().split(";\n"):
            begun = time.monotonic()
            c.postgres.sql(statement.rstrip(";"))
            print(f"{time.monotonic() - begun:6.1f} s  {statement.split(chr(10))[0][:60]}", flush=True)
        print(f"{keys} keys, {accounts} accounts, {c.postgres.sql('SELECT pg_size_pretty(pg_database_size(current_database()))')}")
        prefixes = c.postgres.sql(f"SELECT prefix FROM keys WHERE account IS NOT NULL AND ('x' || substr(md5(prefix), 1, 8))::bit(32)::bigint % {max(1, keys // 2000)} = 0 LIMIT 2000").split()
        url = c.postgres.url
        for tasks in (1, 16, 64):
            print(f"{tasks} at once", flush=True)
            subprocess.run([program, url, "5", str(tasks), *prefixes], check=True)


main()
