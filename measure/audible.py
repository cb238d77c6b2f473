"""Definition of an audible sample, shared by all tools that measure the first one. A test of `shruti-audio` checks that
audible.json matches the server's definition.
"""
import array
import json
import pathlib
import sys

#: Minimum magnitude of an audible 16-bit sample: -60 dB of full scale.
AUDIBLE = json.loads(pathlib.Path(__file__).with_name("audible.json").read_text())["least_sample"]


def is_audible(data):
    """Returns whether bytes (signed 16-bit little-endian samples) contain an audible sample."""
    samples = array.array("h")
    samples.frombytes(data[: len(data) // 2 * 2])
    if sys.byteorder == "big":
        samples.byteswap()
    return bool(samples) and max(max(samples), -min(samples)) >= AUDIBLE
