#!/usr/bin/env python3
"""Trains the student's decoder or prosody network on the corpus.

usage: train.py decoder|adversarial|prosody CORPUS_FOLDER RUN_FOLDER --start WEIGHTS [--minutes M] [--device cuda]
[--threads N] [--rate R]

The first run starts from hibari's weights or from those of the server; later runs continue from
RUN_FOLDER/<network>.pt, which is written every few minutes and at the end. Sentences added to the corpus during a run
are loaded at each checkpoint. Every fiftieth sentence is held out; the error on these is printed with each checkpoint.
With --minutes, the learning rate falls to a twentieth towards the end. The decoder is trained with the teacher's
durations, F0 and energy on random one-second crops, against log magnitudes at four resolutions and mel bands; the
prosody network is trained on whole sentences. `adversarial` continues training the decoder against discriminators:
spectral errors alone teach the sounds, but lose the natural fine structure of noise and pulses in hibari's initial
weights.
"""
import argparse
import json
import math
import random
import sys
import threading
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import dataset
import discriminator
import student
import waveform

CROP_FRAMES = 80
BATCH = {"decoder": 8, "adversarial": 8, "prosody": 16}
RATES = {"decoder": 3e-4, "adversarial": 2e-4, "prosody": 3e-4}
OPPONENTS_RATE = 5e-4
# Fraction of the initial learning rate that remains at the end of a run of known length.
LAST_RATE = 0.05
GRADIENT_NORM = 1.0
# Adversarial training: weights of the errors relative to the discriminator's score, number of initial steps in which
# only the discriminators are trained, share of the spectrally trained weights in the initial weights, and decay of the
# running mean of the weights.
MEL_WEIGHT, FEATURES_WEIGHT = 10.0, 3.0
OPPONENTS_AHEAD = 400
TRAINED_SHARE = 0.5
AVERAGE_DECAY = 0.998
HELD_OUT_EVERY = 50
MOST_HELD_OUT = 44
CHECKPOINT_SECONDS = 300
RESOLUTIONS = ((256, 64), (512, 128), (1024, 256), (2048, 512))
MEL_BANDS = 80


class Corpus:
    """Training and held-out sentences of a folder to which sentences may still be added."""

    def __init__(self, folder, vocabulary, device):
        self.folder, self.vocabulary, self.device = folder, vocabulary, device
        self.paths, self.sentences, self.held, self.thread = set(), [], [], None
        self.read()

    def read(self):
        """Loads sentences that were added to the folder since the last call."""
        paths = sorted(set(self.folder.glob("**/*.npz")) - self.paths)
        if not paths:
            return
        self.paths.update(paths)
        for path in paths:
            for sentence in dataset.read(path, self.vocabulary):
                (self.sentences if sentence["index"] % HELD_OUT_EVERY else self.held).append(sentence)
        if not self.sentences or not self.held:
            sys.exit(f"{self.folder}: too few sentences to train and to hold out every {HELD_OUT_EVERY}th")
        self.held_out = dataset.Dataset(self.held[::max(1, len(self.held) // MOST_HELD_OUT)], self.device)
        self.training = dataset.Dataset(self.sentences, self.device)

    def read_in_background(self):
        if self.thread is None or not self.thread.is_alive():
            self.thread = threading.Thread(target=self.read, daemon=True)
            self.thread.start()


def mel_filters(fft, bands=MEL_BANDS):
    """Returns triangular mel filters from 0 to 12 kHz, [bands, fft / 2 + 1]."""
    edges = 700 * (10 ** (torch.linspace(0, 2595 * np.log10(1 + 12_000 / 700), bands + 2) / 2595) - 1)
    bins = torch.linspace(0, 12_000, fft // 2 + 1)
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return torch.minimum(rising, falling).clamp(min=0)


MEL = mel_filters(1024)
# Resolutions of `mel_error`. Resolutions with wide bins have few bands, so that every band contains at least one bin.
MELS = tuple((fft, hop, mel_filters(fft, bands)) for fft, hop, bands in ((512, 128, 40), (1024, 256, 80), (2048, 512, 120)))


def magnitudes(samples, fft, hop):
    return torch.stft(samples, fft, hop, window=torch.hann_window(fft, device=samples.device), return_complex=True).abs()


def mel(filters, samples, fft, hop):
    return (filters.to(samples.device, non_blocking=True) @ magnitudes(samples, fft, hop)).clamp(min=1e-3).log()


def spectral_error(made, wanted):
    """Returns the mean distance of log magnitudes at several resolutions and of log mel bands."""
    total = 0.0
    for fft, hop in RESOLUTIONS:
        a, b = magnitudes(made, fft, hop), magnitudes(wanted, fft, hop)
        total = total + functional.l1_loss(a.clamp(min=1e-3).log(), b.clamp(min=1e-3).log())
        total = total + torch.linalg.norm(a - b) / torch.linalg.norm(b).clamp(min=1e-3)
        if fft == 1024:
            total = total + 2 * functional.l1_loss(mel(MEL, made, fft, hop), mel(MEL, wanted, fft, hop))
    return total


def mel_error(made, wanted):
    """Returns the mean distance of log mel bands at several resolutions; the discriminators cover the fine structure
    within a band.
    """
    distances = [functional.l1_loss(mel(filters, made, fft, hop), mel(filters, wanted, fft, hop)) for fft, hop, filters in MELS]
    return sum(distances) / len(distances)


def crops(decoder, data, sentences, whole=False):
    """Returns the decoder's output for crops or beginnings of a batch of sentences, and the teacher's samples.

    The decoder receives the teacher's prosody. Both outputs are [B, samples], without the ends, which lack the context
    that they have in the sentence.
    """
    symbols, inside, f0, energy, wanted = data.crops(sentences, CROP_FRAMES, anywhere=not whole)
    text = decoder.text(*data.text(sentences))
    parts = decoder(dataset.expand(text, symbols, inside), f0, energy, data.speakers[sentences.to(data.device)])
    made = waveform.synthesise(parts, f0)
    edge = student.CONTEXT // 3 * student.FRAME_SAMPLES
    return made[:, edge:-edge], wanted[:, edge:-edge]


def decoder_error(decoder, data, sentences, whole=False):
    return spectral_error(*crops(decoder, data, sentences, whole))


def prosody_error(prosody, data, sentences):
    """Returns the error of durations (ln frames), F0 (units of 100 Hz) and energy (units of 5) of whole sentences."""
    ids, speakers, lengths = data.text(sentences)
    text = prosody.text(ids, speakers, lengths)
    keep = torch.arange(ids.shape[1], device=ids.device)[None] < lengths[:, None]
    wanted = torch.log1p(data.of_symbols(data.durations, sentences).float())
    total = ((prosody.durations(text) - wanted).abs() * keep).sum() / keep.sum()
    symbols, wanted_f0, wanted_energy = (data.of_frames(values, sentences) for values in (data.symbol_of_frame, data.f0, data.energy))
    inside = data.inside(sentences)
    f0, energy = prosody.curves(dataset.expand(text, symbols[:, ::2], inside[:, ::2]))
    for made, wanted, unit in ((f0, wanted_f0, 100), (energy, wanted_energy, 5)):
        total = total + ((made - wanted).abs() * inside).sum() / inside.sum() / unit
    return total


class Direct:
    """Training of one network against the error of its output; `judge_options` are passed to the held-out error."""

    def __init__(self, network, error, rate, **judge_options):
        self.network, self.error, self.judge_options = network, error, judge_options
        self.optimiser = torch.optim.AdamW(network.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01)
        self.optimisers = (self.optimiser,)

    def step(self, data, sentences):
        error = self.error(self.network, data, sentences)
        apply(self.optimiser, error)
        return error.detach()

    def judge(self, data, sentences):
        return float(self.error(self.network, data, sentences, **self.judge_options))

    def state(self):
        return {"network": self.network.state_dict(), "optimiser": self.optimiser.state_dict()}

    def restore(self, state):
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])


class Adversarial:
    """Training of the decoder and of discriminators against each other. The running mean of the decoder's weights is
    evaluated and exported.
    """

    def __init__(self, decoder, rate, opponents, device):
        self.decoder, self.network = decoder, torch.optim.swa_utils.AveragedModel(
            decoder, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGE_DECAY))
        self.discriminators = discriminator.discriminators().to(device)
        self.opponents = min(opponents, len(self.discriminators))
        self.optimiser = torch.optim.AdamW(decoder.parameters(), rate, betas=(0.8, 0.99), weight_decay=0.01)
        self.opponents_optimiser = torch.optim.AdamW(self.discriminators.parameters(), OPPONENTS_RATE, betas=(0.8, 0.99))
        self.optimisers = (self.optimiser, self.opponents_optimiser)
        self.steps = 0

    def step(self, data, sentences):
        opponents = random.sample(list(self.discriminators), self.opponents)
        made, wanted = crops(self.decoder, data, sentences)
        sounds = mel_error(made, wanted)
        # On hardware that supports it, matrix products use half precision.
        with torch.autocast(made.device.type, torch.bfloat16, enabled=made.is_cuda):
            errors, targets = zip(*(discriminator.discriminator_error(opponent, made, wanted) for opponent in opponents))
        apply(self.opponents_optimiser, sum(errors))
        if self.steps >= OPPONENTS_AHEAD:
            with torch.autocast(made.device.type, torch.bfloat16, enabled=made.is_cuda):
                judged = [discriminator.generator_error(opponent, made, features) for opponent, features in zip(opponents, targets)]
            judged, distance = (sum(errors) / len(errors) for errors in zip(*judged))
            apply(self.optimiser, MEL_WEIGHT * sounds + judged + FEATURES_WEIGHT * distance)
            self.network.update_parameters(self.decoder)
        self.steps += 1
        return sounds.detach()

    def judge(self, data, sentences):
        return float(mel_error(*crops(self.network.module, data, sentences, whole=True)))

    def state(self):
        return {"network": self.network.module.state_dict(), "decoder": self.decoder.state_dict(), "optimiser": self.optimiser.state_dict(),
                "discriminators": self.discriminators.state_dict(), "opponents_optimiser": self.opponents_optimiser.state_dict(), "steps": self.steps}

    def restore(self, state):
        self.network.module.load_state_dict(state["network"])
        self.network.n_averaged.fill_(1)
        for name in ("decoder", "optimiser", "discriminators", "opponents_optimiser"):
            getattr(self, name).load_state_dict(state[name])
        self.steps = state["steps"]


def apply(optimiser, error):
    """Runs one optimiser step along the gradient of an error."""
    optimiser.zero_grad()
    error.backward()
    torch.nn.utils.clip_grad_norm_(optimiser.param_groups[0]["params"], GRADIENT_NORM)
    optimiser.step()


def trained_decoder(path, decoder):
    """Loads the initial weights of adversarial training: those of the spectral training, mixed with a share of
    hibari's.

    The mean of the weights before and after fine-tuning preserves more of the original sound (Wortsman et al. 2022).
    """
    state = torch.load(path, weights_only=True, map_location="cpu")["network"]
    before = decoder.state_dict()
    decoder.load_state_dict({name: torch.lerp(before[name], value, TRAINED_SHARE) for name, value in state.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("training", choices=RATES)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--start", type=Path, required=True, help="hibari's ONNX file, or the server's voice.safetensors")
    parser.add_argument("--vocabulary", type=Path, required=True, help="vocab.json of the teacher")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, help="sentences per step")
    parser.add_argument("--opponents", type=int, default=1, help="discriminators per step, drawn at random")
    parser.add_argument("--rate", type=float, help="learning rate")
    parser.add_argument("--checkpoint-seconds", type=float, default=CHECKPOINT_SECONDS)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    device = torch.device(arguments.device)
    vocabulary = json.loads(arguments.vocabulary.read_text(encoding="utf-8"))["vocab"]
    decoder, prosody = student.from_file(arguments.start)
    rate = arguments.rate or RATES[arguments.training]
    size = arguments.batch or BATCH[arguments.training]
    arguments.run.mkdir(parents=True, exist_ok=True)
    checkpoint = arguments.run / f"{arguments.training}.pt"
    spectral = arguments.run / "decoder.pt"
    if arguments.training == "adversarial" and not checkpoint.exists() and spectral.exists():
        trained_decoder(spectral, decoder)
    match arguments.training:
        case "decoder":
            training = Direct(decoder.to(device), decoder_error, rate, whole=True)
        case "adversarial":
            training = Adversarial(decoder.to(device), rate, arguments.opponents, device)
        case "prosody":
            training = Direct(prosody.to(device), prosody_error, rate)
    step, seconds = 0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True, map_location=device)
        training.restore(state)
        step, seconds = state["step"], state["seconds"]
    random.seed(step)
    torch.manual_seed(step)
    corpus = Corpus(arguments.corpus, vocabulary, device)
    rates = (rate, OPPONENTS_RATE)
    began = saved = time.monotonic()
    running, since = torch.zeros((), device=device), 0

    def judge_and_save():
        held_out = torch.arange(len(corpus.held_out))
        with torch.no_grad():
            error = np.mean([training.judge(corpus.held_out, part) for part in held_out.split(8)])
        total = seconds + time.monotonic() - began
        temporary = checkpoint.with_suffix(".tmp")
        torch.save({**training.state(), "step": step, "seconds": total}, temporary)
        temporary.replace(checkpoint)
        trained = float(running) / max(1, since)
        print(f"step {step}, {total / 60:.1f} min, {len(corpus.training)} sentences: trained {trained:.4f}, held out {error:.4f}", flush=True)

    judge_and_save()
    while (progress := (time.monotonic() - began) / 60 / arguments.minutes) < 1:
        for optimiser, highest in zip(training.optimisers, rates):
            optimiser.param_groups[0]["lr"] = highest * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * progress)) / 2)
        data = corpus.training
        batch = torch.randint(len(data), (size,))
        running, step, since = running + training.step(data, batch), step + 1, since + 1
        if time.monotonic() - saved > arguments.checkpoint_seconds:
            judge_and_save()
            corpus.read_in_background()
            saved, running, since = time.monotonic(), torch.zeros((), device=device), 0
    judge_and_save()


if __name__ == "__main__":
    main()
