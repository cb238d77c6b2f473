#!/usr/bin/env python3
"""Checks the prosody of questions, numbers, long sentences, exclamations, parentheses and lists in every language.

LIST has one line per recording: language, tag, text.
   Y  a yes-no question: its end is high, or peaks and falls in its last 0.3 s (Bengali)
   W  a question with a question word      A  alternatives      S  a statement: each ends low
   L  a long sentence: its longest stretch without a pause      G2  a number of two groups: the pauses within it
   X  a statement as an exclamation: its range is wider than that of the S line with the same words
   P  parentheses: a pause on either side, and a lower pitch inside      C  a list: members end higher than the last

usage: prosody.py SHRUTI TOOLS [LIST] [--voice NAME ...] [--misses]
   SHRUTI  the release binary      TOOLS   contains prosody.py, which measures one recording
needs: pip install praat-parselmouth numpy
"""
import argparse
import collections
import importlib.util
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import parselmouth

LONGEST = 3.5  # maximum time without a pause, in seconds
WIDER = 1.5  # minimum difference of the pitch range, in semitones


def semitones(path):
    """Returns the times of the voiced frames and their pitch relative to the median, in semitones."""
    sound = parselmouth.Sound(str(path))
    pitch = sound.to_pitch_ac(time_step=0.005, pitch_floor=60, pitch_ceiling=500, voicing_threshold=0.45, octave_jump_cost=0.6)
    f = pitch.selected_array["frequency"]
    return pitch.xs()[f > 0], 12 * np.log2(f[f > 0] / np.median(f[f > 0]))


def pauses(path, least=0.16):
    """Returns the pauses between sounds as (start, end) in seconds: at least `least` seconds at 30 dB below the peak.

    Long closures reach 0.15 s.
    """
    intensity = parselmouth.Sound(str(path)).to_intensity(minimum_pitch=100, time_step=0.005)
    level, times = intensity.values[0], intensity.xs()
    loud = np.flatnonzero(level > level.max() - 30)
    gaps = np.flatnonzero(np.diff(loud) * 0.005 >= least)
    return [(times[loud[g]], times[loud[g + 1]]) for g in gaps]


def span(path):
    st = semitones(path)[1]
    return np.percentile(st, 95) - np.percentile(st, 5)


def between(path, start, end):
    times, st = semitones(path)
    return st[(times >= start) & (times <= end)]


def judge(measure, tag, path, plain):
    """Returns whether a recording passes, and the measurement that decides it."""
    end, peak, stretch = measure(path)
    if tag == "Y":
        return end > 1.5 or peak > 4, f"ends at {end:+.1f}, peak {peak:+.1f}"
    if tag in ("W", "A", "S"):
        return end < -1.5, f"ends at {end:+.1f}"
    if tag == "L":
        return stretch <= LONGEST, f"{stretch:.1f} s without a pause"
    gaps = pauses(path)
    if tag.startswith("G"):
        return len(gaps) == int(tag[1:]) - 1, f"{len(gaps)} pauses"
    if tag == "X":
        wider = span(path) - span(plain)
        return wider >= WIDER, f"{wider:+.1f} semitones wider than the statement"
    if tag == "P":
        if len(gaps) != 2:
            return False, f"{len(gaps)} pauses"
        (start, begin), (stop, _) = gaps
        drop = np.percentile(between(path, 0, start), 90) - np.percentile(between(path, begin, stop), 90)
        return drop > 1.0, f"{drop:+.1f} semitones lower"
    members = [between(path, gap[0] - 0.15, gap[0]) for gap in gaps]
    ends = [float(np.median(member)) for member in members if len(member)]
    return len(ends) >= 2 and min(ends) > end + 3, f"members end at {[round(e, 1) for e in ends]}, the last at {end:+.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shruti")
    parser.add_argument("tools")
    parser.add_argument("list", nargs="?", default=Path(__file__).with_name("sentences.tsv"))
    parser.add_argument("--voice", nargs="+", default=["Ananya", "Arjun"])
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    spec = importlib.util.spec_from_file_location("tool", Path(given.tools) / "prosody.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    rows = [line.split("\t") for line in Path(given.list).read_text(encoding="utf-8").splitlines() if line]
    right, all_of, figures = collections.Counter(), collections.Counter(), []
    ends, stretches, spans = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for voice in given.voice:
            for language in dict.fromkeys(row[0] for row in rows):
                own = [row for row in rows if row[0] == language]
                out = Path(folder) / voice / language
                out.mkdir(parents=True)
                listing = out / "list.txt"
                listing.write_text("\n".join(row[2] for row in own) + "\n", encoding="utf-8")
                command = [given.shruti, "say", "-l", language, "--voice", voice, "--list", listing, "--out-dir", out]
                subprocess.run(command, check=True, capture_output=True)
                wavs = {row[2]: out / f"{number:03d}.wav" for number, row in enumerate(own)}
                statements = {text.rstrip("।."): wav for text, wav in wavs.items()}
                for _, tag, text in own:
                    good, figure = judge(tool.measure, tag, wavs[text], statements.get(text.rstrip("!")))
                    kind = tag[0]
                    right[language, kind] += good
                    all_of[language, kind] += 1
                    if tag == "S":
                        ends.append(tool.measure(wavs[text])[0])
                        spans.append(span(wavs[text]))
                    if tag == "L":
                        stretches.append(tool.measure(wavs[text])[2])
                    if not good:
                        figures.append(f"{voice} {language} {tag} {figure}: {text}")
    kinds = list(dict.fromkeys(kind for _, kind in all_of))
    print("| | " + " | ".join(kinds) + " |\n|" + " --- |" * (len(kinds) + 1))
    for language in dict.fromkeys(language for language, _ in all_of):
        cells = [f"{right[language, k]}/{all_of[language, k]}" if all_of[language, k] else "" for k in kinds]
        print(f"| {language} | " + " | ".join(cells) + " |")
    total = [f"{sum(n for (_, of), n in right.items() if of == k)}/{sum(n for (_, of), n in all_of.items() if of == k)}" for k in kinds]
    print("| all | " + " | ".join(total) + " |")
    if stretches:
        print(f"longest stretch without a pause: median {np.median(stretches):.1f}, most {max(stretches):.1f} s")
    if ends:
        print(f"ends of statements: {np.std(ends):.2f} semitones apart (standard deviation); F0 spans {np.median(spans):.1f} semitones (5 to 95 %)")
    if given.misses:
        print("\n".join(figures))


if __name__ == "__main__":
    main()
