"""Twin of a program: its system on the same parameters and inputs, for derivatives that a trace cannot give.

A program shows its states, and the complex step its derivatives by what it is given; not those by a node inside it,
as adjoint equations need them. Where the program computes what the system defines, number by number, these are the
derivatives of the definitions at its numbers, by brute force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sympy import Expr, Integer

from throughtime.derivation.deriving.system import System
from throughtime.derivation.evaluating.evaluate import Evaluator, Key
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.errors import CheckError, UndefinedQuantityError
from throughtime.derivation.formulas.nodes import Applied, Quantity, Ref, every
from throughtime.derivation.judging.checks import close


@dataclass(eq=False)
class Twin(ExactInstance):
    """The system unrolled on what a `program` is given, with its activations."""

    program: Evaluator = field(kw_only=True)
    number: Callable[[Fraction], Any] = float

    def __post_init__(self) -> None:
        super().__post_init__()
        self.hidden = self._hidden()

    def _given(self, key: Key) -> Any:
        self._check_place(key)
        return self.program.element(key)

    def function(self, applied: Applied, places: tuple[int, ...]) -> Callable:
        """The activation of the program."""
        return self.program.function(applied, places)

    def _hidden(self) -> dict[Quantity, UndefinedQuantityError]:
        """The quantities that the program does not show. CheckError where it shows another value than the system's."""
        hidden: dict[Quantity, UndefinedQuantityError] = {}
        for key, value in self.trace.items():
            try:
                own = self.program.element(key)
            except UndefinedQuantityError as error:
                hidden[key[0]] = error
                continue
            if not close(own, value):
                where = Ref(key[0], *map(Integer, key[1:]))
                raise CheckError(f"model: {where} is {own:.6g}, by the definitions of {self.system.name} {value:.6g}")
        return hidden

    def check_shown(self, formulas: Iterable[Expr]) -> None:
        """UndefinedQuantityError if a formula speaks of a quantity that the program does not show."""
        for quantity in every(Quantity, *formulas):
            if quantity in self.hidden:
                raise self.hidden[quantity]


def twin(system: System, program: Evaluator) -> Twin:
    """The twin of a program that computes a system. CheckError where it does not."""
    sizes = {dimension: size for dimension, size in program.sizes.items() if dimension != LENGTH}
    return Twin(system, sizes, program.length, program=program)
