"""Bars built by the service from its recorded tape."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

from . import frames
from .codec.chunk import gunzip_all
from .codec.pack import decode_pack, state_cursor
from .errors import BuildFailed
from .http import API_PATH, Http
from .markets import market_query
from .trades import Gap, gap_of

_POLL_FIRST_S = 0.05
_POLL_MAX_S = 1.0
_TIMES = ("openTs", "closeTs")

#: Called with the share of the build that is done, from 0 to 1.
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Cursor:
    """A position on the tape: the time of the last trade, and how many trades of that millisecond were read."""

    ts: int
    count: int


class Bars:
    """Closed bars as columns, the bar in progress, and the state from which the build can be carried on."""

    def __init__(self, market: str, pack: bytes, meta: Mapping[str, Any], submitted_at: int) -> None:
        decoded = decode_pack(gunzip_all(pack))
        self.market = market
        self.columns = _with_numpy(decoded.columns)
        #: The bar in progress, or None.
        self.open = decoded.open
        #: State of the builder: bytes that any reader of the format can resume.
        self.state = decoded.state
        self.stats: Mapping[str, Any] = decoded.head["stats"]
        self.spec = {name: decoded.head[name] for name in ("coin", "kind", "params", "tick")}
        #: When the build was submitted: its window ends there.
        self.submitted_at = submitted_at
        self._meta = meta

    @property
    def cursor(self) -> Optional[Cursor]:
        """Where the tape continues: pass it as ``since`` to ``client.live.trades``."""
        at = state_cursor(self.state)
        return None if at is None else Cursor(*at)

    @property
    def gaps(self) -> Sequence[Gap]:
        """Gaps of the tape that could not be filled."""
        return [gap_of(gap, self.market) for gap in self.stats["gaps"]]

    @property
    def complete(self) -> bool:
        """Whether the build read the whole tape: no gap, and not from the newest trades alone."""
        return not self.gaps and not self.stats["degraded"]

    @property
    def meta(self) -> Mapping[str, Any]:
        return {**self._meta, "market": self.market, **self.spec, **self.stats, "complete": self.complete}

    def __len__(self) -> int:
        return len(self.columns["index"])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The bars as records with the REST API's field names."""
        names = list(self.columns)
        for values in zip(*(self.columns[name].tolist() for name in names)):
            yield {**dict(zip(names, values)), "complete": bool(values[names.index("complete")])}

    def to_numpy(self) -> Mapping[str, Any]:
        """The columns as arrays of numpy."""
        frames.library("numpy")
        return self.columns

    def to_pandas(self) -> Any:
        """A DataFrame with the opening time in UTC as its index, and ``df.attrs["meta"]``."""
        frame = frames.pandas_from_columns(self.columns, self.meta, "openTs")
        frame["closeTs"] = frames.library("pandas").to_datetime(frame["closeTs"], unit="ms", utc=True)
        return frame

    def to_polars(self) -> Any:
        return frames.polars_from_columns(self.columns, _TIMES)

    def to_arrow(self) -> Any:
        return frames.arrow_from_columns(self.columns, _TIMES)

    def to_parquet(self, path: str) -> None:
        frames.write_parquet(self.columns, _TIMES, path)


def build_bars(
    http: Http,
    market: str,
    kind: str,
    params: Mapping[str, Any],
    *,
    start_ms: int,
    end_ms: Optional[int],
    now_ms: int,
    tick: Optional[float] = None,
    degraded: Optional[bool] = None,
    timeout: float,
    progress: Optional[Progress] = None,
) -> Bars:
    """Submits a build, waits for it, and fetches its result."""
    last = now_ms if end_ms is None else end_ms
    if start_ms >= last:
        raise ValueError(f"start ({start_ms}) must be before end ({last})")
    body: dict[str, Any] = {**market_query(market), "kind": kind, "from": start_ms}
    if end_ms is not None:
        body["to"] = end_ms
    if params:
        body["params"] = {_camel(name): value for name, value in params.items()}
    if tick is not None:
        body["tick"] = tick
    if degraded is not None:
        body["degraded"] = degraded
    submitted = http.post("/perps/rotations/build", body)["data"]
    job = _wait(http, submitted["jobId"], timeout, progress)
    result = http.request("GET", f"{API_PATH}/perps/rotations/result", {"key": job["resultKey"]}, compressed=False)
    meta = {"cached": submitted["cached"], "degraded": submitted["degraded"]}
    return Bars(market, result, meta, job.get("submittedAt", now_ms))


def _wait(http: Http, job_id: str, timeout: float, progress: Optional[Progress]) -> Mapping[str, Any]:
    deadline = time.monotonic() + timeout
    pause = _POLL_FIRST_S
    while True:
        job: Mapping[str, Any] = http.get("/perps/rotations/job", {"id": job_id})["data"]
        if progress:
            progress(job["pct"])
        if job["status"] == "done":
            return job
        if job["status"] == "error":
            raise BuildFailed(job.get("error", "the build failed"))
        if time.monotonic() + pause > deadline:
            raise BuildFailed(f"the build did not finish within {timeout:g} s; it is {job['pct']:.0%} done")
        time.sleep(pause)
        pause = min(_POLL_MAX_S, pause * 1.5)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found.group(1).upper(), name)


def _with_numpy(columns: Mapping[str, Any]) -> Mapping[str, Any]:
    if not frames.has_numpy():
        return columns
    numpy = frames.library("numpy")
    return {
        name: numpy.array(column, dtype=bool) if name == "complete" else numpy.asarray(column)
        for name, column in columns.items()
    }
