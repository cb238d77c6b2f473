"""Server address, credentials, and speech settings."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypedDict, Union
from urllib.parse import urlsplit

from .errors import ShrutiError

#: Function that is called for each request and returns a single-use token or the current key.
Credential = Callable[[], Union[str, Awaitable[str]]]
Clarity = Literal["off", "phone", "room"]
Timestamps = Literal["word", "none"]
Engine = Literal["auto", "learned", "rules"]


class SpeechOptions(TypedDict, total=False):
    """Speech settings of a conversation or of one of its turns."""

    voice: str | None
    language: str | None
    speed: float | None
    pitch: float | None
    clarity: Clarity | None
    lexicon: Mapping[str, str] | None
    engine: Engine | None
    timestamps: Timestamps | None
    max_lead_ms: int | None


class ClipOptions(TypedDict, total=False):
    """Options of the clip methods."""

    voice: str | None
    language: str | None
    speed: float | None
    pitch: float | None
    clarity: Clarity | None
    lexicon: Mapping[str, str] | None
    engine: Engine | None
    output_format: str | None


class TurnOptions(SpeechOptions, total=False):
    """Options of `say` and `turn`; see `AsyncSession.turn`."""

    turn_id: str | None
    preempt: bool


class ConversationOptions(SpeechOptions, total=False):
    """Options of `configure`; see `AsyncSession.configure`."""

    output_format: str | None


def server_url(url: str | None) -> str:
    """Returns the server's URL without a trailing slash: `url`, or SHRUTI_SERVER, or http://127.0.0.1:8080."""
    url = (url or os.environ.get("SHRUTI_SERVER") or "http://127.0.0.1:8080").strip()
    parts = urlsplit(url)
    scheme = {"http": "http", "ws": "http", "https": "https", "wss": "https"}.get(parts.scheme)

    def wrong(what: str) -> ValueError:
        # the part before an @ may be a key, which must not appear in messages
        return ValueError(f"'{url.rpartition('@')[2]}' is not a valid server address: {what}")

    if scheme is None:
        raise wrong("it must begin with http:// or https://")
    if not parts.hostname:
        raise wrong("it has no host")
    if "@" in parts.netloc:
        raise wrong("it must not contain a key or password")
    if parts.query or parts.fragment:
        raise wrong("it must not contain a query")
    return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}"


class Credentials:
    """API key, or a source of keys or tokens."""

    def __init__(self, api_key: str | Credential | None, token: Credential | None) -> None:
        self._source: str | Credential | None = token or api_key or os.environ.get("SHRUTI_API_KEY")
        if not self._source:
            raise ShrutiError("no API key: pass api_key= or token=, or set SHRUTI_API_KEY")

    async def header(self) -> str:
        """Returns the value of `Authorization` for one request."""
        source = self._source
        given = source() if callable(source) else source
        return f"Bearer {await given if inspect.isawaitable(given) else given}"

    async def key(self) -> str:
        """Returns the key or token without the prefix `Bearer`."""
        return (await self.header()).removeprefix("Bearer ")

    def key_now(self) -> str:
        """Returns the key or token without the prefix `Bearer`, without awaiting."""
        return self.header_now().removeprefix("Bearer ")

    def header_now(self) -> str:
        """Returns the value of `Authorization` for one request, without awaiting."""
        source = self._source
        given = source() if callable(source) else source
        if not isinstance(given, str):
            raise TypeError("Client requires a function that returns a str; AsyncClient also accepts an async function")
        return f"Bearer {given}"


def settings(**given: Any) -> dict[str, Any]:
    """Returns the settings that are not None."""
    said = {name: value for name, value in given.items() if value is not None}
    if isinstance(said.get("lexicon"), Mapping):
        said["lexicon"] = dict(said["lexicon"])
    return said


def bytes_per_ms(output_format: str) -> float | None:
    """Returns the bytes per millisecond of a raw format; `None` for formats with headers or compression."""
    coding, _, rate = output_format.rpartition("_")
    width = {"pcm": 2, "pcm_f32": 4, "mulaw": 1, "alaw": 1}.get(coding)
    return width * int(rate) / 1000 if width and rate.isdigit() else None
