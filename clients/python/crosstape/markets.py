"""Market ids: ``hyperliquid:BTC``, ``binance:BTCUSDT``."""

from __future__ import annotations

from typing import Mapping

#: Spellings of the primary venue. Its markets are addressed by coin.
_PRIMARY = ("hyperliquid", "hl", "venue_a")


def market_query(market: str) -> Mapping[str, str]:
    """The parameter that names a market: ``coin`` for the primary venue or a bare ticker, ``market`` for any other."""
    venue, colon, symbol = market.strip().partition(":")
    if not colon and venue:
        return {"coin": venue}
    if not venue or not symbol:
        raise ValueError(f"{market!r} is not a market: use venue:symbol, such as hyperliquid:BTC")
    if venue.lower() in _PRIMARY:
        return {"coin": symbol}
    return {"market": f"{venue}:{symbol}"}


def market_id(market: str) -> str:
    """The id of a market, also of an aggregate such as ``all:BTC``; a bare ticker is one of the primary venue."""
    query = market_query(market)
    return query["market"] if "market" in query else f"hyperliquid:{query['coin']}"
