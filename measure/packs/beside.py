#!/usr/bin/env python3
"""Listeners of the built-in voices beside a saturated pack: what their first sound costs them.

    measure/packs/beside.py target/release/shruti target/release/examples/random_pack [--rounds 3] [--listeners 100]

Puts a pack with random weights, as dear as a voice of 63 MB, into a data folder, serves it, and runs `shruti bench load`
in turns without and with as many speeches of the pack as it admits. Prints the first sound of the built-in voices,
p50 and p99 in ms, and the pack's speeches and their real-time factor. Standard library only.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

TEXT = "नमस्ते, यह एक लंबा वाक्य है जिसे सुनने में कुछ समय लगता है। " * 12


def serve(shruti, data):
    environment = {**os.environ, "SHRUTI_MAX_STREAMS": "5000"}
    process = subprocess.Popen(
        [shruti, "serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--data-dir", data],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    key = process.stdout.readline().strip()
    for line in process.stderr:
        fields = json.loads(line)
        text = json.dumps(fields)
        if '"listening"' in text:
            url = fields.get("url") or fields["fields"]["url"]
            break
    else:
        sys.exit("the server did not start")
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return process, key, url


class Pack:
    """Keeps the pack busy: as many speeches as it admits, each begun again when it ends."""

    def __init__(self, url, key, count):
        self.url, self.key = url, key
        self.stop = threading.Event()
        self.samples, self.refused = 0, 0
        self.threads = [threading.Thread(target=self.speak) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def speak(self):
        while not self.stop.is_set():
            body = json.dumps({"text": TEXT, "voice": "Test 0", "language": "hi"}).encode()
            request = urllib.request.Request(
                f"{self.url}/v1/tts", body,
                {"authorization": f"Bearer {self.key}", "content-type": "application/json"})
            try:
                with urllib.request.urlopen(request) as reply:
                    while not self.stop.is_set() and (sound := reply.read(65536)):
                        self.samples += len(sound) // 2
            except urllib.error.HTTPError as error:
                error.read()
                self.refused += 1
                self.stop.wait(0.2)
            except OSError:
                return

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def load(shruti, url, key, listeners, seconds, folder):
    report = Path(folder, "report.json")
    subprocess.run(
        [shruti, "bench", "load", "--server", url, "-n", str(listeners), "--seconds", str(seconds), "--json", report],
        env={**os.environ, "SHRUTI_API_KEY": key}, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads(report.read_text())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shruti")
    arguments.add_argument("random_pack")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--listeners", type=int, default=100)
    arguments.add_argument("--seconds", type=int, default=15)
    arguments.add_argument("--speeches", type=int, default=64)
    arguments = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data")
        subprocess.run([arguments.random_pack, data, "medium"], check=True, stdout=subprocess.DEVNULL)
        process, key, url = serve(arguments.shruti, data)
        try:
            for _ in range(arguments.rounds):
                for beside in (False, True):
                    pack = Pack(url, key, arguments.speeches) if beside else None
                    began = time.monotonic()
                    report = load(arguments.shruti, url, key, arguments.listeners, arguments.seconds, folder)
                    took = time.monotonic() - began
                    if pack:
                        pack.end()
                    first, server = report["first_audio"], report["server"]
                    print("with the pack   " if beside else "without the pack",
                          f"first sound p50 {first['p50_ms']:.2f} p99 {first['p99_ms']:.2f} ms,",
                          f"cancel p50 {report['cancel']['p50_ms']:.2f} ms, underruns {report['underruns']},",
                          f"server {server['cores']:.2f} cores, {server['memory_mib']:.0f} MiB", end="")
                    print(f"; pack: {pack.samples / 24000 / took:.1f} s of sound a second, {pack.refused} refused"
                          if pack else "", flush=True)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
