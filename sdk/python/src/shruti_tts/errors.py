"""What can go wrong, by class."""

from __future__ import annotations

import json
from typing import Any, cast


class ShrutiError(Exception):
    """Anything that this package raises."""

    #: Whether the same again, a little later, may go well.
    retryable: bool = False


class APIError(ShrutiError):
    """The server refused something, or broke off a turn, with an error of its documentation (`/docs/errors`)."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "internal",
        status: int | None = None,
        param: str | None = None,
        retryable: bool = False,
        retry_after_ms: int | None = None,
        request_id: str | None = None,
        doc_url: str | None = None,
    ) -> None:
        super().__init__(message)
        #: What is wrong and what would be right, for people.
        self.message = message
        #: Which error it is, for programs: `invalid_field`, `quota_exhausted`, …
        self.code = code
        #: The HTTP status; `None` inside a conversation.
        self.status = status
        #: The field that is wrong, if one is.
        self.param = param
        self.retryable = retryable
        #: When trying again makes sense, in milliseconds.
        self.retry_after_ms = retry_after_ms
        #: The request's id in the server's log.
        self.request_id = request_id
        self.doc_url = doc_url

    def __str__(self) -> str:
        return f"{self.message} ({self.code}, {self.request_id})"


class InvalidRequestError(APIError):
    """The request is wrong; the message and `param` say where."""


class AuthenticationError(APIError):
    """The key or the token is missing, wrong, expired or revoked."""


class PermissionDeniedError(APIError):
    """The key may not do this, its account is locked, or it is not for this page."""


class QuotaError(APIError):
    """What is left of the allowance or the cap does not cover the text."""


class RateLimitError(APIError):
    """Too often, too many streams, or too many turns that wait."""


class RequestTimeoutError(APIError):
    """The request did not reach the server in time."""


class ServerError(APIError):
    """Something broke inside the server, or it has no room."""


class ConnectionFailedError(ShrutiError):
    """No connection came about."""

    retryable = True


class ConnectionLostError(ShrutiError):
    """The connection broke in the middle of something."""

    retryable = True


class ConversationClosedError(ShrutiError):
    """The server closed the conversation without saying more than a close code."""

    #: Close codes after which connecting again is of no use.
    FINAL = frozenset({1000, 1002, 1003, 1007, 1009, 4400, 4401, 4402, 4403, 4410})

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the server closed the conversation: {reason} ({code})")
        #: The WebSocket close code.
        self.code = code
        #: The reason, as it was sent.
        self.reason = reason
        self.retryable = code not in self.FINAL


class ConversationEndedError(ShrutiError):
    """The conversation has ended, in order: nothing more can be said."""


class ProtocolError(ShrutiError):
    """What answers does not speak the protocol."""


_BY_TYPE: dict[str, type[APIError]] = {
    "invalid_request_error": InvalidRequestError,
    "authentication_error": AuthenticationError,
    "permission_error": PermissionDeniedError,
    "billing_error": QuotaError,
    "rate_limit_error": RateLimitError,
    "timeout_error": RequestTimeoutError,
    "server_error": ServerError,
}


def api_error(detail: dict[str, Any], status: int | None = None) -> APIError:
    """The error of an error's body."""
    return _BY_TYPE.get(str(detail.get("type")), APIError)(
        str(detail.get("message", "")),
        code=str(detail.get("code", "internal")),
        status=status,
        param=detail.get("param"),
        retryable=bool(detail.get("retryable", False)),
        retry_after_ms=detail.get("retry_after_ms"),
        request_id=detail.get("request_id"),
        doc_url=detail.get("doc_url"),
    )


def refusal(status: int, body: bytes) -> ShrutiError:
    """The error of an HTTP answer that is none of what was asked for."""
    try:
        answer: Any = json.loads(body)
    except ValueError:
        answer = None
    if isinstance(answer, dict):
        detail = cast("dict[str, Any]", answer).get("error")
        if isinstance(detail, dict):
            return api_error(cast("dict[str, Any]", detail), status)
    if status in (502, 503, 504):
        return ConnectionFailedError(f"something before the server answered with status {status}")
    return ProtocolError(f"status {status} without an error of the documentation")
