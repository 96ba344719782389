"""Candles of a market or of every recorded market of a coin, read page by page."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from . import frames
from .errors import BadPayload
from .generated.records import Candle
from .http import Http
from .markets import market_id
from .rows import Rows

#: Most candles in one answer of the service.
_PAGE_MAX = 10_000
_TIMES = ("ts",)


class Candles(Rows[Candle]):
    """Candles, oldest first, with the REST API's field names. The newest one may still be growing."""

    def to_pandas(self) -> Any:
        """A DataFrame with the opening time in UTC as its index, and ``df.attrs["meta"]``."""
        frame = super().to_pandas()
        if not len(frame):
            return frame
        frame.index = frames.library("pandas").to_datetime(frame.pop("ts"), unit="ms", utc=True)
        return frame

    def to_polars(self) -> Any:
        return frames.with_polars_times(super().to_polars(), _TIMES)


def read_candles(
    http: Http, market: str, interval: str, start: Optional[int], end: int, limit: Optional[int]
) -> Candles:
    """Candles that begin within ``start <= ts < end``, or the newest ``limit`` of them."""
    if start is not None and start >= end:
        raise ValueError(f"start ({start}) must be before end ({end})")
    if limit is not None and limit < 1:
        raise ValueError(f"limit ({limit}) must be 1 or more")
    pages: list[list[Candle]] = []
    meta: Optional[Mapping[str, Any]] = None
    query = {"market": market_id(market), "interval": interval, "start": start}
    next_end: Optional[int] = end
    wanted = limit
    while next_end is not None and (wanted is None or wanted > 0):
        page_limit = _PAGE_MAX if wanted is None else min(_PAGE_MAX, wanted)
        answer = http.get("/candles", {**query, "end": next_end, "limit": page_limit})
        pages.append(answer["data"])
        meta = meta or answer["meta"]
        following = answer["meta"]["nextEnd"]
        if following is not None and following >= next_end:
            raise BadPayload("the service pages forwards")
        next_end = following
        wanted = None if wanted is None else wanted - len(answer["data"])
    rows = [row for page in reversed(pages) for row in page]
    return Candles(rows, {**(meta or {}), "nextEnd": next_end})
