"""One text, spoken: whole, or as a stream that is heard while it is made."""

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

#: Attempts in all, the first pause between two of them, and the longest that is waited.
ATTEMPTS = 3
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 60.0
#: Told with the bytes that have come so far.
Progress = Callable[[int], None]


@dataclass(frozen=True)
class ClipInfo:
    """What the head of the answer tells."""

    voice: str | None
    language: str | None
    #: The kind of synthesis that spoke, as `voices` names it.
    engine: str | None
    #: Characters that the clip costs when it is sent whole.
    chars: int | None
    #: Inside the server, from the request's last byte to the first audible sample.
    ttfa_ms: float | None
    request_id: str | None
    content_type: str | None
    #: How the sound is coded: `pcm_s16le` where nothing else was asked for.
    encoding: str | None


@dataclass(frozen=True)
class Clip:
    """A text, spoken whole."""

    audio: bytes
    info: ClipInfo
    #: When the words are spoken, of a clip that `tts_timed` gave.
    words: tuple[Word, ...] = ()

    def save(self, path: str | Path) -> None:
        """Writes the sound to a file, by its suffix: bare samples get a header for `.wav`; `.mp3`, `.opus` and
        `.ogg` need sound of that format (`output_format="mp3"`). Else the sound is written as it came."""
        header = Header(path, self.info.content_type, self.info.encoding)
        with Path(path).open("wb") as file:
            header.begin(file)
            header.finish(file, file.write(self.audio))


def clip_body(text: str, **options: Any) -> dict[str, Any]:
    """The body of `POST /v1/tts`."""
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
    """The error of an answer whose body was read."""
    error = refusal(response.status_code, response.content)
    wait = response.headers.get("retry-after", "")
    if getattr(error, "retry_after_ms", 0) is None and wait.isdigit():
        error.retry_after_ms = int(wait) * 1000  # type: ignore[attr-defined]
    return error


def unreachable(error: httpx.HTTPError, url: str) -> ShrutiError:
    """The error of a request that had no answer."""
    return ConnectionFailedError(f"no answer of {url}: {str(error) or type(error).__name__}")


def broken(error: httpx.HTTPError) -> ShrutiError:
    """The error of an answer that broke off. It is not asked for again: some of it may have been heard."""
    lost = ConnectionLostError(f"the connection broke: {str(error) or type(error).__name__}")
    lost.retryable = False
    return lost


def pause_s(attempt: int, error: ShrutiError, chance: float) -> float | None:
    """How long to wait before a clip is asked for again; `None` for not at all. `chance` is from 0 to 1."""
    if attempt >= ATTEMPTS or not error.retryable:
        return None
    told: int | None = getattr(error, "retry_after_ms", None)
    pause = FIRST_PAUSE_S * 2 ** (attempt - 1) * (0.5 + chance / 2) if told is None else told / 1000
    return pause if pause <= LONGEST_PAUSE_S else None


class ClipStream:
    """A clip that is heard while it is made: `with client.stream(text) as stream: for chunk in stream: …`."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.info = info_of(response.headers)

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_raw()
        except httpx.HTTPError as error:
            raise broken(error) from error

    def read(self) -> bytes:
        """All that is still to come."""
        return b"".join(self)

    def save(self, path: str | Path, progress: Progress | None = None) -> int:
        """Writes the sound to a file while it comes, by its suffix as `Clip.save` does; gives the bytes of sound."""
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
    """The same for `AsyncClient`."""

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
        """All that is still to come."""
        return b"".join([chunk async for chunk in self])

    async def save(self, path: str | Path, progress: Progress | None = None) -> int:
        """Writes the sound to a file while it comes, by its suffix as `Clip.save` does; gives the bytes of sound."""
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
