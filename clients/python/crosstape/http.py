"""HTTP with timeouts, bounded retries and one kept connection per thread."""

from __future__ import annotations

import email.utils
import gzip
import http.client
import json
import random
import re
import ssl
import threading
import time
from typing import Any, Callable, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlencode, urlsplit

from .errors import BadArgument, ConnectionFailed, CrosstapeError, Unavailable, RateLimited, api_error
from .generated.version import VERSION

QueryValue = Union[str, int, float, bool, Sequence[Union[str, int]], None]
Query = Mapping[str, QueryValue]

API_PATH = "/api/v1"
#: The client does not wait longer than this for a quota to renew; the error is raised instead.
RETRY_AFTER_MAX_S = 120.0
_BACKOFF_FIRST_S = 0.5
_BACKOFF_MAX_S = 30.0
#: An answer of the service is never larger than this.
_BODY_MAX_BYTES = 512 * 1024 * 1024
_KEY = re.compile("[!-~]+")


def backoff_s(attempt: int, chance: Callable[[], float] = random.random) -> float:
    """Seconds before retry ``attempt`` (from 1): doubled each time, with jitter."""
    whole: float = min(_BACKOFF_MAX_S, _BACKOFF_FIRST_S * 2 ** min(attempt - 1, 16))
    return whole / 2 + whole / 2 * chance()


class Http:
    """Requests to one service."""

    def __init__(
        self,
        url: str,
        *,
        api_key: Optional[str],
        timeout: float,
        retries: int,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadArgument(f"{url!r} is not the address of a service, such as http://127.0.0.1:8080")
        if parts.query or parts.fragment:
            raise BadArgument(f"{url!r} must end with its path, without ? and #")
        if api_key and not _KEY.fullmatch(api_key):
            raise BadArgument("the API key must consist of visible ASCII characters")
        #: Of a service behind a proxy: the path below which it is served.
        self._prefix = quote(parts.path.rstrip("/"), safe="/%")
        self.root = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{self._prefix}"
        self.is_tls = parts.scheme == "https"
        self.host = parts.hostname
        try:
            self.port = parts.port or (443 if self.is_tls else 80)
        except ValueError as error:
            raise BadArgument(f"{url!r} has no valid port") from error
        self.api_key = api_key
        self.timeout = timeout
        self.retries = retries
        self._sleep = sleep
        self._local = threading.local()

    def get(self, path: str, query: Query = {}, *, compressed: bool = True) -> Any:
        """The JSON body of a path below ``/api/v1``."""
        return _read_json(self.request("GET", API_PATH + path, query, compressed=compressed))

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return _read_json(self.request("POST", API_PATH + path, body=body))

    def request(
        self,
        method: str,
        path: str,
        query: Query = {},
        *,
        body: Optional[Mapping[str, Any]] = None,
        compressed: bool = True,
    ) -> bytes:
        """The body of an answer. Retries what can succeed later: 429, 503 and, unless it is a POST, lost connections."""
        target = self._prefix + path + query_text(query)
        headers = {
            "User-Agent": f"crosstape-python/{VERSION}",
            "Accept": "*/*",
            "Accept-Encoding": "gzip" if compressed else "identity",
        }
        if self.api_key:
            headers["X-API-Key"] = self.api_key
        payload = None
        if body is not None:
            payload = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._once(method, target, headers, payload)
            except (RateLimited, Unavailable) as error:
                wait = error.retry_after or 0.0
                if attempt > self.retries or wait > RETRY_AFTER_MAX_S:
                    raise
            except ConnectionFailed:
                wait = 0.0
                if attempt > self.retries or method == "POST":
                    raise
            self._sleep(max(wait, backoff_s(attempt)))

    def _once(self, method: str, target: str, headers: Mapping[str, str], payload: Optional[bytes]) -> bytes:
        connection = self._connection()
        try:
            connection.request(method, target, body=payload, headers=dict(headers))
            response = connection.getresponse()
            body = response.read(_BODY_MAX_BYTES + 1)
            if len(body) > _BODY_MAX_BYTES:
                raise ConnectionFailed(f"{self.root} sent more than {_BODY_MAX_BYTES} bytes.")
            if response.headers.get("Content-Encoding", "") == "gzip":
                body = gzip.decompress(body)
        except (OSError, EOFError, http.client.HTTPException) as error:
            self.close()
            raise ConnectionFailed(f"{self.root} cannot be reached: {error or type(error).__name__}") from error
        except BaseException:
            self.close()
            raise
        if response.status >= 300:
            raise _failure(response.status, response.headers.get("Retry-After"), body)
        return body

    def _connection(self) -> http.client.HTTPConnection:
        kept: Optional[http.client.HTTPConnection] = getattr(self._local, "connection", None)
        # A kept connection that the service has closed is noticed here, not in the middle of a request.
        if kept is not None and kept.sock is not None and not _is_readable(kept.sock):
            return kept
        self.close()
        if self.is_tls:
            context = ssl.create_default_context()
            kept = http.client.HTTPSConnection(self.host, self.port, timeout=self.timeout, context=context)
        else:
            kept = http.client.HTTPConnection(self.host, self.port, timeout=self.timeout)
        self._local.connection = kept
        return kept

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection of this thread."""
        kept: Optional[http.client.HTTPConnection] = getattr(getattr(self, "_local", None), "connection", None)
        if kept is not None:
            kept.close()
            self._local.connection = None


def query_text(query: Query) -> str:
    """``?a=1&b=2``. A list is joined by commas under a plural name and repeated under a singular one."""
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if value is None:
            continue
        if isinstance(value, bool):
            pairs.append((name, "1" if value else "0"))
        elif isinstance(value, (str, int, float)):
            pairs.append((name, str(value)))
        elif name.endswith("s"):
            pairs.append((name, ",".join(str(one) for one in value)))
        else:
            pairs.extend((name, str(one)) for one in value)
    return "?" + urlencode(pairs) if pairs else ""


def _is_readable(sock: Any) -> bool:
    """Whether an idle connection has bytes or its end to read: then it cannot carry a new request."""
    import select

    poll = select.poll() if hasattr(select, "poll") else None
    if poll is None:
        return bool(select.select([sock], [], [], 0)[0])
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


def _read_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise ConnectionFailed("the answer is not JSON: something else answers at this address") from error


def _failure(status: int, retry_after: Optional[str], body: bytes) -> CrosstapeError:
    seconds = _retry_after_s(retry_after)
    try:
        answer = json.loads(body)
        message, meta = str(answer["error"]), answer["meta"]
        code = str(meta["code"])
    except (ValueError, KeyError, TypeError):
        message, meta, code = f"HTTP {status} without a reason", {}, "internal" if status >= 500 else "unknown"
    return api_error(message, status=status, code=code, retry_after=seconds, meta=meta)


def _retry_after_s(text: Optional[str]) -> Optional[float]:
    """Seconds, or a date."""
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
