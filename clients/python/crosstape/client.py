"""The client of a service."""

from __future__ import annotations

import os
import time
from typing import Any, Mapping, Optional

from .bars import Bars, Progress, build_bars
from .candles import candles_from_builds
from .generated.endpoints import Endpoints
from .generated.records import CoverageStretch
from .http import Http, Query
from .lake import Lake
from .live import Live
from .markets import market_query
from .rows import Record, Rows
from .times import DAY_MS, Time, to_ms
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
        self, market: str, start: Optional[Time] = None, end: Optional[Time] = None, *, ids: bool = False
    ) -> Trades:
        """Recorded trades with ``start <= ts < end``; the last 24 hours by default. ``ids`` adds tid and venue_ts."""
        first, last = self._range(start, end)
        return Trades(self._http, market, first, last, ids=ids)

    def candles(
        self, market: str, interval: str = "1m", start: Optional[Time] = None, end: Optional[Time] = None
    ) -> Rows[Mapping[str, Any]]:
        """Closed candles that begin within ``start <= ts < end``; the last 24 hours by default.

        They are folded from the recorded tape, so they reach back seven days at most.
        """
        first, last = self._range(start, end)
        return candles_from_builds(
            lambda params, since: self.bars(market, "time", start=since, **params), interval, first, last
        )

    def bars(
        self,
        market: str,
        kind: str,
        *,
        start: Optional[Time] = None,
        tick: Optional[float] = None,
        degraded: Optional[bool] = None,
        timeout: float = _BUILD_TIMEOUT_S,
        progress: Optional[Progress] = None,
        **params: Any,
    ) -> Bars:
        """Bars of any kind from ``start`` (24 hours ago by default, at most 7 days) until now.

        ``kind``: time, tick, volume, range, delta, trend_reversal or pnf, with its parameters in snake_case
        (``range_ticks=50``). Waits for the build; ``progress`` is called with the share that is done.
        """
        now = _now_ms()
        start_ms = now - DAY_MS if start is None else to_ms(start)
        return build_bars(
            self._http,
            market,
            kind,
            params,
            start_ms=start_ms,
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
        """Sealed days as Parquet files. Raises NotFound when the service serves no lake."""
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


def _now_ms() -> int:
    return int(time.time() * 1_000)
