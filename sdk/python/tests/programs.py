"""User programs, run unchanged with a fake sound card."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from server import Server

PATIENCE_S = 60


class Program:
    """A Python program that reads lines and plays audio."""

    def __init__(self, command: list[str], folder: pathlib.Path, server: Server) -> None:
        players = folder / "bin"
        players.mkdir(exist_ok=True)
        player = players / "pw-play"
        player.write_text(f'#!/bin/sh\nexec cat >>"{folder}/played.raw"\n')
        player.chmod(0o755)
        self._played = folder / "played.raw"
        environment = os.environ | {
            "PATH": f"{players}:{os.environ['PATH']}",
            "SHRUTI_SERVER": server.url,
            "SHRUTI_API_KEY": server.key,
            "PYTHONIOENCODING": "utf-8",
            "PYTHONUNBUFFERED": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, *command],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        self._timer = threading.Timer(PATIENCE_S, self.process.kill)
        self._timer.start()

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def until_said(self, text: str) -> str:
        """Reads until a line contains the given text."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            if text in line:
                return line
        raise AssertionError(f"it never said {text!r}, but {''.join(self.said)}")

    def until_played(self, size: int) -> None:
        while self.played() < size:
            assert self.process.poll() is None, f"it has ended: {self.rest()}"
            time.sleep(0.01)

    def played(self) -> int:
        return self._played.stat().st_size if self._played.exists() else 0

    def rest(self) -> str:
        """Closes the program's input, waits until it exits, and returns its remaining output."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.said.append(self.process.stdout.read())
        self.process.wait()
        return "".join(self.said)

    def end(self) -> None:
        self._timer.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()


@contextmanager
def running(command: list[str], folder: pathlib.Path, server: Server) -> Iterator[Program]:
    program = Program(command, folder, server)
    try:
        yield program
    finally:
        program.end()
