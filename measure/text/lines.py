#!/usr/bin/env python3
"""Scores whole lines as they are spoken, by language and class.

    measure/text/lines.py BIN FOLDER [-v] [LANGUAGE...]

BIN is the `shruti` to run. FOLDER has `<code>.tsv`: class TAB written TAB spoken TAB alternatives. Alternatives are
separated by ` | `, which the column of the spoken form may also contain. A line is right if it matches one of its
readings after the folding of `normalisation.py`; spaces between words do not count. Latin capitals of a reading in
another script that stand alone (`D`), together (`SBI`) or with single small letters among them (`IPv`, `HbA`) are
spelled: the names of the letters are accepted too.
"""

import argparse
import collections
import pathlib
import re
import shlex

from normalisation import run, together


def read(path: pathlib.Path) -> list[tuple[str, str, list[str]]]:
    """Returns the class, the written form and the readings of each line."""
    cases = []
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        kind, written, *readings = line.split("\t")
        spoken = [reading.strip() for column in readings for reading in column.split(" | ") if reading.strip()]
        cases.append((kind, written, spoken))
    return cases


# maximum length of the spelled-out name of a letter, in characters
NAME = 7
SPELT = re.compile(r"\b([A-Z][a-z]?[A-Z]+[a-z]?\b|[A-Z]{2,}|[A-Z]\b)")


def is_met(reading: str, said: str, language: str) -> bool:
    """Returns whether a line matches one of its readings."""
    if language == "en":
        return together(said) == together(reading)
    parts = SPELT.split(reading)
    pattern = "".join(
        f"(?:{part.lower()}|.{{1,{NAME * len(part)}}}?)" if place % 2 else re.escape(together(part))
        for place, part in enumerate(parts)
    )
    return re.fullmatch(pattern, together(said)) is not None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the lines with another reading")
    args = parser.parse_intermixed_args()
    languages, classes = {}, collections.defaultdict(lambda: [0, 0])
    for path in sorted(args.folder.glob("*.tsv")):
        if args.languages and path.stem not in args.languages:
            continue
        cases = read(path)
        answers = run(f"{shlex.quote(args.bin)} normalize -l {{lang}}", path.stem, [written for _, written, _ in cases])
        right = 0
        for (kind, written, readings), said in zip(cases, answers):
            met = any(is_met(reading, said, path.stem) for reading in readings)
            right += met
            classes[kind][0] += met
            classes[kind][1] += 1
            if args.verbose and not met:
                print(f"{path.stem} {kind}: {written}\n    want {readings[0] if readings else ''}\n    have {said}")
        languages[path.stem] = (right, len(cases))
    for name, (right, count) in [*languages.items(), ("", ("", "")), *sorted(classes.items())]:
        print(f"{name:24} {right:4} of {count:4} {100 * right / count:6.1f} %" if name else "")


if __name__ == "__main__":
    main()
