"""Shared code of the exporters: ONNX files, symbol tables, and the `pack.toml` that `shruti voices import` completes.
"""
import argparse
import json
import shutil
from pathlib import Path

import torch

OPSET = 17


class Encode(torch.nn.Module):
    """The first part of an acoustic model, with its inputs in the order of `names`."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *values):
        given = dict(zip(self.names, values))
        return self.model.encode(given["input"], given.get("sid"), given.get("pitch"))


class Decode(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, features):
        return self.model.decode(features)


def export(module, values, names, outputs, lengths, path):
    """Writes a module as ONNX; `lengths` maps each name to its axis of variable length."""
    axes = {name: {axis: f"{name}_length"} for name, axis in lengths.items()}
    with torch.no_grad():
        torch.onnx.export(module.eval(), values, str(path), input_names=names, output_names=outputs, dynamic_axes=axes,
                          opset_version=OPSET, dynamo=False)


def export_acoustic(model, channels, has_speakers, has_pitch, folder):
    """Writes `encoder.onnx` and `mel_decoder.onnx`."""
    values = {"input": torch.arange(1, 9).unsqueeze(0)}
    if has_speakers:
        values["sid"] = torch.zeros(1, dtype=torch.long)
    if has_pitch:
        values["pitch"] = torch.zeros(1)
    names = list(values)
    export(Encode(model, names), tuple(values.values()), names, ["features", "durations"],
           {"input": 1, "features": 1, "durations": 1}, folder / "encoder.onnx")
    export(Decode(model), (torch.zeros(1, 20, channels),), ["features"], ["mel"], {"features": 1, "mel": 2},
           folder / "mel_decoder.onnx")


def load_parameters(model, state, ignored=()):
    """Loads a checkpoint. All parameters of the model must be present; extra ones must begin with one of `ignored`."""
    missing, unexpected = model.load_state_dict(state, strict=False)
    unexpected = [name for name in unexpected if not name.startswith(tuple(ignored))]
    if missing or unexpected:
        raise SystemExit(f"the checkpoint does not match its config: missing {missing}, unknown {unexpected}")


def read_checkpoint(path):
    """Reads the parameters and other contents of a checkpoint: only tensors and plain values, never code."""
    return torch.load(path, map_location="cpu", weights_only=True)


def arguments(description):
    """Creates the argument parser with the options shared by the acoustic exporters."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("config", type=Path)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path, help="output folder; hifigan.py writes the vocoder there, too")
    parser.add_argument("--id", required=True, help="the pack's id: a-z, 0-9 and -")
    parser.add_argument("--voice", required=True, action="append", help="NAME, one per speaker in order")
    parser.add_argument("--sex", choices=["female", "male"])
    parser.add_argument("--languages", required=True, help="comma-separated codes, such as te,hi")
    parser.add_argument("--kind", required=True, choices=["phones", "espeak", "labels", "characters"],
                        help="kind of the symbols")
    parser.add_argument("--licence", required=True, help="an SPDX expression")
    parser.add_argument("--licence-text", required=True, type=Path)
    parser.add_argument("--attribution", required=True)
    parser.add_argument("--commercial", default="unknown", choices=["yes", "no", "unknown"])
    parser.add_argument("--source", required=True, help="origin of the checkpoint")
    return parser


def write_pack(args, symbols, begin, end, rate, mel_scale, speakers):
    """Writes `pack.toml` without the fields that the import determines, the symbol table and the licence."""
    if max(speakers, 1) != len(args.voice):
        raise SystemExit(f"the model has {max(speakers, 1)} speakers; --voice names {len(args.voice)}")
    rows = [f"{symbol}\t{number}\n" for symbol, number in symbols.items()]
    (args.out / "symbols.tsv").write_text("".join(rows), encoding="utf-8")
    shutil.copyfile(args.licence_text, args.out / "LICENCE")
    quoted = lambda text: json.dumps(text, ensure_ascii=False)
    lines = ["format = 1", f"id = {quoted(args.id)}"]
    for number, name in enumerate(args.voice):
        lines += ["[[voice]]", f"name = {quoted(name)}"]
        lines += [f"sex = {quoted(args.sex)}"] if args.sex else []
        lines += [f"languages = {json.dumps(args.languages.split(','))}"]
        lines += [f"speaker = {number}"] if speakers else []
    lines += ["[licence]", f"spdx = {quoted(args.licence)}", f"attribution = {quoted(args.attribution)}",
              f"commercial = {quoted(args.commercial)}", f"source = {quoted(args.source)}", 'text = "LICENCE"',
              "[input]", f"kind = {quoted(args.kind)}", 'symbols = "symbols.tsv"', f"begin = {json.dumps(begin)}",
              "between = []", f"end = {quoted(end)}", 'unknown = "skip"', "max_symbols = 200",
              "[graph]", 'kind = "acoustic-vocoder"', f"rate = {rate}", f"mel_scale = {mel_scale}",
              'files = { encoder = "encoder.onnx", mel_decoder = "mel_decoder.onnx", vocoder = "vocoder.onnx" }',
              "[sound]", 'pauses = "ours"']
    (args.out / "pack.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
