"""Liquidations: the gateway sends those of a coin, a caller may want those of one market."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncGenerator, AsyncIterable, Callable, Mapping, NamedTuple, Optional, Sequence

from ..errors import NotFound
from ..http import Http
from ..markets import market_query

#: Frames of the liquidations of coins, each with the coin as it was given.
CoinFrames = Callable[[Sequence[str]], AsyncIterable[tuple[str, Mapping[str, Any]]]]


class _Wanted(NamedTuple):
    market: str
    coin: str
    #: None: every venue.
    venue: Optional[str]
    #: The currency of the market: a venue reports those of all its contracts of a coin. None: all of them.
    quote: Optional[str]


async def live_liquidations(
    http: Http, markets: Sequence[str], frames: CoinFrames
) -> AsyncGenerator[Mapping[str, Any], None]:
    """A bare ticker means every venue, a market its venue and currency alone."""
    wanted = [await asyncio.to_thread(_resolve, http, market) for market in markets]
    async for coin, frame in frames(sorted({one.coin for one in wanted})):
        if frame["type"] != "data":
            continue
        payload = frame["payload"]
        for one in wanted:
            if one.coin == coin and one.venue in (None, payload["venue"]) and one.quote in (None, payload["quote"]):
                yield {"market": one.market, **payload}


def _resolve(http: Http, market: str) -> _Wanted:
    query = market_query(market)
    if "coin" in query:
        return _Wanted(market, query["coin"], "hyperliquid" if ":" in market else None, None)
    venue, _, symbol = query["market"].partition(":")
    for row in http.get("/markets/recorded", {"venue": venue})["data"]:
        if row["symbol"].lower() == symbol.lower():
            return _Wanted(market, row["coin"], row["venue"], row["quote"])
    raise NotFound(f"{market} is not recorded; client.markets_recorded() lists what is", status=404, code="not_found")
