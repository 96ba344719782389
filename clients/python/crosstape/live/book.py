"""A local order book, kept by its changes."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

#: Price, size, and the number of orders.
Level = Sequence[float]


class Book:
    """The order book of a market: at most 20 levels a side, best first."""

    def __init__(self, market: str) -> None:
        self.market = market
        #: The venue's time of the best levels; 0 before the first snapshot.
        self.ts = 0
        #: Whether it may be outdated: the venue's feed is down, or the connection was lost.
        self.is_stale = True
        self._bids: dict[float, Level] = {}
        self._asks: dict[float, Level] = {}

    @property
    def bids(self) -> list[Level]:
        return [self._bids[price] for price in sorted(self._bids, reverse=True)]

    @property
    def asks(self) -> list[Level]:
        return [self._asks[price] for price in sorted(self._asks)]

    def apply(self, payload: Mapping[str, Any]) -> None:
        """A snapshot replaces the book; a delta replaces levels, and removes those of size 0."""
        for side, levels in ((self._bids, payload["bids"]), (self._asks, payload["asks"])):
            if payload.get("kind") != "delta":
                side.clear()
            for level in levels:
                if level[1] == 0:
                    side.pop(level[0], None)
                else:
                    side[level[0]] = level
        self.ts = payload["ts"]
        self.is_stale = bool(payload.get("stale", False))

    def __repr__(self) -> str:
        bid = max(self._bids, default=None)
        ask = min(self._asks, default=None)
        return f"Book({self.market!r}, bid={bid}, ask={ask}, is_stale={self.is_stale})"
