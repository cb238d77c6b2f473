#!/usr/bin/env python3
"""Sums the votes of a listening page created by make.py: preferences per voice, by language and overall.

usage: sum.py OUT.key.json VOTES.json ...
For every two voices and each language, it prints the votes for each voice and for neither; the share of the first voice
among the votes for either, with its 95 % interval (Wilson 1927); and the probability of a split at least as uneven if
listeners could not tell the voices apart (binomial, two-sided). Each listener counts once: of two files with the same
listener name, the later one on the command line counts. Votes of one listener are not independent, so with few
listeners the result is less certain than the interval suggests.
needs: pip install scipy
"""
import itertools
import json
import sys
from pathlib import Path

from scipy.stats import binomtest

CHOICES = ("first", "second", "same")


class Wrong(Exception):
    """A file of votes that cannot be counted; the message has the reason."""


def read(path, key):
    """Reads (listener, {pair: preferred voice or None}) from a file of votes."""
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Wrong(f"{path}: {error}") from None
    if not isinstance(told, dict) or not isinstance(told.get("votes"), dict):
        raise Wrong(f"{path}: not a file of votes")
    if told.get("test") != key["test"]:
        raise Wrong(f"{path}: the votes are for test {told.get('test')}; the key is for {key['test']}")
    preferred = {}
    for pair, vote in told["votes"].items():
        choice = vote.get("choice") if isinstance(vote, dict) else None
        if pair not in key["pairs"] or choice not in CHOICES:
            raise Wrong(f"{path}: invalid vote on pair {pair!r}: {choice!r}")
        sides = key["pairs"][pair]["sides"]
        preferred[pair] = None if choice == "same" else sides[CHOICES.index(choice)]
    return str(told.get("listener") or path), preferred


def line(name, votes, first, second):
    ours, theirs, neither = (votes.count(who) for who in (first, second, None))
    decided = ours + theirs
    told = f"{name:10} {ours:5} {theirs:5} {neither:5}"
    if not decided:
        return told
    test = binomtest(ours, decided)
    interval = test.proportion_ci(method="wilson")
    share = f"{100 * ours / decided:5.1f} % ({100 * interval.low:.0f} to {100 * interval.high:.0f})"
    return f"{told}  {share}  p {test.pvalue:.3g}"


def main(key_path, paths):
    key = json.loads(Path(key_path).read_text(encoding="utf-8"))
    listeners = {}
    for path in paths:
        listener, preferred = read(path, key)
        listeners[listener] = preferred
    for first, second in itertools.combinations(key["names"], 2):
        by_language = {}
        for preferred in listeners.values():
            for pair, who in preferred.items():
                if set(key["pairs"][pair]["sides"]) == {first, second}:
                    by_language.setdefault(key["pairs"][pair]["language"], []).append(who)
        print(f"{len(listeners)} listeners; votes for {first}, for {second}, for neither; share of {first} (95 %)")
        for language, votes in sorted(by_language.items()):
            print(line(language, votes, first, second))
        print(line("all", [who for votes in by_language.values() for who in votes], first, second))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(sys.argv[1], sys.argv[2:])
    except Wrong as wrong:
        sys.exit(str(wrong))
