#!/usr/bin/env python3
"""Speaks one text with the teacher.

usage: say.py UTTERANCES TEACHER_FOLDER LANGUAGE VOICE OUT.wav TEXT

UTTERANCES is the example `utterances` of `shruti-text`. The teacher is downloaded if TEACHER_FOLDER is empty. VOICE is
Ananya or Arjun.
"""
import sys
import wave
from pathlib import Path

import numpy as np

import teacher
from front_end import read_sentences
from symbols import sentence_symbols


def main():
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    program, folder, language, voice, out, text = sys.argv[1:]
    teacher.fetch(Path(folder))
    speaker = teacher.Teacher(Path(folder))
    [sentence] = read_sentences(program, language, [" ".join(text.split())])
    samples, *_ = speaker.speak(sentence_symbols(sentence)[0], voice)
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(teacher.SAMPLE_RATE)
        file.writeframes(np.rint(np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


if __name__ == "__main__":
    main()
