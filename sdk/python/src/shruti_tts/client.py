"""Client for programs with asyncio."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx

from ._clip_url import expiry, signed_clip_url
from ._options import Clarity, ClipOptions, Credential, Credentials, Engine, Timestamps, server_url, settings
from ._socket import Socket, open_socket
from .clip import AsyncClipStream, Clip, clip_body, pause_s, refusal_of, unreachable
from .errors import ShrutiError
from .session import AsyncSession
from .timed import AsyncTimedClipStream

if TYPE_CHECKING:
    # `typing` contains `Unpack` only since Python 3.11, and `Unpack` is not needed at run time
    from typing_extensions import Unpack

#: Timeouts, in seconds. The read timeout exceeds the 30 s within which the first sample of a clip arrives.
TIMEOUT = httpx.Timeout(35.0, connect=10.0)


class AsyncClient:
    """Client of one server.

    `base_url` defaults to SHRUTI_SERVER, `api_key` to SHRUTI_API_KEY. `token` is a function that fetches a single-use
    token for each request, for programs that must not contain a key; `api_key` may also be a function that returns the
    current key.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | Credential | None = None,
        *,
        token: Credential | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._url = server_url(base_url)
        self._credentials = Credentials(api_key, token)
        self._http = http_client or httpx.AsyncClient(timeout=TIMEOUT)
        self._owns_http = http_client is None

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the pooled connections for clips."""
        if self._owns_http:
            await self._http.aclose()

    async def tts(
        self,
        text: str,
        *,
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        lexicon: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        output_format: str | None = None,
    ) -> Clip:
        """Synthesizes a text of at most 5,000 characters and returns the complete clip."""
        async with self.tts_stream(
            text,
            voice=voice,
            language=language,
            speed=speed,
            pitch=pitch,
            clarity=clarity,
            lexicon=lexicon,
            engine=engine,
            output_format=output_format,
        ) as stream:
            return Clip(await stream.read(), stream.info)

    @asynccontextmanager
    async def tts_stream(
        self,
        text: str,
        *,
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        lexicon: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        output_format: str | None = None,
    ) -> AsyncGenerator[AsyncClipStream, None]:
        """Synthesises a text and streams the audio as it is generated. Leaving the block cancels the request.

        A request that fails with a retryable error is sent up to twice more, but only before the first byte of audio.
        """
        body = clip_body(
            text,
            voice=voice,
            language=language,
            speed=speed,
            pitch=pitch,
            clarity=clarity,
            lexicon=lexicon,
            engine=engine,
            output_format=output_format,
        )
        response = await self._post(body)
        try:
            yield AsyncClipStream(response)
        finally:
            await response.aclose()

    async def tts_timed(self, text: str, **options: Unpack[ClipOptions]) -> Clip:
        """Synthesizes a text and returns the clip with word timestamps in `words`. Options are those of `tts`."""
        async with self.tts_timed_stream(text, **options) as stream:
            return await stream.read()

    @asynccontextmanager
    async def tts_timed_stream(
        self, text: str, **options: Unpack[ClipOptions]
    ) -> AsyncGenerator[AsyncTimedClipStream, None]:
        """Synthesises a text and streams the audio with word timestamps as it is generated.

        Options and retries are those of `tts_stream`.
        """
        response = await self._post(clip_body(text, **options), "/v1/tts/timed")
        try:
            yield AsyncTimedClipStream(response)
        finally:
            await response.aclose()

    async def sign_clip_url(
        self,
        text: str,
        *,
        voice: str = "Ananya",
        language: str = "auto",
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        engine: Engine | None = None,
        output_format: str | None = None,
        expires_in: float = 86400,
        expires_at: int | None = None,
    ) -> str:
        """Returns the URL of a clip, for software that plays URLs: telephone platforms, `<audio src>`.

        The URL is signed locally, with a secret that is derived from the API key, and does not contain the key. It is
        valid for `expires_in` seconds, rounded up to the next whole hour, or until `expires_at`, in seconds since 1970.
        """
        return signed_clip_url(
            self._url,
            await self._credentials.key(),
            text,
            expires=expiry(expires_in, expires_at),
            voice=voice,
            language=language,
            output_format=output_format,
            speed=speed,
            pitch=pitch,
            clarity=clarity,
            engine=engine,
        )

    def connect(
        self,
        *,
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        pitch: float | None = None,
        clarity: Clarity | None = None,
        lexicon: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        timestamps: Timestamps | None = None,
        max_lead_ms: int | None = None,
        output_format: str | None = None,
    ) -> AsyncSession:
        """Creates a conversation with these settings: `async with client.connect() as session: …`."""
        return AsyncSession(
            self._socket,
            settings(
                voice=voice,
                language=language,
                speed=speed,
                pitch=pitch,
                clarity=clarity,
                lexicon=lexicon,
                engine=engine,
                timestamps=timestamps,
                max_lead_ms=max_lead_ms,
                output_format=output_format,
            ),
        )

    async def voices(self) -> dict[str, Any]:
        """Returns the response of `GET /v1/voices`."""
        return await self._get("/v1/voices")

    async def languages(self) -> dict[str, Any]:
        """Returns the response of `GET /v1/languages`."""
        return await self._get("/v1/languages")

    async def usage(self, start: str | None = None, end: str | None = None) -> dict[str, Any]:
        """Returns the usage of the key on the days from `start` to `end` (`2026-01-31`), both inclusive."""
        return await self._get("/v1/usage", settings(**{"from": start, "to": end}))

    async def create_token(self) -> dict[str, Any]:
        """Creates a single-use token for a web page (`POST /v1/tokens`)."""
        return (await self._send("POST", "/v1/tokens")).json()

    async def _get(self, path: str, query: dict[str, Any] | None = None) -> dict[str, Any]:
        return (await self._send("GET", path, params=query)).json()

    async def _socket(self) -> Socket:
        return await open_socket(self._url, await self._credentials.header())

    async def _post(self, body: dict[str, Any], path: str = "/v1/tts") -> httpx.Response:
        attempt = 1
        while True:
            try:
                return await self._send("POST", path, json=body, stream=True)
            except ShrutiError as error:
                pause = pause_s(attempt, error, random.random())
                if pause is None:
                    raise
            await asyncio.sleep(pause)
            attempt += 1

    async def _send(self, method: str, path: str, *, stream: bool = False, **content: Any) -> httpx.Response:
        headers = {"Authorization": await self._credentials.header()}
        request = self._http.build_request(method, self._url + path, headers=headers, **content)
        try:
            response = await self._http.send(request, stream=stream)
            if not response.is_success:
                await response.aread()
                raise refusal_of(response)
        except httpx.HTTPError as error:
            raise unreachable(error, self._url) from error
        return response
