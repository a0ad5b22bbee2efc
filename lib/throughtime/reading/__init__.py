"""Recurrences as papers print them, read into systems of the engine. Needs SymPy only, and NumPy to compile them."""

from throughtime.reading.face import Reading, read
from throughtime.reading.source import NotationError

__all__ = ["NotationError", "Reading", "read"]
