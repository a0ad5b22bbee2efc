"""Derivative symbols unfolded: once or up to a horizon, forwards in time, or backwards, of a loss."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cache, partial
from typing import Any

from sympy import Expr, Integer

from throughtime.derivation.deriving.backward import Backward, BackwardFrom
from throughtime.derivation.deriving.differentiate import expand_partials
from throughtime.derivation.deriving.first_times import Horizon, Times
from throughtime.derivation.deriving.forward import Cut, Forward
from throughtime.derivation.deriving.recursion import SYMBOLS, fixed_point
from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.ways import MAX_STEPS, is_adjoint
from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Ref, Sigma, Total, every
from throughtime.derivation.formulas.rewrite import contract, replace, substitute

Rewrite = Callable[[Expr], Expr]


class Unfolding(Times):
    """Unfolds the derivatives of one system; forward and backward engines are made once and kept."""

    def __init__(self, system: System):
        super().__init__(system)
        self.forward = cache(partial(Forward, self.system))  # the engine for one parameter or node, and cuts
        self.backward = cache(self._backward)

    def _backward(self, target: Ref, cuts: tuple[Cut, ...]) -> Backward:
        return (BackwardFrom if target.quantity.timed else Backward)(self.system, target, cuts)

    def _each_once(self, expr: Expr, chosen: Container[Expr]) -> Expr:
        """Each derivative that is chosen unfolded once; those forwards in time where a definition holds."""

        def rule(node: Expr) -> Expr | None:
            if not isinstance(node, Total):
                return None
            if node not in chosen:
                return node
            if is_adjoint(node):
                return self._adjoint(node)
            within = self._within(node.target, node.wrt, {})
            return self.forward(node.wrt, node.args[2:]).step(node.target) if within else node

        return replace(expr, rule, only=SYMBOLS)

    def _met(self, expr: Expr, other: Expr) -> Expr:
        """A formula with its derivatives by nodes unfolded to those that another one has, at time t and where it has
        any."""
        there = {(node.target, node.wrt.quantity, node.wrt.time) for node in every(Total, other)}
        whens = {self.system.t, *(when for *_, when in there)}

        def rule(node: Expr) -> Expr | None:
            if not isinstance(node, Total) or node.wrt.time is None:
                return None
            of, when = node.wrt.quantity, node.wrt.time
            itself = of == node.target.quantity and not (node.target.time - when).is_positive
            return node if itself or when not in whens or (node.target, of, when) in there else self._adjoint(node)

        met = fixed_point(expr, lambda one: contract(replace(one, rule)), MAX_STEPS, f"{expr} does not come to an end")
        return self._resolved(met)

    def _adjoint(self, node: DerivativeSymbol) -> Expr:
        """One step of the recursion backwards."""
        return (
            Integer(0)
            if self._is_behind(node)
            else self._picked(self.backward(node.target, node.args[2:]).step(node.wrt))
        )

    def _resolved(self, expr: Expr) -> Expr:
        """The derivatives forwards in time that follow without a definition put in."""
        for node in self._symbols(expr):
            expr = expr if is_adjoint(node) else self.forward(node.wrt, node.args[2:]).resolve(expr)[0]
        return expr

    def _transposed(self, expr: Expr, timed: bool = False) -> Expr:
        """Weight gradients of a loss, and with `timed` of what has a time, as sums of adjoint times immediate
        derivative over all uses of the weight.

        Why that is the same: let D stand for the derivatives of the nodes by the weight and A for those of the loss by
        the nodes. Forwards D = J D + b, backwards A = J^T A + c, with one and the same matrix J of immediate
        derivatives, b those by the weight and c those of the loss. So A.b = A.(D - J D) = (A - J^T A).D = c.D.
        """

        def rule(node: Expr) -> Expr | None:
            if not isinstance(node, Total) or node.wrt.quantity.timed or not node.target.quantity.is_defined:
                return None
            of_time = node.target.time is not None
            return None if of_time > timed else self.backward(node.target, node.args[2:]).gradient(node.wrt)

        return contract(replace(expr, rule))

    def immediates(self, expr: Expr) -> Expr:
        """Immediate derivatives computed, derivatives of formulas reduced to derivatives of quantities.

        A sum from time 2 begins at 1 if what it adds there is 0 by the initial values: it may have no term at all.
        """

        def rule(node: Expr) -> Expr | None:
            if isinstance(node, Total):
                if not isinstance(node.target, Ref):
                    return self.forward(node.wrt, node.args[2:]).step(node.target)
                return Integer(0) if self._is_behind(node) else node
            return self.system.definition(node) if isinstance(node, Ref) and node.is_initial else None

        def earlier(node: Expr) -> Expr | None:
            first, last = node.limits if isinstance(node, Sigma) and node.limits else (Integer(0), None)
            if not first.is_Integer or first < 2:
                return None
            added = replace(substitute(node.body, {node.index: first - 1}), rule)
            return Sigma(node.body, node.index, first - 1, last) if contract(added) == 0 else None

        return contract(replace(contract(replace(self._picked(expand_partials(self.system, expr)), rule)), earlier))

    def _is_behind(self, node: DerivativeSymbol) -> bool:
        """Whether a derivative is with respect to a node after the last time, which nothing defined once can read."""
        return is_adjoint(node) and bool((node.wrt.time - LENGTH).is_positive)

    def _unfold(self, expr: Expr, past: Horizon, future: Horizon, known: Rewrite) -> Expr:
        """Unfold derivative symbols until every one of them lies beyond the horizons."""

        def once(expr: Expr) -> Expr:
            expr = known(expr)
            self._look_at(expr)
            for node in self._symbols(expr):
                if is_adjoint(node):
                    steps, base = node.wrt.time.as_coeff_Add()
                    if self._is_behind(node) or steps <= future.get(base, 0):
                        expr = contract(replace(expr, {node: self._adjoint(node)}.get))
                    continue
                forward = self.forward(node.wrt, node.args[2:])
                expr, _ = forward.resolve(expr)
                expr = forward.unfold(known(expr), partial(self._within, wrt=node.wrt, past=past))
            return expr

        failed = f"{self.system.name}: {MAX_STEPS} steps did not bring a formula to its horizon"
        return fixed_point(expr, once, MAX_STEPS, failed)

    def _symbols(self, expr: Expr) -> list[DerivativeSymbol]:
        """One derivative symbol of each kind (forward), and every adjoint."""
        found: dict[Any, DerivativeSymbol] = {}
        for node in every(Total, expr):
            found.setdefault(node if is_adjoint(node) else node.args[1:], node)
        return list(found.values())

    def _within(self, target: Expr, wrt: Ref, past: Horizon) -> bool:
        """Whether a derivative forwards in time is to be unfolded: its target is not before the horizon."""
        if not isinstance(target, Ref) or not target.quantity.is_defined or not self.system.is_case(target):
            return False
        if target.time is None or (wrt.time is not None and (target.time - wrt.time).is_Integer):
            return True
        return self._put_in(target.time, past)
