#!/usr/bin/env python3
"""Runs every example of the README without changes, from top to bottom, like a reader who pastes them.

Uses two terminals in one folder, which has the built binary where cargo puts it: the first starts the server, the
second runs all other shell blocks in one session, so that variables carry over. Programs are saved and started with the
environment of that session. The ports differ, and stand-ins replace cargo (starts the binary), ffplay (stores the
audio) and the visitor of the page (Chromium presses its button). Each example must succeed and print or store what it
announces.

usage: readme.py README.md target/release/shruti        with Python's `websockets`, Node's `ws` in this folder,
chromium, curl
"""
import contextlib
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import free_port  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STANDING_IN = {
    "cargo": '#!/bin/sh\n[ "$1 $2 $3" = "run --release --" ] && shift 3 && exec target/release/shruti "$@"\n',
    "ffplay": "#!/bin/sh\nexec cat >played.raw\n",
}
# Examples. Each entry contains the language, a text that identifies the example, its expected output, and the files
# that it saves. Each file must contain at least 0.1 s of audio.
EXAMPLES = [
    ("sh", "export SHRUTI_API_KEY=", "", []),
    ("sh", "| ffplay", "", ["played.raw"]),
    ("sh", "-o clip.wav", "", ["clip.wav", "vanakkam.wav"]),
    ("sh", "promo create", r"^[A-Z0-9-]{8,}$", []),
    ("sh", "turns.txt --barge-in-after", r"heard|not heard", []),
    ("sh", "-o book.mp3", "", ["book.mp3"]),
    ("sh", "export SHRUTI_SERVER=", r"first audio", []),
    ("python", "urllib.request", "", ["played.raw"]),
    ("js", 'createWriteStream("clip.wav")', "", ["clip.wav"]),
    ("python", "websockets.connect(", r"heard: \S.*\| not heard: ", ["played.raw"]),
    ("js", 'from "ws"', r"(?s)\d+ ms: \S.*heard: \S.*1000 normal req_", ["reply.raw"]),
]
SERVE, TEST, CHAT, PAGE = "cargo run --release -- serve", "cargo test --workspace", "shruti chat\n", "node page.mjs"
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--autoplay-policy=no-user-gesture-required", "--enable-logging=stderr"]
PATIENCE_S = 60


class Failure(Exception):
    pass


@contextlib.contextmanager
def running(command, folder, environment, **options):
    """Runs a process and its children; they are ended with the block, or after a minute."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace", **options}
    process = subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, **options)

    def end():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(PATIENCE_S, end)
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        end()
        process.wait()


class Terminal:
    """A folder and the environment of the shell that last ran in it."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment

    def shell(self, source):
        """Runs shell commands, keeps what they export, and returns their output."""
        kept = self.folder / "environment"
        kept.unlink(missing_ok=True)
        script = f"set -o pipefail\n{source}\nstatus=$?; env -0 >{kept}; exit $status\n"
        with running(["bash", "-c", script], self.folder, self.environment, stdin=subprocess.DEVNULL) as process:
            said = process.communicate()[0]
        if process.returncode != 0:
            raise Failure(f"ended with {process.returncode}: {said[-500:]}")
        pairs = kept.read_bytes().decode("utf-8", "surrogateescape").split("\0")
        self.environment = dict(pair.split("=", 1) for pair in pairs if pair)
        return said

    def program(self, language, source):
        name = "example.py" if language == "python" else "example.mjs"
        (self.folder / name).write_text(source, "utf-8")
        command = [sys.executable if language == "python" else "node", name]
        with running(command, self.folder, self.environment | {"PYTHONIOENCODING": "utf-8"}) as process:
            said = process.communicate()[0]
        if process.returncode != 0:
            raise Failure(f"ended with {process.returncode}: {said[-500:]}")
        return said

    def chat(self, source):
        """Runs a command on a terminal until it speaks, then presses q."""
        ours, theirs = pty.openpty()
        said = b""
        try:
            options = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "text": None, "errors": None}
            with running(["bash", "-c", source], self.folder, self.environment | {"TERM": "xterm"}, **options) as process:
                os.close(theirs)
                until = time.monotonic() + PATIENCE_S
                asked = False
                while time.monotonic() < until and process.poll() is None:
                    if select.select([ours], [], [], 0.1)[0]:
                        with contextlib.suppress(OSError):
                            said += os.read(ours, 65536)
                    if not asked and b"Ananya" in said:
                        os.write(ours, b"q")
                        asked = True
                if process.wait() != 0 or not asked:
                    raise Failure(f"ended with {process.returncode}: {said[-500:]!r}")
        finally:
            os.close(ours)
        return said.decode(errors="replace")

    def page(self, command, source, port):
        """Starts the server of a page with its shell block, opens the page, and waits until it has played a turn."""
        pressed = source.replace("</script>`", 'document.querySelector("button").click();</script>`')
        (self.folder / "page.mjs").write_text(pressed, "utf-8")
        with running(["bash", "-c", command], self.folder, self.environment) as server:
            answer = None
            while answer is None and server.poll() is None:
                with contextlib.suppress(OSError):
                    answer = urllib.request.urlopen(f"http://localhost:{port}/")
                time.sleep(0.05)
            if answer is None:
                raise Failure(f"its server exited: {server.stdout.read()[-500:]}")
            said = ""
            browse = [*CHROMIUM, f"--user-data-dir={self.folder}/profile", f"http://localhost:{port}/"]
            with running(browse, self.folder, self.environment) as browser:
                for line in browser.stdout:
                    said += line
                    if '"turn.done"' in line or r'\"turn.done\"' in line:
                        return
            raise Failure(f"the page received no complete turn: {said[-1000:]}")


def expect(folder, said, wanted, saved):
    if not re.search(wanted, said, re.MULTILINE):
        raise Failure(f"said {said[-500:]!r}")
    for name in saved:
        if not (folder / name).exists() or (folder / name).stat().st_size < 4_800:
            raise Failure(f"{name} contains no audible sound")
        (folder / name).unlink()


def read_blocks(readme, ports):
    text = pathlib.Path(readme).read_text("utf-8")
    for before, after in ports.items():
        text = text.replace(before, after)
    return re.findall(r"^```(sh|python|js)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run(blocks, terminal, page_port, table):
    """Runs all blocks except the one that starts the server, in order."""
    awaited = list(EXAMPLES)
    page_command = None
    for language, source in blocks:
        name = f"{language}, {source.strip().splitlines()[0][:60]}"
        try:
            if language == "sh" and source.startswith(TEST):
                continue  # run by the caller of this check
            if language == "sh" and source == CHAT:
                terminal.chat(source)
            elif language == "sh" and PAGE in source:
                page_command = source
                continue
            elif page_command and language == "js":
                terminal.page(page_command, source, page_port)
            else:
                found = [example for example in awaited if example[0] == language and example[1] in source]
                if len(found) != 1:
                    raise Failure("the list EXAMPLES has no entry for it")
                awaited.remove(found[0])
                said = terminal.shell(source) if language == "sh" else terminal.program(language, source)
                expect(terminal.folder, said, *found[0][2:])
            table(name, None)
        except Failure as failure:
            table(name, failure)
    for language, mark, *_ in awaited:
        table(f"{language}, {mark}", "the README has no such example")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    readme, binary = sys.argv[1:]
    port, page_port = free_port(), free_port()
    ports = {"127.0.0.1:8080": f"127.0.0.1:{port}", "localhost:8080": f"localhost:{port}", "3000": str(page_port)}
    blocks = read_blocks(readme, ports)
    failed = []

    def table(name, failure):
        print(f"{'readme':10} {name:64} {f'FAILED: {failure}' if failure else 'held'}", flush=True)
        if failure:
            failed.append(name)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        (folder / "target/release").mkdir(parents=True)
        (folder / "target/release/shruti").symlink_to(pathlib.Path(binary).resolve())
        (folder / "node_modules").symlink_to(HERE / "node_modules")
        programs = folder / "programs"
        programs.mkdir()
        for name, source in STANDING_IN.items():
            (programs / name).write_text(source)
            (programs / name).chmod(0o755)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("SHRUTI_")}
        environment = plain | {"PATH": f"{programs}:{os.environ['PATH']}"}
        [serve] = [source for language, source in blocks if language == "sh" and source.startswith(SERVE)]
        blocks = [block for block in blocks if block[1] != serve]
        # stands for the reader's first terminal, which stays open until the end
        server = subprocess.Popen(["bash", "-c", serve], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=environment | {"SHRUTI_LISTEN": f"127.0.0.1:{port}"}, text=True, start_new_session=True)
        try:
            for line in server.stderr:
                if "listening" in line:
                    break
            else:
                raise SystemExit("readme     the server did not start")
            threading.Thread(target=server.stderr.read, daemon=True).start()
            run(blocks, Terminal(folder, environment), page_port, table)
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait()
    sys.exit(len(failed) > 0)


if __name__ == "__main__":
    main()
