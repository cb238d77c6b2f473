#!/usr/bin/env python3
"""Measures with a recogniser how intelligible the test voice is: imported as a pack and spoken by the engine in chunks,
spoken as one whole graph by ONNX Runtime, and, for comparison, the built-in voice that it was fitted to.

usage: heard.py EXAMPLES LISTENER REFERENCES
EXAMPLES is target/release/examples with `speak` and `test_pack` of shruti-neural and `speak_text` of shruti-voice;
LISTENER is a script that receives REFERENCES/<language>.npz and a folder of 000.wav, 001.wav … for the lines of the
.txt of the same name, and prints `top1 … % top5 … %`. Needs: pip install numpy onnxruntime, and the packages that
LISTENER needs
"""
import json
import re
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np
import onnxruntime

GRAPH = Path(__file__).parents[2] / "crates/shruti-neural/tests/data/testvoice/test.onnx"
# voices of the pack: name, language, and the built-in voice to which the voice was fitted
VOICES = [("Test Arjun", "hi", "Arjun"), ("Test Ananya", "hi", "Ananya"), ("Test Ananya Telugu", "te", "Ananya")]


def run(command, words, show=False):
    spoken = subprocess.run([str(part) for part in command], stdin=words.open(), check=True, text=True,
                            stdout=subprocess.PIPE)
    if show:
        print(spoken.stdout, end="")


def run_whole(symbols, out):
    """Synthesizes rows of a line number, a speaker and symbol numbers with the whole graph in ONNX Runtime."""
    onnxruntime.set_seed(1)
    session = onnxruntime.InferenceSession(GRAPH)
    about = json.loads(Path(f"{GRAPH}.json").read_text(encoding="utf-8"))
    scales = np.array([about["inference"][key] for key in ("noise_scale", "length_scale", "noise_w")], np.float32)
    lines = {}
    for row in symbols.read_text().splitlines():
        line, speaker, ids = row.split("\t")
        ids = np.array([[int(number) for number in ids.split()]])
        inputs = {"input": ids, "input_lengths": np.array([ids.shape[1]]), "scales": scales,
                  "sid": np.array([int(speaker)])}
        lines.setdefault(int(line), []).append(session.run(None, inputs)[0].reshape(-1))
    out.mkdir()
    for line, sounds in lines.items():
        with wave.open(str(out / f"{line:03}.wav"), "wb") as file:
            file.setparams((1, 2, about["audio"]["sample_rate"], 0, "NONE", ""))
            file.writeframes((np.concatenate(sounds).clip(-1, 1) * 32767).astype("<i2").tobytes())


def heard(listener, reference, folder):
    said = subprocess.run([sys.executable, listener, reference, folder], check=True, text=True, stdout=subprocess.PIPE)
    return [float(share) for share in re.search(r"top1 ([\d.]+) % top5 ([\d.]+) %", said.stdout).groups()]


def main(examples, listener, references):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder, examples, references = Path(folder), Path(examples), Path(references)
        subprocess.run([examples / "test_pack", folder / "packs"], check=True)
        for number, (voice, language, built_in) in enumerate(VOICES):
            words, reference = references / f"{language}.txt", references / f"{language}.npz"
            ours, whole, parametric = (folder / f"{kind}{number}" for kind in ("ours", "whole", "parametric"))
            run([examples / "speak", folder / "packs/testvoice", voice, language, ours], words, show=True)
            run_whole(ours / "symbols.tsv", whole)
            run([examples / "speak_text", parametric, language, built_in], words)
            rows.append((voice, [heard(listener, reference, of) for of in (ours, whole, parametric)]))
    print("\n| voice | pack, top 1 (top 5) | the graph whole in ONNX Runtime | the built-in voice |\n"
          "| --- | --- | --- | --- |")
    for voice, shares in rows:
        cells = " | ".join(f"{top1:.1f} % ({top5:.1f} %)" for top1, top5 in shares)
        print(f"| {voice} | {cells} |")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
