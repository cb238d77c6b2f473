#!/usr/bin/env python3
"""Compares periodicity, movement, seams, levels and CPPS of both voices on sound_lines.tsv, for one or several builds.

usage: compare_sound.py TOOLS target/release/shruti [OTHER/shruti ...]        TOOLS contains sound.py
needs: pip install praat-parselmouth numpy scipy
"""
import sys
import tempfile
from pathlib import Path

import numpy as np

from loudness import loudness, read
from measure import OURS, Speakers

NAMES = ("periodicity", "movement", "seams", "1-2 kHz", "2-3 kHz", "3-4 kHz", "5-6 kHz", "cpps", "LUFS")


def figures(tools, folders):
    """Returns the mean measurements over all files that are long enough."""
    sys.path.insert(0, str(tools))
    import sound

    rows = []
    for wav in (wav for folder in folders for wav in sorted(folder.glob("*.wav"))):
        measured = sound.one(wav)
        if measured:
            rows.append([*measured, loudness(*read(wav))])
    return np.mean(rows, axis=0)


def main(tools, *builds):
    lines = {}
    for row in (Path(__file__).parent / "sound_lines.tsv").read_text(encoding="utf-8").split("\n"):
        if "\t" in row and not row.startswith("#"):
            language, text = row.split("\t")
            lines.setdefault(language, []).append(text)
    for build in builds:
        with tempfile.TemporaryDirectory() as folder:
            speakers = Speakers(build, folder)
            for who in OURS:
                folders = [speakers.speak(who, language, said, "sound") for language, said in lines.items()]
                mean = figures(Path(tools), folders)
                print(f"{build} {who}: " + ", ".join(f"{name} {value:.2f}" for name, value in zip(NAMES, mean)))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
