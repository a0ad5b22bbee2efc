"""Claims about adjoints q steps before the end, proved by induction backwards from the last time."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from .backward import Backward
from .canonical import equal
from .domains import Index, lies_in
from .errors import DerivationError
from .induction import lag
from .nodes import Ref, Total, Truncated
from .printing import to_latex
from .reduce import Reducer
from .rewrite import contract, free, rename_bound, replace, substitute

MAX_STEPS = 20


@dataclass(frozen=True)
class FromTheEnd:
    """`left(q) = right(q)` for every q from 0 to T - 1, `left` being d(loss)/d(node at time T - q).

    The base q = 0 uses that nothing after the last time reaches the loss; the step puts the claim for q into one step
    of the adjoint recursion. Used like `induction.Lemma`. `apply` rewrites `left` at T - q, at time 1, which
    every sequence has, and at a bare letter, which in an equation of a sequence and in its sums runs from 1 to T.
    """

    left: Total | Truncated
    right: Expr
    over: Symbol
    start = 0

    def __post_init__(self) -> None:
        node = self.left.wrt
        if self.left.target.time is not None or node.time is None or not (node.time + self.over).is_integer:
            raise DerivationError(f"induction: {self.left} is no derivative of a loss by a node at T - {self.over}")
        if node.time.has(self.over) is False or self.over != lag(self.over.name):
            raise DerivationError(f"induction: {self.left} does not count back by a lag {self.over} >= 0")
        if any(not isinstance(i, Index) for i in node.indices) or len(set(node.indices)) < len(node.indices):
            raise DerivationError(f"induction: the indices of {node} have to be distinct letters")
        if unknown := free(self.right) - free(self.left):
            raise DerivationError(f"induction: {self.right} leaves {unknown} free, which {self.left} does not")

    @property
    def end(self) -> Expr:
        """T, the last time."""
        return self.left.wrt.time + self.over

    def at(self, steps: Expr) -> tuple[Expr, Expr]:
        """Both sides for one number of steps before the end."""
        values = {self.over: steps}
        return substitute(self.left, values), substitute(self.right, values)

    def base_formula(self, reducer: Reducer) -> Expr:
        """The adjoint at the last time, with every later one put to 0."""
        expr = self._unfolded(reducer, self.at(Integer(0))[0])
        return contract(replace(expr, lambda node: Integer(0) if self._mine(node) and self._later(node) else None))

    def step_formula(self, reducer: Reducer) -> Expr:
        """The adjoint q + 1 steps before the end, with the claim put in for q."""
        return self._put_in(self._unfolded(reducer, self.at(self.over + 1)[0]), self.over)

    def prove(self, reducer: Reducer) -> None:
        """Raise DerivationError unless both base and step hold."""
        if not equal(self.base_formula(reducer), self.at(Integer(0))[1]):
            raise DerivationError(f"induction: the base {self.left} = {self.right} fails at {self.over} = 0")
        if not equal(self.step_formula(reducer), self.at(self.over + 1)[1]):
            raise DerivationError(f"induction: the step fails: {self.at(self.over + 1)[0]} is something else")

    def apply(self, expr: Expr) -> Expr:
        """Replace every instance of the left side at a time from 1 to T."""
        return self._put_in(expr, None)

    def explain(self, reducer: Reducer) -> list[tuple[str, tuple[Expr, ...]]]:
        """The proof as a reader sees it: base and step, each as (words, chain of equal formulas)."""
        last, before, q = self.at(Integer(0))[0], self.at(self.over + 1)[0], to_latex(self.over)
        return [
            (f"Base, ${q} = 0$: after the last time nothing reads the state.", (last, self.base_formula(reducer))),
            (
                f"Step, ${q}$ to ${to_latex(self.over + 1)}$: one step of the adjoint recursion, then the claim:",
                tuple(dict.fromkeys((before, self._unfolded(reducer, before), self.step_formula(reducer)))),
            ),
        ]

    def _unfolded(self, reducer: Reducer, symbol: Expr) -> Expr:
        """One step of the adjoint recursion, with everything of no time of its own worked out."""
        engine = Backward(reducer.system, self.left.target, self.left.args[2:])
        expr = engine.step(symbol.wrt)
        for _ in range(MAX_STEPS):
            new = engine.unfold(expr, lambda node: node.time is None and node != self.left.target)
            if new == expr:
                return expr
            expr = new
        raise DerivationError(f"induction: {symbol} does not come to an end at one time")

    def _put_in(self, expr: Expr, longest: Expr | None) -> Expr:
        def rule(node: Expr) -> Expr | None:
            if not self._mine(node):
                return None
            steps = self.end - node.wrt.time
            when = node.wrt.time
            in_sequence = when == 1 or (when.is_Symbol and not when.is_nonnegative)
            known = (steps.is_nonnegative and not when.is_Integer) or (longest is None and in_sequence)
            if not known or (longest is not None and not (longest - steps).is_nonnegative):
                return None
            letters = dict(zip(self.left.wrt.indices, node.wrt.indices, strict=True))
            return substitute(rename_bound(self.right, free(node)), {**letters, self.over: steps})

        return contract(replace(expr, rule))

    def _mine(self, node: Expr) -> bool:
        return (
            isinstance(node, Total | Truncated)
            and (node.target, node.args[2:]) == (self.left.target, self.left.args[2:])
            and isinstance(node.wrt, Ref)
            and node.wrt.quantity == self.left.wrt.quantity
            and all(lies_in(at, i.domain) for i, at in zip(self.left.wrt.indices, node.wrt.indices, strict=True))
        )

    def _later(self, node: Expr) -> bool:
        return bool((node.wrt.time - self.end).is_positive)
