"""The student: a prosody network and an acoustic decoder with six million weights.

The architecture is that of hibari (`hibari-tts` 0.2.1, Apache-2.0), an English student of the same teacher, whose
weights are the starting point. It reads the teacher's symbols and predicts durations, F0 and energy once per clause
(`Prosody`). From these and the text, it computes the five parts of a spectrum for each 12.5 ms frame with local context
only (`Decoder`). This version adds speakers. Shapes: B batch, L symbols, F frames.
"""
import torch
from torch import nn
from torch.nn import functional

FRAME_SAMPLES = 300
BINS = 601
# Number of frames on either side that affect an output frame of the decoder: 3 for the input convolution and for each
# of the eight blocks, whose kernels have 7 frames.
CONTEXT = 3 * 9
SPEAKERS = ("Ananya", "Arjun")
SYMBOLS = 178


class Block(nn.Module):
    """ConvNeXt block over time (Liu et al. 2022): depthwise convolution, norm, two linear layers,
    a learned scale and a residual connection.
    """

    def __init__(self, channels, hidden, kernel, dilation=1):
        super().__init__()
        self.dw = nn.Conv1d(channels, channels, kernel, padding=kernel // 2 * dilation, dilation=dilation, groups=channels)
        self.norm = nn.LayerNorm(channels)
        self.pw1 = nn.Linear(channels, hidden)
        self.pw2 = nn.Linear(hidden, channels)
        self.gamma = nn.Parameter(torch.full((channels,), 1e-6))

    def forward(self, x):
        """Maps [B, channels, time] to the same shape."""
        y = self.dw(x).transpose(1, 2)
        y = self.pw2(functional.gelu(self.pw1(self.norm(y))))
        return x + (self.gamma * y).transpose(1, 2)


class Text(nn.Module):
    """Text encoder, one vector per symbol: two blocks, and one transformer layer that is applied several times."""

    def __init__(self, channels, passes):
        super().__init__()
        self.emb = nn.Embedding(SYMBOLS, channels)
        self.speaker = nn.Embedding(len(SPEAKERS), channels)
        nn.init.zeros_(self.speaker.weight)
        self.convs = nn.ModuleList(Block(channels, 2 * channels, 5) for _ in range(2))
        self.attn = nn.TransformerEncoderLayer(channels, 2, 2 * channels, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.norm = nn.LayerNorm(channels)
        self.passes = passes

    def forward(self, ids, speaker, lengths):
        """Maps ids [B, L], speaker [B] and lengths [B] to [B, L, channels]."""
        padding = torch.arange(ids.shape[1], device=ids.device)[None] >= lengths[:, None]
        keep = ~padding[:, None]
        x = ((self.emb(ids) + self.speaker(speaker)[:, None]).transpose(1, 2)) * keep
        for block in self.convs:
            x = block(x) * keep
        x = x.transpose(1, 2)
        for _ in range(self.passes):
            x = self.attn(x, src_key_padding_mask=padding)
        return self.norm(x) * keep.transpose(1, 2)


class Prosody(nn.Module):
    """Predictor of symbol durations in 25 ms frames, and of F0 and energy in 12.5 ms frames."""

    def __init__(self, channels=192):
        super().__init__()
        self.text = Text(channels, 6)
        self.dur = nn.Sequential(nn.Conv1d(channels, channels, 3, padding=1), nn.GELU(), nn.Conv1d(channels, 1, 1))
        self.pro_in = nn.Conv1d(channels, channels, 1)
        self.pro = nn.ModuleList(Block(channels, 2 * channels, 7, dilation) for dilation in (1, 2, 4, 8, 1, 2))
        self.pro_out = nn.Conv1d(channels, 4, 1)

    def durations(self, text):
        """Maps [B, L, channels] to ln(1 + 25 ms frames), [B, L]."""
        return self.dur(text.transpose(1, 2))[:, 0]

    def curves(self, expanded):
        """Maps text vectors repeated for their durations [B, channels, F/2] to F0 in Hz [B, F] and energy [B, F]."""
        x = self.pro_in(expanded)
        for block in self.pro:
            x = block(x)
        x = self.pro_out(x)
        batch, _, half = x.shape
        x = x.view(batch, 2, 2, half).transpose(2, 3).reshape(batch, 2, 2 * half)
        return 100 * x[:, 0], 5 * x[:, 1]


class Decoder(nn.Module):
    """Decoder that converts frames of text, F0 and energy to the parts of a spectrum."""

    def __init__(self, text_channels=128, channels=256, hidden=768, blocks=8):
        super().__init__()
        self.text = Text(text_channels, 4)
        self.dec_in = nn.Conv1d(text_channels + 2, channels, 7, padding=3)
        self.speaker = nn.Embedding(len(SPEAKERS), channels)
        nn.init.zeros_(self.speaker.weight)
        self.dec = nn.ModuleList(Block(channels, hidden, 7) for _ in range(blocks))
        self.dec_norm = nn.LayerNorm(channels)
        self.head = nn.Linear(channels, 5 * BINS)

    def forward(self, expanded, f0, energy, speaker):
        """Maps text vectors repeated for frames [B, text_channels, F], F0 in Hz [B, F], energy [B, F] and speaker [B]
        to five parts [B, BINS, F].
        """
        curves = torch.stack([torch.log1p(functional.relu(f0)) / 5, energy / 5], 1)
        x = self.dec_in(torch.cat([expanded, curves], 1)) + self.speaker(speaker)[:, :, None]
        for block in self.dec:
            x = block(x)
        return self.head(self.dec_norm(x.transpose(1, 2))).transpose(1, 2).split(BINS, 1)


def expand(text, durations):
    """Repeats each symbol's vector of one text [L, channels] for its duration; returns [channels, frames]."""
    return torch.repeat_interleave(text, durations, 0).T


def from_file(path):
    """Returns the decoder and the prosody network with the weights of a file of this project or of hibari."""
    return from_hibari(path) if path.suffix == ".onnx" else from_weights(path)


def from_weights(path):
    """Returns the decoder and the prosody network with the weights that `export.py` wrote."""
    from safetensors.torch import load_file

    tensors = load_file(path)
    networks = {"decoder": Decoder(), "prosody": Prosody()}
    for prefix, network in networks.items():
        state = network.state_dict()
        for name, before in state.items():
            value = tensors[f"{prefix}.{name}"].float()
            if f"{prefix}.{name}.scale" in tensors:
                value = value * tensors[f"{prefix}.{name}.scale"][:, None]
            if name.endswith("dw.weight"):
                value = value.T[:, None]
            elif before.ndim == 3:
                value = value.reshape(before.shape[0], before.shape[2], before.shape[1]).transpose(1, 2)
            state[name] = value
        network.load_state_dict(state)
    return networks["decoder"], networks["prosody"]


def from_hibari(path):
    """Returns the decoder and the prosody network with the weights of hibari's ONNX file, the same for all speakers."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    tensors = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer}
    constants = {node.output[0]: torch.from_numpy(numpy_helper.to_array(node.attribute[0].t).copy()) for node in graph.node if node.op_type == "Constant"}
    tensors |= constants
    # A quantised product is added to the bias of its layer. The name of the bias contains the name of the layer.
    producers = {output: node for node in graph.node for output in node.output}
    weights = {name.split(".", 1)[1]: value.float() for name, value in tensors.items() if name.startswith("m.")}
    prosody = {name.split(".", 1)[1]: value.float() for name, value in tensors.items() if name.startswith("pn.")}
    for node in graph.node:
        if node.op_type != "Add" or not node.input[0].endswith("bias"):
            continue
        product = producers[node.input[1]]
        integer = producers[producers[product.input[0]].input[0]]
        assert integer.op_type == "MatMulInteger", integer.op_type
        quantised, zero_point = tensors[integer.input[1]].float(), tensors[integer.input[3]].float()
        scale = tensors[integer.input[1].replace("_quantized", "_scale")]
        owner, name = node.input[0].split(".", 1)
        target = weights if owner == "m" else prosody
        target[name.replace("bias", "weight")] = ((quantised - zero_point) * scale).T.contiguous()
    decoder, prosody_net = Decoder(), Prosody()
    for module, state in ((decoder, weights), (prosody_net, prosody)):
        missing, unexpected = module.load_state_dict(state, strict=False)
        assert not unexpected and all("speaker" in name for name in missing), (missing, unexpected)
    return decoder, prosody_net
