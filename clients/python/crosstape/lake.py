"""The lake: sealed days as Parquet files, served over HTTP."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any, Mapping, Optional, Sequence

from .http import Http
from .times import Time, to_ms

DATASETS = ("trades", "candles_1m", "liquidations", "gaps")


class Lake:
    """The files of the lake, as its manifest lists them."""

    def __init__(self, http: Http) -> None:
        self._root = f"{http.root}/lake/"
        self.manifest: Mapping[str, Any] = json.loads(http.request("GET", "/lake/manifest.json"))

    def files(
        self,
        dataset: str = "trades",
        market: Optional[str] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
    ) -> Sequence[Mapping[str, Any]]:
        """Files of a dataset, as the manifest describes them: key, rows, bytes, sha256, minTs, maxTs, complete."""
        if dataset not in DATASETS:
            raise ValueError(f"{dataset!r} is not a dataset of the lake: use one of {', '.join(DATASETS)}")
        prefix = f"{dataset}/"
        if market is not None:
            venue, colon, symbol = market.partition(":")
            if not colon:
                raise ValueError(f"{market!r} is not a market: use venue:symbol, such as hyperliquid:BTC")
            prefix += f"venue={venue.lower()}/symbol={symbol.replace('/', '-').replace(':', '-')}/"
        first = None if start is None else _day(to_ms(start))
        last = None if end is None else _day(to_ms(end) - 1)
        found: list[Mapping[str, Any]] = []
        for file in self.manifest["files"]:
            day = file["key"].rpartition("date=")[2].partition("/")[0]
            inside = (first is None or day >= first) and (last is None or day <= last)
            if file["key"].startswith(prefix) and inside:
                found.append(file)
        return found

    def urls(
        self,
        dataset: str = "trades",
        market: Optional[str] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
    ) -> list[str]:
        """Addresses of the files of a dataset that cover a range of days."""
        return [self._root + file["key"] for file in self.files(dataset, market, start, end)]

    def scan_args(
        self,
        dataset: str = "trades",
        market: Optional[str] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
    ) -> dict[str, Any]:
        """Arguments of ``polars.scan_parquet``: ``pl.scan_parquet(**c.lake().scan_args("trades", "hyperliquid:BTC"))``."""
        return {"source": self.urls(dataset, market, start, end), "hive_partitioning": True}


def _day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1_000, tz=timezone.utc).strftime("%Y-%m-%d")
