"""The frames of the gateway, over a connection that is opened again whenever it is lost."""

from __future__ import annotations

import asyncio
import json
from typing import Any, AsyncIterator, Callable, Mapping, Optional, Sequence

from ..errors import ConnectionFailed, GatewayError
from ..http import RETRY_AFTER_MAX_S, Http, backoff_s
from .socket import Socket, SocketClosed, open_socket

Frame = Mapping[str, Any]
#: Called with the status frames of a topic: ``{"state": "live" | "stale" | "down", "reason": …}``.
OnStatus = Callable[[Frame], None]

#: The gateway sends a heartbeat every 15 s: a connection that is silent for this long is dead.
SILENCE_MAX_S = 45.0
_CLOSE_UNAUTHORIZED = 4401
_CLOSE_TOO_MANY = 4429
#: A lost socket keeps its slot until the gateway notices: a client that had one waits this long for it, and this often.
_SLOT_WAIT_S = 20.0
_SLOT_WAITS_MAX = 4
#: Frames of the client's own, between those of the gateway.
DISCONNECTED: Frame = {"type": "disconnected"}
CONNECTED: Frame = {"type": "connected"}


class Gateway:
    """One socket with its subscriptions. ``subscriptions()`` is called for every connection."""

    def __init__(self, http: Http, subscriptions: Callable[[], Sequence[Mapping[str, Any]]]) -> None:
        self._http = http
        self._url = f"{'wss' if http.is_tls else 'ws'}{http.root[http.root.index(':') :]}/ws/v1"
        self._subscriptions = subscriptions
        self._socket: Optional[Socket] = None

    async def frames(self) -> AsyncIterator[Frame]:
        """All frames, without end. Raises GatewayError for what a new connection would not change.

        Raises ConnectionFailed when the first connection cannot be made within the timeout.
        """
        attempt = 0
        is_first = True
        had_slot = False
        slot_waits = 0
        give_up_at = asyncio.get_running_loop().time() + self._http.timeout
        while True:
            wait = 0.0
            try:
                async for frame in self._connection():
                    attempt = 0
                    is_first = False
                    if frame["type"] == "ack":
                        had_slot = True
                        slot_waits = 0
                    yield frame
            except (OSError, asyncio.TimeoutError, SocketClosed) as error:
                code = getattr(error, "code", None)
                if code == _CLOSE_UNAUTHORIZED:
                    raise GatewayError("the API key is not valid", code="unauthorized") from error
                wait = backoff_s(attempt + 1)
                if code == _CLOSE_TOO_MANY:
                    slot_waits += 1
                    if not had_slot or slot_waits > _SLOT_WAITS_MAX:
                        raise GatewayError("too many sockets are open", code="rate_limited") from error
                    wait = _SLOT_WAIT_S
                if is_first and asyncio.get_running_loop().time() + wait >= give_up_at:
                    reason = str(error) or type(error).__name__
                    raise ConnectionFailed(f"{self._http.root} cannot be reached: {reason}") from error
            except _RetryLater as later:
                wait = later.seconds
            finally:
                await self.close()
            yield DISCONNECTED
            attempt += 1
            await asyncio.sleep(max(wait, backoff_s(attempt)))

    async def _connection(self) -> AsyncIterator[Frame]:
        self._socket = socket = await open_socket(self._url, self._http.timeout)
        if self._http.api_key:
            await self._send({"op": "auth", "apiKey": self._http.api_key})
        yield CONNECTED
        for id, subscription in enumerate(self._subscriptions()):
            await self._send({"op": "subscribe", "id": id, **subscription})
        while True:
            frame: Frame = json.loads(await asyncio.wait_for(socket.receive(), SILENCE_MAX_S))
            if frame["type"] == "error":
                # Too many sockets: the close frame follows, and says so.
                if frame["code"] != "rate_limited" or "id" in frame or "retryAfterMs" in frame:
                    yield _checked(frame)
            elif frame["type"] != "heartbeat":
                yield frame

    async def subscribe(self, id: int, subscription: Mapping[str, Any]) -> None:
        await self._send({"op": "subscribe", "id": id, **subscription})

    async def _send(self, frame: Mapping[str, Any]) -> None:
        if self._socket is None:
            raise SocketClosed(1006, "not connected")
        await self._socket.send(json.dumps(frame))

    async def close(self) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close()


class _RetryLater(Exception):
    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


def _checked(frame: Frame) -> Frame:
    """A refused cursor is the reader's to handle; what passes is retried; anything else is raised."""
    code, wait = frame["code"], frame.get("retryAfterMs")
    if code == "bad_request" and "id" in frame:
        return frame
    if code in ("internal", "validator_unavailable"):
        raise _RetryLater(0.0)
    if code == "rate_limited" and wait is not None and wait / 1_000 <= RETRY_AFTER_MAX_S:
        raise _RetryLater(wait / 1_000)
    raise GatewayError(frame["message"], code=code, retry_after=None if wait is None else wait / 1_000)
