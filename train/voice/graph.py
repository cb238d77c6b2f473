"""Interpreter in PyTorch for the teacher's graph of ONNX operators, so that it can run on a GPU.

Supports only the operators and forms that `teacher.standard_graph` emits. Quantised weights are converted to floats
once, and activations are not quantised. Numbers of symbols and shapes stay on the host, so that a GPU synchronises with
it only if a length depends on durations.
"""
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch.nn import functional


def integers(tensor):
    return [int(number) for number in tensor.reshape(-1)]


def together(*tensors):
    """Moves the tensors of an operation to the GPU if one of them is there."""
    device = next((tensor.device for tensor in tensors if tensor is not None and tensor.is_cuda), None)
    return tensors if device is None else tuple(tensor if tensor is None or tensor.ndim == 0 else tensor.to(device) for tensor in tensors)


def elementwise(function):
    return lambda attributes, *inputs: function(*together(*inputs))


def reduction(function):
    return lambda attributes, x, axes: function(x, dim=integers(axes), keepdim=bool(attributes.get("keepdims", 1)))


def gather(attributes, data, indices):
    data, indices = together(data, indices)
    axis = attributes.get("axis", 0) % data.ndim
    found = data.index_select(axis, (indices.to(data.device) % data.shape[axis]).reshape(-1))
    return found.reshape((*data.shape[:axis], *indices.shape, *data.shape[axis + 1:]))


def shaped(x, sizes):
    """Reshapes a tensor: 0 keeps a size, -1 is inferred."""
    return x.reshape([x.shape[axis] if size == 0 else size for axis, size in enumerate(integers(sizes))])


def expanded(x, sizes):
    return x.expand(torch.broadcast_shapes(x.shape, integers(sizes)))


def slices(attributes, x, starts, ends, axes=None, steps=None):
    index = [slice(None)] * x.ndim
    starts, ends = integers(starts), integers(ends)
    axes = range(len(starts)) if axes is None else integers(axes)
    steps = [1] * len(starts) if steps is None else integers(steps)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        index[axis] = slice(start, min(end, x.shape[axis]), step)
    return x[tuple(index)]


def padded(attributes, x, pads):
    """Pads the last axis, the only one that the graph pads."""
    before, after = integers(pads)[x.ndim - 1], integers(pads)[-1]
    return functional.pad(x, (before, after), mode="reflect")


def unsqueezed(attributes, x, axes):
    for axis in sorted(integers(axes)):
        x = x.unsqueeze(axis)
    return x


def resized(attributes, x, _, scales):
    scale = float(scales[-1])
    if attributes["mode"] == b"nearest":
        return x.repeat_interleave(round(scale), -1)
    return functional.interpolate(x, scale_factor=scale, mode="linear", align_corners=False)


def convolution(attributes, x, weights, bias=None):
    return functional.conv1d(x, weights, bias, attributes["strides"], attributes["pads"][0], attributes["dilations"], attributes["group"])


def transposed_convolution(attributes, x, weights, bias=None):
    return functional.conv_transpose1d(x, weights, bias, attributes["strides"], attributes["pads"][0], attributes.get("output_padding", 0),
                                       attributes["group"], attributes["dilations"])


def scattered(attributes, data, indices, updates):
    data, indices, updates = together(data.clone(), indices, updates)
    data[tuple(indices.unbind(-1))] = updates
    return data


def normalised(attributes, x, scale, bias=None):
    return functional.layer_norm(x, x.shape[-1:], scale, bias, attributes["epsilon"])


def cast(attributes, x):
    # Casts to 32-bit integers are used for quantised biases, which stay floats here.
    kinds = {1: torch.float32, 6: x.dtype, 7: torch.int64, 9: torch.bool}
    return x.to(kinds[attributes["to"]])


def spectrum(attributes, samples, hop, window, length):
    """Returns the real and imaginary parts of the short-time Fourier transform.

    The graph computes phases from the parts by `Atan` and signs. Parts that are exactly 0 get the smallest positive
    value, so that the phase is 0, or π if the other part is negative, as in the teacher's training.
    """
    found = torch.view_as_real(torch.stft(samples.reshape(len(samples), -1), int(length), int(hop), window=window, center=False, return_complex=True))
    return torch.where(found == 0, found.new_tensor([1e-20, 1e-30]), found).transpose(1, 2)


OPERATORS = {
    "Add": elementwise(torch.add), "And": elementwise(torch.logical_and), "Atan": elementwise(torch.atan), "Cast": cast,
    "Clip": lambda attributes, x, low=None, high=None: x.clamp(*(bound if bound is None else float(bound) for bound in (low, high))), "Concat": lambda attributes, *inputs: torch.cat(together(*inputs), attributes["axis"]),
    "ConstantOfShape": lambda attributes, sizes: torch.full(integers(sizes), numpy_helper.to_array(attributes["value"]).item()),
    "Conv": convolution, "ConvInteger": lambda attributes, x, weights, *_: convolution(attributes, x, weights),
    "ConvTranspose": transposed_convolution, "Cos": elementwise(torch.cos), "CumSum": lambda attributes, x, axis: torch.cumsum(x, int(axis)),
    "Div": elementwise(lambda a, b: a / b if a.is_floating_point() else a // b), "Equal": elementwise(torch.eq), "Exp": elementwise(torch.exp),
    "Expand": lambda attributes, x, sizes: expanded(x, sizes), "Floor": elementwise(torch.floor), "Gather": gather,
    "Gelu": lambda attributes, x: functional.gelu(x, approximate="tanh"), "Greater": elementwise(torch.gt),
    "GreaterOrEqual": elementwise(torch.ge), "LayerNormalization": normalised,
    "LeakyRelu": lambda attributes, x: functional.leaky_relu(x, attributes["alpha"]), "Less": elementwise(torch.lt),
    "MatMul": elementwise(torch.matmul), "MatMulInteger": lambda attributes, a, b, *_: torch.matmul(a, b), "Mul": elementwise(torch.mul),
    "NonZero": lambda attributes, x: torch.nonzero(x).T, "Pad": padded, "Pow": elementwise(torch.pow),
    "RandomNormalLike": lambda attributes, x: torch.randn_like(x),
    "Range": elementwise(lambda first, end, step: torch.arange(int(first), int(end), int(step))), "ReduceMean": reduction(torch.mean),
    "ReduceSum": reduction(torch.sum), "Reshape": lambda attributes, x, sizes: shaped(x, sizes), "Resize": resized,
    "Round": elementwise(torch.round), "STFT": spectrum, "ScatterND": scattered,
    "Shape": lambda attributes, x: torch.tensor(x.shape), "Sigmoid": elementwise(torch.sigmoid), "Sin": elementwise(torch.sin), "Slice": slices,
    "Softmax": lambda attributes, x: torch.softmax(x, attributes["axis"]),
    "Split": lambda attributes, x, sizes: torch.split(x, integers(sizes), attributes["axis"]), "Sqrt": elementwise(torch.sqrt),
    "Squeeze": lambda attributes, x, axes: x.squeeze(integers(axes)), "Sub": elementwise(torch.sub), "Tanh": elementwise(torch.tanh),
    "Transpose": lambda attributes, x: x.permute(attributes["perm"]), "Unsqueeze": unsqueezed, "Where": elementwise(torch.where),
}
# Operators with quantised weights, with the input index of the weights and that of their zero point.
QUANTISED = {"MatMulInteger": (1, 3), "ConvInteger": (1, 3)}


class Recurrent:
    """Bidirectional LSTM: the gate order is input, output, forget, cell in ONNX, and input, forget, cell, output in
    PyTorch.
    """

    def __init__(self, inputs, device):
        weights, recurrent, bias = (inputs[at].to(device) for at in (1, 2, 3))
        size = recurrent.shape[2]
        self.layer = torch.nn.LSTM(weights.shape[2], size, bidirectional=True).to(device)

        def gates(tensor):
            i, o, f, c = tensor.split(size)
            return torch.cat([i, f, c, o])

        for direction, suffix in enumerate(("", "_reverse")):
            before, after = bias[direction].split(4 * size)
            for name, value in (("weight_ih", weights[direction]), ("weight_hh", recurrent[direction]), ("bias_ih", before), ("bias_hh", after)):
                getattr(self.layer, f"{name}_l0{suffix}").data.copy_(gates(value))
        self.layer.flatten_parameters()

    def __call__(self, attributes, x, *_):
        y, _ = self.layer(x)
        return y.reshape(*y.shape[:2], 2, -1).transpose(1, 2)


@dataclass
class Step:
    """An operation, its inputs and outputs by name, and the values that no later operation reads."""

    function: Callable
    attributes: dict
    inputs: list
    outputs: list
    dropped: set = frozenset()

    def results(self, values):
        """Returns the outputs by name."""
        made = self.function(self.attributes, *(values[name] if name else None for name in self.inputs))
        return dict(zip(self.outputs, made if isinstance(made, (tuple, list)) else (made,)))


class Graph:
    """A graph on one device; values that depend only on weights are computed once."""

    def __init__(self, path, device="cpu"):
        self.device = torch.device(device)
        graph = onnx.load(path).graph
        self.values = {tensor.name: self.constant(numpy_helper.to_array(tensor)) for tensor in graph.initializer}
        self.outputs = [output.name for output in graph.output]
        aliases, self.steps = {}, []
        for node in graph.node:
            inputs = [aliases.get(name, name) for name in node.input]
            attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
            if node.op_type == "DynamicQuantizeLinear":
                aliases[node.output[0]] = inputs[0]
                self.values |= {node.output[1]: torch.tensor(1.0), node.output[2]: torch.tensor(0.0)}
                continue
            if node.op_type == "DequantizeLinear":
                function = elementwise(lambda x, scale, zero_point: (x - zero_point) * scale)
            elif node.op_type == "Floor" and node.name.endswith("bias_quant_rounded"):
                function = elementwise(lambda x: x)
            elif node.op_type == "LSTM":
                function = Recurrent([self.values.get(name) for name in inputs], self.device)
            else:
                function = OPERATORS[node.op_type]
            if node.op_type in QUANTISED:
                at, zero_point = QUANTISED[node.op_type]
                if inputs[at] in self.values:
                    name = f"{inputs[at]} without {inputs[zero_point]}"
                    if name not in self.values:
                        weights, offset = self.values[inputs[at]], self.values[inputs[zero_point]]
                        self.values[name] = weights - (offset if offset.ndim == 0 or node.op_type == "MatMulInteger" else offset.reshape(-1, 1, 1))
                    inputs[at] = name
            step = Step(function, attributes, inputs, list(node.output))
            if all(name in self.values for name in inputs if name):
                self.values |= step.results(self.values)
            else:
                self.steps.append(step)
        # Activations of one sentence take gigabytes, so each is dropped after the last step that reads it.
        kept = {*self.values, *self.outputs}
        for step in reversed(self.steps):
            step.dropped = {*step.inputs, *step.outputs} - kept
            kept |= step.dropped

    def constant(self, array):
        """Converts a constant: integers that are shapes and indices stay on the host, weights move to the device."""
        tensor = torch.from_numpy(np.array(array))
        if array.dtype in (np.int8, np.uint8):
            tensor = tensor.float()
        return tensor.to(self.device) if tensor.is_floating_point() and tensor.ndim else tensor

    @torch.inference_mode()
    def run(self, inputs):
        """Runs the graph on arrays by input name; returns its outputs as tensors."""
        values = dict(self.values)
        for name, array in inputs.items():
            tensor = torch.from_numpy(array)
            values[name] = tensor.to(self.device) if tensor.is_floating_point() else tensor
        for step in self.steps:
            try:
                values |= step.results(values)
            except Exception as error:
                raise RuntimeError(f"{step.outputs[0]}: {error}") from error
            for name in step.dropped:
                values.pop(name, None)
        return [values[name] for name in self.outputs]
