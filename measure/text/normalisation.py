#!/usr/bin/env python3
"""Scores normalisation against lists of (written, spoken).

    measure/text/normalisation.py --data PATH [--command 'target/release/shruti normalize -l {lang}'] [--show 10] [FILE...]

PATH has `tn/<lang>_<class>.tsv` (written TAB spoken), `tn/<lang>_inputs-only.tsv` (written TAB nothing TAB class: only
letters may remain), `tn/bn_google-verb-cardinal.tsv` (cardinal|integer:N| TAB spoken) and `numbers/<lang>.tsv` (number,
then columns of spellings; one of them, or one of its alternatives after `|`, must match).

A case is right if the words are equal without punctuation, case and hyphens (`strict`), or also after folding spelling
variants of the same word (`folded`): candrabindu and anusvara, nukta, final long vowels of रुपए/रुपये and others.
"""

import argparse
import collections
import pathlib
import re
import shlex
import subprocess
import sys
import unicodedata

# cases that are excluded, because their expected reading is uncommon in India
LEFT_OUT = pathlib.Path(__file__).with_name("left-out.tsv")


def plain(text: str) -> str:
    # some texts use the Bengali numerator four as a danda
    text = unicodedata.normalize("NFC", text).lower().replace("-", " ").replace("\u09f7", " ")
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" or c in "\u200c\u200d" else " " for c in text)
    return " ".join(kept.split())


def folded(text: str) -> str:
    text = unicodedata.normalize("NFD", plain(text))
    text = re.sub("[\u0901\u0981]", lambda m: chr(ord(m.group()) + 1), text)
    text = re.sub("[\u093c\u09bc\u0a3c\u0abc\u0b3c\u200c\u200d]", "", text)
    text = text.replace("ये", "ए").replace("यी", "ई").replace("छः", "छह").replace("न्द", "ंद").replace("म्ब", "ंब")
    return re.sub(r"\band\b ?", "", text)


def together(text: str) -> str:
    """Joins number words, which some sources write with spaces and others without."""
    return folded(text).replace(" ", "")


def run(command: str, language: str, lines: list[str]) -> list[str]:
    done = subprocess.run(
        shlex.split(command.replace("{lang}", language)), input="\n".join(lines) + "\n", capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{command} failed: {done.stderr}")
    answers = [line.rsplit("\t", 1)[-1] for line in done.stdout.split("\n")[: len(lines)]]
    if len(answers) != len(lines):
        sys.exit(f"{command}: {len(lines)} lines in, {len(answers)} out")
    return answers


def left_over(text: str) -> bool:
    """Returns whether a character is a digit, or a sign that is neither a letter nor punctuation."""
    return any(unicodedata.category(c)[0] in "NS" or c in "%&@#*/\\+=<>_|~^" for c in text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--command", default="target/release/shruti normalize -l {lang}")
    parser.add_argument("--show", type=int, default=0, help="failures to print for each file")
    parser.add_argument("files", nargs="*", help="only files whose name contains one of these")
    args = parser.parse_args()
    left_out = set()
    if LEFT_OUT.exists():
        left_out = {tuple(line.split("\t")[:2]) for line in LEFT_OUT.read_text().splitlines() if not line.startswith("#")}
    totals: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0])
    print(f"{'list':34} {'cases':>5} {'strict':>7} {'folded':>7}")

    def wanted(path: pathlib.Path) -> bool:
        return not args.files or any(part in f"{path.parent.name}/{path.name}" for part in args.files)

    def report(name: str, group: str, rows: list[tuple[str, list[str], str]]) -> None:
        strict = sum(any(plain(answer) == plain(ref) for ref in refs) for _, refs, answer in rows)
        fold = together if group == "numbers" else folded
        right = sum(any(fold(answer) == fold(ref) for ref in refs) for _, refs, answer in rows)
        if not rows:
            return
        print(f"{name:34} {len(rows):5} {100 * strict / len(rows):7.1f} {100 * right / len(rows):7.1f}")
        for place, count in enumerate((len(rows), strict, right)):
            totals[group][place] += count
        shown = 0
        for written, refs, answer in rows:
            if shown < args.show and not any(fold(answer) == fold(ref) for ref in refs):
                print(f"    {written}\n        want {refs[0]}\n        have {answer}")
                shown += 1

    for path in sorted((args.data / "tn").glob("*.tsv")):
        language, kind = path.stem.split("_", 1)
        rows = [line.split("\t") for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
        if not wanted(path):
            continue
        if kind == "inputs-only":
            answers = run(args.command, language, [row[0] for row in rows])
            bad = [(row[0], a) for row, a in zip(rows, answers) if left_over(a) or not plain(a)]
            print(f"{path.stem:34} {len(rows):5} {'-':>7} {100 * (1 - len(bad) / len(rows)):7.1f}  (words only)")
            for written, answer in bad[: args.show]:
                print(f"    {written}\n        have {answer}")
            continue
        if path.stem == "bn_google-verb-cardinal":
            rows = [[row[0].split("integer:")[1].strip("|"), row[1]] for row in rows if "integer:" in row[0]]
        elif language not in ("hi", "en") or "itn" in kind:
            continue
        rows = [row for row in rows if len(row) > 1 and (path.stem, row[0]) not in left_out]
        answers = run(args.command, language, [row[0] for row in rows])
        report(path.stem, language + " cases", [(row[0], [row[1]], a) for row, a in zip(rows, answers)])
    for path in sorted((args.data / "numbers").glob("*.tsv")):
        if not wanted(path):
            continue
        rows = [line.split("\t") for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
        answers = run(args.command, path.stem, [row[0] for row in rows])
        cases = []
        for row, answer in zip(rows, answers):
            refs = [ref.strip() for column in row[1:] for ref in column.split(" | ") if ref.strip()]
            cases.append((row[0], refs, answer))
        report("numbers/" + path.stem, "numbers", cases)
    print()
    for group, (count, strict, right) in sorted(totals.items()):
        print(f"{group:34} {count:5} {100 * strict / count:7.1f} {100 * right / count:7.1f}")


if __name__ == "__main__":
    main()
