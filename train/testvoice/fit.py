#!/usr/bin/env python3
"""Fits a voice to the output of `aligned_speech`; each part is a voice, numbered in the given order.

usage: fit.py OUT.pt PART… [--minutes M] [--seed S] [--threads N] [--rate R] [--start IN.pt]
PART.tsv, .pcm, .f0 and .voiced.pcm are in the same folder
"""
import argparse
import time

import numpy as np
import torch

from data import load
from model import BAND_SCALE, HARMONIC_MEAN, NOISE_MEAN, PITCH_MEAN, PITCH_SCALE, Front, positions
from shape import BANDS, HOP, RATE

CROP, BATCH = 112, 12


def batch_of(utterances, chosen):
    picked = [utterances[at] for at in chosen.choice(len(utterances), BATCH)]
    longest = max(len(u.ids) for u in picked)
    ids = torch.zeros(BATCH, longest, dtype=torch.long)
    frames = torch.zeros(BATCH, longest)
    known = torch.zeros(BATCH, longest)
    for row, u in enumerate(picked):
        ids[row, :len(u.ids)] = torch.from_numpy(u.ids)
        frames[row, :len(u.ids)] = torch.from_numpy(u.frames)
        known[row, :len(u.ids):2] = 1
    voice = torch.tensor([u.speaker for u in picked])
    return picked, ids, frames, known, voice


def loss_of(front, utterances, chosen):
    picked, ids, frames, known, voice = batch_of(utterances, chosen)
    phones, length = front.encode(ids, voice)
    lengths = ((length - torch.log(frames + 0.3)).abs() * known).sum() / known.sum()
    inputs, bands, pitch, voiced, inside = [], [], [], [], []
    for row, u in enumerate(picked):
        counts = torch.from_numpy(u.frames)
        x = torch.cat([torch.repeat_interleave(phones[row, :, :len(counts)], counts, 1), positions(counts).T])
        total = len(u.pitch)
        at = int(chosen.integers(0, max(total - CROP, 0) + 1))
        more = max(CROP - total, 0)
        inputs.append(torch.nn.functional.pad(x[:, at:at + CROP], (0, more)))
        own = [(bands, u.bands), (pitch, u.pitch), (voiced, u.voiced), (inside, np.ones(total, np.float32))]
        for rows, values in own:
            rows.append(torch.nn.functional.pad(torch.from_numpy(values[..., at:at + CROP]), (0, more)))
    out = front.decode(torch.stack(inputs))
    bands, pitch, voiced, inside = map(torch.stack, (bands, pitch, voiced, inside))
    melody = ((out[:, -1] * PITCH_SCALE + PITCH_MEAN - pitch).abs() * voiced).sum() / voiced.sum().clamp(1)
    means = torch.tensor([HARMONIC_MEAN] * BANDS + [NOISE_MEAN] * BANDS)[:, None]
    off = ((out[:, :-1] * BAND_SCALE + means - bands).abs()).mean(1)
    return (off * inside).sum() / inside.sum(), lengths, melody


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("parts", metavar="PART", nargs="+")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rate", type=float, default=2e-3, help="initial learning rate")
    parser.add_argument("--start", help="output of an earlier run on the same parts")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    chosen = np.random.default_rng(options.seed)
    utterances, numbers = load(options.parts)
    minutes = sum(len(u.pitch) for u in utterances) * HOP / RATE / 60
    print(f"{len(utterances)} utterances, {minutes:.0f} minutes, {len(numbers)} symbols")
    front = Front(len(numbers), len(options.parts))
    if options.start:
        front.load_state_dict(torch.load(options.start)["front"])
    print(sum(p.numel() for p in front.parameters()), "weights", flush=True)
    optimiser = torch.optim.Adam(front.parameters(), lr=options.rate, betas=(0.9, 0.98))
    began, step, sums, saved = time.time(), 0, np.zeros(3), 0
    while (spent := (time.time() - began) / 60 / options.minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 200) * (0.02 + 0.98 * (1 + np.cos(np.pi * spent)) / 2)
        losses = loss_of(front, utterances, chosen)
        optimiser.zero_grad()
        (losses[0] + losses[1] + 2 * losses[2]).backward()
        torch.nn.utils.clip_grad_norm_(front.parameters(), 5.0)
        optimiser.step()
        step += 1
        sums += [float(loss.detach()) for loss in losses]
        if step % 200 == 0:
            print(f"step {step}, {100 * spent:.0f} %: bands {sums[0] / 200:.4f} lengths {sums[1] / 200:.4f} "
                  f"pitch {sums[2] / 200:.4f}", flush=True)
            sums[:] = 0
        if spent > saved + 0.1:
            saved = spent
            torch.save({"front": front.state_dict(), "symbols": numbers}, options.out)
    torch.save({"front": front.state_dict(), "symbols": numbers}, options.out)
    print(f"{step} steps")


if __name__ == "__main__":
    main()
