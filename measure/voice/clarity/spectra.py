#!/usr/bin/env python3
"""Plots the long-term spectra of voices, unshaped and shaped, at the same loudness, with the telephone band shaded.

usage: spectra.py WAVS OUT.png [VOICE ...]
   WAVS    contains a folder of WAV files for each of VOICE-off, VOICE-phone, VOICE-room
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
from scipy.signal import welch

STYLES = {"off": ("#777777", "-"), "phone": ("#000000", "-"), "room": ("#000000", "--")}


def spectrum(folder):
    """Returns frequencies in Hz and the level, in dB, of the third octave around each."""
    waves = [wavfile.read(path) for path in sorted(Path(folder).glob("*.wav"))]
    rate = waves[0][0]
    x = np.concatenate([wave.astype(float) / 32768 for _, wave in waves])
    hertz, power = welch(x, rate, nperseg=2048)
    centres = 100 * 2 ** (np.arange(0, 6.7, 1 / 12))
    bands = [power[(hertz >= centre * 2 ** (-1 / 6)) & (hertz < centre * 2 ** (1 / 6))].sum() for centre in centres]
    return centres, 10 * np.log10(np.array(bands) * (hertz[1] - hertz[0]) + 1e-12)


def main(wavs, out, *voices):
    voices = voices or ("Ananya", "Arjun")
    figure, axes = plt.subplots(1, len(voices), figsize=(8, 3), dpi=80, sharey=True)
    for axis, voice in zip(np.atleast_1d(axes), voices):
        axis.axvspan(300, 3400, color="#eeeeee")
        for mode, (colour, line) in STYLES.items():
            axis.semilogx(*spectrum(Path(wavs) / f"{voice}-{mode}"), color=colour, linestyle=line, label=mode)
        axis.set_title(voice, fontsize=9, loc="left")
        axis.set_xticks([125, 250, 500, 1000, 2000, 4000, 8000], ["125", "250", "500", "1k", "2k", "4k", "8k"])
        axis.set_xlim(100, 10000)
        axis.set_ylim(-75, -20)
        axis.set_xlabel("Hz")
    axes[0].set_ylabel("dB in a third of an octave")
    axes[-1].legend(frameon=False, fontsize=8)
    figure.tight_layout(pad=0.4)
    figure.canvas.draw()
    picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("L").quantize(12)
    picture.save(out, optimize=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
