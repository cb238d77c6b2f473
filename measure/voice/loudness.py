#!/usr/bin/env python3
"""Measures loudness (ITU-R BS.1770-4, gated), sample peak and pitch of WAV files.

usage: loudness.py WAV...
needs: pip install numpy scipy praat-parselmouth
"""
import sys

import numpy as np
import parselmouth
from scipy.io import wavfile
from scipy.signal import lfilter


def weighting(rate):
    """Returns the K-weighting filter as two biquads, derived from the analogue prototype so that it is valid at any
    sample rate.
    """
    def shelf(f0, gain, q):
        k, vh = np.tan(np.pi * f0 / rate), 10 ** (gain / 20)
        vb = vh ** 0.4996667741545416
        a0 = 1 + k / q + k * k
        return ([(vh + vb * k / q + k * k) / a0, 2 * (k * k - vh) / a0, (vh - vb * k / q + k * k) / a0],
                [1, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0])

    def highpass(f0, q):
        k = np.tan(np.pi * f0 / rate)
        a0 = 1 + k / q + k * k
        return [1, -2, 1], [1, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0]

    return shelf(1681.974450955533, 3.999843853973347, 0.7071752369554196), highpass(38.13547087602444, 0.5003270373238773)


def loudness(rate, x):
    for b, a in weighting(rate):
        x = lfilter(b, a, x)
    size, hop = int(0.4 * rate), int(0.1 * rate)
    if len(x) < size:
        x = np.pad(x, (0, size - len(x)))
    power = np.array([np.mean(x[i:i + size] ** 2) for i in range(0, len(x) - size + 1, hop)])
    level = lambda p: -0.691 + 10 * np.log10(p + 1e-12)
    power = power[level(power) > -70]
    if not len(power):
        return -70.0
    gated = power[level(power) > level(power.mean()) - 10]
    return level(gated.mean())


def read(path):
    rate, x = wavfile.read(path)
    return rate, x.astype(float) / 32768


def main(paths):
    levels, peaks, pitches = [], [], []
    for path in paths:
        rate, x = read(path)
        levels.append(loudness(rate, x))
        peaks.append(np.abs(x).max())
        pitch = parselmouth.Sound(x, rate).to_pitch(pitch_floor=60, pitch_ceiling=500).selected_array["frequency"]
        pitches += list(pitch[pitch > 0])
    rate_all = f"F0 median {np.median(pitches):.0f} Hz, 5-95 % {np.percentile(pitches, 5):.0f}-{np.percentile(pitches, 95):.0f}"
    print(f"{len(paths)} files: LUFS mean {np.mean(levels):.2f} min {min(levels):.2f} max {max(levels):.2f}; "
          f"peak max {max(peaks):.3f}; {rate_all}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
