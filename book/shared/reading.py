"""Formulas as a source prints them, evaluated on the quantities of another witness; an index may leave its range."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy import Equality, Expr
from throughtime.derivation import Applied, DerivativeSymbol, Env, Evaluator, close, holds_on


def equals(left: Expr, right: Expr) -> Equality:
    """An equation as a source prints it, not evaluated by SymPy."""
    return Equality(left, right, evaluate=False)


class NoSuchElement(LookupError):
    """A formula refers to an element that a vector or a matrix does not have."""


@dataclass
class SourceNotation(Evaluator):
    """The forward pass of another witness under the names of a source.

    A subclass defines `element(key)`, which raises NoSuchElement for an index out of range.
    """

    of: Evaluator

    def __post_init__(self) -> None:
        self.sizes, self.length = self.of.sizes, self.of.length

    def number(self, value: Fraction) -> Any:
        """A rational as one of the numbers of the other witness."""
        return self.of.number(value)

    def function(self, applied: Applied, places: tuple[int, ...]) -> Callable[[Any, int], Any]:
        """The activation of one unit; NoSuchElement for an order below 0, as a slip of the pen may have it."""
        if applied.order < 0:
            raise NoSuchElement(f"{applied}: no derivative of order {applied.order}")
        return self.of.function(applied, places)

    def derivative(self, node: DerivativeSymbol, env: Env) -> Any:
        """Raises NotImplementedError: a forward pass has no derivatives."""
        raise NotImplementedError("the forward pass has no derivatives")

    def holds(self, equation: Equality) -> bool:
        """Whether both sides are close wherever both can be evaluated, at one place at least, and every index fits."""
        try:
            return holds_on([self], [equation.args], close).passed is True
        except NoSuchElement:
            return False
