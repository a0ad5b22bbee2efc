"""Definitions put in for the quantities in a formula, and the times at which that was done."""

from __future__ import annotations

from collections.abc import Container
from functools import partial

from sympy import Expr

from throughtime.derivation.deriving.first_times import Horizon, Times
from throughtime.derivation.deriving.recursion import fixed_point
from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.times import extremes
from throughtime.derivation.deriving.ways import MAX_STEPS
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.nodes import DEFINED, Applied, Bound, DerivativeSymbol, Quantity, Ref, nodes, refs
from throughtime.derivation.formulas.rewrite import at_least_one, before_start, contract, free, rename_bound, replace


class Definitions(Times):
    """Formulas of one system in which its definitions are put in."""

    def __init__(self, system: System):
        super().__init__()
        self.system = system.check()

    def by_one_definition(self, left: Expr, right: Expr) -> float | None:
        """The number of first steps left open where one side is the other one with the definition of one quantity put
        in once, at the latest time at which it is read; None elsewhere.
        """
        for one, other in ((contract(left), right), (contract(right), left)):
            ranges = (node.limits for node in nodes(one) if isinstance(node, Bound) and node.limits)
            if not all(at_least_one(lower - 1).is_nonnegative for lower, _ in ranges):
                continue  # of a letter alone it is taken that it is at least 1
            read = [ref for ref in refs(one) if ref.quantity.role == DEFINED and ref.time is not None]
            for quantity in dict.fromkeys(ref.quantity for ref in read):
                self._ranges, self._deepest = {}, {}
                self._look_at(one)
                latest = extremes(max, (ref.time for ref in read if ref.quantity == quantity))
                rule = partial(self._put_in_for, past=latest, these={quantity})
                if equal(replace(one, rule), other):
                    return self._open(True)
        return None

    def _define(self, expr: Expr, past: Horizon, these: Container[Quantity], within: bool) -> Expr:
        """Substitute the definitions of some quantities at or after the horizon, derivative symbols left alone.

        Arguments of activations are left alone too unless `within`: where both sides have them they may stay.
        """

        def rule(node: Expr) -> Expr | None:
            if isinstance(node, DerivativeSymbol) or (isinstance(node, Applied) and not within):
                return node
            return self._put_in_for(node, past, these)

        def once(expr: Expr) -> Expr:
            self._look_at(expr)
            return contract(replace(expr, rule))

        failed = f"{self.system.name}: the definitions put in for a formula do not end"
        return fixed_point(expr, once, MAX_STEPS, failed)

    def _put_in_for(self, node: Expr, past: Horizon, these: Container[Quantity]) -> Expr | None:
        """The definition of a quantity at or after the horizon; None for anything else."""
        if not isinstance(node, Ref) or node.quantity not in these or not self.system.is_case(node):
            return None
        inside = node.time is None or before_start(node) or self._put_in(node.time, past)
        return rename_bound(self.system.definition(node), free(node)) if inside else None
