#!/usr/bin/env python3
"""Runs every example of the documents without changes, page by page, like a reader who pastes them.

Each page gets its own server in its own folder on loopback, and one shell whose environment carries over from block to
block. Shell blocks must exit with 0 and print the fields and words that their comments show; JSON and TOML must parse.
A placeholder of a document (a key, a code, a date, a folder of backups) is replaced with a value that works here. An
example that cannot run here has the comment `<!-- not run: REASON -->` on the line before its fence; such blocks are
counted.

usage: documents.py FOLDER/OF/DOCUMENTS target/release/shruti
"""
import collections
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import tomllib

from readme import STANDING_IN, Failure, Terminal, free_port

BLOCK = re.compile(r"(?:^<!-- not run: ([^\n]+) -->\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NOT_PASTED = {"text", "mermaid"}


def parse_json(source):
    """Parses one JSON value, or several in sequence."""
    decoder = json.JSONDecoder()
    rest = source.strip()
    while rest:
        try:
            _, end = decoder.raw_decode(rest)
        except json.JSONDecodeError as error:
            raise Failure(f"invalid JSON: {error}") from error
        rest = rest[end:].lstrip()


def expect_shown(source, said):
    """Checks a response against the comments that show it: fields and texts, except dates and abridged values."""
    shown = "\n".join(line[1:].strip() for line in source.splitlines() if line.startswith("#"))
    wanted = [f'"{name}":' for name in re.findall(r'"(\w+)":', shown)]
    pairs = re.findall(r'("\w+":"([^"]*)")', shown)
    wanted += [pair for pair, text in pairs if not re.search(r"…|\.\.\.|\d{4}-\d\d", text)]
    wanted += re.findall(r"^(?:etag: .*|HTTP/.*)$", shown, re.MULTILINE)
    missing = [piece for piece in wanted if piece not in said]
    if missing:
        raise Failure(f"shows text that the server does not print: {missing}; it printed {said[-1500:]}")


def run_page(path, binary, table):
    """Returns the number of blocks that ran, and the reasons why others did not run."""
    ran, left_out = 0, collections.Counter()
    text = path.read_text("utf-8")
    blocks = BLOCK.findall(text)
    if len(re.findall(r"^ *(?:```|~~~).", text, re.MULTILINE)) != len(blocks):
        raise SystemExit(f"{path.name}: a block is indented, or has no language")
    if text.count("<!-- not run:") != sum(bool(reason) for reason, _, _ in blocks):
        raise SystemExit(f"{path.name}: a reason not to run is not followed by a block")
    blocks = [block for block in blocks if block[1] not in NOT_PASTED]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        programs = folder / "programs"
        programs.mkdir()
        (folder / "backup").mkdir()
        (programs / "shruti").symlink_to(pathlib.Path(binary).resolve())
        (programs / "ffplay").write_text(STANDING_IN["ffplay"])
        (programs / "ffplay").chmod(0o755)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("SHRUTI_")}
        environment = plain | {"PATH": f"{programs}:{os.environ['PATH']}",
                               "XDG_DATA_HOME": f"{folder}/data", "XDG_STATE_HOME": f"{folder}/state"}
        port = free_port()
        server = subprocess.Popen(["shruti", "serve", "--listen", f"127.0.0.1:{port}"], cwd=folder, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        ending = threading.Timer(180, server.kill)
        ending.start()
        try:
            key = next((line.strip() for line in server.stdout if re.fullmatch(r"sk_\w+\n", line)), None)
            if key is None or not any("listening" in line for line in server.stderr):
                raise SystemExit(f"{path.name}: the server did not start")
            for stream in (server.stdout, server.stderr):
                threading.Thread(target=stream.read, daemon=True).start()
            terminal = Terminal(folder, environment | {"SHRUTI_API_KEY": key})
            spare = re.search(r"sk_\w+", terminal.shell("shruti keys create --name spare"))[0]
            code = re.search(r"(?m)^[A-Z0-9-]{8,}$", terminal.shell("shruti promo create --chars 1000"))[0]
            today = datetime.datetime.now(datetime.timezone.utc).date()
            here = {
                "sk_...": key, "sk_AbCd1234": spare[:11], "7K2M-Q9XD-4TBR-W0E1": code, "/backup/": f"{folder}/backup/",
                "127.0.0.1:8080": f"127.0.0.1:{port}", "--expires 2026-12-31": f"--expires {today.year + 1}-12-31",
                "from=2026-11-01&to=2026-11-30": f"from={today.replace(day=1)}&to={today}",
            }
            for reason, language, source in blocks:
                if reason:
                    left_out[reason] += 1
                    continue
                name = f"{language}, {source.strip().splitlines()[0][:60]}"
                try:
                    if language == "json":
                        parse_json(source)
                    elif language == "toml":
                        tomllib.loads(source)
                    elif language == "sh":
                        pasted = source
                        for before, after in here.items():
                            pasted = pasted.replace(before, after)
                        expect_shown(source, terminal.shell(f"set -e\n{pasted}"))
                    else:
                        raise Failure("no check runs it, and no comment has the reason")
                    ran += 1
                    table(path.name, name, None)
                except (Failure, tomllib.TOMLDecodeError) as failure:
                    table(path.name, name, failure)
        finally:
            ending.cancel()
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGTERM)
            server.wait()
    return ran, left_out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    failed = []

    def table(page, name, failure):
        print(f"{page:18} {name:64} {f'FAILED: {failure}' if failure else 'held'}", flush=True)
        if failure:
            failed.append(name)

    pages = sorted(pathlib.Path(sys.argv[1]).glob("*.md"))
    counts = [(page.name, *run_page(page, sys.argv[2], table)) for page in pages]
    for page, ran, left_out in counts:
        print(f"{page:18} {ran} held, {left_out.total()} not run")
        for reason, count in left_out.items():
            print(f"{'':18}   {count} {reason}")
    sys.exit(len(failed) > 0)


if __name__ == "__main__":
    main()
