"""Columns and rows as frames of pandas, polars and Arrow. Each library is imported when it is used."""

from __future__ import annotations

import importlib
from typing import Any, Mapping, Sequence

from .errors import MissingDependency

Columns = Mapping[str, Any]


def library(name: str, package: str = "") -> Any:
    """A library, or an error that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = package or name.partition(".")[0]
        raise MissingDependency(f"this needs {package}, which is not installed: pip install {package}") from error


def has_numpy() -> bool:
    try:
        importlib.import_module("numpy")
    except ImportError:
        return False
    return True


def pandas_from_columns(columns: Columns, meta: Mapping[str, Any], index: str) -> Any:
    """A frame whose index is a time in UTC. ``df.attrs["meta"]`` keeps source, age and gaps."""
    pandas = library("pandas")
    frame = pandas.DataFrame({name: column for name, column in columns.items() if name != index})
    frame.index = pandas.to_datetime(columns[index], unit="ms", utc=True)
    frame.index.name = index
    frame.attrs["meta"] = dict(meta)
    return frame


def pandas_from_rows(rows: Sequence[Mapping[str, Any]], meta: Mapping[str, Any]) -> Any:
    """A frame with one column per field of the records."""
    frame = library("pandas").DataFrame(list(rows))
    frame.attrs["meta"] = dict(meta)
    return frame


def polars_from_columns(columns: Columns, times: Sequence[str]) -> Any:
    return with_polars_times(library("polars").DataFrame(dict(columns)), times)


def with_polars_times(frame: Any, times: Sequence[str]) -> Any:
    """The frame with its columns of milliseconds as times in UTC."""
    polars = library("polars")
    zone = polars.Datetime("ms", "UTC")
    return frame.with_columns([polars.col(name).cast(zone) for name in times if name in frame.columns])


def arrow_from_columns(columns: Columns, times: Sequence[str]) -> Any:
    arrow = library("pyarrow")
    stamp = arrow.timestamp("ms", tz="UTC")
    return arrow.table(
        {
            name: arrow.array(column, type=stamp) if name in times else arrow.array(column)
            for name, column in columns.items()
        }
    )


def write_parquet(columns: Columns, times: Sequence[str], path: str) -> None:
    """Writes a Parquet file with pyarrow, or with polars when only that is installed."""
    try:
        parquet = library("pyarrow.parquet")
    except MissingDependency:
        try:
            polars_from_columns(columns, times).write_parquet(path)
        except MissingDependency as error:
            raise MissingDependency("to_parquet needs pyarrow or polars: pip install pyarrow") from error
        return
    parquet.write_table(arrow_from_columns(columns, times), path)
