"""A reader of bytes: varints and bounds checks."""

from __future__ import annotations

import struct

from ..errors import BadPayload

_VARINT_BYTES_MAX = 8
_VARINT_MAX = 2**53
_BIG_BYTES_MAX = 37


class Reader:
    """Reads a payload from its start to its end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        if self.at >= len(self.data):
            raise BadPayload("the payload ends too early")
        value = self.data[self.at]
        self.at += 1
        return value

    def varint(self, bytes_max: int = _VARINT_BYTES_MAX) -> int:
        """An unsigned LEB128 number."""
        value = shift = 0
        for _ in range(bytes_max):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                if value > _VARINT_MAX and bytes_max == _VARINT_BYTES_MAX:
                    raise BadPayload("a number is out of range")
                return value
            shift += 7
        raise BadPayload("a number is too long")

    def signed(self, bytes_max: int = _VARINT_BYTES_MAX) -> int:
        """A zigzag number."""
        value = self.varint(bytes_max)
        return -((value + 1) >> 1) if value & 1 else value >> 1

    def big(self) -> int:
        return self.signed(_BIG_BYTES_MAX)

    def float(self) -> float:
        return float(struct.unpack("<d", self.take(8))[0])

    def take(self, length: int) -> bytes:
        end = self.at + length
        if end > len(self.data):
            raise BadPayload("the payload ends too early")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def expect_head(self, kind: int, version: int, name: str) -> None:
        """The first two bytes of every payload."""
        found = self.byte()
        if found != kind:
            raise BadPayload(f"these bytes are not {name}: they begin with {found:#04x}, not {kind:#04x}")
        found = self.byte()
        if found != version:
            raise BadPayload(f"version {found} of {name} is not known to this client; install its newest version")

    def expect_end(self) -> None:
        if self.at != len(self.data):
            raise BadPayload("bytes are left over at the end of the payload")
