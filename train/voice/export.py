#!/usr/bin/env python3
"""Writes the student's weights as the server embeds them, and reference outputs for the tests of its runtime.

usage: export.py RUN_FOLDER WEIGHTS.safetensors REFERENCE.safetensors --start WEIGHTS [--share S]

Uses the decoder of RUN_FOLDER/adversarial.pt, or else of decoder.pt, and prosody.pt, if present, and the weights of
--start for the rest. The decoder's weights are mixed with those of --start (`TRAINED_SHARES`, or S in all parts).
Matrices become 8-bit integers with a scale per row. Dense convolutions are written as [outputs, width · inputs],
depthwise ones as [width, channels], as `shruti-learned` reads them.
"""
import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file

import student
import teacher

# Share of the trained weights in each part of the decoder; the first matching prefix applies. The remaining share comes
# from the weights before fine-tuning. The mean of the weights before and after fine-tuning can be better than both
# (Wortsman et al. 2022): here it keeps the sounds learned in fine-tuning and regains naturalness, most of it in the
# later layers.
TRAINED_SHARES = (("text.", 0.7), ("speaker.", 0.6), ("dec_in.", 0.6), *((f"dec.{block}.", 0.6) for block in range(4)), ("dec.", 0.5), ("dec_norm.", 0.3), ("head.", 0.3))

# Treble boost of each speaker in dB: half of the boost at CORNER (in Hz), the whole boost well above. Without the
# boost, the student has weaker high frequencies than the teacher, and twice as many words are lost in the babble of
# other voices (README.md).
TREBLE = {"Ananya": 4.0, "Arjun": 5.0}
CORNER = 1_500.0
# Indices of those parts of the decoder's output that are log magnitudes: harmonics, noise, rest.
LEVELS = (0, 2, 3)

# Symbols of the sentence for which reference curves and spectra are recorded, and number of recorded frames of the
# spectra.
REFERENCE_SYMBOLS = [0, 56, 138, 55, 83, 61, 62, 47, 158, 16, 46, 63, 56, 51, 4, 0]
REFERENCE_FRAMES = 16


def mixed(before, after, shares):
    """Interpolates between the decoder's weights before and after training. hibari has no weights for speakers."""
    def share(name):
        return next(share for prefix, share in shares if name.startswith(prefix)) if before[name].any() else 1.0

    return {name: torch.lerp(before[name], value.float(), share(name)) for name, value in after.items()}


def blend_speakers(prosody):
    """Moves Arjun's prosody towards Ananya's."""
    speakers = prosody.text.speaker.weight.data
    speakers[1] = torch.lerp(speakers[1], speakers[0], teacher.ARJUNS_SHARE_OF_ANANYA)


def equaliser():
    """Returns the offset to the log magnitudes of each speaker, by bin."""
    frequencies = np.arange(student.BINS) * teacher.SAMPLE_RATE / 2 / (student.BINS - 1)
    shelf = frequencies**2 / (frequencies**2 + CORNER**2)
    decibels = np.array([TREBLE[voice] for voice in student.SPEAKERS])[:, None] * shelf
    return (decibels * np.log(10) / 20).astype(np.float32)


def tensors(prefix, network):
    """Returns the tensors of a network by name, in the layout of the weights file."""
    result = {}
    for name, value in network.state_dict().items():
        value = value.numpy()
        if value.ndim == 3 and value.shape[1] == 1 and name.endswith("dw.weight"):
            result[f"{prefix}.{name}"] = np.ascontiguousarray(value[:, 0].T)
            continue
        if value.ndim == 3:
            value = value.transpose(0, 2, 1).reshape(value.shape[0], -1)
        if value.ndim == 2 and "speaker" not in name:
            scale = np.abs(value).max(1, keepdims=True).clip(1e-8) / 127
            result[f"{prefix}.{name}"] = np.rint(value / scale).astype(np.int8)
            result[f"{prefix}.{name}.scale"] = scale[:, 0].astype(np.float32)
        else:
            result[f"{prefix}.{name}"] = value.astype(np.float32)
    return result


def quantised(network):
    """Replaces a network's weights with the values in the file, so that references are exact."""
    state = network.state_dict()
    for name, value in state.items():
        if value.ndim < 2 or name.endswith("dw.weight") or "speaker" in name:
            continue
        flat = value.permute(0, 2, 1).reshape(value.shape[0], -1) if value.ndim == 3 else value
        scale = flat.abs().amax(1).clamp(min=1e-8) / 127
        scale = scale.view(-1, *[1] * (value.ndim - 1))
        state[name] = torch.round(value / scale) * scale
    network.load_state_dict(state)


def reference(decoder, prosody):
    """Returns the outputs of the networks for one text with speaker 1."""
    ids = torch.tensor([REFERENCE_SYMBOLS])
    speaker, lengths = torch.tensor([1]), torch.tensor([ids.shape[1]])
    text = prosody.text(ids, speaker, lengths)
    frames = torch.expm1(prosody.durations(text))[0]
    durations = frames.round().clamp(min=1).long()
    f0, energy = prosody.curves(student.expand(text[0], durations)[None])
    expanded = student.expand(decoder.text(ids, speaker, lengths)[0], 2 * durations)[None]
    parts = list(decoder(expanded, f0, energy, speaker))
    for level in LEVELS:
        parts[level] = parts[level] + torch.from_numpy(equaliser()[1])[:, None]
    parts = torch.cat(parts, 1)[0].T
    return {"symbols": np.array(REFERENCE_SYMBOLS, np.float32), "durations": frames.numpy(), "f0": f0[0].numpy(), "energy": energy[0].numpy(),
            "output": np.ascontiguousarray(parts[::max(1, len(parts) // REFERENCE_FRAMES)][:REFERENCE_FRAMES].numpy())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--start", type=Path, required=True, help="hibari's ONNX file, or the server's voice.safetensors")
    parser.add_argument("--share", type=float, help="share of the trained weights in all parts of the decoder")
    arguments = parser.parse_args()
    shares = TRAINED_SHARES if arguments.share is None else (("", arguments.share),)
    decoder, prosody = student.from_file(arguments.start)
    for names, network in ((("adversarial", "decoder"), decoder), (("prosody",), prosody)):
        checkpoints = [path for name in names if (path := arguments.run / f"{name}.pt").exists()]
        if checkpoints:
            trained = torch.load(checkpoints[0], weights_only=True)["network"]
            network.load_state_dict(mixed(network.state_dict(), trained, shares) if network is decoder else trained)
            if network is prosody:
                blend_speakers(prosody)
        network.eval()
    semitones = np.array([teacher.SEMITONES[voice] for voice in student.SPEAKERS], np.float32)
    by_speaker = {"prosody.semitones": semitones, "decoder.equaliser": equaliser()}
    save_file(tensors("decoder", decoder) | tensors("prosody", prosody) | by_speaker, arguments.weights)
    quantised(decoder)
    quantised(prosody)
    with torch.no_grad():
        save_file(reference(decoder, prosody), arguments.reference)
    print(f"{arguments.weights}: {arguments.weights.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
