"""Claims about n steps back, or n steps before the end, proved by induction over the lag."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from throughtime.derivation.deriving.backward import Backward
from throughtime.derivation.deriving.recursion import settled
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.formulas.domains import Index, lies_in
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import Ref, Total, Truncated
from throughtime.derivation.formulas.rewrite import contract, free, rename_bound, replace, substitute
from throughtime.derivation.printing.printer import to_latex


def lag(name: str = "q", start: int = 0) -> Symbol:
    """A symbol for a number of steps back: 0 or more, or 1 or more with `start=1`; ValueError for another `start`."""
    if start not in (0, 1):
        raise ValueError(f"start: expected 0 or 1, got {start!r}")
    return Symbol(name, integer=True, **{"positive" if start else "nonnegative": True})


MAX_STEPS = 20


@dataclass(frozen=True)
class Induction:
    """A claim `left(q) = right(q)` for every lag q from `start` on, `left` being one derivative symbol.

    `prove` shows the base case q = `start` and the step from q to q + 1; `apply` rewrites instances of `left`.
    """

    left: Total | Truncated
    right: Expr
    over: Symbol
    start: int = 0

    def __post_init__(self) -> None:
        if unknown := set(free(self.right) - free(self.left)):
            raise DerivationError(f"induction: {self.right} leaves {unknown} free, which {self.left} does not")

    def at(self, steps: Expr) -> tuple[Expr, Expr]:
        """Both sides for one lag."""
        values = {self.over: steps}
        return substitute(self.left, values), substitute(self.right, values)

    def base(self, reducer: Reducer) -> int | None:
        """None unless the claim holds for the first lag, else the number of first steps left open (`Reducer.reach`)."""
        raise NotImplementedError

    def step_formula(self, reducer: Reducer) -> Expr:
        """The left side for lag q + 1, after one step of the recursion and with the claim for lag q put in."""
        raise NotImplementedError

    def step(self, reducer: Reducer) -> bool:
        """Whether the claim for lag q + 1 follows from the claim for lag q."""
        return equal(self.step_formula(reducer), contract(self.at(self.over + 1)[1]))

    def apply(self, expr: Expr, longest: Expr | None = None) -> Expr:
        """Replace every instance of the left side by the right side, up to the lag `longest` if one is given."""

        def rule(node: Expr) -> Expr | None:
            values = self._match(node, longest)
            return None if values is None else substitute(rename_bound(self.right, free(node)), values)

        return contract(replace(expr, rule))

    def _match(self, node: Expr, longest: Expr | None) -> dict[Expr, Expr] | None:
        """The time, lag and indices of which `node` is the left side; None if there are none."""
        raise NotImplementedError

    def prove(self, reducer: Reducer) -> int:
        """The number of first steps that the proof leaves open; DerivationError unless both base and step hold."""
        first = self.base(reducer)
        if first is None:
            raise DerivationError(f"induction: the base {self.left} = {self.right} fails at {self.over} = {self.start}")
        if not self.step(reducer):
            left, right = self.at(self.over + 1)
            raise DerivationError(
                f"induction: the step fails: {left} is {self.step_formula(reducer)}, expected {right}"
            )
        return first


@dataclass(frozen=True)
class Lemma(Induction):
    """`left(q) = right(q)` for every lag q from `start` on and at every time.

    `left` is a derivative at time t with respect to a node at t - q, each index of both a letter; DerivationError
    else. The step unfolds `left(q + 1)` once and puts in the claim for q, one step earlier. `apply` rewrites
    instances of `left`, at any time, lag and index.
    """

    def __post_init__(self) -> None:
        refs = [ref for ref in (self.left.target, self.left.wrt) if isinstance(ref, Ref) and ref.time is not None]
        if len(refs) < 2 or not refs[0].time.is_Symbol or refs[0].time - refs[1].time != self.over:
            raise DerivationError(f"induction: {self.left} is no derivative at a time t by a node at t - {self.over}")
        if any(not isinstance(index, Index) for ref in refs for index in ref.indices):
            raise DerivationError(f"induction: every index of {self.left} has to be a letter")
        super().__post_init__()
        if self.over != lag(self.over.name, self.start):
            raise DerivationError(f"induction: {self.over} is a lag from {self.start} on; use lag(start={self.start})")

    def base(self, reducer: Reducer) -> int | None:
        """For the first lag both sides are unfolded and compared (`Reducer.reach`)."""
        return reducer.reach(*self.at(Integer(self.start)))

    def step_formula(self, reducer: Reducer) -> Expr:
        """The left side for lag q + 1 after one step of the recursion and after the claim for lag q."""
        now = self.left.target.time
        expr = self._to_time(reducer, self.at(self.over + 1)[0], now)
        return self._to_time(reducer, self.apply(expr, self.over), now - 1)

    def _to_time(self, reducer: Reducer, expr: Expr, now: Expr) -> Expr:
        """Unfold the derivatives of one time, with the claim put in at earlier times."""
        engine = reducer.forward(self.at(self.over + 1)[0].wrt, self.left.args[2:])

        def once(expr: Expr) -> Expr:
            unfolded = engine.unfold(expr, lambda target: target.time == now and engine.system.is_case(target))
            new, _ = engine.resolve(unfolded)
            return self.apply(new, self.over) if now != self.left.target.time else new

        return settled(expr, once, MAX_STEPS, f"induction: {self.left} does not come to an end at one time")

    def _match(self, node: Expr, longest: Expr | None) -> dict[Expr, Expr] | None:
        if not isinstance(node, Total | Truncated) or node.args[2:] != self.left.args[2:]:
            return None
        pairs = ((self.left.target, node.target), (self.left.wrt, node.wrt))
        if any(getattr(actual, "quantity", None) != pattern.quantity for pattern, actual in pairs):
            return None
        steps = node.target.time - node.wrt.time
        values: dict[Expr, Expr] = {self.left.target.time: node.target.time, self.over: steps}
        for pattern, actual in pairs:
            for letter, value in zip(pattern.indices, actual.indices, strict=True):
                if values.setdefault(letter, value) != value or not lies_in(value, letter.domain):
                    return None
        if not (steps - self.start).is_nonnegative or (longest is not None and not (longest - steps).is_nonnegative):
            return None
        return values if substitute(self.left, values) == node else None

    def explain(self, reducer: Reducer) -> list[tuple[str, tuple[Expr, ...]]]:
        """The proof as a reader sees it: base and step, each as (words, chain of equal formulas)."""
        left, q = self.at(self.over + 1)[0], to_latex(self.over)
        once = self._to_time(reducer, left, left.target.time)
        return [
            (f"Base, ${q} = {self.start}$:", self.at(Integer(self.start))),
            (
                f"Step, ${q}$ to ${to_latex(self.over + 1)}$: one step of the recursion, then the claim for ${q}$:",
                tuple(dict.fromkeys((left, once, self.step_formula(reducer)))),
            ),
        ]


@dataclass(frozen=True)
class FromTheEnd(Induction):
    """`left(q) = right(q)` for every q from 0 to T - 1, `left` being d(loss)/d(node at time T - q).

    The base q = 0 uses that nothing after the last time reaches the loss; the step puts the claim for q into one step
    of the adjoint recursion. Used like `Lemma`. `apply` rewrites `left` at T - q, at time 1, which
    every sequence has, and at a plain time symbol, which in an equation of a sequence and in its sums runs from 1 to T.
    DerivationError for another left side: the indices of the node have to be distinct letters, its time T - q.
    """

    def __post_init__(self) -> None:
        node = self.left.wrt
        if self.left.target.time is not None or node.time is None or not (node.time + self.over).is_integer:
            raise DerivationError(f"induction: {self.left} is no derivative of a loss by a node at T - {self.over}")
        if node.time.has(self.over) is False or self.over != lag(self.over.name):
            raise DerivationError(f"induction: {self.left} does not count back by a lag {self.over} >= 0")
        if any(not isinstance(i, Index) for i in node.indices) or len(set(node.indices)) < len(node.indices):
            raise DerivationError(f"induction: the indices of {node} have to be distinct letters")
        super().__post_init__()

    @property
    def end(self) -> Expr:
        """T, the last time."""
        return self.left.wrt.time + self.over

    def base_formula(self, reducer: Reducer) -> Expr:
        """The adjoint at the last time, with every later one put to 0."""
        expr = self._unfolded(reducer, self.at(Integer(0))[0])

        def later(node: Expr) -> bool:
            return self._mine(node) and bool((node.wrt.time - self.end).is_positive)

        return contract(replace(expr, lambda node: Integer(0) if later(node) else None))

    def step_formula(self, reducer: Reducer) -> Expr:
        """The adjoint q + 1 steps before the end, with the claim put in for q."""
        return self.apply(self._unfolded(reducer, self.at(self.over + 1)[0]), self.over)

    def base(self, reducer: Reducer) -> int | None:
        """None unless the claim holds at the last time, else 0: no definition is put in."""
        return 0 if equal(self.base_formula(reducer), self.at(Integer(0))[1]) else None

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
        return settled(
            engine.step(symbol.wrt),
            lambda expr: engine.unfold(expr, lambda node: node.time is None and node != self.left.target),
            MAX_STEPS,
            f"induction: {symbol} does not come to an end at one time",
        )

    def _match(self, node: Expr, longest: Expr | None) -> dict[Expr, Expr] | None:
        if not self._mine(node):
            return None
        when, steps = node.wrt.time, self.end - node.wrt.time
        in_sequence = when == 1 or (when.is_Symbol and not when.is_nonnegative)
        known = (steps.is_nonnegative and not when.is_Integer) or (longest is None and in_sequence)
        if not known or (longest is not None and not (longest - steps).is_nonnegative):
            return None
        return dict(zip(self.left.wrt.indices, node.wrt.indices, strict=True)) | {self.over: steps}

    def _mine(self, node: Expr) -> bool:
        return (
            isinstance(node, Total | Truncated)
            and (node.target, node.args[2:]) == (self.left.target, self.left.args[2:])
            and isinstance(node.wrt, Ref)
            and node.wrt.quantity == self.left.wrt.quantity
            and all(lies_in(at, i.domain) for i, at in zip(self.left.wrt.indices, node.wrt.indices, strict=True))
        )
