"""Formulas evaluated, in numbers or dual numbers, over whatever numbers a witness supplies for the quantities.

A witness is something that knows the value of every element of a system and of every derivative symbol: the
unrolled system itself (`unroll.Unrolled`, exact) or a numeric model's trace (`throughtime.bridge`, floating point).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from sympy import Expr, Integer

from .compiled import Compiler, Env, Place
from .domains import Dimension, Index
from .dual import Dual, Duals, Numbers
from .errors import DerivationError
from .nodes import Applied, Bound, DerivativeSymbol, Quantity, Ref
from .rewrite import free

Key = tuple
Leaf = Callable[[Ref, Env], "Dual"]


class OutOfRange(Exception):
    """A formula reads a given sequence, or a node, outside the times 1..length; such places are not compared."""


class Unreadable(DerivationError):
    """This witness cannot tell the value of a derivative symbol; others can."""


class Witness:
    """Evaluates formulas; a subclass supplies numbers, functions, elements and derivative symbols."""

    sizes: dict[Dimension, Integer]
    length: int

    def number(self, value: Fraction) -> Any:
        """A rational as one of the witness's numbers."""
        raise NotImplementedError

    def function(self, applied: Applied, places: tuple[int, ...]) -> Callable[[Any, int], Any]:
        """The activation of one unit, as `(z, order) -> number`."""
        raise NotImplementedError

    def element(self, key: Key) -> Any:
        """The value of one element of a quantity: (quantity, *indices, time)."""
        raise NotImplementedError

    def derivative(self, node: DerivativeSymbol, env: Env) -> Any:
        """The value of a derivative symbol."""
        raise NotImplementedError

    def value(self, expr: Expr, env: Env) -> Any:
        """The value of a formula, derivative symbols included, for the given indices and times."""
        return self._in_numbers(expr)(env, None)

    def evaluate(self, expr: Expr, env: Env, leaf: Leaf) -> Dual:
        """A formula in dual numbers; `leaf` gives the quantities."""
        return self._in_duals(expr)(env, leaf)

    @cached_property
    def _in_numbers(self) -> Compiler:
        return Compiler(self, Numbers)

    @cached_property
    def _in_duals(self) -> Compiler:
        return Compiler(self, Duals)

    def key(self, ref: Ref, env: Env) -> Key:
        """The element a reference means."""
        quantity, places = self.positions(ref)
        return (quantity, *[place(env) for place in places])

    def positions(self, ref: Ref) -> tuple[Quantity, list[Place]]:
        """What a reference refers to: the quantity, and each index and time as a function of the letters in it."""
        made = self._references.get(ref)
        if made is None:
            made = self._references[ref] = (ref.quantity, [self.position(arg) for arg in ref.args[1:]])
        return made

    @cached_property
    def _references(self) -> dict[Ref, tuple[Quantity, list[Place]]]:
        return {}

    def integer(self, expr: Expr, env: Env) -> int:
        """An index, a time or a dimension as an integer."""
        return self.position(expr)(env)

    def position(self, expr: Expr) -> Place:
        """An index, a time or a dimension as a function of the letters in it."""
        if expr not in self._positions:
            self._positions[expr] = self._position(expr)
        return self._positions[expr]

    @cached_property
    def _positions(self) -> dict[Expr, Place]:
        return {}

    def _position(self, expr: Expr) -> Place:
        if expr.is_Integer:
            number = int(expr)
            return lambda env: number
        sized = expr.xreplace(self.sizes).expand()
        slopes = dict(sized.as_coefficients_dict())
        first = slopes.pop(Integer(1), Integer(0))
        simple = all(letter.is_Atom and letter.is_integer for letter in slopes)
        if not simple or not all(slope.is_Integer for slope in (first, *slopes.values())):
            return lambda env: self._substituted(expr, env)
        whole, terms = int(first), [(letter, int(slope)) for letter, slope in slopes.items()]

        def several(env: Env) -> int:
            total = whole
            for letter, slope in terms:
                value = env.get(letter)
                if value is None or not value.is_Integer:
                    return self._substituted(expr, env)
                total += slope * value.p
            return total

        if [slope for _, slope in terms] != [1]:
            return several
        letter = terms[0][0]

        def single(env: Env) -> int:  # as nearly always
            value = env.get(letter)
            if value is None or not value.is_Integer:
                return self._substituted(expr, env)
            return value.p + whole

        return single

    def _substituted(self, expr: Expr, env: Env) -> int:
        value = expr.xreplace(self.sizes).xreplace(env)
        if not value.is_Integer:
            raise DerivationError(f"no value for {value}, known are {sorted(map(str, env))}")
        return int(value)

    def range_of(self, node: Bound, env: Env) -> range:
        """What a sum or product runs over."""
        if node.limits:
            lower, upper = (self.integer(limit, env) for limit in node.limits)
            return range(lower, upper + 1)
        return self.elements(node.index)

    def elements(self, index: Index) -> range:
        """The elements that an index runs over."""
        if index not in self._elements:
            self._elements[index] = index.domain.elements(self.sizes)
        return self._elements[index]

    @cached_property
    def _elements(self) -> dict[Index, range]:
        return {}

    def places(self, indices) -> Iterator[Env]:
        """Every assignment of elements to the given indices."""
        indices = list(indices)
        for chosen in product(*(self.elements(index) for index in indices)):
            yield dict(zip(indices, map(Integer, chosen), strict=True))

    def environments(self, *formulas: Expr, times: dict[Expr, range] | None = None) -> Iterator[Env]:
        """Every assignment to the free indices and times of some formulas."""
        letters = sorted(set().union(*(free(f) for f in formulas)), key=str)
        units = [letter for letter in letters if isinstance(letter, Index)]
        whens = [letter for letter in letters if not isinstance(letter, Index) and letter not in self.sizes]
        times = times or {}
        starts = (0 if when.is_nonnegative and not when.is_positive else 1 for when in whens)
        spans = [times.get(when, range(s, self.length + 1)) for when, s in zip(whens, starts, strict=True)]
        for env in self.places(units):
            for chosen in product(*spans):
                yield {**env, **dict(zip(whens, map(Integer, chosen), strict=True))}
