"""Number codes of the chunk format: where the range of a code begins, and how many extra bytes it has."""

from __future__ import annotations

AGAIN = 254
NO_CODE = 255


def _code(code: int) -> tuple[int, int]:
    if code < 64:
        return code, 0
    if code < 164:
        return 64 + 256 * (code - 64), 1
    if code < 227:
        return (1 + (code - 164) % 9) * 10 ** (2 + (code - 164) // 9), 0
    if code < 243:
        return 25_664 + 65_536 * (code - 227), 2
    if code < 251:
        return 1_074_240 + (code - 243) * 2**24, 3
    if code < 253:
        return 135_291_968 + (code - 251) * 2**32, 4
    return (8_725_226_560, 7) if code == 253 else (0, 0)


BASE = tuple(_code(code)[0] for code in range(256))
EXTRA_BYTES = tuple(_code(code)[1] for code in range(256))
