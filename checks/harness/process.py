"""Processes, ports, and files by which a program reports that it is ready."""

from __future__ import annotations

import contextlib
import random
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable

#: Maximum time, in seconds, for a program to start or to exit.
PATIENCE_S = 60


def free_port() -> int:
    """Returns a TCP port of loopback that nothing listens on.

    The port is below the range from which Linux takes the ports of outgoing connections, so that no connection of
    another check occupies it before the caller listens on it.
    """
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


def wait_until(is_ready: Callable[[], object], process: subprocess.Popen[bytes], report: Callable[[], str]) -> None:
    """Polls a condition until it holds.

    Exits with the text of `report` if the process ends or `PATIENCE_S` passes first.
    """
    due = time.monotonic() + PATIENCE_S
    while not is_ready():
        if process.poll() is not None or time.monotonic() > due:
            raise SystemExit(f"{report()}\n{process.args!r} did not start (exit status {process.poll()})")
        time.sleep(0.01)


def answers(url: str) -> bool:
    """Returns whether a GET request for the URL gets a response with status 200."""
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False


def end(process: subprocess.Popen[bytes], by: signal.Signals = signal.SIGTERM) -> int:
    """Sends a signal to a process if it is still running, waits until it exits, and returns its exit status."""
    if process.poll() is None:
        process.send_signal(by)
    return process.wait(PATIENCE_S)


def text_of(path: str) -> str:
    """Returns the text of a log file without colours."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.sub(r"\x1b\[[\d;]*m", "", file.read())
