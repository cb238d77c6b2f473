#!/usr/bin/env python3
"""Measures the voices with all tools, and compares them with espeak-ng and recorded (diphone) voices.

usage: measure.py target/release/shruti TOOLS DATA [PART ...]
   TOOLS   contains listen.py, wer.py, phone.py, hear_ml.py and sound.py
   DATA    contains listen/, english/, phone/, noise/ and sentences/
   PART    words english conditions people bands sound phones speed; default: all
needs: pip install numpy scipy numba pocketsphinx praat-parselmouth soundfile; espeak-ng; for the recorded voices,
   festival festvox-hi-nsk festvox-te-nsk festvox-mr-nsk festvox-kallpc16k flite. Missing speakers are skipped.
"""
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import acoustics
from loudness import loudness, read

OURS = ("Ananya", "Arjun")
FESTIVAL = {"hi": "hindi", "te": "telugu", "mr": "marathi"}
SENTENCES = 12


class Speakers:
    """Synthesizers that speak a list of lines into a folder of numbered WAV files."""

    def __init__(self, shruti, folder):
        self.shruti, self.folder = shruti, Path(folder)

    def speak(self, who, language, lines, name):
        out = self.folder / f"{who}-{language}-{name}"
        if out.exists():
            return out
        out.mkdir(parents=True)
        listing = out / "list.txt"
        listing.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if who in OURS:
            command = [self.shruti, "say", "-l", language, "--voice", who, "--list", listing, "--out-dir", out]
            subprocess.run(command, check=True, capture_output=True)
            return out
        for number, line in enumerate(lines):
            wav = out / f"{number:03d}.wav"
            if who == "espeak-ng":
                code = "en-us" if language == "en" else language
                subprocess.run(["espeak-ng", "-v", code, "-w", wav, "--", line], check=True)
            elif language == "en":
                subprocess.run(["flite", "-voice", "slt", "-t", line, "-o", wav], check=True)
            else:
                voice = f"(voice_{FESTIVAL[language]}_NSK_diphone)"
                subprocess.run(["text2wave", "-eval", voice, "-o", wav], input=line.encode(), capture_output=True)
        return out

    def present(self, language):
        """Returns the installed speakers of a language."""
        found = list(OURS)
        if shutil.which("espeak-ng"):
            found.append("espeak-ng")
        recorded = "flite" if language == "en" else "text2wave" if language in FESTIVAL else None
        if recorded and shutil.which(recorded):
            found.append("recorded")
        return found


def lines(path, most=None):
    found = [line.strip() for line in Path(path).read_text(encoding="utf-8").split("\n") if line.strip()]
    return found[:most]


def scored(tool, *arguments):
    out = subprocess.run([sys.executable, tool, *map(str, arguments)], capture_output=True, text=True, check=True)
    return out.stdout.strip().split("\n")[-1]


def words(speakers, tools, data):
    print("# words identified by a recogniser trained only on a recorded voice (listen.py)")
    for language in FESTIVAL:
        listing = data / "listen" / f"{language}.txt"
        for who in speakers.present(language):
            if who != "recorded":  # the recorded voice is the reference
                folder = speakers.speak(who, language, lines(listing), "words")
                print(f"{language} {who}: {scored(tools / 'listen.py', listing.with_suffix('.npz'), folder)}")


def english(speakers, tools, data):
    print("# English, judged by an American recogniser (wer.py)")
    listing = data / "english" / "sentences.txt"
    for who in speakers.present("en"):
        folder = speakers.speak(who, "en", lines(listing), "sentences")
        print(f"en {who}: {scored(tools / 'wer.py', listing, folder)}")


def conditions(speakers, tools, data):
    print("# clean, over a telephone, in a room with babble at 5 dB, over a telephone in that room (phone.py)")
    judged = {
        "digits": ("en", data / "phone" / "digits.txt", "digits wrong % (strings wholly right %)"),
        "sentences": ("en", data / "english" / "sentences.txt", "words wrong %"),
        "words": ("hi", data / "listen" / "hi.txt", "identified %"),
    }
    for kind, (language, listing, unit) in judged.items():
        for who in speakers.present(language):
            if (kind, who) == ("words", "recorded"):  # the recorded voice is the reference
                continue
            folder = speakers.speak(who, language, lines(listing), kind)
            of_words = [listing.with_suffix(".npz"), folder, "1.08" if who == "Ananya" else "1.0"]
            figures = scored(tools / "phone.py", kind, *(of_words if kind == "words" else [listing, folder]))
            print(f"{kind}, {language} {who}: {figures}; {unit}")


def people(speakers, tools, data):
    print("# wrong Malayalam phones, by a recogniser trained on human speech (hear_ml.py)")
    listing = data / "listen" / "ml_people.lines.txt"
    for who in speakers.present("ml"):
        folder = speakers.speak(who, "ml", lines(listing), "people")
        print(f"ml {who}: {scored(tools / 'hear_ml.py', data / 'listen' / 'ml_people.phones.txt', folder)}")


def bands(speakers, tools, data):
    print("# levels of vowels by frequency, periodicity, movement and seams (sound.py)")
    for language in ("ml", "hi", "en"):
        said = [line for line in lines(data / "sentences" / f"{language}.txt") if 20 < len(line) < 120][:SENTENCES]
        for who in speakers.present(language):
            print(scored(tools / "sound.py", speakers.speak(who, language, said, "sound")))


def sound(speakers, _tools, data):
    print(f"# {SENTENCES} sentences per language: loudness, level, pitch, harmonics, high end, rate, clicks")
    for path in sorted((data / "sentences").glob("*.txt")):
        language = path.stem
        said = [line for line in lines(path) if 20 < len(line) < 120][:SENTENCES]
        for who in speakers.present(language):
            wavs = sorted(speakers.speak(who, language, said, "sound").glob("*.wav"))
            sounds = [read(wav) for wav in wavs]
            levels = [loudness(rate, x) for rate, x in sounds]
            peak = max(np.abs(x).max() for _, x in sounds)
            rest = acoustics.Summary(sounds).text()
            print(f"{language} {who}: {np.mean(levels):.1f} LUFS ({min(levels):.1f} to {max(levels):.1f}), peak {peak:.2f}, {rest}")


def phones(speakers, _tools, _data):
    print("# isolated vowels: F1 F2 F3 in Hz; for Hindi, the deviation from the published means of men")
    for language, letters in acoustics.VOWELS.items():
        measured = {}
        for who in speakers.present(language):
            folder = speakers.speak(who, language, letters, "vowels")
            measured[who] = [acoustics.formants(folder / f"{n:03d}.wav", who != "Ananya") for n in range(len(letters))]
        standard = acoustics.PUBLISHED.get(language) or measured.get("recorded")
        for who, found in measured.items():
            print(f"{language} {who}: " + " ".join(f"{v} {f[0]:.0f}/{f[1]:.0f}/{f[2]:.0f}" for v, f in zip(letters, found)))
            if standard and who != "recorded":
                print(f"   off by: {acoustics.deviation(found, standard)}")
    print("# voice onset times, ms")
    for language, syllables in acoustics.STOPS.items():
        for who in speakers.present(language):
            folder = speakers.speak(who, language, syllables, "stops")
            times = [acoustics.onset_time(folder / f"{n:03d}.wav") for n in range(len(syllables))]
            print(f"{language} {who}: " + " ".join(f"{s} {t:.0f}" for s, t in zip(syllables, times)))


def speed(speakers, _tools, data):
    print("# audio per second of one core, including program start and text processing")
    said = lines(data / "sentences" / "hi.txt", 200)
    for who in OURS:
        start = time.perf_counter()
        folder = speakers.speak(who, "hi", said, "speed")
        spent = time.perf_counter() - start
        total = sum(wav.stat().st_size - 44 for wav in folder.glob("*.wav")) / 48_000
        print(f"{who}: {total:.0f} s of sound in {spent:.2f} s: {total / spent:.0f} x real time")
    print("rendering alone and the first 20 ms: cargo bench -p shruti-voice")


PARTS = {
    "words": words,
    "english": english,
    "conditions": conditions,
    "people": people,
    "bands": bands,
    "sound": sound,
    "phones": phones,
    "speed": speed,
}


def main(shruti, tools, data, *parts):
    with tempfile.TemporaryDirectory() as folder:
        speakers = Speakers(shruti, folder)
        for part in parts or PARTS:
            PARTS[part](speakers, Path(tools), Path(data))


if __name__ == "__main__":
    if len(sys.argv) < 4 or not set(sys.argv[4:]) <= set(PARTS):
        sys.exit(__doc__)
    main(*sys.argv[1:])
