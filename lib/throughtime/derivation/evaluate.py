"""Formulas evaluated in dual numbers, over whatever numbers a witness supplies for the quantities.

A witness is something that knows the value of every element of a system and of every derivative symbol: the
unrolled system itself (`unroll.Unrolled`, exact) or a numeric model's trace (`throughtime.bridge`, floating point).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import Add, Expr, Integer, Max, Mul, Pow

from .domains import Dimension, Index
from .errors import DerivationError
from .nodes import Applied, Bound, Constant, Delta, DerivativeSymbol, Modulus, Paths, Ref, Sigma
from .rewrite import free

Key = tuple
Env = dict[Expr, Integer]
Leaf = Callable[[Ref, Env], "Dual"]


@dataclass(frozen=True)
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
        if exponent == 0:
            return Dual(self.value**0, self.slope * 0)
        return Dual(self.value**exponent, exponent * self.value ** (exponent - 1) * self.slope)


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
        return self.evaluate(expr, env, lambda ref, at: Dual(self.element(self.key(ref, at)), 0)).value

    def key(self, ref: Ref, env: Env) -> Key:
        """The element a reference means."""
        return (ref.quantity, *(self.integer(arg, env) for arg in ref.args[1:]))

    def integer(self, expr: Expr, env: Env) -> int:
        """An index, a time or a dimension as an integer."""
        value = env.get(expr, expr)  # a bare letter, as nearly always, needs no substitution
        if value.is_Integer:
            return int(value)
        whole, slopes = self._sized(expr)
        if slopes is not None and all(letter in env for letter, _ in slopes):
            return whole + sum(slope * int(env[letter]) for letter, slope in slopes)
        value = expr.xreplace(self.sizes).xreplace(env)
        if not value.is_Integer:
            raise DerivationError(f"no value for {value}, known are {sorted(map(str, env))}")
        return int(value)

    def _sized(self, expr: Expr) -> tuple[int, tuple[tuple[Expr, int], ...] | None]:
        """A place or time as a number and multiples of letters, the sizes put in; None where it is no such sum."""
        known = self.__dict__.setdefault("_places", {})
        if expr not in known:
            slopes = dict(expr.xreplace(self.sizes).expand().as_coefficients_dict())
            whole = slopes.pop(Integer(1), Integer(0))
            letters = all(letter.is_Atom and letter.is_integer for letter in slopes)
            simple = letters and all(slope.is_Integer for slope in (whole, *slopes.values()))
            terms = tuple((letter, int(slope)) for letter, slope in slopes.items())
            known[expr] = (int(whole), terms) if simple else (0, None)
        return known[expr]

    def range_of(self, node: Bound, env: Env) -> range:
        """What a sum or product runs over."""
        if node.limits:
            lower, upper = (self.integer(limit, env) for limit in node.limits)
            return range(lower, upper + 1)
        return self.elements(node.index)

    def elements(self, index: Index) -> range:
        """The elements that an index runs over."""
        known = self.__dict__.setdefault("_elements", {})
        if index not in known:
            known[index] = index.domain.elements(self.sizes)
        return known[index]

    def evaluate(self, expr: Expr, env: Env, leaf: Leaf) -> Dual:
        """A formula in dual numbers; `leaf` gives the quantities."""
        if isinstance(expr, Ref):
            return leaf(expr, env)
        one, zero = self._one_and_zero()
        if expr.is_Rational:
            return Dual(self.number(Fraction(int(expr.p), int(expr.q))), zero)
        if isinstance(expr, Add):
            first, *rest = expr.args
            total = self.evaluate(first, env, leaf)
            for arg in rest:
                total = total + self.evaluate(arg, env, leaf)
            return total
        if isinstance(expr, Mul):
            if any(self._unequal(arg, env) for arg in expr.args if isinstance(arg, Delta)):
                return Dual(zero, zero)
            first, *rest = expr.args
            total = self.evaluate(first, env, leaf)
            for arg in rest:
                total = total * self.evaluate(arg, env, leaf)
            return total
        if isinstance(expr, Pow):
            return self.evaluate(expr.base, env, leaf).power(self.integer(expr.exp, env))
        if isinstance(expr, Applied):
            inner = self.evaluate(expr.argument, env, leaf)
            function = self.function(expr, tuple(self.integer(i, env) for i in expr.indices))
            return Dual(function(inner.value, expr.order), function(inner.value, expr.order + 1) * inner.slope)
        if isinstance(expr, Bound):
            total = Dual(zero, zero) if isinstance(expr, Sigma) else Dual(one, zero)
            for place in self.range_of(expr, env):
                item = self.evaluate(expr.body, {**env, expr.index: Integer(place)}, leaf)
                total = total + item if isinstance(expr, Sigma) else total * item
            return total
        if isinstance(expr, Paths):
            return self._paths(expr, env, leaf)
        if isinstance(expr, Delta):
            return Dual(zero if self._unequal(expr, env) else one, zero)
        if isinstance(expr, DerivativeSymbol):
            return Dual(self.derivative(expr, env), zero)
        if isinstance(expr, Modulus | Max):
            items = [self.evaluate(arg, env, leaf) for arg in expr.args]
            if any(item.slope != 0 for item in items):
                raise DerivationError(f"no derivative of {expr} is taken: it has a kink")
            return Dual(abs(items[0].value) if isinstance(expr, Modulus) else max(i.value for i in items), zero)
        if isinstance(expr, Constant):
            return Dual(self.number(Fraction(int(expr.value.p), int(expr.value.q))), zero)
        if isinstance(expr, Dimension):
            return Dual(self.number(Fraction(self.sizes[expr])), zero)
        if expr.is_Symbol and expr.is_integer:
            return Dual(self.number(Fraction(self.integer(expr, env))), zero)
        raise DerivationError(f"cannot evaluate {type(expr).__name__}: {expr}")

    def _one_and_zero(self) -> tuple[Any, Any]:
        if "_units" not in self.__dict__:
            one = self.number(Fraction(1))
            self.__dict__["_units"] = (one, one * 0)
        return self.__dict__["_units"]

    def _unequal(self, delta: Delta, env: Env) -> bool:
        left, right = (self.integer(arg, env) for arg in delta.args)
        return left != right

    def _paths(self, expr: Paths, env: Env, leaf: Leaf) -> Dual:
        """All paths at once: link by link, what has arrived at each letter."""
        one = self.number(Fraction(1))
        zero = Dual(one * 0, one * 0)
        letters = [Integer(place) for place in expr.after.domain.elements(self.sizes)]
        arrived = {Integer(self.integer(expr.start, env)): Dual(one, one * 0)}
        for number in range(1, self.integer(expr.steps, env) + 1):
            at = {**env, expr.count: Integer(number)}
            following = dict.fromkeys(letters, zero)
            for before, so_far in arrived.items():
                for after in letters:
                    link = self.evaluate(expr.link, {**at, expr.before: before, expr.after: after}, leaf)
                    following[after] = following[after] + so_far * link
            arrived = following
        return arrived.get(Integer(self.integer(expr.end, env)), zero)

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
