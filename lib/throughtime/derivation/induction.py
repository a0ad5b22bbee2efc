"""Claims about n steps back, proved by induction over the lag."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from .canonical import equal
from .domains import Index, lies_in
from .errors import DerivationError
from .forward import Forward
from .nodes import Ref, Total, Truncated
from .printing import to_latex
from .reduce import Reducer
from .rewrite import contract, free, rename_bound, replace, substitute


def lag(name: str = "q", start: int = 0) -> Symbol:
    """A symbol for a number of steps back: 0 or more, or 1 or more with `start=1`."""
    if start not in (0, 1):
        raise ValueError(f"start: expected 0 or 1, got {start!r}")
    return Symbol(name, integer=True, **{"positive" if start else "nonnegative": True})


MAX_STEPS = 20


@dataclass(frozen=True)
class Lemma:
    """`left(q) = right(q)` for every lag q from `start` on and at every time, `left` being one derivative symbol.

    The base case is proved by unfolding; the step unfolds `left(q + 1)` once and puts in the claim for q, one step
    earlier. `prove` does both; `apply` rewrites instances of `left`, at any time, lag and index.
    """

    left: Total | Truncated
    right: Expr
    over: Symbol
    start: int = 0

    def __post_init__(self) -> None:
        refs = [ref for ref in (self.left.target, self.left.wrt) if isinstance(ref, Ref) and ref.time is not None]
        if len(refs) < 2 or not refs[0].time.is_Symbol or refs[0].time - refs[1].time != self.over:
            raise DerivationError(f"induction: {self.left} is no derivative at a time t by a node at t - {self.over}")
        if any(not isinstance(index, Index) for ref in refs for index in ref.indices):
            raise DerivationError(f"induction: every index of {self.left} has to be a letter")
        if unknown := free(self.right) - free(self.left):
            raise DerivationError(f"induction: {self.right} leaves {unknown} free, which {self.left} does not")
        if self.over != lag(self.over.name, self.start):
            raise DerivationError(f"induction: {self.over} is a lag from {self.start} on; use lag(start={self.start})")

    def at(self, steps: Expr) -> tuple[Expr, Expr]:
        """Both sides for one lag."""
        values = {self.over: steps}
        return substitute(self.left, values), substitute(self.right, values)

    def base(self, reducer: Reducer) -> bool:
        """Whether the claim holds for the first lag."""
        return reducer.equal(*self.at(Integer(self.start)))

    def step_formula(self, reducer: Reducer) -> Expr:
        """The left side for lag q + 1 after one step of the recursion and after the claim for lag q."""
        left, _ = self.at(self.over + 1)
        engine = reducer.forward(left.wrt, left.args[2:])
        now = left.target.time
        expr = self._to_time(engine, left, now)
        return self._to_time(engine, self.apply(expr, self.over), now - 1)

    def _to_time(self, engine: Forward, expr: Expr, now: Expr) -> Expr:
        """Unfold the derivatives of one time, putting the claim in wherever it fits."""
        for _ in range(MAX_STEPS):
            new, _ = engine.resolve(
                engine.unfold(expr, lambda target: target.time == now and engine.system.is_case(target))
            )
            new = self.apply(new, self.over) if now != self.left.target.time else new
            if new == expr:
                return expr
            expr = new
        raise DerivationError(f"induction: {self.left} does not come to an end at one time")

    def step(self, reducer: Reducer) -> bool:
        """Whether the claim for lag q + 1 follows from the claim for lag q."""
        return equal(self.step_formula(reducer), self.at(self.over + 1)[1])

    def prove(self, reducer: Reducer) -> None:
        """Raise DerivationError unless both base and step hold."""
        if not self.base(reducer):
            raise DerivationError(f"induction: the base {self.left} = {self.right} fails at {self.over} = {self.start}")
        if not self.step(reducer):
            raise DerivationError(
                f"induction: the step fails: {self.at(self.over + 1)[0]} is {self.step_formula(reducer)}, "
                f"expected {self.at(self.over + 1)[1]}"
            )

    def apply(self, expr: Expr, longest: Expr | None = None) -> Expr:
        """Replace every instance of the left side by the right side, up to the lag `longest` if one is given."""

        def rule(node: Expr) -> Expr | None:
            values = self._match(node)
            if values is not None and longest is not None and not (longest - values[self.over]).is_nonnegative:
                return None
            return None if values is None else substitute(rename_bound(self.right, free(node)), values)

        return contract(replace(expr, rule))

    def _match(self, node: Expr) -> dict[Expr, Expr] | None:
        if not isinstance(node, Total | Truncated) or node.args[2:] != self.left.args[2:]:
            return None
        mine, theirs = self.left, node
        if any(
            getattr(a, "quantity", None) != b.quantity
            for a, b in ((theirs.target, mine.target), (theirs.wrt, mine.wrt))
        ):
            return None
        values: dict[Expr, Expr] = {
            mine.target.time: theirs.target.time,
            self.over: theirs.target.time - theirs.wrt.time,
        }
        for pattern, actual in ((mine.target, theirs.target), (mine.wrt, theirs.wrt)):
            for letter, value in zip(pattern.indices, actual.indices, strict=True):
                if values.setdefault(letter, value) != value or not lies_in(value, letter.domain):
                    return None
        steps = values[self.over]
        if not (steps - self.start).is_nonnegative:
            return None
        return values if substitute(self.left, values) == node else None

    def explain(self, reducer: Reducer) -> list[tuple[str, tuple[Expr, ...]]]:
        """The proof as a reader sees it: base and step, each as (words, chain of equal formulas)."""
        left = self.at(self.over + 1)[0]
        engine = reducer.forward(left.wrt, left.args[2:])
        once = self._to_time(engine, left, left.target.time)
        q = to_latex(self.over)
        return [
            (f"Base, ${q} = {self.start}$:", self.at(Integer(self.start))),
            (
                f"Step, ${q}$ to ${to_latex(self.over + 1)}$: one step of the recursion, then the claim for ${q}$:",
                tuple(dict.fromkeys((left, once, self.step_formula(reducer)))),
            ),
        ]
