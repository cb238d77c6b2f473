"""Tests of signed clip URLs."""

from __future__ import annotations

import asyncio
import json
import pathlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from shruti_tts import AsyncClient, Client, ShrutiError

VECTORS = pathlib.Path(__file__).parents[2] / "conformance" / "clip_urls.json"
KEY = "sk_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"


def vectors() -> list[Any]:
    return [pytest.param(v, id=v["name"]) for v in json.loads(VECTORS.read_text("utf-8"))]


@pytest.mark.parametrize("vector", vectors())
def test_urls_match_the_vectors(vector: dict[str, Any]) -> None:
    given = {k: v for k, v in vector.items() if k not in {"name", "base_url", "key", "text", "expires", "url"}}
    with Client(vector["base_url"], vector["key"]) as client:
        url = client.sign_clip_url(vector["text"], expires_at=vector["expires"], **given)
    assert url == vector["url"]

    async def again() -> str:
        async def key() -> str:
            return vector["key"]

        async with AsyncClient(vector["base_url"], key) as client:
            return await client.sign_clip_url(vector["text"], expires_at=vector["expires"], **given)

    assert asyncio.run(again()) == vector["url"]


def test_a_url_is_unchanged_for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    def expires(now: float, **given: Any) -> int:
        monkeypatch.setattr("time.time", lambda: now)
        with Client("http://a.example", KEY) as client:
            query = parse_qs(urlsplit(client.sign_clip_url("ok", **given)).query)
        return int(query["expires"][0])

    assert expires(7200.0) == expires(3600.1) == 7200 + 86400
    assert expires(7200.1) == 10800 + 86400
    assert expires(0.0, expires_in=60) == 3600


def test_only_a_key_can_sign_and_no_url_contains_it() -> None:
    with Client("http://a.example", KEY) as client:
        url = client.sign_clip_url("ok")
    assert KEY not in url and KEY[:11] in url
    with Client("http://a.example", token=lambda: "tok_" + "a" * 40) as client, pytest.raises(ShrutiError):
        client.sign_clip_url("ok")
