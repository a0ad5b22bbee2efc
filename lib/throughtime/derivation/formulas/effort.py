"""A limit to the time that a proof may take, looked at whenever formulas are compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import process_time

_end = [inf]


class TooLongError(Exception):
    """A proof was given up: no refusal of a formula, so that no search goes on with another one."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooLongError at the first comparison of formulas after so many seconds of the processor."""
    before, _end[0] = _end[0], process_time() + seconds
    try:
        yield
    finally:
        _end[0] = before


def look() -> None:
    """Raise TooLongError if the time is over."""
    if process_time() > _end[0]:
        raise TooLongError
