"""Streams of records: async iterators that can be closed."""

from __future__ import annotations

from typing import Any, AsyncGenerator, AsyncIterator, Generic, Mapping, TypeVar

Item = TypeVar("Item")


class LiveStream(AsyncIterator[Item], Generic[Item]):
    """Records of one or more markets. Use ``async for``; ``aclose`` or ``async with`` ends it."""

    def __init__(self, items: AsyncGenerator[Item, None], cursors: Mapping[str, Any]) -> None:
        self._items = items
        #: Of trades: where the stream is on the tape of each market. Pass one as ``since`` to continue later.
        self.cursors = cursors

    @property
    def cursor(self) -> Any:
        """The cursor of the only market."""
        if len(self.cursors) != 1:
            raise ValueError("this stream has no single cursor: use cursors")
        return next(iter(self.cursors.values()))

    def __aiter__(self) -> LiveStream[Item]:
        return self

    async def __anext__(self) -> Item:
        return await self._items.__anext__()

    async def aclose(self) -> None:
        await self._items.aclose()

    async def __aenter__(self) -> LiveStream[Item]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
