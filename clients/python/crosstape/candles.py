"""Candles: time bars at fixed boundaries."""

from __future__ import annotations

import re
from typing import Any, Callable, Mapping

from .bars import Bars
from .rows import Rows

_UNITS_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
_INTERVAL_MAX_MS = 86_400_000
_FIELDS = ("open", "high", "low", "close", "volume", "buyVolume", "notionalUsd", "trades")

Build = Callable[[Mapping[str, Any], int], Bars]


def interval_ms(interval: str) -> int:
    """``1m`` → 60000. Up to one day."""
    found = re.fullmatch(r"([1-9][0-9]{0,4})([smhdw])", interval)
    ms = int(found.group(1)) * _UNITS_MS[found.group(2)] if found else 0
    if not found or ms > _INTERVAL_MAX_MS:
        raise ValueError(f"{interval!r} is not an interval, such as 1m, 15m, 1h or 1d (at most one day)")
    return ms


def candles_from_builds(build: Build, interval: str, start: int, end: int) -> Rows[Mapping[str, Any]]:
    """Closed candles that begin within ``start <= ts < end``, folded from the recorded tape by a build of the service.

    A candle is complete when no gap of the tape meets its own span.
    """
    if start >= end:
        raise ValueError(f"start ({start}) must be before end ({end})")
    span = interval_ms(interval)
    first = -(-start // span) * span
    bars = build({"interval_ms": span}, first)
    gaps = bars.gaps
    rows = [
        {
            "ts": bar["openTs"],
            **{field: bar[field] for field in _FIELDS},
            "complete": not any(gap.start < bar["openTs"] + span and gap.end > bar["openTs"] for gap in gaps),
            "origin": "tape",
        }
        for bar in bars
        if first <= bar["openTs"] < end
    ]
    return Rows(rows, {**bars.meta, "interval": interval})
