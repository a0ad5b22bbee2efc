"""Formulas as a source prints them, judged by what they read: an index may leave its range, and that is noticed."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Equality, Expr

from ..derivation.evaluate import Env, OutOfRange, Witness
from ..derivation.nodes import Applied

TOLERANCE = 1e-12


def equals(left: Expr, right: Expr) -> Equality:
    """An equation as a source prints it."""
    return Equality(left, right, evaluate=False)


class NoSuchElement(LookupError):
    """A formula reads an element that a vector or a matrix does not have."""


@dataclass
class Reading(Witness):
    """Another witness of a forward pass, read under the names of a source: a subclass says by which elements."""

    of: Witness

    def __post_init__(self) -> None:
        self.sizes, self.length = self.of.sizes, self.of.length

    def number(self, value):
        return self.of.number(value)

    def function(self, applied: Applied, places: tuple[int, ...]):
        return self.of.function(applied, places)

    def derivative(self, node, env: Env):
        raise NotImplementedError("the forward pass has no derivatives")


def holds_on(reading: Reading, equation: Equality) -> bool:
    """Whether an equation holds at every time of the sequence, and reads only what there is."""
    compared = 0
    for env in reversed([*reading.environments(*equation.args)]):  # late times tell most: at time 0 all is 0
        try:
            left, right = (reading.value(side, env) for side in equation.args)
        except OutOfRange:
            continue
        except NoSuchElement:
            return False
        if abs(left - right) > TOLERANCE * max(1, abs(left)):
            return False
        compared += 1
    return compared > 0
