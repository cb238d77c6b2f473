#!/usr/bin/env python3
"""Trains the student's decoder or prosody network on the corpus.

usage: train.py decoder|prosody CORPUS_FOLDER RUN_FOLDER --start HIBARI.onnx [--minutes M] [--threads N] [--rate R]

The first run starts from hibari's weights; later runs continue from RUN_FOLDER/<network>.pt, which is written every few minutes and at the
end. Every fiftieth sentence of the corpus is held out; the error on these is printed with each checkpoint. The decoder is trained with the
teacher's durations, F0 and energy on random crops of a second, against log magnitudes at four resolutions and mel bands; the prosody network
on whole sentences.
"""
import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import student
import waveform

CROP_FRAMES = 80
BATCH = {"decoder": 8, "prosody": 16}
RATES = {"decoder": 3e-4, "prosody": 3e-4}
HELD_OUT_EVERY = 50
MOST_HELD_OUT = 44
CHECKPOINT_SECONDS = 300
RESOLUTIONS = ((256, 64), (512, 128), (1024, 256), (2048, 512))
MEL_BANDS = 80


def load(path, vocabulary):
    """Returns one sentence of the corpus as tensors."""
    with np.load(path) as archive:
        meta = json.loads(str(archive["meta"]))
        durations = torch.from_numpy(archive["durations"].astype(np.int64))
        ids = torch.tensor([0, *(vocabulary[symbol] for symbol in meta["symbols"]), 0])
        frames = 2 * int(durations.sum())
        samples = torch.from_numpy(archive["samples"][:frames * student.FRAME_SAMPLES].astype(np.float32) / 32768)
        samples = functional.pad(samples, (0, frames * student.FRAME_SAMPLES - len(samples)))
        f0, energy = (torch.from_numpy(archive[name][:frames]) for name in ("f0", "energy"))
    return {"ids": ids, "durations": durations, "samples": samples, "f0": f0, "energy": energy,
            "speaker": student.SPEAKERS.index(meta["voice"]), "language": meta["language"], "path": path}


def padded(sentences, name):
    return torch.nn.utils.rnn.pad_sequence([sentence[name] for sentence in sentences], batch_first=True)


def text_inputs(sentences):
    lengths = torch.tensor([len(sentence["ids"]) for sentence in sentences])
    speakers = torch.tensor([sentence["speaker"] for sentence in sentences])
    return padded(sentences, "ids"), speakers, lengths


def mel_filters(fft):
    """Triangular mel filters from 0 to 12 kHz, [MEL_BANDS, fft / 2 + 1]."""
    edges = 700 * (10 ** (torch.linspace(0, 2595 * np.log10(1 + 12_000 / 700), MEL_BANDS + 2) / 2595) - 1)
    bins = torch.linspace(0, 12_000, fft // 2 + 1)
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return torch.minimum(rising, falling).clamp(min=0)


MEL = mel_filters(1024)


def magnitudes(samples, fft, hop):
    return torch.stft(samples, fft, hop, window=torch.hann_window(fft), return_complex=True).abs()


def spectral_error(made, wanted):
    """Mean distance of log magnitudes at several resolutions and of log mel bands."""
    total = 0.0
    for fft, hop in RESOLUTIONS:
        a, b = magnitudes(made, fft, hop), magnitudes(wanted, fft, hop)
        total = total + functional.l1_loss(a.clamp(min=1e-3).log(), b.clamp(min=1e-3).log())
        total = total + torch.linalg.norm(a - b) / torch.linalg.norm(b).clamp(min=1e-3)
        if fft == 1024:
            total = total + 2 * functional.l1_loss((MEL @ a).clamp(min=1e-3).log(), (MEL @ b).clamp(min=1e-3).log())
    return total


def decoder_error(decoder, sentences, whole=False):
    """Error of crops of a batch of sentences, or of their whole beginnings, with the teacher's prosody."""
    text = decoder.text(*text_inputs(sentences))
    expanded, curves, wanted = [], [], []
    for index, sentence in enumerate(sentences):
        frames = len(sentence["f0"])
        first = 0 if whole else random.randrange(max(1, frames - CROP_FRAMES + 1))
        end = min(frames, first + CROP_FRAMES)
        vectors = student.expand(text[index, :len(sentence["ids"])], 2 * sentence["durations"])[:, first:end]
        missing = CROP_FRAMES - vectors.shape[1]
        expanded.append(functional.pad(vectors, (0, missing)))
        curves.append(torch.stack([functional.pad(sentence[name][first:end], (0, missing)) for name in ("f0", "energy")]))
        samples = sentence["samples"][first * student.FRAME_SAMPLES:end * student.FRAME_SAMPLES]
        wanted.append(functional.pad(samples, (0, missing * student.FRAME_SAMPLES)))
    curves = torch.stack(curves)
    speakers = torch.tensor([sentence["speaker"] for sentence in sentences])
    parts = decoder(torch.stack(expanded), curves[:, 0], curves[:, 1], speakers)
    made = waveform.synthesise(parts, curves[:, 0])
    # The ends of a crop lack the context that they have in the sentence.
    edge = student.CONTEXT // 3 * student.FRAME_SAMPLES
    return spectral_error(made[:, edge:-edge], torch.stack(wanted)[:, edge:-edge])


def prosody_error(prosody, sentences):
    """Error of durations (logarithms of frames), F0 (units of 100 Hz) and energy (units of 5) of whole sentences."""
    ids, speakers, lengths = text_inputs(sentences)
    text = prosody.text(ids, speakers, lengths)
    keep = torch.arange(ids.shape[1])[None] < lengths[:, None]
    wanted = torch.log1p(padded(sentences, "durations").float())
    total = functional.l1_loss(prosody.durations(text)[keep], wanted[keep])
    expanded = torch.nn.utils.rnn.pad_sequence(
        [student.expand(text[index, :length], sentences[index]["durations"]).T for index, length in enumerate(lengths)], batch_first=True)
    f0, energy = prosody.curves(expanded.transpose(1, 2))
    for index, sentence in enumerate(sentences):
        frames = len(sentence["f0"])
        total = total + functional.l1_loss(f0[index, :frames] / 100, sentence["f0"] / 100) / len(sentences)
        total = total + functional.l1_loss(energy[index, :frames] / 5, sentence["energy"] / 5) / len(sentences)
    return total


ERRORS = {"decoder": decoder_error, "prosody": prosody_error}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=ERRORS)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--start", type=Path, required=True, help="hibari's ONNX file")
    parser.add_argument("--vocabulary", type=Path, required=True, help="vocab.json of the teacher")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rate", type=float, help="learning rate; a lower one at the end of training removes its noise")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    vocabulary = json.loads(arguments.vocabulary.read_text(encoding="utf-8"))["vocab"]
    decoder, prosody = student.from_hibari(arguments.start)
    network = {"decoder": decoder, "prosody": prosody}[arguments.network]
    error_of = ERRORS[arguments.network]
    optimiser = torch.optim.AdamW(network.parameters(), RATES[arguments.network], betas=(0.9, 0.98), weight_decay=0.01)
    arguments.run.mkdir(parents=True, exist_ok=True)
    checkpoint = arguments.run / f"{arguments.network}.pt"
    step, seconds = 0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        optimiser.param_groups[0]["lr"] = arguments.rate or RATES[arguments.network]
        step, seconds = state["step"], state["seconds"]
    paths = sorted(arguments.corpus.glob("*/*.npz"))
    held_out = [load(path, vocabulary) for path in paths if int(path.stem) % HELD_OUT_EVERY == 0][:MOST_HELD_OUT]
    paths = [path for path in paths if int(path.stem) % HELD_OUT_EVERY]
    print(f"{len(paths)} sentences to train, {len(held_out)} held out, from step {step}", flush=True)
    random.seed(step)
    torch.manual_seed(step)
    began = saved = time.monotonic()
    running, since = 0.0, 0

    def judge_and_save():
        network.eval()
        with torch.no_grad():
            batches = [held_out[at:at + 8] for at in range(0, len(held_out), 8)]
            options = {"whole": True} if arguments.network == "decoder" else {}
            error = float(np.mean([float(error_of(network, batch, **options)) for batch in batches]))
        network.train()
        total = seconds + time.monotonic() - began
        temporary = checkpoint.with_suffix(".tmp")
        torch.save({"network": network.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "seconds": total}, temporary)
        temporary.replace(checkpoint)
        print(f"step {step}, {total / 60:.0f} min: trained {running / max(1, since):.4f}, held out {error:.4f}", flush=True)

    judge_and_save()
    while time.monotonic() - began < 60 * arguments.minutes:
        batch = [load(path, vocabulary) for path in random.sample(paths, min(len(paths), BATCH[arguments.network]))]
        error = error_of(network, batch)
        optimiser.zero_grad()
        error.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        step, since, running = step + 1, since + 1, running + float(error.detach())
        if time.monotonic() - saved > CHECKPOINT_SECONDS:
            judge_and_save()
            saved, running, since = time.monotonic(), 0.0, 0
    judge_and_save()


if __name__ == "__main__":
    main()
