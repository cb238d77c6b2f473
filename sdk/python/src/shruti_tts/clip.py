"""Clips: a text as audio, complete or as a stream that can be played while it is generated."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from ._files import Header
from ._options import settings
from .errors import ConnectionFailedError, ConnectionLostError, ShrutiError, refusal
from .events import Word

#: Maximum number of attempts, and the initial and the longest pause between two attempts, in seconds.
ATTEMPTS = 3
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 60.0
#: Callback that receives the number of bytes received so far.
Progress = Callable[[int], None]


@dataclass(frozen=True)
class ClipInfo:
    """Information in the response headers of a clip."""

    voice: str | None
    language: str | None
    #: Engine that synthesised the clip, as named in `voices`.
    engine: str | None
    #: Number of characters charged for the complete clip.
    chars: int | None
    #: Server-side latency in milliseconds, from the last byte of the request to the first audible sample.
    ttfa_ms: float | None
    request_id: str | None
    content_type: str | None
    #: Encoding of the audio; `pcm_s16le` by default.
    encoding: str | None


@dataclass(frozen=True)
class Clip:
    """A complete clip."""

    audio: bytes
    info: ClipInfo
    #: Word timestamps; empty unless `tts_timed` returned the clip.
    words: tuple[Word, ...] = ()

    def save(self, path: str | Path) -> None:
        """Writes the audio to a file, in the format of its extension.

        Raw samples get a header for `.wav`; `.mp3`, `.opus` and `.ogg` require audio in that format
        (`output_format="mp3"`). With any other extension, the audio is written as received.
        """
        header = Header(path, self.info.content_type, self.info.encoding)
        with Path(path).open("wb") as file:
            header.begin(file)
            header.finish(file, file.write(self.audio))


def clip_body(text: str, **options: Any) -> dict[str, Any]:
    """Returns the body of `POST /v1/tts`."""
    return {"text": text, **settings(**options)}


def info_of(headers: Mapping[str, str]) -> ClipInfo:
    timing = re.search(r"ttfa;dur=([0-9.]+)", headers.get("server-timing", ""))
    chars = headers.get("x-tts-chars", "")
    return ClipInfo(
        voice=headers.get("x-tts-voice"),
        language=headers.get("x-tts-language"),
        engine=headers.get("x-tts-engine"),
        chars=int(chars) if chars.isdigit() else None,
        ttfa_ms=float(timing[1]) if timing else None,
        request_id=headers.get("x-request-id"),
        content_type=headers.get("content-type"),
        encoding=headers.get("x-audio-encoding"),
    )


def refusal_of(response: httpx.Response) -> ShrutiError:
    """Returns the error for an unsuccessful response whose body has been read."""
    error = refusal(response.status_code, response.content)
    wait = response.headers.get("retry-after", "")
    if getattr(error, "retry_after_ms", 0) is None and wait.isdigit():
        error.retry_after_ms = int(wait) * 1000  # type: ignore[attr-defined]
    return error


def unreachable(error: httpx.HTTPError, url: str) -> ShrutiError:
    """Returns the error for a request that received no response."""
    return ConnectionFailedError(f"no response from {url}: {str(error) or type(error).__name__}")


def broken(error: httpx.HTTPError) -> ShrutiError:
    """Returns the error for an interrupted response. It is not retryable: part of the audio may have been heard."""
    lost = ConnectionLostError(f"the connection was lost: {str(error) or type(error).__name__}")
    lost.retryable = False
    return lost


def pause_s(attempt: int, error: ShrutiError, chance: float) -> float | None:
    """Returns the pause before a retry, in seconds, or `None` for no retry. `chance` is a random number from 0 to 1."""
    if attempt >= ATTEMPTS or not error.retryable:
        return None
    told: int | None = getattr(error, "retry_after_ms", None)
    pause = FIRST_PAUSE_S * 2 ** (attempt - 1) * (0.5 + chance / 2) if told is None else told / 1000
    return pause if pause <= LONGEST_PAUSE_S else None


class ClipStream:
    """A clip that can be played while it is generated.

    with client.tts_stream(text) as stream:
        for chunk in stream:
            …
    """

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.info = info_of(response.headers)

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_raw()
        except httpx.HTTPError as error:
            raise broken(error) from error

    def read(self) -> bytes:
        """Returns the remaining audio."""
        return b"".join(self)

    def save(self, path: str | Path, progress: Progress | None = None) -> int:
        """Writes the audio to a file as it arrives, like `Clip.save`; returns the number of audio bytes."""
        size = 0
        header = Header(path, self.info.content_type, self.info.encoding)
        with Path(path).open("wb") as file:
            header.begin(file)
            for chunk in self:
                size += file.write(chunk)
                if progress:
                    progress(size)
            header.finish(file, size)
        return size


class AsyncClipStream:
    """A `ClipStream` for `AsyncClient`."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.info = info_of(response.headers)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._response.aiter_raw():
                yield chunk
        except httpx.HTTPError as error:
            raise broken(error) from error

    async def read(self) -> bytes:
        """Returns the remaining audio."""
        return b"".join([chunk async for chunk in self])

    async def save(self, path: str | Path, progress: Progress | None = None) -> int:
        """Writes the audio to a file as it arrives, like `Clip.save`; returns the number of audio bytes."""
        size = 0
        header = Header(path, self.info.content_type, self.info.encoding)
        with Path(path).open("wb") as file:
            header.begin(file)
            async for chunk in self:
                size += file.write(chunk)
                if progress:
                    progress(size)
            header.finish(file, size)
        return size
