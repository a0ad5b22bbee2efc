"""Formulas made into functions of the values of their letters, so that each is taken apart once, not at every place.

A compiled formula is called as `function(env, leaf)` with a value for every letter. `leaf` gives the quantities as dual
numbers; as plain numbers the witness gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sympy import Add, Expr, Integer, Max, Mul, Pow

from .domains import Dimension
from .dual import Duals, Numbers
from .errors import DerivationError
from .nodes import Applied, Bound, Constant, Delta, DerivativeSymbol, Modulus, Paths, Ref, Sigma

if TYPE_CHECKING:
    from .evaluate import Witness

Env = dict[Expr, Integer]
Place = Callable[[Env], int]
Function = Callable[[Env, Callable], Any]
MOST = 5_000  # formulas kept; what is needed again is made again
_INTEGERS = [Integer(number) for number in range(64)]


def whole(number: int) -> Integer:
    """An integer of SymPy's."""
    return _INTEGERS[number] if 0 <= number < 64 else Integer(number)


class Compiler:
    """Makes functions of formulas, over the numbers of a witness or over dual numbers, and keeps them."""

    def __init__(self, witness: Witness, kind: type[Numbers | Duals]):
        self.witness, self.kind = witness, kind
        one = witness.number(Fraction(1))
        self._zero = one * 0
        self.one, self.zero = kind.lift(one, self._zero), kind.lift(self._zero, self._zero)
        self._known: dict[Expr, Function] = {}

    def __call__(self, expr: Expr) -> Function:
        """The function of a formula."""
        function = self._known.get(expr)
        if function is None:
            if len(self._known) > MOST:
                self._known.clear()
            function = self._known[expr] = self._made(expr)
        return function

    def _made(self, expr: Expr) -> Function:
        if isinstance(expr, Ref):
            return self._quantity(expr)
        if expr.is_Rational:
            return self._number(Fraction(int(expr.p), int(expr.q)))
        if isinstance(expr, Add):
            return self._sum(expr)
        if isinstance(expr, Mul):
            return self._product(expr)
        if isinstance(expr, Pow):
            base, exponent, power = self(expr.base), self.witness.position(expr.exp), self.kind.power
            return lambda env, leaf: power(base(env, leaf), exponent(env))
        if isinstance(expr, Applied):
            return self._applied(expr)
        if isinstance(expr, Bound):
            return self._bound(expr)
        if isinstance(expr, Paths):
            return self._paths(expr)
        if isinstance(expr, Delta):
            return self._delta(expr)
        if isinstance(expr, DerivativeSymbol):
            derivative, lift, zero = self.witness.derivative, self.kind.lift, self._zero
            return lambda env, leaf: lift(derivative(expr, env), zero)
        if isinstance(expr, Modulus | Max):
            return self._kinked(expr)
        if isinstance(expr, Constant):
            return self._number(Fraction(int(expr.value.p), int(expr.value.q)))
        if isinstance(expr, Dimension) or (expr.is_Symbol and expr.is_integer):
            place, number, lift, zero = self.witness.position(expr), self.witness.number, self.kind.lift, self._zero
            return lambda env, leaf: lift(number(Fraction(place(env))), zero)
        raise DerivationError(f"cannot evaluate {type(expr).__name__}: {expr}")

    def _quantity(self, expr: Ref) -> Function:
        if self.kind is Duals:
            return lambda env, leaf: leaf(expr, env)
        element, quantity, places = self.witness.element, *self.witness.positions(expr)
        return lambda env, leaf: element((quantity, *[place(env) for place in places]))

    def _number(self, value: Fraction) -> Function:
        made = self.kind.lift(self.witness.number(value), self._zero)
        return lambda env, leaf: made

    def _sum(self, expr: Add) -> Function:
        first, *rest = map(self, expr.args)

        def total(env: Env, leaf: Callable) -> Any:
            found = first(env, leaf)
            for term in rest:
                found = found + term(env, leaf)
            return found

        return total

    def _product(self, expr: Mul) -> Function:
        deltas = [self._equal(arg) for arg in expr.args if isinstance(arg, Delta)]
        factors = [self(arg) for arg in expr.args if not isinstance(arg, Delta)]
        zero, one = self.zero, self.one
        first, rest = (factors[0], factors[1:]) if factors else (lambda env, leaf: one, [])

        def total(env: Env, leaf: Callable) -> Any:
            for equal in deltas:
                if not equal(env):
                    return zero
            found = first(env, leaf)
            for factor in rest:
                found = found * factor(env, leaf)
            return found

        return total

    def _applied(self, expr: Applied) -> Function:
        argument, places = self(expr.argument), [self.witness.position(index) for index in expr.indices]
        function, apply, order = self.witness.function, self.kind.apply, expr.order

        def value(env: Env, leaf: Callable) -> Any:
            at = argument(env, leaf)
            return apply(function(expr, tuple([place(env) for place in places])), order, at)

        return value

    def _bound(self, expr: Bound) -> Function:
        body, index, ranges = self(expr.body), expr.index, self.witness.range_of
        start, adds = (self.zero, True) if isinstance(expr, Sigma) else (self.one, False)

        def total(env: Env, leaf: Callable) -> Any:
            found, inside = start, dict(env)
            for place in ranges(expr, env):
                inside[index] = whole(place)
                item = body(inside, leaf)
                found = found + item if adds else found * item
            return found

        return total

    def _paths(self, expr: Paths) -> Function:
        """All paths at once: link by link, what has arrived at each letter."""
        link, place = self(expr.link), self.witness.position
        start, end, steps = place(expr.start), place(expr.end), place(expr.steps)
        letters = [whole(number) for number in self.witness.elements(expr.after)]

        def total(env: Env, leaf: Callable) -> Any:
            arrived = {whole(start(env)): self.one}
            for number in range(1, steps(env) + 1):
                following = dict.fromkeys(letters, self.zero)
                for before, so_far in arrived.items():
                    for after in letters:
                        at = {**env, expr.count: whole(number), expr.before: before, expr.after: after}
                        following[after] = following[after] + so_far * link(at, leaf)
                arrived = following
            return arrived.get(whole(end(env)), self.zero)

        return total

    def _delta(self, expr: Delta) -> Function:
        equal, zero, one = self._equal(expr), self.zero, self.one
        return lambda env, leaf: one if equal(env) else zero

    def _equal(self, delta: Delta) -> Callable[[Env], bool]:
        left, right = map(self.witness.position, delta.args)
        return lambda env: left(env) == right(env)

    def _kinked(self, expr: Expr) -> Function:
        parts, kinked = [self(arg) for arg in expr.args], self.kind.kinked
        function = (lambda items: abs(items[0])) if isinstance(expr, Modulus) else max
        return lambda env, leaf: kinked(function, [part(env, leaf) for part in parts], expr)
