#!/usr/bin/env python3
"""Runs the Python and JavaScript examples of the README as they stand there, against a running server.

Only the address is put in, and where the example says KEY, the key; a player that needs no loudspeaker stands in for
`ffplay`. Each must end well, and say or save what the README says it does. The example of a web page is opened in
Chromium and its button pressed; it must hear a whole turn.

usage: readme.py README.md http://127.0.0.1:8080 sk_… PAGE_KEY PORT
       the key for pages is for the origin http://localhost:PORT
"""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
PLAYER = "#!/bin/sh\nexec cat >played.raw\n"
# what tells an example, and what it must have said and saved; the smallest file is a tenth of a second
EXAMPLES = [
    ("python", "urllib.request", "", "played.raw"),
    ("js", 'createWriteStream("clip.wav")', "", "clip.wav"),
    ("python", "websockets.connect(", r"heard: \S.*\| not heard: ", "played.raw"),
    ("js", 'from "ws"', r"(?s)\d+ ms: \S.*heard: \S.*1000 normal req_", "reply.raw"),
]
PAGE = ("js", "new AudioContext(")
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--autoplay-policy=no-user-gesture-required", "--enable-logging=stderr"]
PATIENCE_S = 60


@contextlib.contextmanager
def running(command, folder, environment):
    """A process with all that it starts, which ends with the block, and in any case after a minute."""
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True)
    timer = threading.Timer(PATIENCE_S, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def open_page(source, folder, url, key, port):
    """Serves the example's page, opens it, presses its button; says what went wrong."""
    source = source.replace("127.0.0.1:8080", url.removeprefix("http://")).replace("3000", port)
    source = source.replace("</script>`", 'document.querySelector("button").click();</script>`')
    (folder / "example.mjs").write_text(source, "utf-8")
    environment = dict(os.environ, KEY=key)
    with running(["node", "example.mjs"], folder, environment) as server:
        answer = None
        while answer is None and server.poll() is None:
            with contextlib.suppress(OSError):
                answer = urllib.request.urlopen(f"http://localhost:{port}/")
            time.sleep(0.05)
        if answer is None:
            return f"its server ended: {server.stdout.read()[-500:]}"
        said = ""
        with running([*CHROMIUM, f"--user-data-dir={folder}/profile", f"http://localhost:{port}/"], folder, environment) as browser:
            for line in browser.stdout:
                said += line
                if '"turn.done"' in line or r'\"turn.done\"' in line:
                    return None
        return f"the page heard no turn to its end: {said[-1000:]}"


def run(language, source, folder, url, key):
    source = source.replace("127.0.0.1:8080", url.removeprefix("http://"))
    player = folder / "ffplay"
    player.write_text(PLAYER)
    player.chmod(0o755)
    (folder / "node_modules").symlink_to(HERE / "node_modules")
    environment = dict(os.environ, KEY=key, PATH=f"{folder}:{os.environ['PATH']}", PYTHONIOENCODING="utf-8")
    if language == "python":
        program, command = folder / "example.py", [sys.executable, "example.py"]
        source = f"KEY = {key!r}\n{source}"
    else:
        program, command = folder / "example.mjs", ["node", "example.mjs"]
    program.write_text(source, "utf-8")
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=60)


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    readme, url, key, page_key, port = sys.argv[1:]
    blocks = re.findall(r"^```(python|js)\n(.*?)^```$", pathlib.Path(readme).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    failed, untold = 0, list(blocks)
    for language, mark, said, saved in EXAMPLES:
        found = [block for block in untold if block[0] == language and mark in block[1]]
        name, failure = f"{language}, {mark}", None
        if len(found) != 1:
            failure = f"the README has {len(found)} such examples"
        else:
            untold.remove(found[0])
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                done = run(language, found[0][1], folder, url, key)
                out = (done.stdout + done.stderr).decode()
                file = folder / saved
                if done.returncode != 0 or not re.search(said, out):
                    failure = f"ended with {done.returncode}: {out[-500:]}"
                elif not file.exists() or file.stat().st_size < 4_800:
                    failure = f"{saved} holds no sound"
        print(f"{'readme':10} {name:38} {f'FAILED: {failure}' if failure else 'held'}")
        failed += failure is not None
    for block in [block for block in untold if block[0] == PAGE[0] and PAGE[1] in block[1]]:
        untold.remove(block)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            failure = open_page(block[1], pathlib.Path(folder), url, page_key, port)
        print(f"{'readme':10} {', '.join(PAGE):38} {f'FAILED: {failure}' if failure else 'held'}")
        failed += failure is not None
    for language, source in untold:
        failed += 1
        print(f"readme     an example that nothing runs: {language}, {source[:60]!r}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
