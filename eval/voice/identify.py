#!/usr/bin/env python3
"""A smooth figure for searches over the voice's data: how surely each word is taken for itself.

The cross entropy (nats, lower is better) of the identification that listen.py counts, at one tract warp a voice; it moves
with every change of the data where a count of right words does not. Mean over Hindi, Telugu and Marathi.

usage: identify.py TOOLS DATA SPEAK [VOICE_DATA]
   TOOLS       holds listen.py            DATA   holds listen/<lang>.npz and .txt
   SPEAK       the example speak_text, built with --features tuning
   VOICE_DATA  a trial copy of crates/shruti-voice/data; without it the embedded data speaks
needs: what listen.py needs
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

WARPS = {"Ananya": 1.08, "Arjun": 0.96}
SHARPNESS = 10.0  # nats for one unit of listen.py's distance


def main(tools, data, speak, trial=None):
    sys.path.insert(0, tools)
    import listen

    environment = dict(os.environ, **({"SHRUTI_VOICE_DATA": trial} if trial else {}))
    figures = []
    for voice, warp in WARPS.items():
        for language in ("hi", "te", "mr"):
            stored = np.load(Path(data) / "listen" / f"{language}.npz")
            names = sorted(stored.files)
            references = [stored[name].astype(np.float64) for name in names]
            with tempfile.TemporaryDirectory() as out:
                with open(Path(data) / "listen" / f"{language}.txt") as words:
                    subprocess.run([speak, out, language, voice], stdin=words, env=environment, check=True)
                heard = [listen.features(listen.load(Path(out) / f"{name}.wav"), warp) for name in names]
            distances = np.array([[listen.distance(h, r) for r in references] for h in heard])
            scores = -SHARPNESS * distances
            scores -= scores.max(1, keepdims=True)
            entropy = -np.mean(np.diag(scores - np.log(np.exp(scores).sum(1, keepdims=True))))
            right = np.mean(distances.argmin(1) == np.arange(len(names)))
            print(f"{voice} {language}: {entropy:.4f} nats, top1 {100 * right:.1f} %")
            figures.append(entropy)
    print(f"mean {np.mean(figures):.4f} nats")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
