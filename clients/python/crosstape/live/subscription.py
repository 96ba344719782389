"""Which market a frame belongs to."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from ..markets import market_query
from .gateway import Frame


class Topics:
    """The topics of one channel on one socket, by the position of their markets."""

    def __init__(self, channel: str, markets: Sequence[str], params: Mapping[str, Any] = {}) -> None:
        self._channel = channel
        self._markets = markets
        self._params = params
        #: The service's spelling of a symbol or market → the caller's.
        self._spelled: dict[str, str] = {}

    def subscription(self, market: str, **more: Any) -> Mapping[str, Any]:
        query = market_query(market)
        name = {"symbol": query["coin"]} if "coin" in query else {"market": query["market"]}
        return {"channel": self._channel, **name, **self._params, **more}

    def market_of(self, frame: Frame) -> Optional[str]:
        """None: a frame about no topic, such as the acknowledgement of the key."""
        if "id" in frame and isinstance(frame["id"], int) and frame["id"] < len(self._markets):
            market = self._markets[frame["id"]]
            spelled = frame.get("market", frame.get("symbol"))
            if spelled is not None:
                self._spelled[spelled] = market
            return market
        return self._spelled.get(frame.get("market", frame.get("symbol", "")))
