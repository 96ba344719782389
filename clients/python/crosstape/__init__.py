"""The Python client of Crosstape: recorded trades, bars, live streams and every REST endpoint.

    import crosstape as ct

    c = ct.Client("http://127.0.0.1:8080")
    df = c.trades("hyperliquid:BTC").to_pandas()
"""

from .bars import Bars, Cursor
from .candles import Candles
from .client import Client
from .errors import (
    ApiError,
    BadArgument,
    BadPayload,
    BadRequest,
    BuildFailed,
    ConnectionFailed,
    CrosstapeError,
    GatewayError,
    MissingDependency,
    NotFound,
    RateLimited,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from .generated.version import VERSION as __version__
from .lake import Lake
from .live import Book, Live, LiveStream
from .rows import Record, Rows
from .trades import Gap, Trade, Trades

__all__ = [
    "ApiError",
    "BadArgument",
    "BadPayload",
    "BadRequest",
    "Bars",
    "Book",
    "BuildFailed",
    "Candles",
    "Client",
    "ConnectionFailed",
    "CrosstapeError",
    "Cursor",
    "Gap",
    "GatewayError",
    "Lake",
    "Live",
    "LiveStream",
    "MissingDependency",
    "NotFound",
    "RateLimited",
    "Record",
    "Rows",
    "TooLarge",
    "Trade",
    "Trades",
    "Unauthorized",
    "Unavailable",
    "__version__",
]
