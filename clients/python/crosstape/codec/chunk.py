"""What both decoders of a chunk share: the columns they fill, and the headers of its payloads."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import BadPayload
from .varint import Reader

TICKS_KIND = 0x54
IDS_KIND = 0x49
RECEIPTS_KIND = 0x52
VERSION = 1
TRADES_MAX = 65_536
DECIMALS_MAX = 15
#: Kinds of tokens × moves of a price: 0 … 254 are tokens, 255 is none.
MOVES = 51
NO_TOKEN = 5 * MOVES
NEAR_TICKS = 24
MAX_SAFE = 2**53 - 1
#: A payload of 65,536 trades is never larger: every trade has at most three codes with seven extra bytes each.
_PAYLOAD_MAX_BYTES = TRADES_MAX * 25 + 128


@dataclass
class Ticks:
    """Trades as columns: arrays of numpy, or of the module ``array``. Prices and sizes are value × 10^decimals."""

    price_decimals: int
    size_decimals: int
    ts: Any
    price: Any
    size: Any
    is_buy: Any
    same_order: Any


@dataclass
class Ids:
    """Ids of trades, and by how many milliseconds a trade's venue time lies before its tape time."""

    tid: Any
    late_ms: Any


class TicksHead(NamedTuple):
    trades: int
    gaps: int
    far_steps: int
    price_decimals: int
    size_decimals: int
    first_ts: int
    first_price: int
    first_is_buy: int
    tick: int


def gunzip(member: bytes) -> bytes:
    """The payload of one gzip member, with a bound on its size."""
    inflate = zlib.decompressobj(wbits=31)
    try:
        payload = inflate.decompress(member, _PAYLOAD_MAX_BYTES)
    except zlib.error as error:
        raise BadPayload(f"not a gzip member: {error}") from error
    if not inflate.eof or inflate.unused_data:
        raise BadPayload("the gzip member is cut off, too large, or followed by other bytes")
    return payload


def gunzip_all(member: bytes) -> bytes:
    """The same for results, which have no fixed bound."""
    try:
        return gzip.decompress(member)
    except (OSError, EOFError, zlib.error) as error:
        raise BadPayload(f"not a gzip member: {error}") from error


def _body(payload: bytes, kind: int, name: str) -> Reader:
    reader = Reader(payload)
    reader.expect_head(kind, VERSION, name)
    if reader.varint() != len(payload) - reader.at:
        raise BadPayload("the length in the payload's header does not match its bytes")
    return reader


def ticks_head(payload: bytes) -> tuple[TicksHead, Reader]:
    """The header of trades, and a reader that stands at the first column."""
    reader = _body(payload, TICKS_KIND, "trades")
    head = TicksHead(*(reader.varint() for _ in range(9)))
    if head.trades > TRADES_MAX or head.gaps > head.trades or head.far_steps > head.trades:
        raise BadPayload("a chunk has too many trades, gaps or steps")
    if head.price_decimals > DECIMALS_MAX or head.size_decimals > DECIMALS_MAX:
        raise BadPayload("too many decimals")
    if head.first_is_buy > 1 or head.tick < 1:
        raise BadPayload("a side or tick without a meaning")
    return head, reader


class IdsHead(NamedTuple):
    ids: int
    mode: int
    base: int
    columns: int


def ids_head(payload: bytes) -> tuple[IdsHead, Reader]:
    reader = _body(payload, IDS_KIND, "ids")
    head = IdsHead(*(reader.varint() for _ in range(4)))
    if head.ids > TRADES_MAX or head.mode > 3 or head.columns > 7:
        raise BadPayload("an ids header without a meaning")
    return head, reader


def receipts_head(payload: bytes) -> tuple[int, int, Reader]:
    """How many receive times follow, the least lag, and a reader that stands at their codes."""
    reader = _body(payload, RECEIPTS_KIND, "receive times")
    count, base = reader.varint(), reader.signed()
    if count > TRADES_MAX:
        raise BadPayload("a chunk has too many receive times")
    return count, base, reader


def late_pairs(reader: Reader, head: IdsHead) -> list[tuple[int, int]]:
    """Position and lateness of every trade whose venue time is not its tape time."""
    pairs: list[tuple[int, int]] = []
    at = -1
    for _ in range(reader.varint()):
        at += reader.varint() + 1
        late = reader.signed() if head.mode >= 2 else reader.varint()
        if at >= head.ids:
            raise BadPayload("a late trade lies behind the last")
        pairs.append((at, late))
    reader.expect_end()
    return pairs

