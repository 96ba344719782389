"""Decodes chunks with the standard library alone."""

from __future__ import annotations

from array import array

from ..errors import BadPayload
from .chunk import (
    MAX_SAFE,
    MOVES,
    NEAR_TICKS,
    NO_TOKEN,
    Ids,
    Ticks,
    ids_head,
    late_pairs,
    receipts_head,
    ticks_head,
)
from .numbers import AGAIN, BASE, EXTRA_BYTES, NO_CODE


def decode_ticks(payload: bytes) -> Ticks:
    """The trades of a payload. Raises BadPayload."""
    head, reader = ticks_head(payload)
    tokens = reader.take(head.trades)
    columns = [reader.take(count) for count in (head.gaps, head.far_steps, head.trades)]
    extra, at = reader.take(len(payload) - reader.at), 0
    numbers: list[list[int]] = []
    for codes in columns:
        values, at = _numbers(codes, extra, at)
        numbers.append(values)
    if at != len(extra):
        raise BadPayload("the extra bytes do not end where the body does")
    gaps, far_steps, sizes = iter(numbers[0]), iter(numbers[1]), numbers[2]
    ts, price, is_buy, same_order = array("q"), array("q"), array("B"), array("B")
    now, at_price, side = head.first_ts, head.first_price, head.first_is_buy
    try:
        for i, token in enumerate(tokens):
            if token >= NO_TOKEN:
                raise BadPayload("a token without a meaning")
            kind, move = divmod(token, MOVES)
            if i == 0 and (kind not in (0, 4) or move != 0):
                raise BadPayload("the first trade is not the one in the header")
            side ^= kind in (1, 3)
            if kind in (2, 3):
                now += next(gaps)
            steps = (move + 1) >> 1
            if steps > NEAR_TICKS:
                steps = next(far_steps)
            at_price += steps * head.tick * (1 if (move & 1) == side else -1)
            if not (0 <= at_price <= MAX_SAFE and now <= MAX_SAFE):
                raise BadPayload("a price or time is out of range")
            ts.append(now)
            price.append(at_price)
            is_buy.append(side)
            same_order.append(kind == 4)
    except StopIteration:
        raise BadPayload("the tokens do not match the gaps and steps") from None
    if next(gaps, None) is not None or next(far_steps, None) is not None:
        raise BadPayload("the tokens do not match the gaps and steps")
    return Ticks(head.price_decimals, head.size_decimals, ts, price, array("q", sizes), is_buy, same_order)


def _numbers(codes: bytes, extra: bytes, at: int) -> tuple[list[int], int]:
    values: list[int] = []
    value = 0
    for code in codes:
        if code == NO_CODE:
            raise BadPayload(f"no number has the code {code}")
        if code != AGAIN:
            count = EXTRA_BYTES[code]
            value = BASE[code] + int.from_bytes(extra[at : at + count], "little")
            at += count
            if value > MAX_SAFE or at > len(extra):
                raise BadPayload("a gap, step or size is out of range")
        values.append(value)
    return values, at


def decode_ids(payload: bytes) -> Ids:
    """The ids of a payload. Raises BadPayload."""
    head, reader = ids_head(payload)
    columns = [reader.take(head.ids) for _ in range(head.columns)]
    tids = array("q")
    before = head.base
    for i in range(head.ids):
        value = sum(column[i] << (8 * k) for k, column in enumerate(columns))
        if head.mode & 1:
            before += -((value + 1) >> 1) if value & 1 else value >> 1
            value = before
        else:
            value += head.base
        if not 0 <= value <= MAX_SAFE:
            raise BadPayload("an id is out of range")
        tids.append(value)
    late = array("q", bytes(8 * head.ids))
    for at, late_ms in late_pairs(reader, head):
        late[at] = late_ms
    return Ids(tids, late)


def decode_receipts(payload: bytes) -> "array[float]":
    """Receive time minus tape time of every trade, in ms; NaN where it is not known. Raises BadPayload."""
    count, base, reader = receipts_head(payload)
    codes = reader.take(count)
    extra = reader.take(len(payload) - reader.at)
    values, at = _numbers(codes, extra, 0)
    if at != len(extra):
        raise BadPayload("the extra bytes do not end where the body does")
    return array("d", (base + value - 1 if value else float("nan") for value in values))
