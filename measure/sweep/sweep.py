#!/usr/bin/env python3
"""Checks that lists of real sentences become plausible speech in every language and voice.

Speaks every line of SENTENCES_DIR/<lang>.txt with each language and voice, unchanged and in three harder forms (with
digits, with English words, romanised), and checks each clip:
  rate      2 to 8 syllables per second, without pauses
  silence   no silence over 1 s inside the clip
  clipping  no sample at full scale
  empty     some audio in every clip, and a clip for every line

usage: sweep.py path/to/shruti SENTENCES_DIR [--lines N] [--languages hi,ta]
needs: pip install numpy scipy
"""
import argparse
import re
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

import numpy as np
from scipy.io import wavfile

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train/mixed"))
try:
    from romanise import romanise_text
except ImportError:
    romanise_text = None

LANGUAGES = "hi bn ta te gu kn ml mr pa or en".split()
VOICES = ("Ananya", "Arjun")
RATE = 24000
PAUSE = 15  # in hundredths of a second: longer silences are pauses, shorter ones are closures of stops
VOWELS = set("aeiouəɐʌɑɔɒɛæɪʊɨɯɜ")


def forms(lines, language):
    """Returns the name and the lines of each form of the sentences."""
    digits = ["{} 1,25,000 {} 10:30".format(*(line.rstrip(" ।.?!").split(" ", 1) + [""])[:2]) for line in lines]
    mixed = ["{} order {} delivery".format(*(line.rstrip(" ।.?!").split(" ", 1) + [""])[:2]) for line in lines]
    result = [("plain", lines), ("digits", digits), ("mixed", mixed)]
    if language != "en" and romanise_text is not None:
        result.append(("romanised", [romanise_text(line, language, "informal") for line in lines]))
    return result


def syllables(shruti, language, lines):
    """Returns the number of vowels in the phones of each line."""
    text = "\n".join(lines) + "\n"
    out = subprocess.run([shruti, "phones", "-l", language], input=text, capture_output=True, text=True, check=True).stdout
    counts = []
    for row in out.rstrip("\n").split("\n"):
        phones = unicodedata.normalize("NFD", row.split("\t")[1]).split()
        counts.append(sum(1 for phone in phones if phone[0] in VOWELS))
    return counts


def faults(samples, vowels):
    """Returns the faults of a clip, and its rate in syllables per second of speech."""
    if not len(samples) or np.abs(samples).max() < 500:
        return ["empty"], None
    found = []
    if np.abs(samples.astype(int)).max() >= 32767:
        found.append("clipping")
    hop = RATE // 100
    level = np.abs(samples[: len(samples) // hop * hop].reshape(-1, hop).astype(int)).max(1)
    sound = level > 60
    inside = np.flatnonzero(sound)
    quiet = longest = pauses = 0
    for loud in sound[inside[0]: inside[-1] + 1]:
        if loud and quiet >= PAUSE:
            pauses += quiet
        quiet = 0 if loud else quiet + 1
        longest = max(longest, quiet)
    if longest > 100:
        found.append(f"silence of {longest * 10} ms")
    speech = (inside[-1] + 1 - inside[0] - pauses) / 100
    rate = vowels / speech if speech else 0.0
    if vowels >= 4 and not 2 <= rate <= 8:
        found.append(f"rate {rate:.1f}")
    return found, rate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shruti")
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    arguments = parser.parse_args()
    wrong = total = 0
    print("lang voice   form        clips  syll/s (p5 p50 p95)  faults")
    for language in arguments.languages.split(","):
        lines = [s for s in (arguments.sentences / f"{language}.txt").read_text(encoding="utf-8").split("\n") if s.strip()]
        for form, texts in forms(lines[: arguments.lines], language):
            texts = [re.sub(r"\s+", " ", text) for text in texts]
            counts = syllables(arguments.shruti, language, texts)
            for voice in VOICES:
                with tempfile.TemporaryDirectory() as folder:
                    listing = Path(folder) / "list.txt"
                    listing.write_text("\n".join(texts) + "\n", encoding="utf-8")
                    command = [arguments.shruti, "say", "-l", language, "--voice", voice, "--list", listing, "--out-dir", folder]
                    subprocess.run(command, check=True)
                    rates, bad = [], []
                    for number, (text, vowels) in enumerate(zip(texts, counts)):
                        _, samples = wavfile.read(Path(folder) / f"{number:03d}.wav")
                        found, rate = faults(samples, vowels)
                        rates += [rate] if rate and vowels >= 4 else []
                        bad += [(found, text)] if found else []
                p5, p50, p95 = np.percentile(rates, [5, 50, 95]) if rates else (0, 0, 0)
                print(f"{language}   {voice:7} {form:10} {len(texts):6}  {p5:5.1f} {p50:5.1f} {p95:5.1f}      {len(bad)}", flush=True)
                for found, text in bad[:3]:
                    print(f"     {', '.join(found)}: {text[:90]}")
                wrong += len(bad)
                total += len(texts)
    print(f"{total} clips, {wrong} with faults")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
