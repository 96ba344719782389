"""A small WebSocket client on asyncio streams (RFC 6455), for Pythons without the library ``websockets``."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import ssl
import struct
from urllib.parse import urlsplit

from .socket import MESSAGE_MAX_BYTES, SocketClosed

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_HEADER_MAX_BYTES = 16_384
_CLOSE_WAIT_S = 2.0

_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA


class OwnSocket:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, url: str) -> OwnSocket:
        parts = urlsplit(url)
        is_tls = parts.scheme == "wss"
        port = parts.port or (443 if is_tls else 80)
        reader, writer = await asyncio.open_connection(
            parts.hostname,
            port,
            ssl=ssl.create_default_context() if is_tls else None,
            limit=_HEADER_MAX_BYTES,
        )
        try:
            await _shake_hands(reader, writer, parts.netloc, parts.path)
        except BaseException:
            writer.close()
            raise
        return cls(reader, writer)

    async def send(self, text: str) -> None:
        await self._write(_TEXT, text.encode())

    async def receive(self) -> str:
        """The next message; pings are answered in between."""
        message = bytearray()
        try:
            while True:
                is_last, opcode, payload = await self._frame(MESSAGE_MAX_BYTES - len(message))
                if opcode == _PING:
                    await self._write(_PONG, payload)
                elif opcode == _CLOSE:
                    code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005
                    await self._write(_CLOSE, payload[:2])
                    raise SocketClosed(code, payload[2:].decode(errors="replace"))
                elif opcode in (_TEXT, _BINARY, _CONTINUATION):
                    message += payload
                    if is_last:
                        return message.decode()
                elif opcode != _PONG:
                    raise SocketClosed(1002, f"a frame of the unknown kind {opcode}")
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise SocketClosed(1006, "the connection was lost") from error

    async def close(self) -> None:
        try:
            await self._write(_CLOSE, struct.pack(">H", 1000))
            self._writer.close()
            await asyncio.wait_for(self._writer.wait_closed(), _CLOSE_WAIT_S)
        except (OSError, asyncio.TimeoutError, SocketClosed):
            self._writer.close()

    async def _frame(self, bytes_max: int) -> tuple[bool, int, bytes]:
        first, second = await self._reader.readexactly(2)
        length = second & 127
        if length == 126:
            length = struct.unpack(">H", await self._reader.readexactly(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", await self._reader.readexactly(8))[0]
        if second & 128 or first & 0x70:
            raise SocketClosed(1002, "a frame that a server may not send")
        if length > bytes_max:
            raise SocketClosed(1009, f"a message of more than {MESSAGE_MAX_BYTES} bytes")
        return bool(first & 128), first & 15, await self._reader.readexactly(length)

    async def _write(self, opcode: int, payload: bytes) -> None:
        mask = os.urandom(4)
        length = len(payload)
        if length < 126:
            head = struct.pack(">BB", 0x80 | opcode, 0x80 | length)
        elif length < 65_536:
            head = struct.pack(">BBH", 0x80 | opcode, 0x80 | 126, length)
        else:
            head = struct.pack(">BBQ", 0x80 | opcode, 0x80 | 127, length)
        masked = bytes(byte ^ mask[i & 3] for i, byte in enumerate(payload))
        try:
            self._writer.write(head + mask + masked)
            await self._writer.drain()
        except ConnectionError as error:
            raise SocketClosed(1006, "the connection was lost") from error


async def _shake_hands(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str
) -> None:
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
    ]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    await writer.drain()
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise SocketClosed(1006, "the gateway's answer is not a handshake") from error
    status, *fields = head.split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in fields)}
    accept = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
    if status.split(" ")[1:2] != ["101"] or headers.get("sec-websocket-accept") != accept:
        raise SocketClosed(1006, f"the gateway refused the connection: {status}")
