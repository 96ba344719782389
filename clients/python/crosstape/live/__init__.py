"""Live data over the service's WebSocket gateway."""

from .book import Book
from .live import Live
from .stream import LiveStream

__all__ = ["Book", "Live", "LiveStream"]
