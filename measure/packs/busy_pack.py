#!/usr/bin/env python3
"""Measures the first audio of the built-in voices while a pack is saturated.

    measure/packs/busy_pack.py target/release/shruti target/release/examples/random_pack [--rounds 3] [--listeners 100]

Serves a pack with random weights that is as slow as a voice of 63 MB, and runs `shruti bench load` alternately without
and with as many streams of the pack as it admits. Prints p50 and p99 of the first audio of the built-in voices in ms,
and the audio that the pack rendered. Standard library only.
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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../checks"))
from harness import Server  # noqa: E402

TEXT = "नमस्ते, यह एक लंबा वाक्य है जिसे सुनने में कुछ समय लगता है। " * 12


class Pack:
    """Keeps the pack busy with `count` streams, each started again when it ends."""

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
        server = Server(arguments.shruti, folder=folder, env={"SHRUTI_MAX_STREAMS": "5000"}).start()
        key, url = server.key, server.url
        try:
            for _ in range(arguments.rounds):
                for is_busy in (False, True):
                    pack = Pack(url, key, arguments.speeches) if is_busy else None
                    began = time.monotonic()
                    report = load(arguments.shruti, url, key, arguments.listeners, arguments.seconds, folder)
                    took = time.monotonic() - began
                    if pack:
                        pack.end()
                    first, usage = report["first_audio"], report["server"]
                    print("with the pack   " if is_busy else "without the pack",
                          f"first audio p50 {first['p50_ms']:.2f} p99 {first['p99_ms']:.2f} ms,",
                          f"cancel p50 {report['cancel']['p50_ms']:.2f} ms, underruns {report['underruns']},",
                          f"server {usage['cores']:.2f} cores, {usage['memory_mib']:.0f} MiB", end="")
                    print(f"; pack: {pack.samples / 24000 / took:.1f} s of audio per second, {pack.refused} refused"
                          if pack else "", flush=True)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
