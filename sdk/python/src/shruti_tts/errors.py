"""Error classes."""

from __future__ import annotations

import json
from typing import Any, cast


class ShrutiError(Exception):
    """Base class of all errors of this package."""

    #: Whether a retry after a short time may succeed.
    retryable: bool = False


class APIError(ShrutiError):
    """An error reported by the server, which refused a request or ended a turn; see `/docs/errors`."""

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
        #: Explanation for people: what is wrong, and which values are valid.
        self.message = message
        #: Machine-readable error code: `invalid_field`, `quota_exhausted`, …
        self.code = code
        #: HTTP status; `None` in a conversation.
        self.status = status
        #: Name of the invalid field, if any.
        self.param = param
        self.retryable = retryable
        #: Recommended time before a retry, in milliseconds.
        self.retry_after_ms = retry_after_ms
        #: ID of the request in the server's log.
        self.request_id = request_id
        self.doc_url = doc_url

    def __str__(self) -> str:
        return f"{self.message} ({self.code}, {self.request_id})"


class InvalidRequestError(APIError):
    """The request is invalid; the message and `param` have details."""


class AuthenticationError(APIError):
    """The key or the token is missing, wrong, expired or revoked."""


class PermissionDeniedError(APIError):
    """The key lacks the permission, its account is locked, or the token is not valid for this page."""


class QuotaError(APIError):
    """The remaining allowance or cap is too low for the text."""


class RateLimitError(APIError):
    """Too many requests, streams or queued turns."""


class RequestTimeoutError(APIError):
    """The request did not reach the server in time."""


class ServerError(APIError):
    """The server failed internally or is overloaded."""


class ConnectionFailedError(ShrutiError):
    """The connection could not be established."""

    retryable = True


class ConnectionLostError(ShrutiError):
    """The connection was lost during an operation."""

    retryable = True


class ConversationClosedError(ShrutiError):
    """The server closed the conversation with only a close code."""

    #: Close codes after which reconnecting cannot help.
    FINAL = frozenset({1000, 1002, 1003, 1007, 1009, 4400, 4401, 4402, 4403, 4410})

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the server closed the conversation: {reason} ({code})")
        #: WebSocket close code.
        self.code = code
        #: Reason of the close frame.
        self.reason = reason
        self.retryable = code not in self.FINAL


class ConversationEndedError(ShrutiError):
    """The conversation has ended cleanly; no more text can be sent."""


class ProtocolError(ShrutiError):
    """The server violated the protocol."""


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
    """Returns the error for the fields of an API error."""
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
    """Returns the error for an unsuccessful HTTP response."""
    try:
        answer: Any = json.loads(body)
    except ValueError:
        answer = None
    if isinstance(answer, dict):
        detail = cast("dict[str, Any]", answer).get("error")
        if isinstance(detail, dict):
            return api_error(cast("dict[str, Any]", detail), status)
    if status in (502, 503, 504):
        return ConnectionFailedError(f"a proxy in front of the server responded with status {status}")
    return ProtocolError(f"status {status} with an unknown error body")
