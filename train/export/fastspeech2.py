#!/usr/bin/env python3
"""Exports FastSpeech 2 of ESPnet, config.yaml and model.pth, to encoder.onnx, mel_decoder.onnx and a partial pack.toml.

usage: fastspeech2.py config.yaml model.pth OUT --id ID --voice NAME --languages te --kind labels …
needs: pip install torch onnx numpy pyyaml
"""
import math

import numpy
import torch
import yaml

from acoustic import FastSpeech2
from folder import arguments, export_acoustic, load_parameters, read_checkpoint, write_pack

# symbols of ESPnet's list that do not occur in text
MARKS = ["<blank>", "<unk>", "<sos/eos>"]
UNSUPPORTED = {"reduction_factor": 1, "use_gst": False, "encoder_concat_after": False, "decoder_concat_after": False,
               "encoder_type": "transformer", "decoder_type": "transformer"}


def statistics(path):
    """Returns mean and standard deviation from an ESPnet statistics file: count, sum and sum of squares."""
    stats = numpy.load(path)
    mean = stats["sum"] / stats["count"]
    return mean, numpy.sqrt(stats["sum_square"] / stats["count"] - mean ** 2)


def build(conf, symbols, mels, speakers):
    """Returns the model of a `tts_conf`; rejects unsupported options."""
    for name, known in UNSUPPORTED.items():
        if conf.get(name, known) != known:
            raise SystemExit(f"tts_conf: `{name}` is {conf[name]!r}; only {known!r} is supported")
    if conf.get("spk_embed_dim") or (conf.get("langs") or -1) > 0:
        raise SystemExit("tts_conf: speaker vectors and language IDs are not supported")
    return FastSpeech2(conf, symbols, mels, speakers)


def normalisation(model, state, feats_stats, pitch_stats):
    """Sets means and standard deviations from the checkpoint, if it has them, or from files."""
    def of(name, path):
        if f"{name}.std" in state:
            return state[f"{name}.mean"].numpy(), state[f"{name}.std"].numpy()
        return statistics(path) if path else None
    mel, pitch = of("normalize", feats_stats), of("pitch_normalize", pitch_stats)
    if mel is None:
        raise SystemExit("the checkpoint has no `normalize.std`; give --feats-stats feats_stats.npz")
    model.mel_mean.copy_(torch.as_tensor(mel[0])), model.mel_std.copy_(torch.as_tensor(mel[1]))
    if pitch is not None:
        # the model's pitch is normalised ln F0, so divide a semitone by the standard deviation
        model.semitone = math.log(2.0) / 12.0 / float(numpy.ravel(pitch[1])[0])


def main():
    parser = arguments(__doc__)
    parser.add_argument("--feats-stats", help="feats_stats.npz, if the checkpoint has no `normalize.std`")
    parser.add_argument("--pitch-stats", help="pitch_stats.npz, if it has no `pitch_normalize.std`; without "
                                              "either, the pitch of the voice cannot be changed")
    parser.add_argument("--mel-scale", type=float, default=1.0,
                        help="2.3262 for IIT Madras: their mel is in log10, their vocoders expect ln")
    args = parser.parse_args()
    config = yaml.safe_load(args.config.read_text(encoding="utf-8"))
    conf, tokens, mel = config["tts_conf"], config["token_list"], config["feats_extract_conf"]
    if not config.get("pitch_extract_conf", {}).get("use_log_f0", True):
        raise SystemExit("pitch_extract_conf: `use_log_f0` is false; only logarithms are supported")
    speakers = max(conf.get("spks") or 0, 0)
    state = read_checkpoint(args.checkpoint)
    model = build(conf, len(tokens), mel["n_mels"], speakers)
    normalisation(model, state, args.feats_stats, args.pitch_stats)
    parameters = {name.removeprefix("tts."): value for name, value in state.items() if name.startswith("tts.")}
    load_parameters(model, parameters)
    args.out.mkdir(parents=True, exist_ok=True)
    export_acoustic(model.eval(), conf.get("adim", 384), speakers > 0, model.semitone is not None, args.out)
    spoken = {token: number for number, token in enumerate(tokens) if token not in MARKS}
    symbols = {" " if token == "<space>" else token: number for token, number in spoken.items()}
    symbols["<sos/eos>"] = len(tokens) - 1
    write_pack(args, symbols, [], ["<sos/eos>"], mel["fs"], args.mel_scale, speakers)


if __name__ == "__main__":
    main()
