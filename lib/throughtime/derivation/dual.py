"""Numbers and dual numbers: what a formula is evaluated in.

A formula needs sums and products, which both kinds of number have of their own, and the few operations below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .errors import DerivationError


class Dual(NamedTuple):
    """value + slope * e with e * e = 0."""

    value: Any
    slope: Any
    __rmul__ = None  # a tuple would repeat itself

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.slope + other.slope if other.slope else self.slope)

    def __mul__(self, other: Dual) -> Dual:
        if not self.slope and not other.slope:  # as nearly always
            return Dual(self.value * other.value, self.slope)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def power(self, exponent: int) -> Dual:
        """The integer power."""
        if exponent == 0:
            return Dual(self.value**0, self.slope * 0)
        return Dual(self.value**exponent, exponent * self.value ** (exponent - 1) * self.slope)


Function = Callable[[Any, int], Any]


class Numbers:
    """Plain numbers."""

    @staticmethod
    def lift(number: Any, zero: Any) -> Any:
        """A number as one of this kind."""
        return number

    @staticmethod
    def power(base: Any, exponent: int) -> Any:
        """The integer power."""
        return base**exponent

    @staticmethod
    def apply(function: Function, order: int, argument: Any) -> Any:
        """A function, or its derivative of that order, at an argument."""
        return function(argument, order)

    @staticmethod
    def kinked(function: Callable, items: Sequence[Any], what: Any) -> Any:
        """A function of several arguments without a derivative everywhere, such as the largest of them."""
        return function(items)


class Duals:
    """Dual numbers."""

    lift = staticmethod(Dual)

    @staticmethod
    def power(base: Dual, exponent: int) -> Dual:
        """The integer power."""
        return base.power(exponent)

    @staticmethod
    def apply(function: Function, order: int, argument: Dual) -> Dual:
        """A function, or its derivative of that order, at an argument."""
        value, slope = argument
        return Dual(function(value, order), function(value, order + 1) * slope if slope else slope)

    @staticmethod
    def kinked(function: Callable, items: Sequence[Dual], what: Any) -> Dual:
        """A function without a derivative everywhere, of constants; DerivationError for anything else."""
        if any(item.slope != 0 for item in items):
            raise DerivationError(f"no derivative of {what} is taken: it has a kink")
        return Dual(function([item.value for item in items]), items[0].slope)
