#!/usr/bin/env python3
"""Writes a month of invented usage into the database of a temporary server, for screenshots.

usage: fill.py DATA_DIR EMAIL
"""

import math
import sqlite3
import sys
import time

data_dir, email = sys.argv[1:]
store = sqlite3.connect(f"{data_dir}/shruti.db", timeout=10)
keys = [prefix for (prefix,) in store.execute(
    "SELECT prefix FROM keys WHERE account = (SELECT id FROM accounts WHERE email = ?)", [email])]
today = int(time.time()) // 86_400
with store:
    for back in range(30):
        for at, language in enumerate(["hi", "ta", "en", "bn", "or", "te"]):
            chars = round(max(0, math.sin(back * 1.7 + at * 2.3) + 0.6) * (420 - at * 60))
            if chars == 0:
                continue
            store.execute(
                "INSERT INTO usage (prefix, day, voice, language, api, chars, requests, audio_ms)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [keys[at % len(keys)], today - back, ["Ananya", "Arjun"][at % 2], language,
                 ["turn", "clip", "openai"][at % 3], chars, math.ceil(chars / 60), chars * 78])
