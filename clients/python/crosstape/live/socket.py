"""A WebSocket: the library ``websockets`` when it is installed, else the client of own_socket.py."""

from __future__ import annotations

import asyncio
from typing import Any, Optional, Protocol

#: A message of the gateway is never larger.
MESSAGE_MAX_BYTES = 16 * 1024 * 1024


class SocketClosed(Exception):
    """The connection ended. ``code`` is the close code, 1006 without a close frame."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}".strip())
        self.code = code
        self.reason = reason


class Socket(Protocol):
    async def send(self, text: str) -> None: ...
    async def receive(self) -> str: ...
    async def close(self) -> None: ...


async def open_socket(url: str, timeout: float, library: Optional[Any] = None) -> Socket:
    """Connects within ``timeout`` seconds. Raises OSError, asyncio.TimeoutError or SocketClosed."""
    library = library or _library()
    if library is None:
        from .own_socket import OwnSocket

        return await asyncio.wait_for(OwnSocket.open(url), timeout)
    try:
        connection = await asyncio.wait_for(
            library.connect(url, max_size=MESSAGE_MAX_BYTES, ping_interval=None, compression=None), timeout
        )
    except (library.exceptions.InvalidHandshake, library.exceptions.InvalidURI) as error:
        raise SocketClosed(1006, f"the gateway refused the connection: {error}") from error
    return _LibrarySocket(connection, library)


def _library() -> Any:
    try:
        import websockets
    except ImportError:
        return None
    return websockets


class _LibrarySocket:
    def __init__(self, connection: Any, library: Any) -> None:
        self._connection = connection
        self._closed = library.exceptions.ConnectionClosed

    async def send(self, text: str) -> None:
        try:
            await self._connection.send(text)
        except self._closed as error:
            raise _closed(error) from error

    async def receive(self) -> str:
        try:
            message = await self._connection.recv()
        except self._closed as error:
            raise _closed(error) from error
        return message if isinstance(message, str) else bytes(message).decode()

    async def close(self) -> None:
        try:
            await self._connection.close()
        except (self._closed, OSError):
            pass  # The connection was lost before the close frame was sent.


def _closed(error: Any) -> SocketClosed:
    frame = getattr(error, "rcvd", None)
    return SocketClosed(frame.code, frame.reason) if frame else SocketClosed(1006, "the connection was lost")
