"""Trades: the record joined to what is live, without loss or repeat."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import Any, AsyncGenerator, AsyncIterator, Mapping, Optional, Sequence, Union

from ..bars import Cursor
from ..errors import GatewayError
from ..http import Http
from ..times import DAY_MS
from ..trades import Gap, Trade, Trades, gap_of
from .gateway import Frame, Gateway, OnStatus
from .subscription import Topics

#: A page of history may end after now: the newest trades are part of it.
_AHEAD_MS = DAY_MS


async def live_trades(
    http: Http,
    markets: Sequence[str],
    cursors: dict[str, Optional[Cursor]],
    on_status: Optional[OnStatus],
) -> AsyncGenerator[Union[Trade, Gap], None]:
    """Every trade after the cursors once, in tape order, across lost connections; gaps where they become known."""
    topics = Topics("trades", markets)
    refused: dict[str, Cursor] = {}

    def subscription(market: str) -> Mapping[str, Any]:
        cursor = cursors[market]
        return topics.subscription(market) if cursor is None else topics.subscription(market, since=asdict(cursor))

    gateway = Gateway(http, lambda: [subscription(market) for market in markets])
    try:
        async for frame in gateway.frames():
            market = topics.market_of(frame)
            if market is None:
                continue
            if frame["type"] == "error":
                cursor = cursors[market]
                if cursor is None or refused.get(market) == cursor:
                    raise GatewayError(frame["message"], code=frame["code"])
                refused[market] = cursor
                async for item in _recorded(http, market, cursor):
                    if isinstance(item, Trade):
                        cursors[market] = _after(cursors[market], item.ts)
                    yield item
                await gateway.subscribe(markets.index(market), subscription(market))
            elif frame["type"] == "status":
                if on_status:
                    on_status(frame)
            else:
                for item in _items(frame, market):
                    if isinstance(item, Trade):
                        cursors[market] = _after(cursors[market], item.ts)
                    yield item
                if frame["type"] == "ack" and "cursor" in frame:
                    cursors[market] = Cursor(**frame["cursor"])
    finally:
        await gateway.close()


def _items(frame: Frame, market: str) -> Sequence[Union[Trade, Gap]]:
    if frame["type"] == "data":
        payload = frame["payload"]
        ts, venue_ts = payload["ts"], payload.get("venueTs")
        tid = payload.get("tid")
        price, size = float(payload["price"]), float(payload["size"])
        return [Trade(ts, price, size, payload["side"], None, tid, venue_ts or ts, market)]
    if frame["type"] == "gap":
        return [gap_of(frame, market)]
    if frame["type"] == "caughtUp":
        return [gap_of(gap, market) for gap in frame["gaps"]]
    return []


def _after(cursor: Optional[Cursor], ts: int) -> Cursor:
    return Cursor(ts, cursor.count + 1) if cursor is not None and cursor.ts == ts else Cursor(ts, 1)


async def _recorded(http: Http, market: str, cursor: Cursor) -> AsyncIterator[Union[Trade, Gap]]:
    """The recorded trades after a cursor that is too old for the gateway."""
    end = int(time.time() * 1_000) + _AHEAD_MS
    trades = Trades(http, market, cursor.ts, end, ids=True)
    pages = trades.pages()
    skip, reported = cursor.count, 0
    while (page := await asyncio.to_thread(lambda: next(pages, None))) is not None:
        gaps = trades.gaps
        for gap in gaps[reported:]:
            yield gap
        reported = len(gaps)
        for chunk in page:
            for trade in chunk:
                if skip > 0 and trade.ts == cursor.ts:
                    skip -= 1
                else:
                    yield trade
