#!/usr/bin/env python3
"""Measures the intelligibility gain of clarity shaping over a telephone and in a noisy room, and its cost in loudness.

usage: measure.py target/release/shruti TOOLS DATA [PART ...]
   TOOLS   contains phone.py       DATA   contains listen/hi.npz, listen/hi.txt and sentences/
   PART    sentences digits words loudness; default: all
In sentences.txt and digits.txt of this folder, even lines were used to choose the constants in
crates/shruti-audio/src/clarity.rs; odd lines are the test set.
needs: the requirements of phone.py; numpy scipy praat-parselmouth
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from loudness import loudness, read  # noqa: E402

VOICES = ("Ananya", "Arjun")
MODES = ("off", "phone", "room")
LANGUAGES = "hi bn ta te gu kn ml mr pa or en".split()
SENTENCES = 12


def lines(path):
    return [line.strip() for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


class Speaker:
    def __init__(self, shruti, folder):
        self.shruti, self.folder = shruti, Path(folder)

    def speak(self, name, language, voice, mode, said):
        """Speaks lines into a folder of numbered WAV files; returns the folder and the file that lists the lines."""
        out = self.folder / f"{name}-{language}-{voice}-{mode}"
        out.mkdir()
        listing = out.with_suffix(".txt")
        listing.write_text("\n".join(said) + "\n", encoding="utf-8")
        how = ["-l", language, "--voice", voice, "--clarity", mode]
        command = [self.shruti, "say", *how, "--list", listing, "--out-dir", out]
        subprocess.run(command, check=True, capture_output=True)
        return out, listing


def scored(tools, *arguments):
    command = [sys.executable, tools / "phone.py", *map(str, arguments)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=alone)
    return done.stdout.strip().split("\n")[-1]


def english(kind):
    def part(speaker, tools, _data):
        said = lines(HERE / f"{kind}.txt")
        for half, name in ((0, "chose"), (1, "judge")):
            for mode in MODES:
                for voice in VOICES:
                    folder, listing = speaker.speak(f"{kind}-{name}", "en", voice, mode, said[half::2])
                    print(f"{kind} that {name}, wrong %: {mode} {voice}: {scored(tools, kind, listing, folder)}", flush=True)

    return part


def words(speaker, tools, data):
    listing = data / "listen" / "hi.txt"
    for mode in MODES:
        for voice in VOICES:
            folder, _ = speaker.speak("words", "hi", voice, mode, lines(listing))
            warp = ["1.08"] if voice == "Ananya" else []
            figures = scored(tools, "words", listing.with_suffix(".npz"), folder, *warp)
            print(f"Hindi words, right %: {mode} {voice}: {figures}", flush=True)


def level(speaker, _tools, data):
    for language in LANGUAGES:
        said = [line for line in lines(data / "sentences" / f"{language}.txt") if 20 < len(line) < 120][:SENTENCES]
        for voice in VOICES:
            sounds = {}
            for mode in MODES:
                folder, _ = speaker.speak("loudness", language, voice, mode, said)
                sounds[mode] = [read(wav) for wav in sorted(folder.glob("*.wav"))]
            levels = {mode: np.array([loudness(rate, x) for rate, x in sounds[mode]]) for mode in MODES}
            told = []
            for mode in MODES[1:]:
                change = levels[mode] - levels["off"]
                peak = max(np.abs(x).max() for _, x in sounds[mode])
                extremes = f"{change.min():+.2f} to {change.max():+.2f}"
                told.append(f"{mode} {change.mean():+.2f} LU ({extremes}), peak {peak:.2f}")
            print(f"loudness {language} {voice}: {'; '.join(told)}", flush=True)


PARTS = {"sentences": english("sentences"), "digits": english("digits"), "words": words, "loudness": level}


def main(shruti, tools, data, *wanted):
    for part in wanted or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            PARTS[part](Speaker(Path(shruti).resolve(), folder), Path(tools), Path(data))


if __name__ == "__main__":
    if len(sys.argv) < 4 or set(sys.argv[4:]) - set(PARTS):
        sys.exit(__doc__)
    main(*sys.argv[1:])
