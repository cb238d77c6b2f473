#!/usr/bin/env python3
"""Draws spectrograms of the files of samples.sh: one picture per language, Ananya above Arjun, 0 to 8 kHz.

usage: spectrograms.py WAVS OUT        WAVS contains hi-ananya.wav …; OUT receives hi.png …
needs: pip install numpy scipy matplotlib pillow
"""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from scipy.io import wavfile
from scipy.signal import spectrogram


def draw(wavs, out):
    figure, axes = plt.subplots(2, 1, figsize=(6.4, 3.2), dpi=75, sharex=True)
    for axis, wav in zip(axes, wavs):
        rate, x = wavfile.read(wav)
        x = x.astype(float) / 32768
        x = np.append(x[0], x[1:] - 0.95 * x[:-1])
        hertz, times, power = spectrogram(x, rate, "hann", 240, 192, 512)
        level = 10 * np.log10(power + 1e-14)
        top = level.max()
        axis.pcolormesh(times, hertz / 1000, level, cmap="gray_r", vmin=top - 60, vmax=top - 5, shading="auto", rasterized=True)
        axis.set_ylim(0, 8)
        axis.set_ylabel("kHz")
        axis.set_title(wav.stem.split("-")[1].capitalize(), fontsize=8, loc="left", pad=2)
    axes[-1].set_xlabel("s")
    figure.tight_layout(pad=0.3)
    figure.canvas.draw()
    picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("L").quantize(12)
    picture.save(out, optimize=True)
    plt.close(figure)


def main(wavs, out):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for first in sorted(Path(wavs).glob("*-ananya.wav")):
        language = first.stem.split("-")[0]
        draw([first, first.with_name(f"{language}-arjun.wav")], out / f"{language}.png")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
