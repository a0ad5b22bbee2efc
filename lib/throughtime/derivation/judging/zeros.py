"""Derivatives that are 0 by the system, no accident of the instances: there a line may say 0 = 0."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce

from sympy import Expr

from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.vanishing import Vanishing, claim
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.nodes import DerivativeSymbol, every
from throughtime.derivation.judging.instances import Instances


class Zeros:
    """The derivatives that are 0 on the instances of a bench and shown to be 0 by its system; each is tried once."""

    def __init__(self, reducer: Reducer, exact: Instances):
        self.reducer = reducer
        self._shown = cache(lambda made: exact.is_zero(made.symbol) and made.holds(reducer))

    def of(self, *formulas: Expr) -> list[Vanishing]:
        """Claims that hold, of the adjoints in some formulas."""
        symbols = every(DerivativeSymbol, *formulas)
        claims = dict.fromkeys(claim(symbol, self.reducer.system.t) for symbol in symbols)
        return [made for made in claims if made and self._shown(made)]

    def known(self, symbol: Expr) -> bool:
        """Whether a formula is a derivative that is 0: no path leads there, or what the paths bring cancels."""
        if not isinstance(symbol, DerivativeSymbol):
            return False
        forward = self.reducer.forward(symbol.wrt, symbol.args[2:])
        found = forward.known(symbol.target)
        if (found is not None and found.value == 0) or forward.is_cut_off(symbol.target):
            return True
        return any(made.apply(symbol) == 0 for made in self.of(symbol))

    def alike(self, left: Expr, right: Expr) -> bool:
        """Whether two formulas are the same at a glance because something is 0."""
        claims = self.of(left, right)
        same = bool(claims) and equal(*map(self._put_in(left, right), (left, right)))
        return same or any(made.cancels(self.reducer, left - right) for made in claims)

    def slow(self, formula: Expr) -> bool:
        """Whether 0 put in for something at one time leaves it at others, where what cancels is hard to compare."""
        return bool(self.of(formula))

    def reach(self, left: Expr, right: Expr) -> float | None:
        """`Reducer.reach`, with 0 substituted for derivatives that are 0."""
        return self.reducer.reach(left, right, self._put_in(left, right))

    def _put_in(self, *formulas: Expr) -> Callable[[Expr], Expr]:
        claims = self.of(*formulas)
        return lambda expr: reduce(lambda one, made: made.apply(one), claims, expr)
