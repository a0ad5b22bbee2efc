"""Exact numbers that stay short: rationals modulo a prime, for systems that multiply what they compute.

In x(t) = r x(t-1) (1 - x(t-1)) the digits of rationals double at every step: after twelve there are thousands.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from throughtime.derivation.evaluating.evaluate import Unreadable
from throughtime.derivation.evaluating.rationals import Exact

PRIME = 2**127 - 1  # two rationals that differ have one residue about once in 10^38 times


class TooLong(Exception):
    """A number of an instance has more bits than are asked for."""


def _operation(result: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    """The operation of two residues, or of a residue and a rational, that has a result for whole numbers."""

    def of_residues(one: Residue, other: Any) -> Any:
        if not isinstance(other, Residue | int | Fraction | Exact):
            return NotImplemented
        return _residue(result(one.rest, other.rest if isinstance(other, Residue) else Residue(other).rest))

    return of_residues


def _residue(number: int) -> Residue:
    made = Residue.__new__(Residue)
    made.rest = number % PRIME
    return made


class Residue:
    """A rational modulo a prime; equal rationals are equal, and none is larger than another one.

    >>> from throughtime.derivation.evaluating.residues import Residue
    >>> Residue(2) / 3 + Residue(1) / 6 == Residue(5) / 6, Residue(2) / 3 == Residue(5) / 6
    (True, False)
    """

    __slots__ = ("rest",)

    def __init__(self, number: Any):
        top, bottom = map(int, number.as_integer_ratio())  # those of GMP have numbers of their own
        self.rest = (top if bottom == 1 else top * pow(bottom, -1, PRIME)) % PRIME

    def as_integer_ratio(self) -> tuple[int, int]:
        """The residue itself, as a whole number."""
        return self.rest, 1

    __add__ = __radd__ = _operation(int.__add__)
    __mul__ = __rmul__ = _operation(int.__mul__)
    __sub__ = _operation(int.__sub__)
    __rsub__ = _operation(lambda mine, theirs: theirs - mine)
    __truediv__ = _operation(lambda mine, theirs: mine * _inverse(theirs))
    __rtruediv__ = _operation(lambda mine, theirs: theirs * _inverse(mine))

    def __pow__(self, exponent: int) -> Residue:
        return _residue(pow(self.rest if exponent >= 0 else _inverse(self.rest), abs(exponent), PRIME))

    def __neg__(self) -> Residue:
        return _residue(-self.rest)

    def __bool__(self) -> bool:
        return self.rest != 0

    def __eq__(self, other: Any) -> bool:
        same = self - other
        return same if same is NotImplemented else not same

    def __hash__(self) -> int:
        return hash(self.rest)

    def __lt__(self, other: Any) -> bool:
        raise Unreadable("a residue is neither large nor small")

    __gt__ = __abs__ = lambda self, *others: self < self

    def __str__(self) -> str:
        return f"{self.rest} modulo 2^127 - 1"


def _inverse(rest: int) -> int:
    if not rest:
        raise ZeroDivisionError("Fraction division by 0")
    return pow(rest, -1, PRIME)
