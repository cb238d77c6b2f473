"""Clips with word timestamps, complete or while they are generated."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import httpx

from .clip import Clip, broken, info_of
from .errors import ProtocolError, api_error
from .events import Word, word_of


@dataclass(frozen=True)
class TimedAudio:
    """A piece of a clip's audio, with the words that begin in it."""

    data: bytes = field(repr=False)
    words: tuple[Word, ...]


class _Objects:
    """Parser for the lines of a response of `POST /v1/tts/timed`."""

    def __init__(self, response: httpx.Response) -> None:
        self.info = info_of(response.headers)
        self._is_done = False

    def read(self, line: str) -> TimedAudio | None:
        """Returns the piece in a line; `None` if the line has none."""
        try:
            message: Any = json.loads(line)
            return self._read(message)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ProtocolError("a line of the response is invalid") from error

    def _read(self, message: dict[str, Any]) -> TimedAudio | None:
        kind = message["type"]
        if kind == "audio":
            words = tuple(word_of(word) for word in message["words"])
            return TimedAudio(base64.b64decode(message["audio"], validate=True), words)
        if kind == "start":
            self.info = replace(self.info, content_type=message["content_type"])
        elif kind == "done":
            self._is_done = True
        elif kind == "error":
            raise api_error(cast("dict[str, Any]", message["error"]))
        return None

    def end(self) -> None:
        """Raises an error if the response ended before its last line."""
        if not self._is_done:
            raise broken(httpx.RemoteProtocolError("the response ended before its last line"))


class TimedClipStream:
    """A clip with word timestamps while it is generated: `for piece in stream: …`."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._objects = _Objects(response)

    def __iter__(self) -> Iterator[TimedAudio]:
        try:
            for line in self._response.iter_lines():
                if piece := self._objects.read(line):
                    yield piece
        except httpx.HTTPError as error:
            raise broken(error) from error
        self._objects.end()

    def read(self) -> Clip:
        """Returns the remaining audio as a clip."""
        return _joined(list(self), self._objects)


class AsyncTimedClipStream:
    """A `TimedClipStream` for `AsyncClient`."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._objects = _Objects(response)

    async def __aiter__(self) -> AsyncIterator[TimedAudio]:
        try:
            async for line in self._response.aiter_lines():
                if piece := self._objects.read(line):
                    yield piece
        except httpx.HTTPError as error:
            raise broken(error) from error
        self._objects.end()

    async def read(self) -> Clip:
        """Returns the remaining audio as a clip."""
        return _joined([piece async for piece in self], self._objects)


def _joined(pieces: list[TimedAudio], objects: _Objects) -> Clip:
    words = tuple(word for piece in pieces for word in piece.words)
    return Clip(b"".join(piece.data for piece in pieces), objects.info, words)
