"""A limit to what a proof may take: a count of compared terms and no clock, so that it is the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

PART = 4  # of the effort that is left is spent on a proof that may be given up
_left = [inf]


class TooLongError(Exception):
    """A proof was given up: no refusal of a formula, so that no search goes on with another one."""


@contextmanager
def within(effort: float) -> Iterator[None]:
    """Raise TooLongError at the first comparison of terms after so many of them."""
    before, _left[0] = _left[0], effort
    try:
        yield
    finally:
        _left[0] = before


def tried(proof: Callable[[], float | None]) -> float | None:
    """What a proof finds with a part of the effort that is left, which it takes; None if it is given up."""
    before, left = _left[0], _left[0] / PART
    try:
        with within(left):
            try:
                return proof()
            finally:
                left -= _left[0]
    except TooLongError:
        return None
    finally:
        _left[0] = before - left if before < inf else inf


def look() -> None:
    """Count a comparison; raise TooLongError if there were too many."""
    _left[0] -= 1
    if _left[0] < 0:
        raise TooLongError
