"""Brings both sides of an equation to a common depth, so that they can be compared in normal form.

Derivative symbols are unfolded until only those of a time before every symbol in the equation remain (after it,
for adjoints); immediate partial derivatives are computed. If that does not settle the matter, the same is done
with the definitions of the quantities themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sympy import Expr, Integer

from .backward import Backward
from .canonical import equal
from .domains import LENGTH
from .errors import DerivationError
from .forward import Cut, Forward
from .immediates import evaluate_immediates
from .nodes import DEFINED, DerivativeSymbol, Ref, Total, Truncated, nodes, refs
from .rewrite import contract, free, rename_bound, replace
from .system import System
from .times import counted_from_one

MAX_STEPS = 60
Horizon = dict[Expr, Expr]
Rewrite = Callable[[Expr], Expr]


def offset(time: Expr) -> tuple[Expr, Expr]:
    """A time as (symbol, steps after it)."""
    steps, base = time.as_coeff_Add()
    return base, steps


def _before_start(ref: Ref) -> bool:
    """Whether an element is an initial value: its time is a number below 1."""
    return ref.time is not None and ref.time.is_Integer and ref.time < 1


class Reducer:
    """Normalises formulas of one system; forward and backward engines are made once and kept."""

    def __init__(self, system: System):
        self.system = system.check()
        self._forward: dict[tuple, Forward] = {}

    def forward(self, wrt: Ref, cuts: tuple[Cut, ...] = ()) -> Forward:
        """The forward engine for one parameter or node."""
        key = (wrt, cuts)
        if key not in self._forward:
            self._forward[key] = Forward(self.system, wrt, cuts)
        return self._forward[key]

    def equal(self, left: Expr, right: Expr, known: Rewrite = lambda expr: expr) -> bool:
        """Whether two formulas are equal for all dimensions, lengths and activations.

        `known` puts in what has been proved of derivative symbols; it goes before their unfolding, at every depth.
        Definitions are unfolded at every time that a formula reads, so an equation that reaches back before time 1
        is compared as if they held there too: what it says of the first steps is for the instances to judge.
        """
        self.system.check_names(left, right)
        left, right = (self.immediates(counted_from_one(side)) for side in (left, right))
        if any(self._is_adjoint(symbol) for side in (left, right) for symbol in self._symbols(side)):
            return self._same(self._transposed(left), self._transposed(right), known)
        if self._same(left, right, known):
            return True
        truncated = any(isinstance(node, Truncated) for side in (left, right) for node in nodes(side))
        if truncated and self._same(left, right, known, further=1):  # where a cut ends the recursion a step behind
            return True
        backwards = self._transposed(left), self._transposed(right)
        return tuple(map(known, backwards)) != backwards and self._same(*backwards, known)

    def _same(self, left: Expr, right: Expr, known: Rewrite, further: int = 0) -> bool:
        """`equal` once it is settled which way derivatives by weights go: as they stand."""
        past, future = self._horizons([left, right])
        past = {base: steps - further for base, steps in past.items()}
        left, right = (self._unfold(side, past, future, known) for side in (left, right))
        if equal(left, right):
            return True
        past = self._ref_horizon([left, right])
        return equal(self._define(left, past), self._define(right, past))

    def _transposed(self, expr: Expr) -> Expr:
        """Derivatives of a loss by a weight as a sum of adjoint times immediate derivative over all uses of the weight.

        Why that is the same: let D stand for the derivatives of the nodes by the weight and A for those of the loss by
        the nodes. Forwards D = J D + b, backwards A = J^T A + c, with one and the same matrix J of immediate
        derivatives, b those by the weight and c those of the loss. So A.b = A.(D - J D) = (A - J^T A).D = c.D.
        """

        def rule(node: Expr) -> Expr | None:
            if isinstance(node, Total | Truncated) and node.target.time is None and not node.wrt.quantity.timed:
                return Backward(self.system, node.target, node.args[2:]).gradient(node.wrt)
            return None

        return contract(replace(expr, rule))

    def immediates(self, expr: Expr) -> Expr:
        """Immediate derivatives computed, derivatives of formulas reduced to derivatives of quantities."""

        def rule(node: Expr) -> Expr | None:
            if isinstance(node, Total | Truncated):
                if not isinstance(node.target, Ref):
                    return self.forward(node.wrt, node.args[2:]).step(node.target)
                behind = self._is_adjoint(node) and (node.wrt.time - LENGTH).is_positive
                return Integer(0) if behind else node  # nothing after the last time reaches what is defined once
            if isinstance(node, Ref) and node.quantity.role == DEFINED and _before_start(node):
                return self.system.initial_value(node.quantity)
            return None

        return contract(replace(evaluate_immediates(self.system, expr), rule))

    def _horizons(self, sides: Iterable[Expr]) -> tuple[Horizon, Horizon]:
        past: Horizon = {}
        future: Horizon = {}
        for side in sides:
            for node in nodes(side):
                if not isinstance(node, Total | Truncated):
                    continue
                if self._is_adjoint(node):
                    base, steps = offset(node.wrt.time)
                    future[base] = max(future.get(base, steps), steps)
                elif node.target.time is not None:
                    base, steps = offset(node.target.time)
                    past[base] = min(past.get(base, steps), steps)
        return past, future

    @staticmethod
    def _is_adjoint(node: DerivativeSymbol) -> bool:
        return node.target.time is None and node.wrt.time is not None

    def _unfold(self, expr: Expr, past: Horizon, future: Horizon, known: Rewrite) -> Expr:
        """Unfold derivative symbols until every one of them lies beyond the horizons."""
        for _ in range(MAX_STEPS):
            before = expr
            expr = known(expr)
            for node in self._symbols(expr):
                if self._is_adjoint(node):
                    base, steps = offset(node.wrt.time)
                    if steps <= future.get(base, Integer(0)):
                        engine = Backward(self.system, node.target, node.args[2:])
                        expr = contract(replace(expr, _once(node, engine.step(node.wrt))))
                    continue
                engine = self.forward(node.wrt, node.args[2:])
                expr, _ = engine.resolve(expr)
                expr = engine.unfold(known(expr), lambda target, wrt=node.wrt: self._beyond(target, wrt, past))
            if expr == before:
                return expr
        raise DerivationError(f"{self.system.name}: {MAX_STEPS} steps did not bring a formula to its horizon")

    def _symbols(self, expr: Expr) -> list[DerivativeSymbol]:
        """One derivative symbol of each kind (forward), and every adjoint."""
        found = {}
        for node in nodes(expr):
            if isinstance(node, Total | Truncated):
                found.setdefault(node if self._is_adjoint(node) else node.args[1:], node)
        return list(found.values())

    def _beyond(self, target: Expr, wrt: Ref, past: Horizon) -> bool:
        if not isinstance(target, Ref) or target.quantity.role != DEFINED or not self.system.is_case(target):
            return False
        if target.time is None:
            return True
        if wrt.time is not None and (target.time - wrt.time).is_Integer:
            return True
        base, steps = offset(target.time)
        return steps >= past.get(base, Integer(0))

    def _ref_horizon(self, sides: Iterable[Expr]) -> Horizon:
        past: Horizon = {}
        for side in sides:
            for ref in refs(side):
                if ref.time is not None:
                    base, steps = offset(ref.time)
                    past[base] = min(past.get(base, steps), steps)
        return past

    def _define(self, expr: Expr, past: Horizon) -> Expr:
        """Definitions put in for the quantities at or after the horizon, derivative symbols left alone."""

        def rule(node: Expr) -> Expr | None:
            if isinstance(node, DerivativeSymbol):
                return node
            if not isinstance(node, Ref) or node.quantity.role != DEFINED or not self.system.is_case(node):
                return None
            if _before_start(node):
                return self.system.initial_value(node.quantity)
            base, steps = offset(node.time) if node.time is not None else (None, Integer(0))
            return (
                rename_bound(self.system.definition(node), free(node)) if steps >= past.get(base, Integer(0)) else None
            )

        for _ in range(MAX_STEPS):
            new = contract(replace(expr, rule))
            if new == expr:
                return expr
            expr = new
        raise DerivationError(f"{self.system.name}: the definitions put in for a formula do not end")


def _once(old: Expr, new: Expr):
    return lambda node: new if node == old else None
