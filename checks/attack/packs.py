"""Malicious voice packs: graphs that crash the process that loads them, voices with the names of other voices, terminal
control sequences, folders with symbolic links. The server must start and speak without such packs, and the commands for
packs must print plain text.

usage: python3 checks/attack/packs.py target/release/shruti
"""

import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
import urllib.request

import cases
import harness

# log message about a skipped pack
REFUSED = "the pack cannot be used"
PATIENCE_S = 60
ESCAPES = "\x1b]0;owned\x07\x9b2J\u202e"
# nesting depth of a graph; the stack of the threads that load graphs suffices for a depth of about 2,400
NESTED = 4_000


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """Returns a protocol buffer field."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def nested_branches(depth):
    """Returns an ONNX file of nested `If` operators."""
    graph = b""
    for _ in range(depth):
        branch = field(5, field(1, b"then_branch") + field(6, graph) + field(20, 5))
        graph = field(1, field(1, b"speed") + field(2, b"x") + field(4, b"If") + branch)
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


def pack(folder, graph, voice="Harm"):
    """Writes an installed pack `harm` with one graph; returns its manifest."""
    os.makedirs(folder)
    files = {"whole.onnx": graph, "symbols.tsv": b"a\t1\n", "LICENCE": b"free"}
    manifest = f"""format = 1
id = "harm"
[[voice]]
name = "{voice}"
languages = ["hi"]
[licence]
spdx = "MIT"
attribution = "nobody"
commercial = "yes"
source = "an attack"
text = "LICENCE"
[input]
kind = "characters"
symbols = "symbols.tsv"
begin = []
between = []
end = []
unknown = "skip"
max_symbols = 9
[graph]
kind = "whole"
files = {{ whole = "whole.onnx", styles = [] }}
rate = 24000
[sound]
gain_db = 0.0
pauses = "ours"
"""
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
        digest = hashlib.sha256(content).hexdigest()
        manifest += f'[[file]]\npath = "{name}"\nbytes = {len(content)}\nsha256 = "{digest}"\n'
    with open(os.path.join(folder, "pack.toml"), "w", encoding="utf-8") as file:
        file.write(manifest)
    return manifest


def speaks(running):
    body = json.dumps({"text": "नमस्ते", "voice": "Ananya"}).encode()
    headers = {"Authorization": f"Bearer {running.key}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{running.url}/v1/tts", body, headers), timeout=20) as answer:
        return answer.status == 200 and len(answer.read()) > 10_000


def started(binary, data_dir):
    """Starts a server on a data folder, ends it, and returns its log."""
    with tempfile.TemporaryDirectory() as folder:
        server = harness.Server(binary, folder=folder, data_dir=data_dir).start()
        server.kill()
        return server.log_text()


def is_plain(text):
    return not any((c < " " and c != "\n") or "\x7f" <= c < "\xa0" or c in "\u202e\u2066" for c in text)


def refused(binary, data_dir, *arguments):
    """Runs a command that must fail; returns whether it did, and its output."""
    done = subprocess.run(
        [binary, *arguments, "--data-dir", data_dir], capture_output=True, check=False, timeout=60
    )
    said = (done.stdout + done.stderr).decode(errors="replace")
    return done.returncode == 1, said


def main():
    binary = cases.binary("packs.py")
    table = cases.Cases("harmful packs")
    with harness.running(binary) as running:
        packs = os.path.join(running.data_dir, "packs")
        for name, graph, voice in [
            ("a graph of nested branches", nested_branches(NESTED), "Harm"),
            ("an invalid graph", b"\x0a\xff" * 99, "Harm"),
            ("the name of a built-in voice", b"x", "ananya"),
        ]:
            pack(os.path.join(packs, "harm"), graph, voice)
            before = running.log_text().count(REFUSED)
            subprocess.run([binary, "reload", "--data-dir", running.data_dir], check=True, capture_output=True)
            due = time.monotonic() + PATIENCE_S
            while running.log_text().count(REFUSED) == before and running.is_running() and time.monotonic() < due:
                time.sleep(0.05)
            says = running.log_text().count(REFUSED) > before
            ok = says and running.is_running() and speaks(running)
            table.note(f"{name}, at a reload", ok, "the server speaks" if ok else running.log_text()[-300:])
            shutil.rmtree(os.path.join(packs, "harm"))
    for name, graph in [("a graph of nested branches", nested_branches(NESTED)), ("an invalid graph", b"\x0a\xff" * 99)]:
        with tempfile.TemporaryDirectory() as parent:
            data_dir = os.path.join(parent, "data")
            pack(os.path.join(data_dir, "packs", "harm"), graph)
            log = started(binary, data_dir)
            ok = "listening" in log and REFUSED in log
            table.note(f"{name}, at the start", ok, "the server starts without the pack" if ok else log[-300:])
    with tempfile.TemporaryDirectory() as parent:
        data_dir, folder = os.path.join(parent, "data"), os.path.join(parent, "harm")
        manifest = pack(folder, b"x").encode()
        archive = os.path.join(parent, "harm.tar")
        with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as tar:
            for name, content in [("pack.toml", manifest), (f"a{ESCAPES}b", b"")]:
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
        ok, said = refused(binary, data_dir, "voices", "pull", "harm", "--from", archive, "--accept", "MIT")
        table.note("an entry's name with escape sequences", ok and is_plain(said), repr(said[:200]))
        for value in ["spdx", "attribution", "source"]:
            with open(os.path.join(folder, "pack.toml"), "w", encoding="utf-8") as file:
                line = next(line for line in manifest.decode().split("\n") if line.startswith(value))
                escaped = json.dumps(ESCAPES)[1:-1]
                file.write(manifest.decode().replace(line, f'{value} = "{escaped}"'))
            ok, said = refused(binary, data_dir, "voices", "import", "folder", folder, "--accept", "MIT")
            table.note(f"escape sequences in licence.{value}", ok and is_plain(said), repr(said[:200]))
        with open(os.path.join(folder, "pack.toml"), "wb") as file:
            file.write(manifest[: manifest.index(b"[[file]]")])
        os.rename(os.path.join(folder, "LICENCE"), os.path.join(parent, "secret"))
        os.symlink(os.path.join(parent, "secret"), os.path.join(folder, "LICENCE"))
        ok, said = refused(binary, data_dir, "voices", "import", "folder", folder, "--accept", "MIT")
        table.note("a folder with a link", ok and "not a plain file" in said, repr(said[:200]))
    table.end()


if __name__ == "__main__":
    main()
