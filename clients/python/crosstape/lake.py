"""The lake: sealed days as Parquet files, served over HTTP."""

from __future__ import annotations

import json
import time
from datetime import datetime, timezone
from typing import Any, Iterator, Mapping, Optional, Sequence

from .errors import ApiError
from .http import Http
from .markets import market_id
from .times import DAY_MS, Time, to_ms

#: Tables with a file per market and day.
MARKET_TABLES = ("trades", "candles_1m", "gaps", "repaired_trades")
#: Tables with a file per venue and day.
VENUE_TABLES = ("liquidations", "open_interest", "funding")
DATASETS = MARKET_TABLES + VENUE_TABLES
#: Files that are made for one call; the service makes older ones in the background.
_MAKE_MAX = 31


class Lake:
    """The files of the lake, as its manifest lists them."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._root = f"{http.root}/lake/"
        self.manifest = self._read_manifest()

    def __repr__(self) -> str:
        return f"Lake({self._root!r}, {len(self.manifest['files'])} files)"

    def files(
        self,
        dataset: str = "trades",
        market: Optional[str] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
    ) -> Sequence[Mapping[str, Any]]:
        """Files of a dataset, as the manifest describes them: key, rows, bytes, sha256, minTs, maxTs, complete.

        With ``market`` and ``start``, days that are sealed and not made yet are made first.
        """
        if dataset not in DATASETS:
            raise ValueError(f"{dataset!r} is not a dataset of the lake: use one of {', '.join(DATASETS)}")
        folder = f"{dataset}/" if market is None else _folder(dataset, market)
        first = None if start is None else to_ms(start)
        last = None if end is None else to_ms(end) - 1
        if market is not None and first is not None:
            self._make(folder, first, last)
        days = (None if first is None else _day(first), None if last is None else _day(last))
        return [file for file in self.manifest["files"] if _is_within(file["key"], folder, *days)]

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

    def _read_manifest(self) -> Mapping[str, Any]:
        manifest: Mapping[str, Any] = json.loads(self._http.request("GET", "/lake/manifest.json"))
        return manifest

    def _make(self, folder: str, first: int, last: Optional[int]) -> None:
        """The service makes a file when it is requested and its day is sealed."""
        known = {file["key"].lower().rpartition("/")[0] for file in self.manifest["files"]}
        is_made = False
        for day in _sealed_days(first, last):
            # A day that has any file is made: repaired trades may be in several.
            if f"{folder}date={day}".lower() not in known:
                is_made = self._has(f"{folder}date={day}/part-0.parquet") or is_made
        if is_made:
            self.manifest = self._read_manifest()

    def _has(self, key: str) -> bool:
        try:
            self._http.request("HEAD", f"/lake/{key}")
        except ApiError as error:
            if error.status != 404:
                raise
            return False
        return True


def _folder(dataset: str, market: str) -> str:
    """``trades/venue=hyperliquid/symbol=BTC/``; a table of a venue has no symbols."""
    venue, _, symbol = market_id(market).partition(":")
    folder = f"{dataset}/venue={venue.lower()}/"
    return folder if dataset in VENUE_TABLES else f"{folder}symbol={symbol.replace('/', '-').replace(':', '-')}/"


def _is_within(key: str, folder: str, first: Optional[str], last: Optional[str]) -> bool:
    day = key.rpartition("date=")[2].partition("/")[0]
    is_in_days = (first is None or day >= first) and (last is None or day <= last)
    return is_in_days and key.lower().startswith(folder.lower())


def _sealed_days(first: int, last: Optional[int]) -> Iterator[str]:
    """Days of the range that are over, newest first."""
    yesterday = int(time.time() * 1_000) // DAY_MS - 1
    newest = yesterday if last is None else min(yesterday, last // DAY_MS)
    for day in range(newest, max(first // DAY_MS, newest - _MAKE_MAX + 1) - 1, -1):
        yield _day(day * DAY_MS)


def _day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1_000, tz=timezone.utc).strftime("%Y-%m-%d")
