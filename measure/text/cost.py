#!/usr/bin/env python3
"""Counts the instructions of the front end per character, by language.

    measure/text/cost.py BIN FOLDER [LANGUAGE...]

BIN is the example `cost` of shruti-text, built with line tables for profiles:

    CARGO_PROFILE_RELEASE_DEBUG=1 CARGO_PROFILE_RELEASE_STRIP=none cargo build --release -p shruti-text --example cost

FOLDER has `<code>.tsv`, whose second column is read, for example `measure/real-text`. Callgrind (Debian package
`valgrind`) counts the instructions. Unlike times, they do not depend on other load of the machine. The tables of all
languages are loaded before the count.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile


def lines(path: pathlib.Path) -> str:
    """Returns the second column of a file."""
    rows = [row.split("\t") for row in path.read_text().splitlines() if not row.startswith("#")]
    return "".join(row[1] + "\n" for row in rows if len(row) > 1)


def count(binary: pathlib.Path, language: str, text: str) -> int:
    """Returns the number of instructions that the front end executes for the lines of a text."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lines"
        path.write_text(text)
        callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        command = [*callgrind, "--toggle-collect=*read_all*", str(binary), language, str(path)]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = re.search(r"Collected\s*:\s*(\d+)", report)
    if not found or found[1] == "0":
        raise SystemExit(f"{binary}: no instructions were counted; was it built with line tables?\n{report}")
    return int(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("binary", type=pathlib.Path, help="the example `cost`")
    parser.add_argument("folder", type=pathlib.Path, help="the folder with a file for each language")
    parser.add_argument("languages", nargs="*", help="codes of the languages; all files by default")
    options = parser.parse_args()
    codes = options.languages or sorted(path.stem for path in options.folder.glob("*.tsv"))
    print("| language | characters | instructions per character |\n| --- | --- | --- |")
    for code in codes:
        text = lines(options.folder / f"{code}.tsv")
        print(f"| {code} | {len(text)} | {count(options.binary, code, text) / len(text):.0f} |", flush=True)


if __name__ == "__main__":
    main()
