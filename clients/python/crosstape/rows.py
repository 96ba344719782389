"""Answers of REST endpoints: lists of records, and single records, with the answer's meta beside them."""

from __future__ import annotations

from typing import Any, Generic, Iterator, Mapping, Sequence, TypeVar, Union, overload

from . import frames

Row = TypeVar("Row")


class Rows(Sequence[Row], Generic[Row]):
    """The records of an answer. ``meta`` keeps its source, age and gaps."""

    def __init__(self, rows: Sequence[Row], meta: Mapping[str, Any]) -> None:
        self._rows = list(rows)
        self.meta = meta

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...
    def __getitem__(self, at: Union[int, slice]) -> Union[Row, Sequence[Row]]:
        return self._rows[at]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"Rows({len(self)} records from {self.meta.get('source')})"

    def to_list(self) -> list[Row]:
        return list(self._rows)

    def to_pandas(self) -> Any:
        """A DataFrame with the answer's meta in ``df.attrs["meta"]``."""
        return frames.pandas_from_rows(self._records(), self.meta)

    def to_polars(self) -> Any:
        return frames.library("polars").from_dicts(self._records())

    def to_arrow(self) -> Any:
        return frames.library("pyarrow").Table.from_pylist(self._records())

    def _records(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self._rows]  # type: ignore[call-overload]


class Record(dict[str, Any], Generic[Row]):
    """A single record of an answer: a dict, with the answer's meta beside it."""

    def __init__(self, record: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        super().__init__(record)
        self.meta = meta

    @property
    def data(self) -> Row:
        """The record with its type."""
        return self  # type: ignore[return-value]

    def rows(self, field: str) -> Rows[Any]:
        """A list within the record, such as the strikes of a gamma profile."""
        return Rows(self[field], self.meta)

    def to_pandas(self) -> Any:
        """A DataFrame of one row. For a list within the record use ``rows(field).to_pandas()``."""
        return frames.pandas_from_rows([self], self.meta)
