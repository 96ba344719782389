"""The live channels of a client."""

from __future__ import annotations

from typing import Any, AsyncGenerator, AsyncIterable, Mapping, Optional, Sequence, Union

from ..bars import Cursor
from ..errors import GatewayError
from ..http import Http
from ..times import Time, to_ms
from ..trades import Gap, Trade
from .book import Book
from .gateway import Gateway, OnStatus
from .liquidations import live_liquidations
from .stream import LiveStream
from .subscription import Topics
from .trades import live_trades

Markets = Union[str, Sequence[str]]
Since = Union[Cursor, Time, None]


class Live:
    """Streams over the gateway. Each stream has its own socket; several markets share it."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def trades(
        self, markets: Markets, since: Since = None, *, on_status: Optional[OnStatus] = None
    ) -> LiveStream[Union[Trade, Gap]]:
        """Trades as they happen, and a Gap where trades are or may be missing.

        With ``since`` (a cursor, or a time) everything recorded after it comes first, then live trades: none lost,
        none twice. The connection is opened again when it is lost and continues where it ended.
        """
        names = _names(markets)
        cursor = since if since is None or isinstance(since, Cursor) else Cursor(to_ms(since), 0)
        cursors: dict[str, Optional[Cursor]] = {market: cursor for market in names}
        return LiveStream(live_trades(self._http, names, cursors, on_status), cursors)

    def candles(
        self, markets: Markets, interval: str = "1m", *, on_status: Optional[OnStatus] = None
    ) -> LiveStream[Mapping[str, Any]]:
        """The candle in progress, and each candle again with ``closed: True``. Intervals: 1s … 1d."""
        return self._channel("candles", markets, {"interval": interval}, on_status)

    def liquidations(
        self, markets: Markets, *, on_status: Optional[OnStatus] = None
    ) -> LiveStream[Mapping[str, Any]]:
        """Liquidations of a coin on all venues (``BTC``) or of one market (``binance:BTCUSDT``).

        ``inferred`` says whether it was inferred from the tape, and not reported by the venue.
        """

        def frames(coins: Sequence[str]) -> AsyncIterable[tuple[str, Mapping[str, Any]]]:
            return self._frames("liquidations", coins, {}, on_status)

        return LiveStream(live_liquidations(self._http, _names(markets), frames), {})

    def orderbook(self, markets: Markets, *, on_status: Optional[OnStatus] = None) -> LiveStream[Book]:
        """A local order book of each market: the same Book each time, after every change and when it becomes stale."""
        return LiveStream(self._books(_names(markets), on_status), {})

    def channel(
        self, channel: str, markets: Markets, *, on_status: Optional[OnStatus] = None, **params: Any
    ) -> LiveStream[Mapping[str, Any]]:
        """Payloads of any channel of the gateway, such as ``funding`` or ``venueSpread``."""
        return self._channel(channel, markets, params, on_status)

    def _channel(
        self, channel: str, markets: Markets, params: Mapping[str, Any], on_status: Optional[OnStatus]
    ) -> LiveStream[Mapping[str, Any]]:
        async def payloads() -> AsyncGenerator[Mapping[str, Any], None]:
            async for market, frame in self._frames(channel, _names(markets), params, on_status):
                if frame["type"] == "data":
                    yield {"market": market, **frame["payload"]}

        return LiveStream(payloads(), {})

    async def _books(self, markets: Sequence[str], on_status: Optional[OnStatus]) -> AsyncGenerator[Book, None]:
        books = {market: Book(market) for market in markets}
        async for market, frame in self._frames("orderbook", markets, {"mode": "delta"}, on_status):
            if frame["type"] == "data":
                books[market].apply(frame["payload"])
                yield books[market]
            elif frame["type"] == "disconnected":
                for book in books.values():
                    book.is_stale = True
                    if book.ts > 0:
                        yield book

    async def _frames(
        self, channel: str, markets: Sequence[str], params: Mapping[str, Any], on_status: Optional[OnStatus]
    ) -> AsyncGenerator[tuple[str, Mapping[str, Any]], None]:
        topics = Topics(channel, markets, params)
        gateway = Gateway(self._http, lambda: [topics.subscription(market) for market in markets])
        try:
            async for frame in gateway.frames():
                market = topics.market_of(frame)
                if frame["type"] == "error":
                    raise GatewayError(frame["message"], code=frame["code"])
                if frame["type"] == "status" and on_status:
                    on_status(frame)
                if market is not None or frame["type"] == "disconnected":
                    yield market or "", frame
        finally:
            await gateway.close()


def _names(markets: Markets) -> Sequence[str]:
    names = [markets] if isinstance(markets, str) else list(markets)
    if not names:
        raise ValueError("name at least one market")
    return names
