"""Decodes chunks with numpy: whole columns at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import BadPayload
from .chunk import (
    MAX_SAFE,
    MOVES,
    NEAR_TICKS,
    NO_TOKEN,
    Ids,
    Ticks,
    TicksHead,
    ids_head,
    late_pairs,
    ticks_head,
)
from .numbers import AGAIN, BASE, EXTRA_BYTES, NO_CODE

_BASE = np.array(BASE, dtype=np.int64)
_EXTRA_BYTES = np.array(EXTRA_BYTES, dtype=np.int64)

# By token: what its kind and its move mean.
_TOKEN = np.arange(256)
_KIND = _TOKEN // MOVES
_MOVE = _TOKEN % MOVES
_LATER = (_KIND == 2) | (_KIND == 3)
_TURNS = ((_KIND == 1) | (_KIND == 3)).astype(np.uint8)
_SAME_ORDER = _KIND == 4
_IS_FAR = (_MOVE + 1) // 2 > NEAR_TICKS
#: Steps with the taker are positive.
_STEPS = np.where(_MOVE % 2 == 1, 1, -1) * ((_MOVE + 1) // 2)
_WITH_TAKER = np.where(_MOVE % 2 == 1, 1, -1)
#: What a step with the taker does to the price: down for a seller, up for a buyer.
_DIRECTION = np.array([-1, 1])


def decode_ticks(payload: bytes) -> Ticks:
    """The trades of a payload. Raises BadPayload."""
    head, reader = ticks_head(payload)
    columns = np.frombuffer(payload, dtype=np.uint8, offset=reader.at)
    ends = np.cumsum([head.trades, head.gaps, head.far_steps, head.trades])
    if len(columns) < ends[-1]:
        raise BadPayload("the payload ends too early")
    tokens, gap_codes, far_codes, size_codes, extra = np.split(columns, ends)
    gaps, extra = _numbers(gap_codes, extra)
    far_steps, extra = _numbers(far_codes, extra)
    sizes, extra = _numbers(size_codes, extra)
    if len(extra) != 0:
        raise BadPayload("the extra bytes do not end where the body does")
    _check_tokens(tokens, head)
    times = np.concatenate(([head.first_ts], head.first_ts + np.cumsum(gaps)))
    ts = times.take(np.cumsum(_LATER.take(tokens)))
    is_buy = (np.cumsum(_TURNS.take(tokens), dtype=np.uint8) + head.first_is_buy) & 1
    steps = _STEPS.take(tokens)
    if head.far_steps:
        far = _IS_FAR.take(tokens)
        steps[far] = far_steps * _WITH_TAKER[tokens[far]]
    if head.trades and int(np.abs(steps).max()) * head.tick > MAX_SAFE:
        raise BadPayload("a step of price is out of range")
    price = head.first_price + np.cumsum(steps * _DIRECTION.take(is_buy)) * head.tick
    if head.trades and (price.min() < 0 or price.max() > MAX_SAFE or times.max() > MAX_SAFE):
        raise BadPayload("a price or time is out of range")
    return Ticks(
        head.price_decimals, head.size_decimals, ts, price, sizes, is_buy, _SAME_ORDER.take(tokens).view(np.uint8)
    )


def _check_tokens(tokens: Any, head: TicksHead) -> None:
    if head.trades == 0:
        return
    if tokens.max() >= NO_TOKEN:
        raise BadPayload("a token without a meaning")
    if _MOVE[tokens[0]] != 0 or _KIND[tokens[0]] not in (0, 4):
        raise BadPayload("the first trade is not the one in the header")
    if np.count_nonzero(_LATER.take(tokens)) != head.gaps or np.count_nonzero(_IS_FAR.take(tokens)) != head.far_steps:
        raise BadPayload("the tokens do not match the gaps and steps")


def _numbers(codes: Any, extra: Any) -> tuple[Any, Any]:
    """Numbers of a column, and the extra bytes of the columns after it."""
    if len(codes) == 0:
        return np.empty(0, dtype=np.int64), extra
    if codes.max() == NO_CODE:
        raise BadPayload(f"no number has the code {NO_CODE}")
    counts = _EXTRA_BYTES.take(codes)
    ends = np.cumsum(counts)
    used = int(ends[-1])
    if used > len(extra):
        raise BadPayload("the payload ends too early")
    values = _BASE.take(codes)
    starts = ends - counts
    for k in range(int(counts.max())):
        has = np.flatnonzero(counts > k)
        values[has] += extra.take(starts.take(has) + k).astype(np.int64) << (8 * k)
    again = codes == AGAIN
    if again.any():
        # Every repeated number takes the value at the last position that is not a repeat; 0 before the first.
        last = np.maximum.accumulate(np.where(again, -1, np.arange(len(codes))))
        values = np.where(last < 0, 0, values.take(last, mode="clip"))
    if values.max() > MAX_SAFE:
        raise BadPayload("a gap, step or size is out of range")
    return values, extra[used:]


def decode_ids(payload: bytes) -> Ids:
    """The ids of a payload. Raises BadPayload."""
    head, reader = ids_head(payload)
    tids = np.zeros(head.ids, dtype=np.int64)
    for k in range(head.columns):
        tids += np.frombuffer(reader.take(head.ids), dtype=np.uint8).astype(np.int64) << (8 * k)
    if head.mode & 1:
        tids = head.base + np.cumsum(np.where(tids & 1, -((tids + 1) >> 1), tids >> 1))
    else:
        tids += head.base
    if head.ids and (tids.min() < 0 or tids.max() > MAX_SAFE):
        raise BadPayload("an id is out of range")
    late = np.zeros(head.ids, dtype=np.int64)
    pairs = late_pairs(reader, head)
    if pairs:
        at, late_ms = zip(*pairs)
        late[list(at)] = late_ms
    return Ids(tids, late)
