"""Hearing it: a program that plays samples, paced so that one knows what was heard, and a progress bar."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TextIO

from ._options import TurnOptions
from .errors import ShrutiError
from .events import Audio, Cancelled
from .session import AsyncSession, AsyncTurn, Text

if TYPE_CHECKING:
    # in `typing` only from Python 3.11 on; nothing of it is needed when the program runs
    from typing_extensions import Unpack

RATE = 24_000
BYTES_PER_MS = 48
#: How far a player may be ahead of the ear.
LEAD_S = 0.1
#: How much is written at a time.
SLICE = 20 * BYTES_PER_MS
#: How often the server is told where the player is.
REPORT_S = 0.25
#: Programs that play bare samples, best first.
PROGRAMS = (
    ["pw-play", "--raw", "--format=s16", f"--rate={RATE}", "--channels=1", "-"],
    ["paplay", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=1"],
    ["aplay", "-q", "-t", "raw", "-f", "S16_LE", "-r", str(RATE), "-c", "1", "-"],
    ["play", "-q", "-t", "raw", "-e", "signed", "-b", "16", "-L", "-r", str(RATE), "-c", "1", "-"],
    ["ffplay", "-loglevel", "error", "-nodisp", "-f", "s16le", "-ar", str(RATE), "-ch_layout", "mono", "-"],
)


class PlayerError(ShrutiError):
    """Nothing here can play sound."""


class Sink(Protocol):
    """Where samples are heard: 16-bit little-endian, 24,000 a second, mono."""

    async def write(self, samples: bytes) -> None:
        """Plays samples behind those before."""
        ...

    async def clear(self) -> None:
        """Is silent at once: what was not heard yet is dropped."""
        ...

    async def close(self) -> None:
        """Ends it."""
        ...


def program() -> list[str]:
    """The first program of `PROGRAMS` that is installed."""
    for command in PROGRAMS:
        if shutil.which(command[0]):
            return command
    names = ", ".join(command[0] for command in PROGRAMS)
    raise PlayerError(f"no player is installed: install one of {names}, or give a sink of your own")


class ProgramSink:
    """A `Sink` that is a program with samples on its standard input."""

    def __init__(self, command: list[str] | None = None) -> None:
        self._command = command or program()
        self._process: asyncio.subprocess.Process | None = None

    async def write(self, samples: bytes) -> None:
        if self._process is None:
            pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
            self._process = await asyncio.create_subprocess_exec(*self._command, stdin=pipe, stdout=null)
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(samples)
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise PlayerError(f"{self._command[0]} has ended") from None

    async def clear(self) -> None:
        # what lies in the program's buffers cannot be had back
        await self._end(kill=True)

    async def close(self) -> None:
        await self._end(kill=False)

    async def _end(self, kill: bool) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            if kill:
                process.kill()
            elif process.stdin is not None:
                process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 2.0)
        except asyncio.TimeoutError:
            # some play silence for ever
            process.kill()
            await process.wait()


class AsyncPlayer:
    """Plays the turns of a session, one after the other, and knows what was heard when somebody interrupts.

    async with client.connect() as session, AsyncPlayer(session) as player:
        await player.say(model_writes())
        ...
        cut = await player.interrupt()     # silence; cut.heard.text goes into the dialogue's history
    """

    def __init__(self, session: AsyncSession, sink: Sink | None = None) -> None:
        self._session = session
        self._sink = sink or ProgramSink()
        self._turns: deque[AsyncTurn] = deque()
        self._task: asyncio.Task[None] | None = None
        self._playing: AsyncTurn | None = None
        self._written_ms = 0.0
        #: When all that was written will have been heard.
        self._heard_all_at = 0.0

    async def __aenter__(self) -> AsyncPlayer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()
        await self._sink.close()

    async def say(self, text: Text, **options: Unpack[TurnOptions]) -> AsyncTurn:
        """Has a turn spoken and played behind those before; options are those of `AsyncSession.turn`."""
        turn = await self._session.say(text, **options)
        self.play(turn)
        return turn

    def play(self, turn: AsyncTurn) -> None:
        """Plays a turn behind those before. Nobody else may take its events."""
        self._turns.append(turn)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._play_all(), name="shruti player")

    def played_ms(self) -> int:
        """How much was heard of the turn that plays."""
        ahead = max(self._heard_all_at - asyncio.get_running_loop().time(), 0.0)
        return max(int(self._written_ms - ahead * 1000), 0)

    async def interrupt(self) -> Cancelled:
        """Is silent at once, cancels every turn, and says what was heard of the one that played."""
        played = self.played_ms() if self._playing is not None else None
        await self._stop()
        answer = asyncio.ensure_future(self._session.interrupt(played))
        try:
            await self._sink.clear()
        finally:
            cancelled = await answer
        return cancelled

    async def wait(self) -> None:
        """Waits until everything was heard. Raises what broke a turn off."""
        if self._task is not None:
            await self._task
        await asyncio.sleep(max(self._heard_all_at - asyncio.get_running_loop().time(), 0.0))

    async def _stop(self) -> None:
        self._turns.clear()
        task, self._task, self._playing = self._task, None, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError, ShrutiError):
                await task
        self._heard_all_at = 0.0

    async def _play_all(self) -> None:
        while self._turns:
            turn = self._turns.popleft()
            self._playing, self._written_ms = turn, 0.0
            reported = asyncio.get_running_loop().time()
            async for event in turn:
                if isinstance(event, Audio):
                    for start in range(0, len(event.data), SLICE):
                        await self._write(event.data[start : start + SLICE])
                        now = asyncio.get_running_loop().time()
                        if now - reported >= REPORT_S:
                            reported = now
                            await turn.played(self.played_ms())

    async def _write(self, samples: bytes) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(self._heard_all_at - LEAD_S - loop.time(), 0.0))
        await self._sink.write(samples)
        lasts = len(samples) / BYTES_PER_MS / 1000
        self._heard_all_at = max(self._heard_all_at, loop.time()) + lasts
        self._written_ms += lasts * 1000


class Player:
    """Plays clips, and turns one by one, for programs without asyncio; blocks while it plays.

    with client.tts_stream(text) as stream:
        Player().play(stream, ProgressBar(len(text)))
    """

    def __init__(self, command: list[str] | None = None) -> None:
        self._command = command or program()

    def play(self, sound: Iterable[bytes], progress: ProgressBar | None = None) -> int:
        """Plays bare samples of the default format while they come, to their end. Gives their bytes."""
        process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        assert process.stdin is not None
        size, begun = 0, time.monotonic()
        try:
            for chunk in sound:
                process.stdin.write(chunk)
                process.stdin.flush()
                size += len(chunk)
                if progress:
                    progress(size)
            process.stdin.close()
            process.wait(max(size / BYTES_PER_MS / 1000 - (time.monotonic() - begun), 0.0) + 2.0)
        except BrokenPipeError:
            raise PlayerError(f"{self._command[0]} has ended") from None
        except subprocess.TimeoutExpired:
            # some play silence for ever
            pass
        finally:
            process.kill()
            process.wait()
            with suppress(BrokenPipeError):
                process.stdin.close()
        if progress:
            progress.close()
        return size


class ProgressBar:
    """Shows how much has come, on a terminal; of about how much, where the characters of the text are given."""

    #: Ordinary text has some 12 characters a second.
    CHARS_PER_S = 12
    WIDTH = 30

    def __init__(self, chars: int | None = None, file: TextIO | None = None, bytes_per_s: int = RATE * 2) -> None:
        self._expected_s = chars / self.CHARS_PER_S if chars else None
        self._file = file or sys.stderr
        self._shows = file is not None or self._file.isatty()
        self._bytes_per_s = bytes_per_s

    def __call__(self, size: int) -> None:
        """Takes the bytes that have come so far."""
        seconds = size / self._bytes_per_s
        share = min(seconds / self._expected_s, 1.0) if self._expected_s else 0.0
        bar = "█" * round(share * self.WIDTH)
        self._show(f"\r{bar:░<{self.WIDTH}} {seconds:6.1f} s" if self._expected_s else f"\r{seconds:6.1f} s")

    def close(self) -> None:
        """Goes to the next line."""
        self._show("\n")

    def over(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Hands chunks on and shows how many."""
        size = 0
        for chunk in chunks:
            size += len(chunk)
            self(size)
            yield chunk
        self.close()

    def _show(self, text: str) -> None:
        if self._shows:
            self._file.write(text)
            self._file.flush()


__all__ = ["AsyncPlayer", "Player", "PlayerError", "ProgramSink", "ProgressBar", "Sink"]
