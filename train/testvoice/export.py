#!/usr/bin/env python3
"""Exports a fitted voice as a Piper voice: an ONNX file and its JSON configuration.

usage: export.py IN.pt OUT.onnx
"""
import json
import math
import sys

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from data import BLANK, SPACE
from model import BAND_SCALE, HARMONIC_MEAN, NOISE_MEAN, PITCH_MEAN, PITCH_SCALE, Front
from shape import BANDS, HARMONICS, HOP, MEL_STEP, RATE, WINDOW, mel

# standard deviation of the ln of the durations for a `noise_w` of 1
WANDERING = 0.1


def noise_bands():
    """Returns the share (HOP, BANDS) of each band in each noise coefficient, at evenly spaced frequencies."""
    at = mel((np.arange(HOP) + 0.5) * RATE / 2 / HOP) / MEL_STEP
    return np.maximum(0, 1 - np.abs(at[:, None] - np.arange(BANDS))).astype(np.float32)


def lapped():
    """Returns the MDCT basis (HOP, WINDOW) under a sine window.

    With it, noise of any spectrum has no steps between frames.
    """
    n, k = np.arange(WINDOW) + 0.5, np.arange(HOP)[:, None] + 0.5
    basis = np.sin(math.pi * n / WINDOW) * np.cos(math.pi / HOP * (n + HOP / 2) * k) * math.sqrt(2 / HOP)
    return basis.astype(np.float32)


class Graph:
    """Builder for an ONNX graph: names constants, and writes equal constants once."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], {}, 0

    def constant(self, value, kind=np.float32):
        value = np.asarray(value, kind)
        key = (str(value.dtype), value.shape, value.tobytes())
        if key not in self.weights:
            self.weights[key] = numpy_helper.from_array(value, f"constant_{len(self.weights)}")
        return self.weights[key].name

    def whole(self, *values):
        return self.constant(values, np.int64)

    def op(self, kind, *inputs, **attributes):
        self.count += 1
        inputs = [i if isinstance(i, str) else self.constant(i) for i in inputs]
        output = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def part(self, x, start, end, axis):
        return self.op("Slice", x, self.whole(start), self.whole(end), self.whole(axis))

    def chain(self, layers, x):
        """Adds convolutions, all except the first with a residual connection."""
        for at, layer in enumerate(layers):
            y = self.op("LeakyRelu", self.conv(layer, x), alpha=0.1)
            x = self.op("Add", x, y) if at else y
        return x

    def conv(self, layer, x):
        pad = layer.padding[0]
        return self.op("Conv", x, layer.weight.detach().numpy(), layer.bias.detach().numpy(),
                       kernel_shape=list(layer.kernel_size), dilations=list(layer.dilation), pads=[pad, pad])


def front(g, net, symbols):
    """Adds the conversion of symbols to frames (1, 2 BANDS + 2 + HOP, frames): bands, F0 and phase, noise."""
    scale = lambda at: g.part("scales", at, at + 1, 0)
    known = g.op("Transpose", g.op("Gather", net.symbols.weight.detach().numpy(), "input"), perm=[0, 2, 1])
    voice = g.op("Unsqueeze", g.op("Gather", net.voices.weight.detach().numpy(), "sid"), g.whole(2))
    count = g.op("Shape", "input", start=1, end=2)
    voice = g.op("Expand", voice, g.op("Concat", g.whole(1, 1), count, axis=0))
    phones = g.chain(net.phones, g.op("Concat", known, voice, axis=1))

    length = g.op("Squeeze", g.conv(net.length, phones), g.whole(1))
    wander = g.op("Mul", g.op("RandomNormalLike", length), g.op("Mul", scale(2), [WANDERING]))
    length = g.op("Mul", g.op("Exp", g.op("Add", length, wander)), scale(1))
    # round the lengths: a spoken symbol has at least one frame, a blank none
    length = g.op("Max", g.op("Sub", length, [0.8]), [0.1])
    place = g.op("Range", g.constant(0, np.int64), g.op("Squeeze", count, g.whole(0)), g.constant(1, np.int64))
    is_spoken = g.op("Less", place, "input_lengths")
    for silent in (BLANK, SPACE):
        is_spoken = g.op("And", is_spoken, g.op("Not", g.op("Equal", "input", g.whole(symbols[silent]))))
    frames = g.op("Ceil", g.op("Mul", length, g.op("Cast", is_spoken, to=TensorProto.FLOAT)))

    ends = g.op("CumSum", g.op("Squeeze", frames, g.whole(0)), g.constant(0, np.int64))
    total = g.op("ReduceMax", ends, keepdims=0)
    at = g.op("Range", g.constant(0.0), total, g.constant(1.0))
    column = g.op("Unsqueeze", at, g.whole(1))
    owner = g.op("ReduceSum", g.op("Cast", g.op("GreaterOrEqual", column, ends), to=TensorProto.INT64), g.whole(1),
                 keepdims=0)
    x = g.op("Gather", phones, owner, axis=2)
    own = g.op("Gather", g.op("Squeeze", frames, g.whole(0)), owner)
    since = g.op("Add", g.op("Sub", at, g.op("Sub", g.op("Gather", ends, owner), own)), [0.5])
    share = g.op("Div", since, own)
    rows = [share, g.op("Mul", share, share), g.op("Exp", g.op("Mul", since, [-1 / 3])),
            g.op("Exp", g.op("Mul", g.op("Sub", since, own), [1 / 3])), g.op("Log", own)]
    rows = [g.op("Reshape", row, g.whole(1, 1, -1)) for row in rows]
    out = g.conv(net.out, g.chain(net.frames, g.op("Concat", x, *rows, axis=1)))

    bands = g.part(out, 0, 2 * BANDS, 1)
    f0 = g.op("Exp", g.op("Add", g.op("Mul", g.part(out, 2 * BANDS, 2 * BANDS + 1, 1), [PITCH_SCALE]), [PITCH_MEAN]))
    f0 = g.op("Min", g.op("Max", f0, [50.0]), [600.0])
    # phase in cycles between the middles of frames; whole cycles are removed early, so that sums stay exact
    before = g.op("Concat", g.part(f0, 0, 1, 2), g.part(f0, 0, -1, 2), axis=2)
    cycles = g.op("Mul", g.op("Add", f0, before), [HOP / RATE / 2])
    phase = g.op("CumSum", g.op("Sub", cycles, g.op("Floor", cycles)), g.constant(2, np.int64))
    phase = g.op("Sub", phase, g.op("Floor", phase))
    like = g.op("Expand", g.part(f0, 0, 1, 1), g.op("Concat", g.whole(1, HOP), g.op("Shape", f0, start=2), axis=0))
    noise = g.op("Mul", g.op("RandomNormalLike", like), scale(0))
    return g.op("Concat", bands, f0, phase, noise, axis=1)


def decoder(g, frames):
    """Adds the conversion of frames to samples; a sample depends on its frame and the frames on either side."""
    gain = [BAND_SCALE] * (2 * BANDS) + [1.0] * (2 + HOP)
    mean = [HARMONIC_MEAN] * BANDS + [NOISE_MEAN] * BANDS + [0.0] * (2 + HOP)
    x = g.op("Conv", frames, np.reshape(gain, (-1, 1, 1)), mean, kernel_shape=[1], group=len(gain))
    harmonic, noise = g.part(x, 0, BANDS, 1), g.part(x, BANDS, 2 * BANDS, 1)
    # shape: (frames, 1)
    f0, phase = (g.op("Reshape", g.part(x, at, at + 1, 1), g.whole(-1, 1)) for at in (2 * BANDS, 2 * BANDS + 1))

    number = np.arange(1, HARMONICS + 1)[None]
    hertz = g.op("Mul", f0, number)
    height = g.op("Log", g.op("Add", g.op("Mul", hertz, [1 / 700]), [1.0]))
    height = g.op("Mul", height, [2595 / math.log(10) / MEL_STEP])
    off = g.op("Abs", g.op("Sub", g.op("Unsqueeze", height, g.whole(2)), np.arange(BANDS)[None, None]))
    share = g.op("Relu", g.op("Sub", [1.0], off))
    column = g.op("Transpose", harmonic, perm=[2, 1, 0])
    amplitude = g.op("Exp", g.op("Squeeze", g.op("MatMul", share, column), g.whole(2)))
    below = g.op("Clip", g.op("Mul", g.op("Sub", [RATE / 2], hertz), [1 / 200]), g.constant(0.0), g.constant(1.0))
    amplitude = g.op("Mul", amplitude, below)
    # interpolate from the middle of each frame to that of the next, with silence before the first and after the last
    # frame
    silence = np.zeros((1, HARMONICS))
    amplitudes = g.op("Concat", silence, amplitude, silence, axis=0)
    pair = [g.op("Unsqueeze", g.part(amplitudes, *ends, 0), g.whole(2)) for ends in ((0, -1), (1, 2 ** 31 - 1))]
    pair = g.op("Concat", *pair, axis=2)
    first = lambda value: g.part(value, 0, 1, 0)
    last = lambda value: g.part(value, -1, 2 ** 31 - 1, 0)
    left, right = g.op("Concat", first(f0), f0, axis=0), g.op("Concat", f0, last(f0), axis=0)
    start = g.op("Concat", g.op("Sub", first(phase), g.op("Mul", first(f0), [HOP / RATE])), phase, axis=0)
    step = (np.arange(HOP) + 0.5)[None] / HOP
    turned = g.op("Add", g.op("Mul", left, step), g.op("Mul", g.op("Sub", right, left), step ** 2 / 2))
    cycles = g.op("Add", start, g.op("Mul", turned, [HOP / RATE]))
    angle = g.op("Mul", g.op("Unsqueeze", cycles, g.whole(2)), 2 * math.pi * number[None])
    mixed = g.op("MatMul", g.op("Cos", angle), pair)
    voice = g.op("ReduceSum", g.op("Mul", mixed, np.stack([1 - step, step], -1)), g.whole(2), keepdims=0)
    voice = g.part(g.op("Reshape", voice, g.whole(1, 1, -1)), HOP // 2, -HOP // 2, 2)

    level = g.op("Exp", g.op("MatMul", noise_bands()[None], noise))
    hiss = g.op("Mul", level, g.part(x, 2 * BANDS + 2, 2 * BANDS + 2 + HOP, 1))
    hiss = g.op("ConvTranspose", hiss, lapped()[:, None], kernel_shape=[WINDOW], strides=[HOP],
                pads=[HOP // 2, HOP // 2])
    samples = g.op("Clip", g.op("Add", voice, hiss), g.constant(-1.0), g.constant(1.0))
    return g.op("Unsqueeze", samples, g.whole(1))


def main(fitted, out):
    state = torch.load(fitted)
    symbols = state["symbols"]
    net = Front(len(symbols), state["front"]["voices.weight"].shape[0])
    net.load_state_dict(state["front"])
    g = Graph()
    sound = decoder(g, front(g, net, symbols))
    g.nodes.append(helper.make_node("Identity", [sound], ["output"], name="output"))
    ints, floats = TensorProto.INT64, TensorProto.FLOAT
    inputs = [("input", ints, [1, "symbols"]), ("input_lengths", ints, [1]), ("scales", floats, [3]),
              ("sid", ints, [1])]
    graph = helper.make_graph(
        g.nodes, "testvoice", [helper.make_tensor_value_info(*each) for each in inputs],
        [helper.make_tensor_value_info("output", floats, [1, 1, 1, "samples"])], list(g.weights.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, out)
    about = {
        "audio": {"sample_rate": RATE, "quality": "test"},
        "inference": {"noise_scale": 1.0, "length_scale": 1.0, "noise_w": 0.2},
        "phoneme_type": "phones",
        "phoneme_id_map": {symbol: [number] for symbol, number in symbols.items()},
        "num_symbols": len(symbols),
        "num_speakers": net.voices.num_embeddings,
    }
    with open(f"{out}.json", "w", encoding="utf-8") as file:
        json.dump(about, file, ensure_ascii=False, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
