"""Functions with rules of their own: exp, log and sqrt; and the larger and the smaller of two formulas.

Of such a function the engine knows the slope and nothing else: not that exp(a + b) = exp(a) exp(b), nor that
sqrt(a) sqrt(a) = a. Its values at different points are independent numbers on the exact instances, so what holds there
and in general holds for the function; what needs such an identity is not proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sympy import Expr

from throughtime.derivation.formulas.nodes import Activation

Numbers = Callable[[Any, int], Any]  # (z, order) -> number


class Elementary(Activation):
    """A function f with f' = `rule(f(z), z)`, where the rule works on formulas and on numbers alike."""

    def __new__(cls, name: str, rule: Callable[[Any, Any], Any], latex: str):
        self = super().__new__(cls, name, latex=latex)
        self.rule = rule
        return self

    def numbers(self, value: Numbers) -> Numbers:
        """The function and its first derivative by the rule, where `value` gives the function itself."""
        return lambda z, order: self.rule(value(z, 0), z) if order else value(z, 0)

    def real(self, z: float, order: int) -> float:
        """The function itself in floating point. ArithmeticError where it has no real value."""
        try:
            return getattr(math, self.name)(z)
        except ValueError as error:
            raise ArithmeticError(f"{self.name} of {z}") from error


exp = Elementary("exp", lambda value, z: value, r"\exp")
log = Elementary("log", lambda value, z: 1 / z, r"\log")
sqrt = Elementary("sqrt", lambda value, z: 1 / (2 * value), r"\operatorname{sqrt}")
positive = Activation("positive", latex=r"\operatorname{pos}")
"""The positive part, max(z, 0); its slope at 0 is what a model says that it is."""


def larger(left: Expr, right: Expr) -> Expr:
    """The maximum of two formulas, as right + positive(left - right).

    Where they are equal the slope by `left` is positive'(0) and that by `right` is 1 - positive'(0): 1 and 0, 0 and 1
    or a half each, as `positive` is implemented. What the engine derives holds for each of these.
    """
    return right + positive(left - right)


def smaller(left: Expr, right: Expr) -> Expr:
    """The minimum of two formulas, as left - positive(left - right); at ties see `larger`."""
    return left - positive(left - right)
