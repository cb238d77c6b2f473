"""Acoustic models in plain PyTorch, split into the two parts that a pack has.

`FastSpeech2` is the model of ESPnet (Y. Ren and others, "FastSpeech 2", 2020, with the token-averaged pitch and energy
of A. Łańcucki, "FastPitch", 2021); `FastPitch` is the model of Coqui TTS. Parameters have the same names as in the
checkpoints.

Each yields two modules: `encoder`, from symbols to features `[1, symbols, channels]` and unrounded durations `[1,
symbols]` in frames; and `mel_decoder`, from features repeated for their durations to mel `[1, mels, frames]`.
"""
import math

import torch
from torch import nn

from vocoders import same_padding


def sinusoids(count, channels):
    """Returns the positional encodings of A. Vaswani and others, "Attention Is All You Need" (2017)."""
    place = torch.arange(count, dtype=torch.float32).unsqueeze(1)
    rate = torch.exp(torch.arange(0, channels, 2, dtype=torch.float32) * -(math.log(10_000.0) / channels))
    table = torch.zeros(count, channels)
    table[:, 0::2], table[:, 1::2] = torch.sin(place * rate), torch.cos(place * rate)
    return table.unsqueeze(0)


class Positions(nn.Module):
    """Adds positional encodings, scaled by a learned factor if the checkpoint has one; otherwise scales the input."""

    def __init__(self, channels, is_scaled, most):
        super().__init__()
        if is_scaled:
            self.alpha = nn.Parameter(torch.tensor(1.0))
        self.scale = None if is_scaled else math.sqrt(channels)
        self.register_buffer("table", sinusoids(most, channels), persistent=False)

    def forward(self, x):
        table = self.table[:, :x.size(1)]
        return x + self.alpha * table if self.scale is None else x * self.scale + table


class Attention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.heads, self.width = heads, channels // heads
        self.linear_q, self.linear_k, self.linear_v, self.linear_out = (nn.Linear(channels, channels) for _ in range(4))

    def forward(self, x):
        def split(y):
            return y.reshape(1, -1, self.heads, self.width).transpose(1, 2)
        query, key, value = split(self.linear_q(x)), split(self.linear_k(x)), split(self.linear_v(x))
        return self.linear_out(attend(query, key, value, self.width))


def attend(query, key, value, width):
    """Computes attention of `[1, heads, length, width]` and joins the heads."""
    weights = torch.softmax(query @ key.transpose(2, 3) / math.sqrt(width), dim=-1)
    joined = (weights @ value).transpose(1, 2)
    return joined.reshape(1, -1, query.size(1) * width)


class FeedForward(nn.Module):
    """Two convolutions over time, or a convolution and a linear layer."""

    def __init__(self, channels, units, kernel, kind):
        super().__init__()
        if kind == "linear":
            kernel = 1
        padding = same_padding(kernel)
        first = nn.Linear(channels, units) if kind == "linear" else nn.Conv1d(channels, units, kernel, padding=padding)
        self.w_1 = first
        is_conv = kind == "conv1d"
        self.w_2 = nn.Conv1d(units, channels, kernel, padding=padding) if is_conv else nn.Linear(units, channels)

    def forward(self, x):
        for layer, is_first in ((self.w_1, True), (self.w_2, False)):
            if isinstance(layer, nn.Conv1d):
                x = layer(x.transpose(1, 2)).transpose(1, 2)
            else:
                x = layer(x)
            x = torch.relu(x) if is_first else x
        return x


class Layer(nn.Module):
    def __init__(self, channels, heads, units, kernel, kind, is_norm_first):
        super().__init__()
        self.self_attn = Attention(channels, heads)
        self.feed_forward = FeedForward(channels, units, kernel, kind)
        self.norm1, self.norm2 = nn.LayerNorm(channels, eps=1e-12), nn.LayerNorm(channels, eps=1e-12)
        self.is_norm_first = is_norm_first

    def forward(self, x):
        if self.is_norm_first:
            x = x + self.self_attn(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.self_attn(x))
        return self.norm2(x + self.feed_forward(x))


class Transformer(nn.Module):
    def __init__(self, conf, part, symbols=None):
        super().__init__()
        channels = conf.get("adim", 384)
        # in ESPnet, the table has 5,000 positions and grows on demand; here its size is fixed, because a text has at
        # most 2,000 symbols and 8,000 frames
        positions = Positions(channels, conf.get("use_scaled_pos_enc", True), 2_100 if symbols else 8_000)
        embed = [nn.Embedding(symbols, channels)] if symbols else []
        self.embed = nn.Sequential(*embed, positions)
        is_norm_first = conf.get(f"{part}coder_normalize_before", True)
        letter = part[0]
        self.encoders = nn.ModuleList(
            Layer(channels, conf.get("aheads", 4), conf.get(f"{letter}units", 1536),
                  conf.get("positionwise_conv_kernel_size", 1), conf.get("positionwise_layer_type", "conv1d"),
                  is_norm_first)
            for _ in range(conf.get(f"{letter}layers", 6)))
        self.after_norm = nn.LayerNorm(channels, eps=1e-12) if is_norm_first else None

    def forward(self, x):
        x = self.embed(x)
        for layer in self.encoders:
            x = layer(x)
        return x if self.after_norm is None else self.after_norm(x)


class ChannelNorm(nn.LayerNorm):
    """Normalises the channels of `[1, channels, length]`."""

    def forward(self, x):
        return super().forward(x.transpose(1, 2)).transpose(1, 2)


class Predictor(nn.Module):
    """Predictor of one value per symbol: `[1, symbols, 1]`."""

    def __init__(self, channels, conf, name):
        super().__init__()
        width, kernel = conf.get(f"{name}_predictor_chans", 384), conf.get(f"{name}_predictor_kernel_size", 3)
        widths = [channels] + [width] * conf.get(f"{name}_predictor_layers", 2)
        self.conv = nn.ModuleList(
            nn.Sequential(nn.Conv1d(before, after, kernel, padding=same_padding(kernel)), nn.ReLU(),
                          ChannelNorm(after, eps=1e-12))
            for before, after in zip(widths, widths[1:]))
        self.linear = nn.Linear(width, 1)

    def forward(self, x):
        x = x.transpose(1, 2)
        for layer in self.conv:
            x = layer(x)
        return self.linear(x.transpose(1, 2))


def embedding(channels, kernel):
    return nn.Sequential(nn.Conv1d(1, channels, kernel, padding=same_padding(kernel)))


class FastSpeech2(nn.Module):
    """FastSpeech 2 of ESPnet, with transformers."""

    def __init__(self, conf, symbols, mels, speakers=0):
        super().__init__()
        channels = conf.get("adim", 384)
        self.encoder = Transformer(conf, "en", symbols)
        self.decoder = Transformer(conf, "de")
        self.duration_predictor = Predictor(channels, conf, "duration")
        self.pitch_predictor = Predictor(channels, conf, "pitch")
        self.energy_predictor = Predictor(channels, conf, "energy")
        self.pitch_embed = embedding(channels, conf.get("pitch_embed_kernel_size", 9))
        self.energy_embed = embedding(channels, conf.get("energy_embed_kernel_size", 9))
        if speakers:
            self.sid_emb = nn.Embedding(speakers, channels)
        self.feat_out = nn.Linear(channels, mels)
        self.postnet = Postnet(conf, mels) if conf.get("postnet_layers", 5) else None
        # mean and standard deviation of the mel normalisation in training, and the size of a semitone in the units of
        # the model's pitch
        self.register_buffer("mel_mean", torch.zeros(mels), persistent=False)
        self.register_buffer("mel_std", torch.ones(mels), persistent=False)
        self.semitone = None

    def encode(self, symbols, speaker=None, pitch=None):
        x = self.encoder(symbols)
        if speaker is not None:
            x = x + self.sid_emb(speaker).unsqueeze(1)
        durations = torch.exp(self.duration_predictor(x).squeeze(2)) - 1.0
        shift = 0.0 if pitch is None else pitch * self.semitone
        pitches = (self.pitch_predictor(x) + shift).transpose(1, 2)
        energies = self.energy_predictor(x).transpose(1, 2)
        embedded = self.pitch_embed(pitches) + self.energy_embed(energies)
        return x + embedded.transpose(1, 2), torch.clamp(durations, min=0.0)

    def decode(self, features):
        mel = self.feat_out(self.decoder(features)).transpose(1, 2)
        if self.postnet is not None:
            mel = mel + self.postnet(mel)
        return mel * self.mel_std.view(1, -1, 1) + self.mel_mean.view(1, -1, 1)


class Postnet(nn.Module):
    def __init__(self, conf, mels):
        super().__init__()
        count, width = conf.get("postnet_layers", 5), conf.get("postnet_chans", 512)
        kernel = conf.get("postnet_filts", 5)
        widths = [mels] + [width] * (count - 1) + [mels]
        self.postnet = nn.ModuleList()
        for at, (before, after) in enumerate(zip(widths, widths[1:])):
            layer = [nn.Conv1d(before, after, kernel, padding=same_padding(kernel), bias=False)]
            if conf.get("use_batch_norm", True):
                layer.append(nn.BatchNorm1d(after))
            if at + 1 < count:
                layer.append(nn.Tanh())
            self.postnet.append(nn.Sequential(*layer))

    def forward(self, x):
        for layer in self.postnet:
            x = layer(x)
        return x


class FastPitchLayer(nn.Module):
    def __init__(self, channels, heads, units):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(channels, heads)
        self.conv1 = nn.Conv1d(channels, units, 3, padding=1)
        self.conv2 = nn.Conv1d(units, channels, 3, padding=1)
        self.norm1, self.norm2 = nn.LayerNorm(channels), nn.LayerNorm(channels)

    def forward(self, x):
        """Transforms `[1, length, channels]`. Attention is written out because `torch.nn.MultiheadAttention` exports
        more operators than needed.
        """
        weights = nn.functional.linear(x, self.self_attn.in_proj_weight, self.self_attn.in_proj_bias)
        heads, width = self.self_attn.num_heads, self.self_attn.head_dim

        def split(y):
            return y.reshape(1, -1, heads, width).transpose(1, 2)
        query, key, value = (split(part) for part in weights.chunk(3, dim=2))
        x = self.norm1(x + self.self_attn.out_proj(attend(query, key, value, width)))
        y = self.conv2(torch.relu(self.conv1(x.transpose(1, 2)))).transpose(1, 2)
        return self.norm2(x + y)


class FastPitchStack(nn.Module):
    def __init__(self, channels, params):
        super().__init__()
        self.fft_layers = nn.ModuleList(
            FastPitchLayer(channels, params["num_heads"], params["hidden_channels_ffn"])
            for _ in range(params["num_layers"]))

    def forward(self, x):
        for layer in self.fft_layers:
            x = layer(x)
        return x


class FastPitchPredictor(nn.Module):
    """Predictor of one value per symbol: `[1, 1, symbols]`."""

    def __init__(self, channels, width, kernel):
        super().__init__()
        self.conv_1 = nn.Conv1d(channels, width, kernel, padding=kernel // 2)
        self.conv_2 = nn.Conv1d(width, width, kernel, padding=kernel // 2)
        self.norm_1, self.norm_2 = PlainNorm(width), PlainNorm(width)
        self.proj = nn.Conv1d(width, 1, 1)

    def forward(self, x):
        x = self.norm_1(torch.relu(self.conv_1(x)))
        return self.proj(self.norm_2(torch.relu(self.conv_2(x))))


class PlainNorm(nn.Module):
    """Normalises channels with parameters of shape `[1, channels, 1]`, as in Coqui TTS."""

    def __init__(self, channels):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, channels, 1))
        self.beta = nn.Parameter(torch.zeros(1, channels, 1))

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        variance = ((x - mean) ** 2).mean(1, keepdim=True)
        return (x - mean) * torch.rsqrt(variance + 1e-4) * self.gamma + self.beta


class FastPitch(nn.Module):
    """Coqui's `ForwardTTS` with `fftransformer` for both parts and a pitch predictor."""

    def __init__(self, args, symbols, mels, speakers=0):
        super().__init__()
        channels = args.get("hidden_channels", 384)
        self.emb = nn.Embedding(symbols, channels)
        self.encoder = nn.ModuleDict({"encoder": FastPitchStack(channels, args["encoder_params"])})
        self.decoder = nn.ModuleDict({"decoder": nn.ModuleDict({
            "transformer_block": FastPitchStack(channels, args["decoder_params"]),
            "postnet": nn.Conv1d(channels, mels, 1)})})
        for name in ("duration", "pitch"):
            predictor = FastPitchPredictor(channels, args.get(f"{name}_predictor_hidden_channels", 256),
                                           args.get(f"{name}_predictor_kernel_size", 3))
            setattr(self, f"{name}_predictor", predictor)
        kernel = args.get("pitch_embedding_kernel_size", 3)
        self.pitch_emb = nn.Conv1d(1, channels, kernel, padding=same_padding(kernel))
        # the table of positions keeps its name and shape, because checkpoints contain it as a buffer
        self.pos_encoder = nn.Module()
        self.pos_encoder.register_buffer("pe", sinusoids(5_000, channels).transpose(1, 2))
        self.scale = math.sqrt(channels)
        if speakers:
            self.emb_g = nn.Embedding(speakers, channels)
        # mean and standard deviation of the pitch normalisation, in Hz
        self.pitch_stats = None

    def encode(self, symbols, speaker=None, pitch=None):
        x = self.encoder["encoder"](self.emb(symbols))
        if speaker is not None:
            x = x + self.emb_g(speaker).unsqueeze(1)
        durations = torch.exp(self.duration_predictor(x.transpose(1, 2)).squeeze(1)) - 1.0
        pitches = self.pitch_predictor(x.transpose(1, 2))
        if pitch is not None:
            mean, deviation = self.pitch_stats
            ratio = torch.exp(pitch * (math.log(2.0) / 12.0))
            pitches = pitches * ratio + (ratio - 1.0) * (mean / deviation)
        features = x + self.pitch_emb(pitches).transpose(1, 2)
        # give each symbol at least one frame
        return features, torch.clamp(durations, min=1.0)

    def decode(self, features):
        x = features * self.scale + self.pos_encoder.pe[:, :, :features.size(1)].transpose(1, 2)
        x = self.decoder["decoder"]["transformer_block"](x)
        return self.decoder["decoder"]["postnet"](x.transpose(1, 2))
