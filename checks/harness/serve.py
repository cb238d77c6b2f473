#!/usr/bin/env python3
"""Runs a server for a shell script or a Node program and reports how to reach it.

    serve.py [--json] [--folder FOLDER] [--port PORT] BINARY [FLAG…]

Prints one line once the server listens: shell assignments, or JSON with `--json`; then closes standard output. Names:
`url`, `host`, `port`, `key`, `link` (signs in to the Studio as the operator), `wyoming` (address of the Wyoming
protocol), `data`, `log` (paths), `server` (process number).

The server ends with this program: after SIGTERM, with `--json` after the end of standard input, or by itself. The exit
status is that of the server. FOLDER (default: a temporary one, removed at the end) receives the data folder and the
log.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import Server


def report(server: Server) -> dict[str, str | int]:
    """Returns the data that a script needs to use a server."""
    wyoming = re.search(r"wyoming=([\d.:]+)", server.log_text())
    return {
        "url": server.url,
        "host": server.host,
        "port": server.port,
        "key": server.key or "",
        "link": server.link or "",
        "wyoming": wyoming[1] if wyoming else "",
        "data": server.data_dir,
        "log": server.log,
        "server": server.pid,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--folder")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="BINARY [FLAG…]")
    given = parser.parse_args()
    binary, *flags = given.command
    folder = given.folder or tempfile.mkdtemp(prefix="shruti-")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped before the server listened"))
    try:
        server = Server(binary, *flags, folder=folder, port=given.port).start()
        facts = report(server)
        print(json.dumps(facts) if given.json else " ".join(f"{k}={shlex.quote(str(v))}" for k, v in facts.items()))
        sys.stdout.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        signal.signal(signal.SIGTERM, lambda *_: server.process.terminate())
        if given.json:
            threading.Thread(target=kill_at_end_of_input, args=(server,), daemon=True).start()
        status = server.process.wait()
        return status if status >= 0 else 128 - status
    finally:
        if not given.folder:
            shutil.rmtree(folder, ignore_errors=True)


def kill_at_end_of_input(server: Server) -> None:
    """Kills the server when the program that started this one ends, or closes its pipe."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    server.process.kill()


if __name__ == "__main__":
    sys.exit(main())
