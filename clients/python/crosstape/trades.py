"""Recorded trades: paged lazily, decoded chunk by chunk."""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence

from . import frames
from .codec import plain
from .codec.chunk import Ids, Ticks, gunzip
from .errors import BadPayload
from .http import Http
from .markets import market_query

CHUNK_VERSION = 1


class Trade(NamedTuple):
    """One trade. ``ts`` is the tape time in ms; ``tid`` and ``venue_ts`` are there when ids were requested.

    ``recv_ms`` is when the service received it, if that was requested and is known.
    """

    ts: int
    price: float
    size: float
    side: str
    same_order: Optional[bool] = None
    tid: Optional[int] = None
    venue_ts: Optional[int] = None
    market: str = ""
    recv_ms: Optional[int] = None


class Gap(NamedTuple):
    """A time in which trades are or may be missing. ``state``: missing, partial or refilled."""

    start: int
    end: int
    state: str
    reason: str
    market: str = ""

    @property
    def is_filled(self) -> bool:
        return self.state == "refilled"


@dataclass
class Chunk:
    """Trades of one stored chunk, cut to the requested range."""

    columns: Mapping[str, Any]
    market: str

    def __len__(self) -> int:
        return len(self.columns["ts"])

    def __iter__(self) -> Iterator[Trade]:
        names = ("ts", "price", "size", "is_buy", "same_order", "tid", "venue_ts", "recv_ms")
        lists = [_plain_list(self.columns[name]) if name in self.columns else repeat(None) for name in names]
        market = self.market
        for ts, price, size, is_buy, same_order, tid, venue_ts, received in zip(*lists):
            side = "buy" if is_buy else "sell"
            recv_ms = None if received is None or received != received else int(received)
            yield Trade(ts, price, size, side, bool(same_order), tid, venue_ts, market, recv_ms)


def gap_of(gap: Mapping[str, Any], market: str) -> Gap:
    return Gap(gap["from"], gap["to"], gap.get("state", "missing"), gap["reason"], market)


class Trades:
    """Recorded trades of a market with ``start <= ts < end``.

    Nothing is requested before the trades are used. Iterating, ``chunks()`` and ``to_…`` page from the start; pages
    are not kept, so memory holds one page while iterating. ``gaps``, ``complete`` and ``meta`` describe the pages
    read so far; reading one of them before any page was read reads the whole range.
    """

    def __init__(self, http: Http, market: str, start: int, end: int, *, ids: bool, recv: bool = False) -> None:
        if start >= end:
            raise ValueError(f"start ({start}) must be before end ({end})")
        self.market, self.start, self.end, self.has_ids, self.has_recv = market, start, end, ids, recv
        self._http = http
        self._query = market_query(market)
        self._gaps: dict[tuple[int, int], Gap] = {}
        self._meta: dict[str, Any] = {}
        self._unit = Unit()
        self._is_read = False
        #: When the newest page was requested: later trades are not in it.
        self._read_at_ms = 0

    def __repr__(self) -> str:
        return f"Trades({self.market!r}, start={self.start}, end={self.end})"

    def __iter__(self) -> Iterator[Trade]:
        for chunk in self.chunks():
            yield from chunk

    def chunks(self) -> Iterator[Chunk]:
        """The trades as columns, chunk by chunk: for ranges that do not fit into memory."""
        for page in self.pages():
            yield from page

    def pages(self) -> Iterator[Sequence[Chunk]]:
        """The pages of the service. Chunks are decoded when they are used."""
        next_start: Optional[int] = self.start
        while next_start is not None:
            members = {"ids": "1" if self.has_ids else None, "recv": "1" if self.has_recv else None}
            query = {**self._query, "start": next_start, "end": self.end, **members}
            self._read_at_ms = int(time.time() * 1_000)
            answer = self._http.get("/perps/trades/history", query, compressed=False)
            data, meta = answer["data"], answer["meta"]
            if data["version"] != CHUNK_VERSION:
                raise BadPayload(f"version {data['version']} of chunks is not known to this client")
            for gap in meta.get("gaps", ()):
                known = gap_of(gap, self.market)
                self._gaps[known.start, known.end] = known
            self._unit = unit_of(data.get("unit", {}))
            self._meta = {**meta, "unit": data["unit"]} if "unit" in data else dict(meta)
            yield _Page(data["chunks"], self, next_start)
            following = meta.get("nextStart")
            if following is not None and following <= next_start:
                raise BadPayload("the service pages backwards")
            next_start = following
        self._is_read = True

    @property
    def gaps(self) -> Sequence[Gap]:
        """Times in which the feed was not up, oldest first."""
        self._read()
        return [self._gaps[key] for key in sorted(self._gaps)]

    @property
    def complete(self) -> bool:
        """Whether the record covers the whole range, with no gap but refilled ones."""
        self._read()
        since = self._meta.get("recordingSince")
        covers = since is not None and since <= self.start and self.end <= self._read_at_ms
        return covers and all(gap.is_filled for gap in self._gaps.values())

    @property
    def meta(self) -> Mapping[str, Any]:
        """Meta of the newest page, with all gaps."""
        self._read()
        gaps = [gap._asdict() for gap in self.gaps]
        return {**self._meta, "market": self.market, "gaps": gaps, "complete": self.complete}

    def to_columns(self) -> Mapping[str, Any]:
        """All trades as columns: arrays of numpy when it is installed, else of the module ``array``."""
        parts = [chunk.columns for chunk in self.chunks()]
        if frames.has_numpy():
            numpy = frames.library("numpy")
            parts = parts or [self._cut(_empty(), None, 0)]
            return {name: numpy.concatenate([part[name] for part in parts]) for name in parts[0]}
        joined = dict(self._cut(_empty(), None, 0))
        for part in parts:
            for name in joined:
                joined[name] = joined[name] + part[name]
        return joined

    def to_numpy(self) -> Any:
        """A structured array: ``ts`` (ms), ``price``, ``size``, ``is_buy``, ``same_order``."""
        numpy = frames.library("numpy")
        columns = self.to_columns()
        table = numpy.empty(len(columns["ts"]), dtype=[(name, column.dtype) for name, column in columns.items()])
        for name, column in columns.items():
            table[name] = column
        return table

    def to_pandas(self) -> Any:
        """A DataFrame with the time in UTC as its index, and ``df.attrs["meta"]``."""
        frames.library("pandas")
        columns = self.to_columns()
        return frames.pandas_from_columns(columns, self.meta, "ts")

    def to_polars(self) -> Any:
        frames.library("polars")
        return frames.polars_from_columns(self.to_columns(), _TIMES)

    def to_arrow(self) -> Any:
        frames.library("pyarrow")
        return frames.arrow_from_columns(self.to_columns(), _TIMES)

    def to_parquet(self, path: str) -> None:
        """Writes a Parquet file; needs pyarrow or polars."""
        frames.write_parquet(self.to_columns(), _TIMES, path)

    def _read(self) -> None:
        if not self._is_read and not self._meta:
            for _ in self.pages():
                pass

    def _cut(self, ticks: Ticks, ids: Optional[Ids], start: int, lags: Any = None) -> Mapping[str, Any]:
        """The columns of a chunk from ``start`` to the end of the range; numbers are exact decimals."""
        import bisect

        first, last = bisect.bisect_left(ticks.ts, start), bisect.bisect_left(ticks.ts, self.end)
        within = slice(first, last)
        columns: dict[str, Any] = {
            "ts": ticks.ts[within],
            "price": _converted(ticks.price[within], ticks.price_decimals, self._unit.price),
            "size": _converted(ticks.size[within], ticks.size_decimals, self._unit.size),
            "is_buy": _flags(ticks.is_buy[within]),
            "same_order": _flags(ticks.same_order[within]),
        }
        if self.has_ids:
            known = ids or Ids(ticks.ts[:0], ticks.ts[:0])
            columns["tid"] = known.tid[within]
            columns["venue_ts"] = _subtracted(columns["ts"], known.late_ms[within])
        if self.has_recv:
            columns["recv_ms"] = _received(columns["ts"], None if lags is None else lags[within])
        return columns


_TIMES = ("ts", "venue_ts")


class _Page(Sequence[Chunk]):
    """The chunks of a page, each decoded when it is taken."""

    def __init__(self, chunks: Sequence[Mapping[str, Any]], trades: Trades, start: int) -> None:
        self._chunks, self._trades, self._start = chunks, trades, start

    def __len__(self) -> int:
        return len(self._chunks)

    def __getitem__(self, at: Any) -> Any:
        chunk = self._chunks[at]
        decoder = _decoder()
        ticks = decoder.decode_ticks(gunzip(base64.b64decode(chunk["data"])))
        ids = decoder.decode_ids(gunzip(base64.b64decode(chunk["ids"]))) if self._trades.has_ids else None
        if len(ticks.ts) != chunk["trades"] or (ids and len(ids.tid) != len(ticks.ts)):
            raise BadPayload("a chunk has another number of trades or ids than its page says")
        # Chunks that were recorded without receive times have no such member.
        lags = plain.decode_receipts(gunzip(base64.b64decode(chunk["recv"]))) if "recv" in chunk else None
        if lags is not None and len(lags) != len(ticks.ts):
            raise BadPayload("a chunk has another number of receive times than its page says")
        return Chunk(self._trades._cut(ticks, ids, self._start, lags), self._trades.market)


def _decoder() -> Any:
    if not frames.has_numpy():
        return plain
    from .codec import fast

    return fast


def _empty() -> Ticks:
    if frames.has_numpy():
        numpy = frames.library("numpy")
        wide, flags = numpy.empty(0, dtype="int64"), numpy.empty(0, dtype="uint8")
        return Ticks(0, 0, wide, wide, wide, flags, flags)
    from array import array

    return Ticks(0, 0, array("q"), array("q"), array("q"), array("B"), array("B"))


class Unit(NamedTuple):
    """Factors that turn a venue's own prices and sizes into the coin's."""

    price: Fraction = Fraction(1)
    size: Fraction = Fraction(1)


def unit_of(unit: Mapping[str, Any]) -> Unit:
    """The service stores contracts of a venue as they are, and adds their size and scale to the page."""
    scale = Fraction(str(unit.get("scale", 1)))
    return Unit(price=scale, size=Fraction(str(unit.get("contractSize", 1))) / scale)


def _converted(column: Any, decimals: int, factor: Fraction) -> Any:
    """Numerator and denominator are exact as floats, so the quotient is the float nearest to the exact decimal."""
    over = factor.denominator * 10**decimals
    if hasattr(column, "dtype"):
        return column * factor.numerator / float(over)
    from array import array

    return array("d", (value * factor.numerator / over for value in column))


def _subtracted(column: Any, other: Any) -> Any:
    if hasattr(column, "dtype"):
        return column - other
    from array import array

    return array("q", (a - b for a, b in zip(column, other)))


def _received(ts: Any, lags: Any) -> Any:
    """Receive times in ms; NaN where they are not known."""
    from array import array

    values = array("d", (float("nan") for _ in ts) if lags is None else (a + b for a, b in zip(ts, lags)))
    return frames.library("numpy").asarray(values) if hasattr(ts, "dtype") else values


def _flags(column: Any) -> Any:
    return column.view("bool") if hasattr(column, "dtype") else column


def _plain_list(column: Any) -> list[Any]:
    return list(column.tolist())
