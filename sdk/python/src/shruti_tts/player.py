"""Playback through an external program, paced so that the playback position is known, and a progress bar."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TextIO

from ._options import TurnOptions
from .errors import ShrutiError
from .events import Audio, Cancelled, Started
from .session import AsyncSession, AsyncTurn, Text

if TYPE_CHECKING:
    # `typing` contains `Unpack` only since Python 3.11, and `Unpack` is not needed at run time
    from typing_extensions import Unpack

RATE = 24_000
BYTES_PER_MS = 48
#: Maximum duration of audio, in seconds, that is written ahead of playback.
LEAD_S = 0.1
#: Number of bytes per write: 20 ms.
SLICE = 20 * BYTES_PER_MS
#: Interval of the position reports to the server, in seconds.
REPORT_S = 0.25
#: Programs that play raw samples, in order of preference.
PROGRAMS = (
    ["pw-play", "--raw", "--format=s16", f"--rate={RATE}", "--channels=1", "-"],
    ["paplay", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=1"],
    ["aplay", "-q", "-t", "raw", "-f", "S16_LE", "-r", str(RATE), "-c", "1", "-"],
    ["play", "-q", "-t", "raw", "-e", "signed", "-b", "16", "-L", "-r", str(RATE), "-c", "1", "-"],
    ["ffplay", "-loglevel", "error", "-nodisp", "-f", "s16le", "-ar", str(RATE), "-ch_layout", "mono", "-"],
)


class PlayerError(ShrutiError):
    """No program that plays audio is installed, or it failed."""


class Sink(Protocol):
    """Destination of samples: 16-bit little-endian, 24,000 Hz, mono."""

    async def write(self, samples: bytes) -> None:
        """Plays samples after the previous ones."""
        ...

    async def clear(self) -> None:
        """Stops the audio immediately and drops the samples that have not been heard yet."""
        ...

    async def close(self) -> None:
        """Closes the destination."""
        ...


def program() -> list[str]:
    """Returns the first program of `PROGRAMS` that is installed."""
    for command in PROGRAMS:
        if shutil.which(command[0]):
            return command
    names = ", ".join(command[0] for command in PROGRAMS)
    raise PlayerError(f"no player is installed: install one of {names}, or pass a custom sink")


class ProgramSink:
    """A `Sink` that writes samples to the standard input of a program."""

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
        # samples in the program's buffer can be discarded only by ending the program
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
            # some programs play silence forever instead of exiting
            process.kill()
            await process.wait()


@dataclass
class _Span:
    """A turn on the player's timeline."""

    turn: AsyncTurn
    start_ms: float
    end_ms: float


class AsyncPlayer:
    """Plays the turns of a session, one after the other, and tracks what was heard for interruptions.

    async with client.connect() as session, AsyncPlayer(session) as player:
        await player.say(model_writes())
        ...
        cut = await player.interrupt()     # silence; add cut.heard.text to the conversation history
    """

    def __init__(self, session: AsyncSession, sink: Sink | None = None) -> None:
        self._session = session
        self._sink = sink or ProgramSink()
        self._turns: deque[AsyncTurn] = deque()
        self._task: asyncio.Task[None] | None = None
        #: Turns that have started. When a turn starts, earlier turns that were heard completely are removed.
        self._spans: list[_Span] = []
        self._written_ms = 0.0
        #: Loop time at which all written samples will have been heard.
        self._heard_all_at = 0.0
        self._reported = 0.0

    async def __aenter__(self) -> AsyncPlayer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()
        await self._sink.close()

    async def say(self, text: Text, **options: Unpack[TurnOptions]) -> AsyncTurn:
        """Starts a turn and plays it after the previous ones; options are those of `AsyncSession.turn`."""
        turn = await self._session.say(text, **options)
        self.play(turn)
        return turn

    def play(self, turn: AsyncTurn) -> None:
        """Plays a turn after the previous ones. No other code may take its events."""
        self._turns.append(turn)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._play_all(), name="shruti player")

    def played_ms(self) -> int:
        """Returns the milliseconds heard of the turn that is playing; 0 if none is."""
        span = self._heard()
        return self._place(span) if span is not None else 0

    def _heard_ms(self) -> float:
        ahead = max(self._heard_all_at - asyncio.get_running_loop().time(), 0.0)
        return self._written_ms - ahead * 1000

    def _heard(self) -> _Span | None:
        heard = self._heard_ms()
        unheard = (span for span in self._spans if heard < span.end_ms)
        return next(unheard, self._spans[-1] if self._spans else None)

    def _place(self, span: _Span) -> int:
        return max(int(min(self._heard_ms(), span.end_ms) - span.start_ms), 0)

    async def interrupt(self) -> Cancelled:
        """Stops the audio immediately, cancels every turn, and returns what was heard of the turn that was playing."""
        span, plays = self._heard(), self._task is not None and not self._task.done()
        played = self._place(span) if span is not None else 0 if plays else None
        await self._stop()
        answer = asyncio.ensure_future(self._session.interrupt(played, span.turn if span else None))
        try:
            await self._sink.clear()
        finally:
            cancelled = await answer
        return cancelled

    async def wait(self) -> None:
        """Waits until all turns have been heard. Raises the error of a turn that failed."""
        if self._task is not None:
            await self._task
        await asyncio.sleep(max(self._heard_all_at - asyncio.get_running_loop().time(), 0.0))

    async def _stop(self) -> None:
        self._turns.clear()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError, ShrutiError):
                await task
        self._spans, self._written_ms, self._heard_all_at = [], 0.0, 0.0

    async def _play_all(self) -> None:
        while self._turns:
            turn = self._turns.popleft()
            span = _Span(turn, self._written_ms, self._written_ms)
            async for event in turn:
                if isinstance(event, Started):
                    self._reported, heard = asyncio.get_running_loop().time(), self._heard_ms()
                    self._spans = [*(old for old in self._spans if heard < old.end_ms), span]
                elif isinstance(event, Audio):
                    for start in range(0, len(event.data), SLICE):
                        await self._write(span, event.data[start : start + SLICE])
                        await self._report()

    async def _report(self) -> None:
        """Reports the player's position to the server at intervals."""
        now, span = asyncio.get_running_loop().time(), self._heard()
        if now - self._reported >= REPORT_S and span is not None:
            self._reported = now
            await span.turn.played(self._place(span))

    async def _write(self, span: _Span, samples: bytes) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(self._heard_all_at - LEAD_S - loop.time(), 0.0))
        await self._sink.write(samples)
        lasts = len(samples) / BYTES_PER_MS / 1000
        self._heard_all_at = max(self._heard_all_at, loop.time()) + lasts
        self._written_ms += lasts * 1000
        span.end_ms = self._written_ms


class Player:
    """Plays clips, and single turns, for programs without asyncio; blocks during playback.

    with client.tts_stream(text) as stream:
        Player().play(stream, ProgressBar(len(text)))
    """

    def __init__(self, command: list[str] | None = None) -> None:
        self._command = command or program()

    def play(self, sound: Iterable[bytes], progress: ProgressBar | None = None) -> int:
        """Plays raw samples of the default format as they arrive, to their end. Returns the number of bytes."""
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
            # some programs play silence forever instead of exiting
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
    """Shows the duration of the received audio on a terminal, and the progress if the length of the text is given."""

    #: Number of characters of ordinary text that are spoken per second.
    CHARS_PER_S = 12
    WIDTH = 30

    def __init__(self, chars: int | None = None, file: TextIO | None = None, bytes_per_s: int = RATE * 2) -> None:
        self._expected_s = chars / self.CHARS_PER_S if chars else None
        self._file = file or sys.stderr
        self._shows = file is not None or self._file.isatty()
        self._bytes_per_s = bytes_per_s

    def __call__(self, size: int) -> None:
        """Updates the display; `size` is the number of bytes received so far."""
        seconds = size / self._bytes_per_s
        share = min(seconds / self._expected_s, 1.0) if self._expected_s else 0.0
        bar = "█" * round(share * self.WIDTH)
        self._show(f"\r{bar:░<{self.WIDTH}} {seconds:6.1f} s" if self._expected_s else f"\r{seconds:6.1f} s")

    def close(self) -> None:
        """Moves to the next line."""
        self._show("\n")

    def over(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yields chunks and shows the progress."""
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
