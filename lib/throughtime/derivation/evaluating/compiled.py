"""Formulas compiled to Python functions that give dual numbers, so that each is traversed only once.

A compiled formula is called as `function(env, leaf)`, where `env` has a value for every free letter and
`leaf(ref, key)` is the dual number of an element of a quantity. The function returns a dual number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add, mul
from typing import TYPE_CHECKING, Any

from sympy import Add, Expr, Integer, Max, Mul, Pow, Rational, Symbol

from throughtime.derivation.formulas.domains import Dimension, row
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.functions import FUNCTIONS, way_out
from throughtime.derivation.formulas.nodes import (
    Applied,
    Bound,
    Constant,
    Delta,
    DerivativeSymbol,
    Modulus,
    Paths,
    Ref,
    refs,
)
from throughtime.derivation.formulas.rewrite import counts, free

if TYPE_CHECKING:
    from throughtime.derivation.evaluating.evaluate import Evaluator


@dataclass(slots=True)
class Dual:
    """value + slope * e with e * e = 0."""

    value: Any
    slope: Any

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.slope + other.slope if other.slope else self.slope)

    def __mul__(self, other: Dual) -> Dual:
        if not self.slope and not other.slope:  # as nearly always
            return Dual(self.value * other.value, self.slope)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def power(self, exponent: int) -> Dual:
        """The integer power."""
        if exponent == 0 or not self.slope:
            return Dual(self.value**exponent, self.slope * 0)
        return Dual(self.value**exponent, exponent * self.value ** (exponent - 1) * self.slope)

    def applied(self, function: Callable[[Any, int], Any], order: int) -> Dual:
        """The derivative of that order of a function `(z, order) -> number`, at this number."""
        value, slope = self.value, self.slope
        return Dual(function(value, order), function(value, order + 1) * slope if slope else slope)


Env = dict[Expr, Integer]
Place = Callable[[Env], int]
Function = Callable[[Env, Callable], Dual]
MOST = 5_000  # formulas kept at once


class Compiler:
    """Compiles formulas for one witness, and keeps the functions.

    `met` says of each compiled delta, product with factors that `counts`, and range of times whether these factors were
    ever other than 0, the range ever not empty: where none was, nothing was asked of the rest.
    """

    def __init__(self, witness: Evaluator):
        self.witness = witness
        self.met: dict[Expr, bool] = {}
        self.one, self.zero = self._lifted(1), self._lifted(0)
        self._function = lru_cache(MOST)(self._remembered)

    def __call__(self, expr: Expr) -> Function:
        """The function of a formula; DerivationError for a node that has no rule."""
        return self._function(expr)

    def _remembered(self, expr: Expr) -> Function:
        """The function of a formula; it keeps its values on the witness itself, since mutants share most parts."""
        function, kept, at_rest, letters = row(RULES, expr)(self, expr), {}, self.witness.at_rest, tuple(free(expr))

        def value(env: Env, leaf: Callable) -> Dual:
            if leaf is not at_rest:
                return function(env, leaf)
            place = tuple([env.get(letter) for letter in letters])
            if place not in kept:
                kept[place] = function(env, leaf)
            return kept[place]

        return value if expr.args else function

    def _lifted(self, value: Rational | int) -> Dual:
        """A rational as a number of the witness with slope 0."""
        number = self.witness.number
        return Dual(number(Fraction(value)), number(Fraction(0)))

    def _quantity(self, expr: Ref) -> Function:
        quantity, places = expr.quantity, [*map(self.witness.position, expr.args[1:])]
        return lambda env, leaf: leaf(expr, (quantity, *[place(env) for place in places]))

    def _number(self, value: Rational) -> Function:
        made = self._lifted(value)
        return lambda env, leaf: made

    def _integer(self, expr: Expr) -> Function:
        if not expr.is_integer:
            return self._refused(expr)
        place = self.witness.position(expr)
        return lambda env, leaf: self._lifted(place(env))

    def _refused(self, expr: Expr) -> Function:
        raise DerivationError(f"cannot evaluate {type(expr).__name__}: {expr}; {way_out(expr)}")

    def _sum(self, expr: Add) -> Function:
        terms = [self(arg) for arg in expr.args]
        return lambda env, leaf: reduce(add, [term(env, leaf) for term in terms])

    def _product(self, expr: Mul) -> Function:
        deltas = [self._equal(arg) for arg in expr.args if isinstance(arg, Delta)]
        numbers = [self(arg) for arg in expr.args if counts(arg) and not isinstance(arg, Delta)]
        factors = [self(arg) for arg in expr.args if not isinstance(arg, Delta)]
        zero, one, met = self.zero, self.one, self.met
        if conditional := bool(deltas or numbers):
            met.setdefault(expr, False)

        def total(env: Env, leaf: Callable) -> Dual:
            if not all(equal(env) for equal in deltas):
                return zero
            if conditional and not met[expr]:
                met[expr] = all(number(env, leaf).value for number in numbers)
            return reduce(mul, [factor(env, leaf) for factor in factors]) if factors else one

        return total

    def _power(self, expr: Pow) -> Function:
        if expr.exp.is_Rational and not expr.exp.is_Integer:
            raise DerivationError(f"cannot evaluate the root {expr}; {FUNCTIONS}")
        if refs(expr.exp):
            raise DerivationError(f"cannot evaluate the power {expr}; {way_out(expr)}")
        base, exponent = self(expr.base), self.witness.position(expr.exp)
        return lambda env, leaf: base(env, leaf).power(exponent(env))

    def _derivative(self, expr: DerivativeSymbol) -> Function:
        return lambda env, leaf: Dual(self.witness.derivative(expr, env), self.zero.slope)

    def _applied(self, expr: Applied) -> Function:
        argument, order = self(expr.argument), expr.order
        places = [self.witness.position(index) for index in expr.indices]

        def value(env: Env, leaf: Callable) -> Dual:
            at, unit = argument(env, leaf), tuple([place(env) for place in places])
            return at.applied(self.witness.function(expr, unit), order)

        return value

    def _bound(self, expr: Bound) -> Function:
        body, index, limits = self(expr.body), expr.index, [self.witness.position(limit) for limit in expr.limits]
        elements = () if limits else self.witness.elements(index)
        combined, start = expr.operation, self.zero if expr.operation is add else self.one
        met = self.met
        if limits:
            met.setdefault(expr, False)

        def total(env: Env, leaf: Callable) -> Dual:
            places = range(limits[0](env), limits[1](env) + 1) if limits else elements
            if limits and places:
                met[expr] = True
            return reduce(combined, [body({**env, index: Integer(place)}, leaf) for place in places], start)

        return total

    def _paths(self, expr: Paths) -> Function:
        """All paths at once: after each link, the sum over the paths that end at each unit."""
        link, place = self(expr.link), self.witness.position
        start, end, steps = place(expr.start), place(expr.end), place(expr.steps)
        letters = list(map(Integer, self.witness.elements(expr.after)))

        def total(env: Env, leaf: Callable) -> Dual:
            arrived = {Integer(start(env)): self.one}
            for number in range(1, steps(env) + 1):
                following = dict.fromkeys(letters, self.zero)
                for before, so_far in arrived.items():
                    for after in letters:
                        at = {**env, expr.count: Integer(number), expr.before: before, expr.after: after}
                        following[after] = following[after] + so_far * link(at, leaf)
                arrived = following
            return arrived.get(Integer(end(env)), self.zero)

        return total

    def _delta(self, expr: Delta) -> Function:
        equal, zero, one, met = self._equal(expr), self.zero, self.one, self.met
        met.setdefault(expr, False)

        def value(env: Env, leaf: Callable) -> Dual:
            if not equal(env):
                return zero
            met[expr] = True
            return one

        return value

    def _equal(self, delta: Delta) -> Callable[[Env], bool]:
        left, right = map(self.witness.position, delta.args)
        return lambda env: left(env) == right(env)

    def _kinked(self, expr: Expr) -> Function:
        parts, modulus = [self(arg) for arg in expr.args], isinstance(expr, Modulus)

        def value(env: Env, leaf: Callable) -> Dual:
            items = [part(env, leaf) for part in parts]
            if any(item.slope != 0 for item in items):
                raise DerivationError(f"no derivative of {expr} is taken: it has a kink; {way_out(expr)}")
            return Dual(abs(items[0].value) if modulus else max(item.value for item in items), items[0].slope)

        return value


RULES: dict[type[Expr], Callable[[Compiler, Any], Function]] = {
    Add: Compiler._sum,
    Mul: Compiler._product,
    Pow: Compiler._power,
    Rational: Compiler._number,
    Symbol: Compiler._integer,
    Dimension: Compiler._integer,
    Constant: lambda compiler, expr: compiler._number(expr.value),
    Ref: Compiler._quantity,
    Applied: Compiler._applied,
    Delta: Compiler._delta,
    Bound: Compiler._bound,
    Paths: Compiler._paths,
    DerivativeSymbol: Compiler._derivative,
    Modulus: Compiler._kinked,
    Max: Compiler._kinked,
    Expr: Compiler._refused,
}
