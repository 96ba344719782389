"""The client of a service."""

from __future__ import annotations

import os
import time
from typing import Any, Optional

from .bars import Bars, Progress, build_bars
from .candles import Candles, read_candles
from .generated.endpoints import Endpoints
from .generated.records import CoverageStretch
from .http import Http, Query
from .lake import Lake
from .live import Live
from .markets import market_query
from .rows import Record, Rows
from .times import DAY_MS, Time, optional_ms, to_ms
from .trades import Trades

DEFAULT_URL = "http://127.0.0.1:8080"
_TIMEOUT_S = 30.0
_BUILD_TIMEOUT_S = 300.0
_RETRIES = 3


class Client(Endpoints):
    """Everything that a Crosstape service offers.

    ``url`` and ``api_key`` default to the environment variables CROSSTAPE_URL and CROSSTAPE_API_KEY. ``timeout`` is
    in seconds per request; ``retries`` is how often a request is repeated that can succeed later.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = _TIMEOUT_S,
        retries: int = _RETRIES,
    ) -> None:
        self._http = Http(
            url or os.environ.get("CROSSTAPE_URL") or DEFAULT_URL,
            api_key=api_key or os.environ.get("CROSSTAPE_API_KEY") or None,
            timeout=timeout,
            retries=retries,
        )
        #: Live streams: ``async for trade in client.live.trades("hyperliquid:BTC")``.
        self.live = Live(self._http)

    def __repr__(self) -> str:
        return f"Client({self._http.root!r})"

    def get(self, path: str, **query: Any) -> Any:
        """The whole answer of any path below /api/v1: ``client.get("/perps/oi", coins=["BTC"])``."""
        return self._http.get(path, query)

    def trades(
        self,
        market: str,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        *,
        ids: bool = False,
        recv: bool = False,
    ) -> Trades:
        """Recorded trades with ``start <= ts < end``; the last 24 hours by default.

        ``ids`` adds tid and venue_ts, ``recv`` recv_ms, which is when the service received a trade.
        """
        first, last = self._range(start, end)
        return Trades(self._http, market, first, last, ids=ids, recv=recv)

    def candles(
        self,
        market: str,
        interval: str = "1m",
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        *,
        limit: Optional[int] = None,
    ) -> Candles:
        """Candles that begin within ``start <= ts < end``, the newest included; the last 24 hours by default.

        ``market`` is a market, or an aggregate of a coin: ``perp:BTC``, ``spot:BTC``, ``all:BTC``. ``interval``: 1m,
        3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 8h, 12h, 1d or 1w. With ``limit`` only the newest candles of the range are
        returned, as far back as there are any when ``start`` is not given.
        """
        last = _now_ms() if end is None else to_ms(end)
        first = to_ms(start) if start is not None else None if limit is not None else last - DAY_MS
        return read_candles(self._http, market, interval, first, last, limit)

    def bars(
        self,
        market: str,
        kind: str,
        *,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        tick: Optional[float] = None,
        degraded: Optional[bool] = None,
        timeout: float = _BUILD_TIMEOUT_S,
        progress: Optional[Progress] = None,
        **params: Any,
    ) -> Bars:
        """Bars of any kind of the trades with ``start <= ts < end``; from 24 hours ago until now by default.

        ``kind``: time, tick, volume, range, delta, trend_reversal or pnf, with its parameters in snake_case
        (``range_ticks=50``). Waits for the build; ``progress`` is called with the share that is done.
        """
        now = _now_ms()
        first, _ = self._range(start, end)
        return build_bars(
            self._http,
            market,
            kind,
            params,
            start_ms=first,
            end_ms=optional_ms(end),
            now_ms=now,
            tick=tick,
            degraded=degraded,
            timeout=timeout,
            progress=progress,
        )

    def coverage(
        self, market: str, start: Optional[Time] = None, end: Optional[Time] = None
    ) -> Rows[CoverageStretch]:
        """How complete the tape is: spans that are complete, refilled, partial or missing."""
        first, last = self._range(start, end)
        return self._rows("/coverage", {**market_query(market), "from": first, "to": last})

    def lake(self) -> Lake:
        """Sealed days as Parquet files: addresses, and the arguments of Polars and DuckDB."""
        return Lake(self._http)

    def close(self) -> None:
        """Closes the connection that this thread keeps."""
        self._http.close()

    def _range(self, start: Optional[Time], end: Optional[Time]) -> tuple[int, int]:
        now = _now_ms()
        last = now if end is None else to_ms(end)
        return (last - DAY_MS if start is None else to_ms(start)), last

    def _rows(self, path: str, query: Query) -> Rows[Any]:
        answer = self._http.get(path, query)
        return Rows(answer["data"], answer["meta"])

    def _record(self, path: str, query: Query) -> Record[Any]:
        answer = self._http.get(path, query)
        return Record(answer["data"], answer["meta"])

    def _document(self, path: str) -> Any:
        return self._http.get(path)


def _now_ms() -> int:
    return int(time.time() * 1_000)
