"""Errors of the client. Every error is a CrosstapeError."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class CrosstapeError(Exception):
    """Base class of all errors of this package."""


class BadArgument(CrosstapeError, ValueError):
    """The address or the API key given to the client cannot be used."""


class ApiError(CrosstapeError):
    """The service refused a request.

    ``code`` is the service's error code (``bad_request``, ``not_found``, …), ``retry_after`` the number of seconds
    after which a retry can succeed, and ``meta`` the rest of the answer.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        retry_after: Optional[float] = None,
        meta: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.meta: Mapping[str, Any] = meta or {}


class BadRequest(ApiError):
    """A parameter is missing, malformed, out of range or unknown."""


class Unauthorized(ApiError):
    """The API key is not valid."""


class NotFound(ApiError):
    """The coin, market, path, job or result does not exist."""


class TooLarge(ApiError):
    """The request or its answer exceeds a size limit."""


class RateLimited(ApiError):
    """The quota is used up; ``retry_after`` says when it renews."""


class Unavailable(ApiError):
    """The service is overloaded, or the venue behind the data does not answer."""


class ConnectionFailed(CrosstapeError):
    """The service cannot be reached, did not answer in time, or something else answers at its address."""


class BuildFailed(CrosstapeError):
    """A build of bars was accepted and failed, or did not finish in time."""


class GatewayError(CrosstapeError):
    """The WebSocket gateway refused a subscription."""

    def __init__(self, message: str, *, code: str, retry_after: Optional[float] = None) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after


class BadPayload(CrosstapeError):
    """Packed bytes are corrupt, or written in a version that this client does not know."""


class MissingDependency(CrosstapeError, ImportError):
    """An optional library is not installed."""


_BY_CODE: Mapping[str, type[ApiError]] = {
    "bad_request": BadRequest,
    "unauthorized": Unauthorized,
    "not_found": NotFound,
    "too_large": TooLarge,
    "rate_limited": RateLimited,
    "overloaded": Unavailable,
    "upstream_unavailable": Unavailable,
}


def api_error(
    message: str, *, status: int, code: str, retry_after: Optional[float], meta: Mapping[str, Any]
) -> ApiError:
    """The error class that belongs to the service's code."""
    kind = _BY_CODE.get(code, ApiError)
    return kind(message, status=status, code=code, retry_after=retry_after, meta=meta)
