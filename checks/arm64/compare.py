#!/usr/bin/env python3
"""Compares the audio of two builds, which checks/arm64/run.sh writes into two folders: compare.py FOLDER FOLDER

The rule-based voices and all formats except Opus must be bit-identical. The learned voices may differ by rounding
errors: clips must have the same length and a signal-to-noise ratio of at least LEAST_SNR dB. The Opus encoder uses
floating-point functions of the platform, so its bytes may differ.
"""
import array
import math
import sys
import wave
from pathlib import Path

# minimum signal-to-noise ratio in dB; x86-64 with AVX-512 and emulated arm64 have 38.8 to 46.8 dB
LEAST_SNR = 36.0


def samples_of(path):
    with wave.open(str(path)) as file:
        return array.array("h", file.readframes(file.getnframes()))


def files_of(folder):
    return {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[0])
    ours, theirs = (files_of(Path(folder)) for folder in sys.argv[1:])
    if not ours or ours.keys() != theirs.keys():
        sys.exit(f"the folders hold different files: {sorted(map(str, ours.keys() ^ theirs.keys()))}")
    equal, different, failed, ratios, most, same_length = 0, 0, [], [], 0, 0
    for name, path in ours.items():
        if path.read_bytes() == theirs[name].read_bytes():
            equal += 1
            continue
        different += 1
        if name.name.startswith("opus_"):
            continue
        if name.parts[0] != "learned":
            failed.append(f"{name} differs")
            continue
        one, other = samples_of(path), samples_of(theirs[name])
        if len(one) != len(other):
            failed.append(f"{name}: {len(one)} and {len(other)} samples")
            continue
        same_length += 1
        differences = [a - b for a, b in zip(one, other, strict=True)]
        noise, most = sum(d * d for d in differences), max(most, *map(abs, differences))
        ratio = 10 * math.log10(sum(a * a for a in one) / noise)
        ratios.append(ratio)
        if ratio < LEAST_SNR:
            failed.append(f"{name}: {ratio:.1f} dB")
    print(f"{equal} files are the same; {different} differ", end="")
    if ratios:
        print(f", {same_length} of them of the same length: by {most} of 32,767 at most, {min(ratios):.1f} to {max(ratios):.1f} dB signal-to-noise ratio", end="")
    print()
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
