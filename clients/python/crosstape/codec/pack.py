"""Reads a result pack: the bars that the service built, and the state from which the build can be carried on."""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence

from ..errors import BadPayload
from .varint import Reader

_PACK_KIND = 0x50
_STATE_KIND = 0x53
_VERSION = 1
_BARS_MAX = 2**22
_DECIMALS_MAX = 16
_FLOATS = 255

#: A column's guess at bar i, from the whole numbers read so far.
_Guess = Callable[[int, Mapping[str, list[int]]], int]


def _zero(_i: int, _known: Mapping[str, list[int]]) -> int:
    return 0


_GROUPS: Sequence[Mapping[str, _Guess]] = (
    {
        "openTs": lambda i, known: known["openTs"][i - 1] if i else 0,
        "closeTs": lambda i, known: known["openTs"][min(i + 1, len(known["openTs"]) - 1)],
    },
    {
        "close": lambda i, known: known["close"][i - 1] if i else 0,
        "open": lambda i, known: known["close"][max(i - 1, 0)],
        "high": lambda i, known: max(known["close"][i], known["open"][i]),
        "low": lambda i, known: min(known["close"][i], known["open"][i]),
    },
    {
        "volume": _zero,
        "buyVolume": _zero,
        "delta": lambda i, known: 2 * known["buyVolume"][i] - known["volume"][i],
        "minDelta": lambda i, known: min(0, known["delta"][i]),
        "maxDelta": lambda i, known: max(0, known["delta"][i]),
    },
    {"notionalUsd": _zero},
    {"trades": _zero},
    {"direction": _zero},
    {"complete": lambda _i, _known: 1},
)
_EXTRAS: Mapping[str, Sequence[str]] = {"pnf": ("boxes",)}
_COLUMNS = (
    "openTs closeTs open high low close volume buyVolume notionalUsd trades delta minDelta maxDelta direction complete"
).split()
_WHOLE = ("openTs", "closeTs", "trades", "direction", "boxes")


@dataclass
class Pack:
    """A decoded result. ``columns`` has the closed bars, oldest first."""

    head: Mapping[str, Any]
    state: bytes
    columns: Mapping[str, Any]

    @property
    def open(self) -> Optional[Mapping[str, Any]]:
        """The bar in progress."""
        bar: Optional[Mapping[str, Any]] = self.head["open"]
        return bar


def decode_pack(payload: bytes) -> Pack:
    """Raises BadPayload."""
    reader = Reader(payload)
    reader.expect_head(_PACK_KIND, _VERSION, "a result pack")
    head = _json(reader)
    state = reader.take(reader.varint())
    bars = reader.varint()
    if bars > _BARS_MAX:
        raise BadPayload(f"a result of {bars} bars is larger than any")
    first = head["firstIndex"]
    columns: dict[str, Any] = {"index": array("q", range(first, first + bars))}
    extras = [{name: _zero} for name in _EXTRAS.get(head["kind"], ())]
    for group in (*_GROUPS, *extras):
        columns.update(_group(reader, group, bars))
    reader.expect_end()
    columns["complete"] = array("B", (int(value) for value in columns["complete"]))
    order = ["index", *_COLUMNS, *(name for extra in extras for name in extra)]
    return Pack(head, state, {name: columns[name] for name in order})


def _group(reader: Reader, group: Mapping[str, _Guess], bars: int) -> Mapping[str, Any]:
    decimals = reader.byte()
    if decimals == _FLOATS:
        return {name: array("d", (reader.float() for _ in range(bars))) for name in group}
    if decimals > _DECIMALS_MAX:
        raise BadPayload("too many decimals")
    known: dict[str, list[int]] = {}
    for name, guess in group.items():
        values: list[int] = []
        known[name] = values
        for i in range(bars):
            values.append(reader.signed() + guess(i, known))
    scale = 10**decimals
    return {
        name: array("q", values) if name in _WHOLE else array("d", (value / scale for value in values))
        for name, values in known.items()
    }


def state_cursor(state: bytes) -> Optional[tuple[int, int]]:
    """Where the tape continues after the build: the time of its last trade, and the trades of that millisecond it has."""
    reader = Reader(state)
    reader.expect_head(_STATE_KIND, _VERSION, "a builder state")
    _json(reader)
    if reader.varint() == 0:
        return None
    first_ts = reader.varint()
    last_ts = first_ts + reader.varint()
    return last_ts, reader.varint()


def _json(reader: Reader) -> Any:
    try:
        return json.loads(reader.take(reader.varint()))
    except ValueError as error:
        raise BadPayload("the JSON within a payload is malformed") from error
