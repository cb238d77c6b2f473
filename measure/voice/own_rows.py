#!/usr/bin/env python3
"""Manages language-specific rows (`ml/i`) in the tables of the voice, so that fit can adjust them.

usage: own_rows.py begin DATA LANGUAGE PHONES OUT TABLE   copies DATA to OUT and adds a row of the language for
                                                       each phone listed in the file PHONES (IPA, separated by
                                                       spaces) and for each place and spectrum; writes the parameters
                                                       that fit may adjust to TABLE
       own_rows.py keep DATA LANGUAGE OUT              copies the rows of OUT that differ from the shared rows back to DATA
"""
import re
import shutil
import sys
from pathlib import Path

TABLES = ("vowels", "places", "sonorants", "noise")
FIT = Path(__file__).resolve().parents[2] / "train/rules"
# Keys of a language's data file whose values can be fitted to recordings of words.
DURATIONS = {
    "vowel": "short long",
    "consonant": "stop voiced_stop affricate fricative voiced_fricative nasal lateral approximant tap trill geminate",
    "release": "plain velar aspirated final",
    "rhythm": "final stressed unstressed cluster polysyllabic",
}


def read(path):
    """Returns the lines other than language-specific rows, those rows by language and name, and the column names."""
    lines = path.read_text().splitlines()
    rows = [line for line in lines if line and not line.startswith("#")]
    own = {tuple(row.split("\t")[0].split("/")): row.split("\t")[1:] for row in rows if "/" in row.split("\t")[0]}
    first = lines.index(rows[0])
    shared = [line for line in lines if "/" not in line.split("\t")[0] or lines.index(line) < first]
    shared = [line for line in shared if not line.startswith("# Only in ")]
    return shared, own, lines[first - 1].lstrip("# ").split("\t")


def begin(data, language, phones, out, table):
    used = set(Path(phones).read_text().split())
    shutil.copytree(data, out, dirs_exist_ok=True)
    movable = {}
    for name in ("people.tsv", "parameters.tsv"):
        for line in (FIT / name).read_text().splitlines():
            if line and not line.startswith("#"):
                file, row, column, *bounds = line.split("\t")
                movable.setdefault((file, row, column), bounds)
    wanted = []
    for name in TABLES:
        path = Path(out) / f"{name}.tsv"
        shared, own, columns = read(path)
        values = {row.split("\t")[0]: row.split("\t")[1:] for row in shared if not row.startswith("#")}
        with path.open("a") as file:
            for (moved, row, column), (step, low, high) in movable.items():
                if moved != path.name or (name in ("vowels", "sonorants") and row not in used):
                    continue
                if (language, row) not in own:
                    own[language, row] = values[row]
                    file.write("\t".join([f"{language}/{row}", *values[row]]) + "\n")
                value = own[language, row][columns.index(column) - 1]
                if value in ("F2", "F3"):
                    continue
                low, high = min(float(low), float(value)), max(float(high), float(value))
                wanted.append((path.name, f"{language}/{row}", column, step, low, high))
    file = f"languages/{language}.toml"
    text = (Path(out) / file).read_text()
    for section, keys in DURATIONS.items():
        block = re.search(rf"(?ms)^\[{section}\].*?(?=^\[|\Z)", text).group(0)
        for key in keys.split():
            value = float(re.search(rf"(?m)^{key} = ([\d.]+)", block).group(1))
            wanted.append((file, section, key, *(round(value * share, 4) for share in (0.08, 0.75, 1.3))))
    Path(table).write_text("".join("\t".join(map(str, row)) + "\n" for row in wanted))


def keep(data, language, out):
    for name in TABLES:
        path = Path(data) / f"{name}.tsv"
        shared, own, _ = read(path)
        values = {row.split("\t")[0]: row.split("\t")[1:] for row in shared if not row.startswith("#")}
        own |= {at: row for at, row in read(Path(out) / f"{name}.tsv")[1].items() if at[0] == language}
        lines = list(shared)
        for code in sorted({code for code, _ in own}):
            rows = [row for row in values if own.get((code, row), values[row]) != values[row]]
            lines.append(f"# Only in {code}.")
            lines += ["\t".join([f"{code}/{row}", *own[code, row]]) for row in rows]
        path.write_text("\n".join(lines) + "\n")
    file = f"languages/{language}.toml"
    shutil.copy(Path(out) / file, Path(data) / file)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["begin", data, language, phones, out, table]:
            begin(data, language, phones, out, table)
        case ["keep", data, language, out]:
            keep(data, language, out)
        case _:
            sys.exit(__doc__)
