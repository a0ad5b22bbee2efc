"""Evaluation of formulas, in dual numbers, over the numbers that a witness supplies for the quantities.

A witness knows the value of every element of a system and of every derivative symbol: the unrolled system itself
(`unroll.ExactInstance`, exact) or a numeric model's trace (`throughtime.evidence.trace`, floating point).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any

from sympy import Expr, Integer

from throughtime.derivation.evaluating.compiled import Compiler, Dual, Env, Key, Leaf, Witness
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.given import expression
from throughtime.derivation.formulas.nodes import Ref
from throughtime.derivation.formulas.rewrite import free


class OutOfRange(DerivationError):
    """A formula reads a given or computed element, `key`, outside the sequence; such places are not compared."""

    def __init__(self, said: str, key: Key = ()):
        super().__init__(said)
        self.key = key


class Undefined(DerivationError):
    """A formula has no value at a place, as where it divides by a state that begins at 0."""


class Unreadable(DerivationError):
    """This kind of witness has no value for a derivative symbol; others may have one."""


class Evaluator(Witness):
    """Base of evaluators of formulas."""

    def value(self, expr: Expr, env: Env) -> Any:
        """The value of a formula, derivative symbols included, for the given indices and times."""
        return self.evaluate(expression(expr, "formula"), env, self.at_rest).value

    def evaluate(self, expr: Expr, env: Env, leaf: Leaf) -> Dual:
        """A formula in dual numbers; `leaf` gives the quantities. Undefined where the formula has no value."""
        try:
            function = self._compiled(expr)
            found = function(self._compiled.values(expr, env), leaf)
        except ArithmeticError as error:
            where = ", ".join(f"{letter}={value}" for letter, value in env.items())
            raise Undefined(f"{expr} has no value at {where} ({error})") from error
        return found if isinstance(found, Dual) else Dual(found, self._compiled.zero)

    @cached_property
    def _compiled(self) -> Compiler:
        return Compiler(self)

    @property
    def met(self) -> dict[Expr, bool]:
        """Whether the conditions in the formulas evaluated so far were ever met (`Compiler.met`)."""
        return self._compiled.met

    def key(self, ref: Ref, env: Env) -> Key:
        """The element that a reference denotes: (quantity, *indices, time)."""
        places = [*map(self._compiled.place, ref.args[1:])]
        values = self._compiled.values(ref, env)
        return (ref.quantity, *[place(values) for place in places])

    def places(self, letters: Sequence[Expr]) -> Iterator[Env]:
        """Every assignment of elements to some indices and of times to some times."""
        for chosen in product(*map(self.range, letters)):
            yield dict(zip(letters, map(Integer, chosen), strict=True))

    def environments(self, *formulas: Expr) -> Iterator[Env]:
        """Every assignment to the free indices and times of some formulas."""
        return self.places(self.letters(*formulas))

    def letters(self, *formulas: Expr) -> list[Expr]:
        """The free indices of some formulas, then their times."""
        return sorted(set().union(*map(free, formulas)), key=lambda one: (not isinstance(one, Index), str(one)))

    def range(self, letter: Expr) -> range:
        """Range of a letter: the elements of an index, or the times of a time."""
        if isinstance(letter, Index):
            return self.elements(letter)
        return range(0 if letter.is_nonnegative and not letter.is_positive else 1, self.length + 1)

    def reader(self, expr: Expr, letters: Sequence[Expr]) -> Callable[[Sequence[int]], Any]:
        """A formula as a function of the numbers of its letters; None where it has no value."""
        function, at_rest = self._compiled(expression(expr, "formula")), self.at_rest
        slots = self._compiled.slots(letters)

        def read(numbers: Sequence[int]) -> Any:
            try:
                return function(slots(numbers), at_rest)
            except (ArithmeticError, Undefined):
                return None

        return read
