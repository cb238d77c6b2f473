#!/usr/bin/env python3
"""Trains the student's decoder or prosody network on the corpus.

usage: train.py decoder|adversarial|prosody CORPUS_FOLDER RUN_FOLDER --start HIBARI.onnx [--minutes M] [--threads N] [--rate R]

The first run starts from hibari's weights; later runs continue from RUN_FOLDER/<network>.pt, which is written every few minutes and at the
end. Every fiftieth sentence of the corpus is held out; the error on these is printed with each checkpoint. The decoder is trained with the
teacher's durations, F0 and energy on random crops of a second, against log magnitudes at four resolutions and mel bands; the prosody network
on whole sentences. `adversarial` goes on with the decoder against discriminators (RUN_FOLDER/discriminators.pt): spectral errors alone teach
the sounds, and lose the natural fine structure of noise and pulses that hibari's weights begin with.
"""
import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import discriminator
import student
import waveform

CROP_FRAMES = 80
BATCH = {"decoder": 8, "adversarial": 8, "prosody": 16}
RATES = {"decoder": 3e-4, "adversarial": 2e-4, "prosody": 3e-4}
OPPONENTS_RATE = 1e-3
GRADIENT_NORM = 1.0
# Adversarial training: weights of the errors beside that of the judgement, steps that only the discriminators make at first, the share of the
# weights of the spectral training that it begins with, and the decay of the running mean of weights.
MEL_WEIGHT, FEATURES_WEIGHT = 10.0, 3.0
OPPONENTS_AHEAD = 400
TRAINED_SHARE = 0.5
AVERAGE_DECAY = 0.998
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


def mel_filters(fft, bands=MEL_BANDS):
    """Triangular mel filters from 0 to 12 kHz, [bands, fft / 2 + 1]."""
    edges = 700 * (10 ** (torch.linspace(0, 2595 * np.log10(1 + 12_000 / 700), bands + 2) / 2595) - 1)
    bins = torch.linspace(0, 12_000, fft // 2 + 1)
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return torch.minimum(rising, falling).clamp(min=0)


MEL = mel_filters(1024)
# The resolutions of `mel_error`. Few bands where the bins are wide, so that no band is without a bin.
MELS = tuple((fft, hop, mel_filters(fft, bands)) for fft, hop, bands in ((512, 128, 40), (1024, 256, 80), (2048, 512, 120)))


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


def mel_error(made, wanted):
    """Mean distance of log mel bands at several resolutions: it leaves the fine structure within a band to the discriminators."""
    distances = [functional.l1_loss(*((filters @ magnitudes(samples, fft, hop)).clamp(min=1e-3).log() for samples in (made, wanted)))
                 for fft, hop, filters in MELS]
    return sum(distances) / len(distances)


def crops(decoder, sentences, whole=False):
    """Returns what the decoder makes of crops of a batch of sentences, or of their whole beginnings, with the teacher's prosody, and the
    teacher's samples; both [B, samples], without the ends, which lack the context that they have in the sentence."""
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
    edge = student.CONTEXT // 3 * student.FRAME_SAMPLES
    return made[:, edge:-edge], torch.stack(wanted)[:, edge:-edge]


def decoder_error(decoder, sentences, whole=False):
    return spectral_error(*crops(decoder, sentences, whole))


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


class Direct:
    """Training of one network against an error of its own output; `judge_options` are passed to the error of what is held out."""

    def __init__(self, network, error, rate, **judge_options):
        self.network, self.error, self.judge_options = network, error, judge_options
        self.optimiser = torch.optim.AdamW(network.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01)

    def step(self, batch):
        error = self.error(self.network, batch)
        apply(self.optimiser, error)
        return float(error.detach())

    def judge(self, batches):
        return float(np.mean([float(self.error(self.network, batch, **self.judge_options)) for batch in batches]))

    def state(self):
        return {"network": self.network.state_dict(), "optimiser": self.optimiser.state_dict()}

    def restore(self, state, rate):
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.optimiser.param_groups[0]["lr"] = rate


class Adversarial:
    """Training of the decoder and of discriminators against each other. What is judged and exported is the running mean of the decoder's weights."""

    def __init__(self, decoder, rate):
        self.decoder, self.network = decoder, torch.optim.swa_utils.AveragedModel(
            decoder, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGE_DECAY))
        self.discriminators = nn.ModuleList(discriminator.Discriminator(*resolution) for resolution in discriminator.RESOLUTIONS)
        self.optimiser = torch.optim.AdamW(decoder.parameters(), rate, betas=(0.8, 0.99), weight_decay=0.01)
        self.opponents_optimiser = torch.optim.AdamW(self.discriminators.parameters(), OPPONENTS_RATE, betas=(0.8, 0.99))
        self.steps = 0

    def step(self, batch):
        opponent = random.choice(self.discriminators)
        made, wanted = crops(self.decoder, batch)
        sounds = mel_error(made, wanted)
        if self.steps >= OPPONENTS_AHEAD:
            judged, distance = discriminator.generator_error(opponent, made, wanted)
            apply(self.optimiser, MEL_WEIGHT * sounds + judged + FEATURES_WEIGHT * distance)
            self.network.update_parameters(self.decoder)
        apply(self.opponents_optimiser, discriminator.discriminator_error(opponent, made, wanted))
        self.steps += 1
        return float(sounds.detach())

    def judge(self, batches):
        return float(np.mean([float(mel_error(*crops(self.network.module, batch, whole=True))) for batch in batches]))

    def state(self):
        return {"network": self.network.module.state_dict(), "decoder": self.decoder.state_dict(), "optimiser": self.optimiser.state_dict(),
                "discriminators": self.discriminators.state_dict(), "opponents_optimiser": self.opponents_optimiser.state_dict(), "steps": self.steps}

    def restore(self, state, rate):
        self.network.module.load_state_dict(state["network"])
        self.network.n_averaged.fill_(1)
        for name in ("decoder", "optimiser", "discriminators", "opponents_optimiser"):
            getattr(self, name).load_state_dict(state[name])
        self.optimiser.param_groups[0]["lr"] = rate
        self.steps = state["steps"]


def apply(optimiser, error):
    """One step of an optimiser down the gradient of an error."""
    optimiser.zero_grad()
    error.backward()
    torch.nn.utils.clip_grad_norm_(optimiser.param_groups[0]["params"], GRADIENT_NORM)
    optimiser.step()


def trained_decoder(arguments, decoder):
    """Loads the weights with which adversarial training begins: those of the finished spectral training, a share of hibari's mixed in.

    The mean of the weights before and after fine-tuning keeps more of the sound before it (Wortsman et al. 2022)."""
    state = torch.load(arguments.run / "decoder.pt", weights_only=True)["network"]
    before = decoder.state_dict()
    decoder.load_state_dict({name: torch.lerp(before[name], value, TRAINED_SHARE) for name, value in state.items()})
    return decoder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("training", choices=RATES)
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
    rate = arguments.rate or RATES[arguments.training]
    arguments.run.mkdir(parents=True, exist_ok=True)
    checkpoint = arguments.run / f"{arguments.training}.pt"
    match arguments.training:
        case "decoder":
            training = Direct(decoder, decoder_error, rate, whole=True)
        case "adversarial":
            training = Adversarial(decoder if checkpoint.exists() else trained_decoder(arguments, decoder), rate)
        case "prosody":
            training = Direct(prosody, prosody_error, rate)
    step, seconds = 0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        training.restore(state, rate)
        step, seconds = state["step"], state["seconds"]
    paths = sorted(arguments.corpus.glob("*/*.npz"))
    held_out = [load(path, vocabulary) for path in paths if int(path.stem) % HELD_OUT_EVERY == 0][:MOST_HELD_OUT]
    held_out = [held_out[at:at + 8] for at in range(0, len(held_out), 8)]
    paths = [path for path in paths if int(path.stem) % HELD_OUT_EVERY]
    print(f"{len(paths)} sentences to train, {sum(map(len, held_out))} held out, from step {step}", flush=True)
    random.seed(step)
    torch.manual_seed(step)
    began = saved = time.monotonic()
    running, since = 0.0, 0

    def judge_and_save():
        with torch.no_grad():
            error = training.judge(held_out)
        total = seconds + time.monotonic() - began
        temporary = checkpoint.with_suffix(".tmp")
        torch.save({**training.state(), "step": step, "seconds": total}, temporary)
        temporary.replace(checkpoint)
        print(f"step {step}, {total / 60:.0f} min: trained {running / max(1, since):.4f}, held out {error:.4f}", flush=True)

    judge_and_save()
    while time.monotonic() - began < 60 * arguments.minutes:
        batch = [load(path, vocabulary) for path in random.sample(paths, min(len(paths), BATCH[arguments.training]))]
        running, step, since = running + training.step(batch), step + 1, since + 1
        if time.monotonic() - saved > CHECKPOINT_SECONDS:
            judge_and_save()
            saved, running, since = time.monotonic(), 0.0, 0
    judge_and_save()


if __name__ == "__main__":
    main()
