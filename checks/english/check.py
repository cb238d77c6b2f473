#!/usr/bin/env python3
"""Finds comments and documentation that are not plain present-day English: listed phrases and headless clauses.

    checks/english/check.py [PATH…]

Without paths it reads all files. It reports two kinds of fault: a phrase of `phrases.tsv`, and a
comment that describes an item by a clause without a subject ("What is left.") where a noun phrase or a verb belongs
("Remaining characters.", "Returns …"). Exits with 1 if there are any. Standard library only.
"""

from __future__ import annotations

import ast
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
SIGNS = {
    ".rs": "//", ".ts": "//", ".js": "//", ".mjs": "//", ".java": "//", ".c": "//", ".css": "//", ".sql": "--",
    ".py": "#", ".sh": "#", ".toml": "#", ".yaml": "#", ".yml": "#", ".conf": "#", ".cfg": "#", ".service": "#",
}
#: Files with block comments.
WITH_BLOCKS = {".ts", ".js", ".mjs", ".java", ".c", ".css"}
#: Files whose text is data, generated, or quoted from elsewhere.
SKIPPED = re.compile(r"(^|/)(NOTICE|LICEN[CS]E)|^checks/english/|^CHANGELOG\.md$|/data/.*\.md$|(^|/)(node_modules|target|dist|\.venv)/|^measure/real-text/")
#: First words of a headless clause: "What is left.", "How many wait.", "Whose it is.".
HEADLESS = re.compile(r"(What|Who|Whose|Whom|How|Where|When|Why|Which|That of|Those of|The same|So many)\b(?!.*\?$)")
#: Accepted for a boolean field, but not for a function.
WHETHER = re.compile(r"Whether\b")
FUNCTION = re.compile(r"\s*(pub(\([a-z ]+\))? )?(const |async )*fn ")


def phrases() -> list[tuple[re.Pattern[str], str]]:
    """Returns the listed phrases with their replacements."""
    rows = [line.split("\t") for line in (HERE / "phrases.tsv").read_text("utf-8").splitlines() if not line.startswith("#")]
    return [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in rows]


def prose(path: pathlib.Path) -> Iterator[tuple[int, str, str]]:
    """Yields the prose of a file: line number, text, and the next line of code for a documentation comment, or ""."""
    lines = path.read_text("utf-8", errors="replace").split("\n")
    is_fenced = False
    if path.suffix == ".md":
        for number, line in enumerate(lines, 1):
            if line.lstrip().startswith("```"):
                is_fenced = not is_fenced
            elif not is_fenced:
                yield number, re.sub(r"`[^`]*`|\(http[^)]*\)", "", line), ""
        return
    if path.suffix == ".py":
        yield from docstrings(lines)
    # a comment sign, or a line of a block comment: `/** …`, ` * …`
    block = r"|/?\*\*?(?!/)" if path.suffix in WITH_BLOCKS else ""
    sign = re.compile(rf"\s*(?:{re.escape(SIGNS[path.suffix])}([!/]?){block})(?: (.*?))?(?: ?\*/)?$")
    previous = ""
    for number, line in enumerate(lines, 1):
        found = sign.match(line)
        if not found or line.startswith("#!"):
            previous = ""
            continue
        kind, text = found[1] or ("" if "//" in line[:found.end()] else line.lstrip()[:3]), found[2] or ""
        if text.lstrip().startswith("```"):
            is_fenced = not is_fenced
        elif not is_fenced:
            begins = kind in {"!", "/", "/**"} and previous != kind
            code = next((later for later in lines[number:] if not sign.match(later) and not later.strip().startswith("#[")), "")
            yield number, re.sub(r"`[^`]*`", "", text), (code or " ") if begins else ""
        previous = kind


def docstrings(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yields the docstrings of a Python file line by line."""
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
            first = node.body[0].lineno
            for offset, line in enumerate((ast.get_docstring(node) or "").split("\n")):
                code = (" " if isinstance(node, (ast.Module, ast.ClassDef)) else "fn ") if offset == 0 else ""
                yield first + offset, re.sub(r"`[^`]*`", "", line), code


def faults(path: pathlib.Path, listed: list[tuple[re.Pattern[str], str]]) -> Iterator[tuple[int, str]]:
    """Yields the faults of a file: line number and description."""
    for number, text, code in prose(path):
        for pattern, instead in listed:
            if found := pattern.search(text):
                yield number, f'"{found[0]}": write {instead}'
        if code and HEADLESS.match(text):
            yield number, f'"{text[:60]}": begin with a noun or a verb'
        if code and WHETHER.match(text) and FUNCTION.match(code):
            yield number, f'"{text[:60]}": write "Returns whether …"'


def files(given: list[str]) -> list[str]:
    """Returns the paths of the files under version control, or of all files where there is no repository. A file that
    was deleted but not committed is not returned.
    """
    listing = subprocess.run(["git", "ls-files", *given], cwd=ROOT, check=False, capture_output=True, text=True)
    if listing.returncode == 0:
        return [path for path in listing.stdout.splitlines() if (ROOT / path).exists()]
    folders = [ROOT / path for path in given] or [ROOT]
    return sorted(str(path.relative_to(ROOT)) for folder in folders for path in folder.rglob("*") if path.is_file())


def main() -> int:
    given = sys.argv[1:]
    paths = [p for p in files(given) if pathlib.Path(p).suffix in {*SIGNS, ".md"} and not SKIPPED.search(p)]
    listed, count = phrases(), 0
    for path in paths:
        for number, fault in faults(ROOT / path, listed):
            print(f"{path}:{number}: {fault}")
            count += 1
    print(f"english: {count} faults in {len(paths)} files", file=sys.stderr)
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main())
