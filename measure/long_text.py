#!/usr/bin/env python3
"""A book through `shruti say` by a server that is restarted and killed in the middle.

Speaks it without a server, by a server that is left alone, and by one that gets a SIGTERM at a quarter of the book and a
SIGKILL at a half, and is started again each time. All three must be the same samples, and the two files of subtitles by the server
the same bytes. Prints time, peak memory and what was told; ends with 1 where something differs. Starts the binary itself;
the sound is hashed, not kept.

usage: long_text.py target/release/shruti [--characters 1000000]
"""
import argparse
import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../checks/attack"))
import server  # noqa: E402

SENTENCES = (
    "वह कल शाम {n} बजे आया, और सबने उसे देखा।", "“आप कौन हैं?” उसने पूछा।", "दाम ₹{n},500 था; वह चुप रहा।",
    "The train to Pune left at {n}:15, and nobody saw it again.", "फिर बारिश होने लगी!",
)


def book(characters):
    """Paragraphs of two to nine sentences, no two alike."""
    text, length, n = [], 0, 0
    while length < characters:
        size = 2 + n % 8
        paragraph = " ".join(SENTENCES[(n * 3 + at) % len(SENTENCES)].format(n=1 + (n + at) % 12) for at in range(size))
        text.append(f"{n + 1}. {paragraph}\n\n")
        length += len(text[-1])
        n += 1
    return "".join(text)[:characters]


class Serving:
    """A server that may be started again where it was."""

    def __init__(self, binary, first):
        self.binary, self.first, self.process = binary, first, first.process
        self.peaks = []

    def note_peak(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            self.peaks.append(int(re.search(r"VmHWM:\s*(\d+) kB", status.read())[1]) / 1024)

    def restart(self, by):
        self.note_peak()
        began = time.monotonic()
        self.process.send_signal(by)
        self.process.wait()
        host, port = self.first.address
        command = [self.binary, "serve", "--listen", f"{host}:{port}", "--data-dir", self.first.data_dir]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print(f"    {by.name} and started again after {time.monotonic() - began:.1f} s", flush=True)

    def end(self):
        self.process.kill()
        self.process.wait()


def say(binary, path, subtitles, env, moments=()):
    """Speaks the book; the hash and the number of bytes of its sound. `moments`: bytes and what to do there, in a thread."""
    began = time.monotonic()
    command = [binary, "say", "-l", "hi", "--file", path, "--subtitles", subtitles, "--progress"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **env})
    told = []
    listening = threading.Thread(target=lambda: told.extend(process.stderr.read().decode().splitlines()))
    listening.start()
    digest, size, moments = hashlib.sha256(), 0, list(moments)
    while piece := process.stdout.read(1 << 16):
        digest.update(piece)
        size += len(piece)
        if moments and size >= moments[0][0]:
            threading.Thread(target=moments.pop(0)[1]).start()
    _, status, usage = os.wait4(process.pid, 0)
    listening.join()
    seconds = time.monotonic() - began
    for line in told:
        if "of speech" not in line:
            print("    " + line)
    print(f"    {size / 48_000 / 3600:.2f} h of sound in {seconds:.1f} s ({size / 48_000 / seconds:.0f} times real time), "
          f"say: {usage.ru_maxrss / 1024:.0f} MiB at most, {usage.ru_utime + usage.ru_stime:.1f} s of processor time; "
          f"sha256 {digest.hexdigest()[:16]}", flush=True)
    if status:
        sys.exit(f"say ended with {status}: {told}")
    return digest.hexdigest(), size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--characters", type=int, default=1_000_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, server.running(arguments.binary) as first:
        path = os.path.join(folder, "book.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(book(arguments.characters))
        print(f"{arguments.characters} characters, {os.path.getsize(path) / 1e6:.1f} MB")
        vtt = {name: os.path.join(folder, f"{name}.vtt") for name in ("here", "calm", "disturbed")}
        env = {"SHRUTI_SERVER": first.url, "SHRUTI_API_KEY": first.key}
        serving = Serving(arguments.binary, first)
        try:
            print("without a server")
            here = say(arguments.binary, path, vtt["here"], {"SHRUTI_SERVER": ""})
            print("by a server that is left alone")
            calm = say(arguments.binary, path, vtt["calm"], env)
            print("by one that is restarted and killed")
            size = calm[1]
            moments = [(size // 4, lambda: serving.restart(signal.SIGTERM)), (size // 2, lambda: serving.restart(signal.SIGKILL))]
            disturbed = say(arguments.binary, path, vtt["disturbed"], env, moments)
            serving.note_peak()
        finally:
            serving.end()
        print("server: " + ", ".join(f"{peak:.0f}" for peak in serving.peaks) + " MiB at most, of each process")
        subtitles = {name: open(file, "rb").read() for name, file in vtt.items()}
        print(f"subtitles: {subtitles['calm'].count(b'-->')} cues")
        same = here == calm == disturbed and subtitles["calm"] == subtitles["disturbed"]
        print("the same samples and subtitles" if same else "NOT the same")
        sys.exit(not same)


if __name__ == "__main__":
    main()
