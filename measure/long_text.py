#!/usr/bin/env python3
"""Speaks a book with `shruti say` on a server that is restarted and killed in the middle.

Speaks it without a server, with an undisturbed server, and with one that receives SIGTERM after a quarter of the book
and SIGKILL after half of it, and is restarted each time. The samples of all three runs must be equal, and so must their
subtitle files. Prints time, peak memory and messages; exits with 1 if something differs. The audio is hashed, not
stored.

usage: long_text.py target/release/shruti [--characters 1000000]
"""
import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../checks"))
from harness import running  # noqa: E402

SENTENCES = (
    "वह कल शाम {n} बजे आया, और सबने उसे देखा।", "“आप कौन हैं?” उसने पूछा।", "दाम ₹{n},500 था; वह चुप रहा।",
    "The train to Pune left at {n}:15, and nobody saw it again.", "फिर बारिश होने लगी!",
)


def book(characters):
    """Returns paragraphs of two to nine sentences, all different."""
    text, length, n = [], 0, 0
    while length < characters:
        size = 2 + n % 8
        paragraph = " ".join(SENTENCES[(n * 3 + at) % len(SENTENCES)].format(n=1 + (n + at) % 12) for at in range(size))
        text.append(f"{n + 1}. {paragraph}\n\n")
        length += len(text[-1])
        n += 1
    return "".join(text)[:characters]


def restart(server, by, peaks):
    """Ends the server with a signal and restarts it on the same port; records its peak memory in KiB."""
    peaks.append(server.peak_kib())
    began = time.monotonic()
    server.process.send_signal(by)
    server.process.wait()
    server.start()
    print(f"    {by.name}, restarted after {time.monotonic() - began:.1f} s", flush=True)


def say(binary, path, subtitles, env, moments=()):
    """Speaks the book and returns the hash and the number of bytes of its audio.

    `moments` are pairs of a byte position and a function, which a thread calls when the audio reaches that position.
    """
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
    with tempfile.TemporaryDirectory() as folder, running(arguments.binary) as server:
        path = os.path.join(folder, "book.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(book(arguments.characters))
        print(f"{arguments.characters} characters, {os.path.getsize(path) / 1e6:.1f} MB")
        vtt = {name: os.path.join(folder, f"{name}.vtt") for name in ("here", "calm", "disturbed")}
        env, peaks = {"SHRUTI_SERVER": server.url, "SHRUTI_API_KEY": server.key}, []
        print("without a server")
        here = say(arguments.binary, path, vtt["here"], {"SHRUTI_SERVER": ""})
        print("with a server")
        calm = say(arguments.binary, path, vtt["calm"], env)
        print("with a server that is restarted and killed")
        size = calm[1]
        moments = [
            (size // 4, lambda: restart(server, signal.SIGTERM, peaks)),
            (size // 2, lambda: restart(server, signal.SIGKILL, peaks)),
        ]
        disturbed = say(arguments.binary, path, vtt["disturbed"], env, moments)
        peaks.append(server.peak_kib())
        print("peak memory of each server process: " + ", ".join(f"{peak / 1024:.0f}" for peak in peaks) + " MiB")
        subtitles = {name: open(file, "rb").read() for name, file in vtt.items()}
        print(f"subtitles: {subtitles['calm'].count(b'-->')} cues")
        same = here == calm == disturbed and subtitles["calm"] == subtitles["disturbed"]
        print("the same samples and subtitles" if same else "NOT the same")
        sys.exit(not same)


if __name__ == "__main__":
    main()
