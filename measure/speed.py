#!/usr/bin/env python3
"""Measures the speed of synthesis and of responses, as ratios within one run, because absolute figures depend on the
machine.

Prints
  speech    CPU seconds per hour of Hindi speech, for Shruti and espeak-ng, from the same sentences. In each round, both
            speak, one after the other; the ratio is the median of the rounds' ratios. The startup cost, measured with
            one word, is subtracted
  latency   with --server: first audio relative to the round trip of the same connection (`shruti bench latency`), one
            line per API

usage: speed.py target/release/shruti [--rounds 7] [--server http://127.0.0.1:8080 (with SHRUTI_API_KEY)]
needs espeak-ng
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

SENTENCES = ["नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा।",
             "आपके खाते में एक लाख पच्चीस हज़ार रुपए जमा हुए हैं, और अगली किस्त पंद्रह अगस्त को है।",
             "मौसम विभाग के अनुसार कल पूरे राज्य में तेज़ हवा के साथ बारिश हो सकती है।"]
TIMES = 40


def processor_seconds(command, text):
    """Returns the CPU time, in seconds, of a command that reads a text, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, printed


def per_second_of_speech(command, rate, text):
    """Returns CPU seconds per second of speech, and the duration of the speech in seconds (16 bits per sample; a header
    is negligible).
    """
    start, _ = processor_seconds(command, "एक\n")
    whole, sound = processor_seconds(command, text)
    seconds = len(sound) / 2 / rate
    return max(whole - start, 1e-6) / seconds, seconds


def speech(shruti, rounds):
    text = "\n".join(SENTENCES * TIMES) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        clip = str(pathlib.Path(folder) / "clip.raw")
        ours = ["sh", "-c", f'"{shruti}" say -l hi -o "{clip}" - && cat "{clip}"']
        theirs = ["espeak-ng", "-v", "hi", "--stdout"]
        pairs = [(per_second_of_speech(ours, 24_000, text), per_second_of_speech(theirs, 22_050, text)) for _ in range(rounds)]
    mine, its = ([pair[side][0] for pair in pairs] for side in (0, 1))
    ratios = sorted(its[i] / mine[i] for i in range(rounds))
    print(f"speech    {pairs[0][0][1]:.0f} s of Hindi; an hour costs {3600 * statistics.median(mine):.2f} s of processor, "
          f"espeak-ng's {3600 * statistics.median(its):.2f} s")
    print(f"speech    Shruti takes {1 / statistics.median(ratios):.2f} times espeak-ng's processor time "
          f"({1 / ratios[-1]:.2f} to {1 / ratios[0]:.2f}, {rounds} rounds)")


def latency(shruti, server):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        subprocess.run([shruti, "bench", "latency", "--server", server, "--json", str(report)], check=True,
                       stdout=subprocess.DEVNULL)
        told = json.loads(report.read_text())
    for row in told["rows"]:
        ratio = row["first_audio"]["p50_ms"] / row["floor"]["p50_ms"]
        print(f"latency   {row['call_style']:40} {ratio:.2f} times the floor (p50)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shruti")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--server")
    asked = parser.parse_args()
    shruti = os.path.realpath(asked.shruti)
    print("machine  ", next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?"),
          "· load", os.getloadavg()[0])
    speech(shruti, asked.rounds)
    if asked.server:
        latency(shruti, asked.server)


if __name__ == "__main__":
    sys.exit(main())
