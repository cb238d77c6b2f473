"""The corpus as flat tensors on one device, and batches of it."""
import json

import numpy as np
import torch

import student


def read(path, vocabulary):
    """Returns the sentences of one archive of the corpus, as dictionaries of arrays. `samples` is None if the archive
    has only prosody.
    """
    with np.load(path) as archive:
        metas = json.loads(str(archive["meta"]))
        arrays = {name: archive[name] for name in archive.files if name != "meta"}
    sentences, symbol, frame = [], 0, 0
    for meta in metas:
        ids = np.array([0, *(vocabulary[symbol] for symbol in meta["symbols"]), 0])
        durations = arrays["durations"][symbol:symbol + len(ids)].astype(np.int64)
        symbol += len(ids)
        end = frame + 2 * int(durations.sum())
        sentence = {"index": meta["index"], "ids": ids, "durations": durations, "speaker": student.SPEAKERS.index(meta["voice"])}
        sentence |= {name: arrays[name][frame:end] for name in ("f0", "energy")}
        size = student.FRAME_SAMPLES
        sentence["samples"] = arrays["samples"][size * frame:size * end] if "samples" in arrays else None
        frame = end
        sentences.append(sentence)
    return sentences


class Dataset:
    """Sentences in flat tensors: values of symbols, values of 12.5 ms frames, and samples."""

    def __init__(self, sentences, device="cpu"):
        def flat(arrays, dtype):
            return torch.from_numpy(np.concatenate(arrays).astype(dtype)).to(device)

        def starts(lengths):
            return torch.tensor(np.cumsum([0, *lengths[:-1]]), device=device)

        self.device = device
        symbols = [len(sentence["ids"]) for sentence in sentences]
        frames = [len(sentence["f0"]) for sentence in sentences]
        # The counts are also kept in host memory, because the host determines the shapes of batches.
        self.symbols_here, self.frames_here = torch.tensor(symbols), torch.tensor(frames)
        self.symbols, self.frames = self.symbols_here.to(device), self.frames_here.to(device)
        self.first_symbol, self.first_frame = starts(symbols), starts(frames)
        self.speakers = torch.tensor([sentence["speaker"] for sentence in sentences], device=device)
        self.ids = flat([sentence["ids"] for sentence in sentences], np.int64)
        self.durations = flat([sentence["durations"] for sentence in sentences], np.int64)
        self.f0, self.energy = (flat([sentence[name] for sentence in sentences], np.float32) for name in ("f0", "energy"))
        self.symbol_of_frame = flat([np.repeat(np.arange(len(sentence["ids"])), 2 * sentence["durations"]) for sentence in sentences], np.int64)
        self.samples = flat([sentence["samples"] for sentence in sentences], np.float16) if sentences[0]["samples"] is not None else None

    def __len__(self):
        return len(self.symbols)

    def text(self, sentences):
        """Returns the inputs of a network's text encoder: symbols [B, L], speakers [B] and numbers of symbols [B]."""
        here = sentences.to(self.device)
        return self.of_symbols(self.ids, sentences), self.speakers[here], self.symbols[here]

    def of_symbols(self, values, sentences):
        """Returns values of the symbols of sentences, [B, L], padded with 0."""
        here = sentences.to(self.device)
        return gather(values, self.first_symbol[here], self.symbols[here], int(self.symbols_here[sentences].max()))

    def of_frames(self, values, sentences):
        """Returns values of the frames of sentences, [B, F], padded with 0."""
        here = sentences.to(self.device)
        return gather(values, self.first_frame[here], self.frames[here], int(self.frames_here[sentences].max()))

    def inside(self, sentences):
        """Returns whether each frame of `of_frames` is within its sentence."""
        frames = self.frames_here[sentences]
        return (torch.arange(int(frames.max()))[None] < frames[:, None]).to(self.device)

    def crops(self, sentences, count, anywhere=True):
        """Returns crops of `count` frames of sentences, from random positions or from their beginnings: the symbol of
        each frame [B, F], whether the frame is in the sentence, F0 and energy, and samples [B, 300 F].
        """
        frames = self.frames_here[sentences]
        first = (torch.rand(len(sentences)) * (frames - count + 1).clamp(min=1)).long() if anywhere else torch.zeros_like(frames)
        sentences, first = sentences.to(self.device), first.to(self.device)
        start, left = self.first_frame[sentences] + first, self.frames[sentences] - first
        symbols, f0, energy = (gather(values, start, left, count) for values in (self.symbol_of_frame, self.f0, self.energy))
        inside = torch.arange(count, device=self.device)[None] < left[:, None]
        size = student.FRAME_SAMPLES
        samples = gather(self.samples, size * start, size * left, size * count).float()
        return symbols, inside, f0, energy, samples


def gather(values, first, lengths, count):
    """Returns values [N] from `first` [B] to `first` + `count`, 0 from `lengths` [B] on; [B, count]."""
    steps = torch.arange(count, device=values.device)[None]
    inside = steps < lengths[:, None]
    return values[(first[:, None] + steps).clamp(max=len(values) - 1)] * inside


def expand(text, symbols, inside):
    """Repeats vectors of symbols [B, L, channels] as vectors of frames [B, channels, F], given the symbol of each frame
    [B, F].
    """
    vectors = torch.gather(text, 1, symbols[:, :, None].expand(-1, -1, text.shape[2]))
    return (vectors * inside[:, :, None]).transpose(1, 2)
