"""Vanishing adjoints: derivatives that are 0 at all times, without an uncut path or because the paths cancel."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, S

from throughtime.derivation.deriving.backward import Backward
from throughtime.derivation.deriving.recursion import fixed_point
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.ways import MAX_STEPS, is_adjoint
from throughtime.derivation.formulas.domains import Index, lies_in
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Ref
from throughtime.derivation.formulas.rewrite import another, at_least_zero, contract, replace


@dataclass(frozen=True)
class Vanishing:
    """The claim that an adjoint is 0 at every time from 1 on; `symbol` is that of the system's time, at letters."""

    symbol: DerivativeSymbol

    def apply(self, expr: Expr, after: Expr = S.Zero) -> Expr:
        """Substitute 0 for the adjoints at all times that are known to be later than a given one."""
        wrt, at = self.symbol.wrt, self.symbol.wrt.indices

        def rule(node: Expr) -> Expr | None:
            if not isinstance(node, DerivativeSymbol):
                return None
            alike = node == self.symbol.of(self.symbol.target, node.wrt) and node.wrt.quantity == wrt.quantity
            if not alike or not at_least_zero(node.wrt.time - after - 1):
                return node
            fits = all(lies_in(place, letter.domain) for place, letter in zip(node.wrt.indices, at, strict=True))
            return Integer(0) if fits else node

        return contract(replace(expr, rule))

    def holds(self, reducer: Reducer) -> bool:
        """Whether no uncut path leads to the loss, or the claim follows by induction from the last time.

        After the last time all adjoints are 0. One step of the recursion, with the claim put in at all later times, has
        to be 0.
        """
        engine, node = self._engine(reducer), self.symbol.wrt
        leads = node.quantity in engine.sources(engine.loss.quantity)
        return not leads or self.cancels(reducer, engine.step(node))

    def cancels(self, reducer: Reducer, expr: Expr) -> bool:
        """Whether a formula is 0 when the adjoints of the present are worked out, the claim put in at later times.

        So are those of the next time's gates, which nothing reads later: they are sums of its states' adjoints.
        """
        engine, now = self._engine(reducer), self.symbol.wrt.time

        def worked_out(item: Ref) -> bool:
            gate = item.time == now + 1 and not any(lag for _, lag in engine.readers(item))
            return gate or item.time == now

        unfolded = fixed_point(
            expr,
            lambda expr: engine.unfold(self.apply(expr, now), worked_out),
            MAX_STEPS,
            f"{reducer.system.name}: {expr} does not come to an end at one time",
        )
        return reducer.is_zero(unfolded, now)

    def _engine(self, reducer: Reducer) -> Backward:
        return Backward(reducer.system, self.symbol.target, self.symbol.args[2:])


def claim(symbol: DerivativeSymbol, now: Expr) -> Vanishing | None:
    """The claim that may show an adjoint to be 0; None for another derivative, and at a number of a unit or time."""
    node = symbol.wrt
    open_ = is_adjoint(symbol) and isinstance(symbol.target, Ref) and not node.time.is_number
    if not open_ or not all(isinstance(place, Index) for place in node.indices):
        return None
    letters = (another(place, f"{place.name}{number}") for number, place in enumerate(node.indices))
    return Vanishing(symbol.of(symbol.target, Ref(node.quantity, *letters, now)))
