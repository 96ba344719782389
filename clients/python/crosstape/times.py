"""Times: every function takes a ``datetime``, ISO 8601 text, or milliseconds since the Unix epoch."""

from __future__ import annotations

from datetime import date, datetime, timezone
from typing import Optional, Union

Time = Union[datetime, date, str, int, float]

DAY_MS = 86_400_000


def to_ms(value: Time) -> int:
    """Milliseconds since the Unix epoch. A time without a zone is UTC."""
    if isinstance(value, bool):
        raise TypeError("a time must be a datetime, ISO text or milliseconds, not a bool")
    if isinstance(value, (int, float)):
        if not 0 <= value < 2**53:
            raise ValueError(f"{value} is not a time in milliseconds since the Unix epoch")
        return int(value)
    if isinstance(value, str):
        return _datetime_ms(_parse(value))
    if isinstance(value, datetime):
        return _datetime_ms(value)
    if isinstance(value, date):
        return _datetime_ms(datetime(value.year, value.month, value.day))
    raise TypeError(f"a time must be a datetime, ISO text or milliseconds, not {type(value).__name__}")


def _parse(text: str) -> datetime:
    # Python 3.10 does not read the suffix Z.
    normal = text.strip()
    if normal[-1:] in ("Z", "z"):
        normal = normal[:-1] + "+00:00"
    try:
        return datetime.fromisoformat(normal)
    except ValueError:
        raise ValueError(f"{text!r} is not an ISO 8601 time, such as 2026-11-12T14:00:00Z") from None


def _datetime_ms(value: datetime) -> int:
    aware = value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)
    since = aware - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return since.days * DAY_MS + since.seconds * 1_000 + since.microseconds // 1_000


def optional_ms(value: Optional[Time]) -> Optional[int]:
    return None if value is None else to_ms(value)
