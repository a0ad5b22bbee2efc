"""Formulas compiled to Python functions that give numbers or dual numbers, so that each is traversed only once.

A compiled formula is called as `function(values, leaf)`, where `values` is a list with the value of every free letter,
each at the place that the compiler gives it, and `leaf(ref, key)` is the number of an element of a quantity, or the
dual number of one that moves. A number without a slope stays a number: most formulas are evaluated where nothing moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, reduce
from operator import add, itemgetter, mul
from typing import Any

from sympy import Add, Expr, Integer, Max, Mul, Pow, Rational, Symbol

from throughtime.derivation.evaluating.rationals import exact
from throughtime.derivation.formulas.domains import Dimension, Index, row
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.functions import FUNCTIONS, way_out
from throughtime.derivation.formulas.nodes import Applied, Bound, Constant, Delta, DerivativeSymbol, Modulus, Paths, Ref
from throughtime.derivation.formulas.rewrite import counts, free


@dataclass(slots=True)
class Dual:
    """Dual number value + slope * e, with e * e = 0; a plain number beside it has slope 0.

    >>> from throughtime.derivation import Dual
    >>> x = Dual(3, 1)
    >>> square = x * x + 1
    >>> print(square.value, square.slope)
    10 6
    """

    value: Any
    slope: Any

    __array_ufunc__ = None  # NumPy's numbers leave sums and products to this class

    def __add__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.slope + other.slope)
        return Dual(self.value + other, self.slope)

    def __mul__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)
        return Dual(self.value * other, self.slope * other)

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, exponent: int) -> Dual:
        if exponent == 0:
            return Dual(self.value**0, self.slope * 0)
        return Dual(self.value**exponent, exponent * self.value ** (exponent - 1) * self.slope)

    def applied(self, function: Callable[[Any, int], Any], order: int) -> Dual:
        """The derivative of that order of a function `(z, order) -> number`, at this number."""
        slope = self.slope and function(self.value, order + 1) * self.slope
        return Dual(function(self.value, order), slope)


Key = tuple  # of an element: (quantity, *indices, time)
Leaf = Callable[[Ref, Key], Any]  # a number, or a dual number where the element moves
Env = dict[Expr, int | Integer]
Values = list  # an int for each letter that has a value
Place = Callable[[Values], int]
Function = Callable[[Values, Callable], Any]
MOST = 5_000  # formulas kept at once


class Witness:
    """What formulas are evaluated on; a subclass supplies numbers, functions, elements and derivative symbols."""

    sizes: dict[Dimension, Integer]
    length: int

    def number(self, value: Any, /) -> Any:
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

    @cached_property
    def at_rest(self) -> Leaf:
        """The elements themselves, as plain numbers."""
        return lambda ref, key: self.element(key)

    @cached_property
    def elements(self) -> Callable[[Index], range]:
        """Elements over which an index runs."""
        return cache(lambda index: index.domain.elements(self.sizes))


class Compiler:
    """Compiles formulas for one witness, and keeps the functions.

    `met` says of each compiled delta, product with factors that `counts`, and range of times whether these factors were
    ever other than 0, the range ever not empty: where none was, nothing was asked of the rest.
    """

    def __init__(self, witness: Witness):
        self.witness = witness
        self.met: dict[Expr, bool] = {}
        self.one, self.zero = self._lifted(1), self._lifted(0)
        self.letters: dict[Expr, int] = {}  # the place of each in the list of values
        self._function = lru_cache(MOST)(self._remembered)
        self.place, self.free = cache(self._place), lru_cache(MOST)(lambda expr: tuple(free(expr)))

    def __call__(self, expr: Expr) -> Function:
        """The function of a formula; DerivationError for a node that has no rule."""
        return self._function(expr)

    def values(self, expr: Expr, env: Env) -> Values:
        """The values of the letters of a compiled formula. DerivationError for one that has none."""
        letters = self.free(expr)
        if missing := [letter for letter in letters if letter not in env]:
            raise DerivationError(f"no value for {missing[0]}, known are {sorted(map(str, env))}")
        return self.slots(letters)([int(env[letter]) for letter in letters])

    def slots(self, letters: Sequence[Expr]) -> Callable[[Sequence[int]], Values]:
        """The list of values in which some letters, which compiled formulas read, have given numbers."""
        places = [*map(self._letter, letters)]

        def filled(numbers: Sequence[int]) -> Values:
            values: Values = [None] * len(self.letters)
            for place, number in zip(places, numbers, strict=True):
                values[place] = number
            return values

        return filled

    def _letter(self, letter: Expr) -> int:
        return self.letters.setdefault(letter, len(self.letters))

    def _place(self, expr: Expr) -> Place:
        """Value of an index, a time or a dimension as a function of the letters in it."""
        slopes = dict(expr.xreplace(self.witness.sizes).expand().as_coefficients_dict())
        first = slopes.pop(Integer(1), Integer(0))
        linear = all(letter.is_Atom and letter.is_integer for letter in slopes)
        if not linear or not all(slope.is_Integer for slope in (first, *slopes.values())):
            return self._substituted(expr)
        constant, terms = int(first), [(self._letter(letter), int(slope)) for letter, slope in slopes.items()]
        if not terms:
            return lambda values: constant
        if [slope for _, slope in terms] != [1]:
            return lambda values: constant + sum([slope * values[at] for at, slope in terms])
        at = terms[0][0]
        return (lambda values: values[at] + constant) if constant else itemgetter(at)

    def _substituted(self, expr: Expr) -> Place:
        letters = [(letter, self._letter(letter)) for letter in free(expr)]

        def place(values: Values) -> int:
            value = expr.xreplace(self.witness.sizes).xreplace({letter: Integer(values[at]) for letter, at in letters})
            if not value.is_Integer:
                raise DerivationError(f"no value for {value}, expected an integer")
            return int(value)

        return place

    def _remembered(self, expr: Expr) -> Function:
        """The function of a formula; it keeps its values on the witness itself, since mutants share most parts."""
        function, at_rest = row(RULES, expr)(self, expr), self.witness.at_rest
        if not expr.args:
            return function
        letters, kept = [self._letter(letter) for letter in self.free(expr)], {}
        place = itemgetter(*letters) if letters else len

        def value(values: Values, leaf: Callable) -> Any:
            if leaf is not at_rest:
                return function(values, leaf)
            at = place(values)
            if at not in kept:
                kept[at] = function(values, leaf)
            return kept[at]

        return value

    def _lifted(self, value: Rational | int) -> Any:
        """A rational as a number of the witness."""
        return self.witness.number(exact(value))

    def _quantity(self, expr: Ref) -> Function:
        quantity, places = expr.quantity, [*map(self.place, expr.args[1:])]
        return lambda values, leaf: leaf(expr, (quantity, *[place(values) for place in places]))

    def _number(self, value: Rational) -> Function:
        made = self._lifted(value)
        return lambda values, leaf: made

    def _integer(self, expr: Expr) -> Function:
        if not expr.is_integer:
            return self._refused(expr)
        place = self.place(expr)
        return lambda values, leaf: self._lifted(place(values))

    def _refused(self, expr: Expr) -> Function:
        raise DerivationError(f"cannot evaluate {type(expr).__name__}: {expr}; {way_out(expr)}")

    def _sum(self, expr: Add) -> Function:
        terms = [self(arg) for arg in expr.args]
        return lambda values, leaf: reduce(add, [term(values, leaf) for term in terms])

    def _product(self, expr: Mul) -> Function:
        deltas = [self._equal(arg) for arg in expr.args if isinstance(arg, Delta)]
        numbers = [self(arg) for arg in expr.args if counts(arg) and not isinstance(arg, Delta)]
        factors = [self(arg) for arg in expr.args if not isinstance(arg, Delta)]
        zero, one, met = self.zero, self.one, self.met
        if conditional := bool(deltas or numbers):
            met.setdefault(expr, False)

        def total(values: Values, leaf: Callable) -> Any:
            if not all(equal(values) for equal in deltas):
                return zero
            if conditional and not met[expr]:
                met[expr] = all(number(values, leaf) for number in numbers)
            return reduce(mul, [factor(values, leaf) for factor in factors]) if factors else one

        return total

    def _power(self, expr: Pow) -> Function:
        if expr.exp.is_Rational and not expr.exp.is_Integer:
            raise DerivationError(f"cannot evaluate the root {expr}; {FUNCTIONS}")
        if expr.exp.has(Ref):
            raise DerivationError(f"cannot evaluate the power {expr}; {way_out(expr)}")
        base, exponent = self(expr.base), self.place(expr.exp)
        return lambda values, leaf: base(values, leaf) ** exponent(values)

    def _derivative(self, expr: DerivativeSymbol) -> Function:
        letters = [(letter, self._letter(letter)) for letter in self.free(expr)]
        return lambda values, leaf: self.witness.derivative(expr, {letter: values[at] for letter, at in letters})

    def _applied(self, expr: Applied) -> Function:
        argument, order = self(expr.argument), expr.order
        places = [self.place(index) for index in expr.indices]

        def value(values: Values, leaf: Callable) -> Any:
            at, unit = argument(values, leaf), tuple([place(values) for place in places])
            function = self.witness.function(expr, unit)
            return at.applied(function, order) if isinstance(at, Dual) else function(at, order)

        return value

    def _bound(self, expr: Bound) -> Function:
        body, at, limits = self(expr.body), self._letter(expr.index), [self.place(limit) for limit in expr.limits]
        elements = () if limits else self.witness.elements(expr.index)
        combined, start = expr.operation, self.zero if expr.operation is add else self.one
        met = self.met
        if limits:
            met.setdefault(expr, False)

        def total(values: Values, leaf: Callable) -> Any:
            places = range(limits[0](values), limits[1](values) + 1) if limits else elements
            outside, result = values[at], start
            for values[at] in places:
                result = combined(result, body(values, leaf))
            values[at] = outside
            if limits and places:  # and all its terms could be read
                met[expr] = True
            return result

        return total

    def _paths(self, expr: Paths) -> Function:
        """All paths at once: after each link, the sum over the paths that end at each unit."""
        link, start, end, steps = self(expr.link), *map(self.place, (expr.start, expr.end, expr.steps))
        count, before, after = map(self._letter, (expr.count, expr.before, expr.after))
        units = self.witness.elements(expr.after)

        def total(values: Values, leaf: Callable) -> Any:
            first, last, number, inner = start(values), end(values), steps(values), values.copy()
            arrived = {first: self.one}
            for inner[count] in range(1, number + 1):
                following = dict.fromkeys(units, self.zero)
                for inner[before], so_far in arrived.items():
                    for inner[after] in units:
                        following[inner[after]] += so_far * link(inner, leaf)
                arrived = following
            return arrived.get(last, self.zero)

        return total

    def _delta(self, expr: Delta) -> Function:
        equal, zero, one, met = self._equal(expr), self.zero, self.one, self.met
        met.setdefault(expr, False)

        def value(values: Values, leaf: Callable) -> Any:
            if not equal(values):
                return zero
            met[expr] = True
            return one

        return value

    def _equal(self, delta: Delta) -> Callable[[Values], bool]:
        left, right = map(self.place, delta.args)
        return lambda values: left(values) == right(values)

    def _kinked(self, expr: Expr) -> Function:
        parts, modulus = [self(arg) for arg in expr.args], isinstance(expr, Modulus)

        def value(values: Values, leaf: Callable) -> Any:
            items = [part(values, leaf) for part in parts]
            if any(isinstance(item, Dual) and item.slope != 0 for item in items):
                raise DerivationError(f"no derivative of {expr} is taken: it has a kink; {way_out(expr)}")
            numbers = [item.value if isinstance(item, Dual) else item for item in items]
            return abs(numbers[0]) if modulus else max(numbers)

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
