"""Signed URLs of clips; docs/http.md describes their format."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from urllib.parse import quote

from ._options import Clarity, Engine
from .errors import ShrutiError

_PURPOSE = "shruti clip url v1"
_HOUR_S = 3600
_KEY = re.compile("sk_[0-9A-Za-z]{40}")
#: Length, in characters, of the key prefix that the URL contains; it includes `sk_`.
_PREFIX_CHARS = 11


def expiry(expires_in: float, expires_at: int | None) -> int:
    """Returns the expiry time of a URL in seconds since 1970: `expires_at`, or `expires_in` seconds from now, rounded
    up to the next whole hour.

    Rounding keeps the URLs of a clip the same for an hour, so that caches can reuse them.
    """
    if expires_at is not None:
        return expires_at
    return -int(-(time.time() + expires_in) // _HOUR_S) * _HOUR_S


def _encoded(text: str) -> str:
    return quote(text, safe="-._~")


def _number(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(float(number))


def canonical_clip_url(voice: str, language: str, parameters: dict[str, str]) -> str:
    """Returns the text to sign, in three lines: the purpose, the path, and the parameters sorted by name."""
    path = f"/v1/clips/{_encoded(voice)}/{_encoded(language)}"
    query = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in sorted(parameters.items()))
    return f"{_PURPOSE}\n{path}\n{query}"


def signed_clip_url(
    base_url: str,
    api_key: str,
    text: str,
    *,
    expires: int,
    voice: str,
    language: str,
    output_format: str | None,
    speed: float | None,
    pitch: float | None,
    clarity: Clarity | None,
    engine: Engine | None,
) -> str:
    """Returns the URL of a clip, signed with a secret that is derived from a key. The URL does not contain the key."""
    if not _KEY.fullmatch(api_key):
        raise ShrutiError(
            "invalid API key: a URL is signed with an API key, which is `sk_` followed by 40 letters and digits"
        )
    given = {
        "text": text,
        "expires": str(expires),
        "key": api_key[:_PREFIX_CHARS],
        "format": output_format,
        "speed": None if speed is None else _number(speed),
        "pitch": None if pitch is None else _number(pitch),
        "clarity": clarity,
        "engine": engine,
    }
    canonical = canonical_clip_url(voice, language, {k: v for k, v in given.items() if v is not None})
    key_hash = hashlib.sha256(api_key.encode()).digest()
    secret = hmac.digest(key_hash, _PURPOSE.encode(), "sha256")
    signature = base64.urlsafe_b64encode(hmac.digest(secret, canonical.encode(), "sha256"))
    _, path, query = canonical.split("\n")
    return f"{base_url}{path}?{query}&sig={signature.decode().rstrip('=')}"
