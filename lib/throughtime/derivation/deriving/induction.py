"""Claims about n steps back, n steps before the end, or n steps after the start, proved by induction over n."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from throughtime.derivation.deriving.backward import Backward
from throughtime.derivation.deriving.recursion import fixed_point
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.times import fewest
from throughtime.derivation.formulas.domains import Index, lies_in
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Ref, Sigma, Total
from throughtime.derivation.formulas.rewrite import (
    at_least_zero,
    contract,
    delta_of,
    free,
    rename_bound,
    replace,
    substitute,
)
from throughtime.derivation.printing.printer import to_latex


def lag(name: str = "q", start: int = 0) -> Symbol:
    """A symbol for a number of steps back: 0 or more, or 1 or more with `start=1`; ValueError for another `start`."""
    if start not in (0, 1):
        raise ValueError(f"start: expected 0 or 1, got {start!r}")
    return Symbol(name, integer=True, **{"positive" if start else "nonnegative": True})


MAX_STEPS = 20


@dataclass(frozen=True)
class Induction(ABC):
    """A claim `left(q) = right(q)` for every lag q from `start` on, `left` being one symbol.

    `prove` shows the base case q = `start` and the step from q to q + 1; `apply` rewrites instances of `left`. A
    subclass has `step_formula(reducer)`, the left side for lag q + 1 after one step of the recursion and with the claim
    for q put in, and `_times(node)`, the lag, and the time if there is one, of which a node may be the left side.
    """

    words = "the lag"  # over which the induction runs
    left: Total | Ref
    right: Expr
    over: Symbol
    start: int = 0

    def __post_init__(self) -> None:
        if any(not isinstance(index, Index) for ref in places_of(self.left) for index in ref.indices):
            raise DerivationError(f"induction: every index of {self.left} has to be a letter")
        if unknown := set(free(self.right) - free(self.left) - {self.over}):
            raise DerivationError(f"induction: {self.right} leaves {unknown} free, which {self.left} does not")

    def at(self, steps: Expr) -> tuple[Expr, Expr]:
        """Both sides for one lag."""
        values = {self.over: steps}
        return substitute(self.left, values), substitute(self.right, values)

    following = property(lambda self: self.over + 1, doc="The lag of the step's claim; that for one less is put in.")

    def base(self, reducer: Reducer) -> float | None:
        """None unless the claim holds for the first lag, else the number of first steps left open (`Reducer.reach`)."""
        return reducer.reach(*self.at(Integer(self.start)))

    @abstractmethod
    def step_formula(self, reducer: Reducer) -> Expr:
        """The left side for lag q + 1 after one step of the recursion and with the claim for q put in."""

    @abstractmethod
    def _times(self, node: Expr) -> dict[Expr, Expr]:
        """Lag, and time if there is one, for which a node may be the left side."""

    def step(self, reducer: Reducer) -> bool:
        """Whether the claim for lag q + 1 follows from the claim for lag q."""
        return self._proves(reducer, self.step_formula(reducer))

    def _proves(self, reducer: Reducer, formula: Expr) -> bool:
        """Whether the result of one step is the claim for the next lag."""
        return equal(formula, contract(self.at(self.following)[1]))

    def apply(self, expr: Expr, longest: Expr | None = None, whole: tuple[type, ...] = ()) -> Expr:
        """Replace every instance of the left side by the right side, up to the lag `longest` if one is given.

        Derivatives of other things, and nodes of the classes `whole`, are left as they are.
        """
        within = expr if type(self) is Lemma and longest is None else Integer(0)  # whose sums give lags their ranges

        def rule(node: Expr) -> Expr | None:
            values = self._match(node)
            if values is not None and self._covers(fewest(values[self.over], within), longest):
                return substitute(rename_bound(self.right, free(node)), values)
            return node if isinstance(node, (DerivativeSymbol, *whole)) else None

        return contract(replace(expr, rule))

    def _match(self, node: Expr) -> dict[Expr, Expr] | None:
        """Time, lag and indices for which `node` is the left side; None if there are none."""
        alike = type(node) is type(self.left) and (isinstance(node, Ref) or node.args[2:] == self.left.args[2:])
        pairs = list(zip(places_of(self.left), places_of(node), strict=True)) if alike else []
        if not pairs or any(getattr(actual, "quantity", None) != pattern.quantity for pattern, actual in pairs):
            return None
        values = self._times(node)
        for pattern, actual in pairs:
            for letter, value in zip(pattern.indices, actual.indices, strict=True):
                if values.setdefault(letter, value) != value or not lies_in(value, letter.domain):
                    return None
        return values if substitute(self.left, values) == node else None

    def _covers(self, steps: Expr, longest: Expr | None) -> bool:
        """Whether the claim is known to be made for a lag, and for one of at most `longest` if that is given."""
        return at_least_zero(steps - self.start) and (longest is None or bool((longest - steps).is_nonnegative))

    def prove(self, reducer: Reducer) -> float:
        """The number of first steps that the proof leaves open; DerivationError unless both base and step hold."""
        first = self.base(reducer)
        if first is None:
            raise DerivationError(f"induction: the base {self.left} = {self.right} fails at {self.over} = {self.start}")
        formula = self.step_formula(reducer)
        if self._proves(reducer, formula):
            return first
        left, right = self.at(self.following)
        if (further := self._reach(reducer, formula, right)) is None:
            raise DerivationError(f"induction: the step fails: {left} is {formula}, expected {right}")
        return max(first, further)

    def _reach(self, reducer: Reducer, formula: Expr, right: Expr) -> float | None:
        """The number of first steps left open by a step that takes definitions; None if it fails."""
        return None


def places_of(left: Expr) -> tuple[Expr, ...]:
    """The quantities in a left side: target and `wrt` of a derivative, or a quantity itself."""
    return left.args[:2] if isinstance(left, DerivativeSymbol) else (left,)


@dataclass(frozen=True)
class Lemma(Induction):
    """`left(q) = right(q)` for every lag q from `start` on and at every time.

    `left` is a derivative at time t with respect to a node at t - q, each index of both a letter; DerivationError
    else. The step unfolds `left(q + 1)` once and puts in the claim for q, one step earlier. `apply` rewrites
    instances of `left`, at any time, lag and index.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> q = tt.lag()
    >>> lemma = tt.Lemma(tt.d(y[t], y[t - q]), w[()] ** q, q)
    >>> print(tt.Bench(unit, [{}]).holds_for(lemma))
    passed, 6 compared
    """

    def __post_init__(self) -> None:
        refs = [ref for ref in (self.left.target, self.left.wrt) if isinstance(ref, Ref) and ref.time is not None]
        if len(refs) < 2 or not refs[0].time.is_Symbol or refs[0].time - refs[1].time != self.over:
            raise DerivationError(f"induction: {self.left} is no derivative at a time t by a node at t - {self.over}")
        super().__post_init__()
        if not self.over.is_Symbol or self.over != lag(self.over.name, self.start):
            raise DerivationError(f"induction: {self.over} is a lag from {self.start} on; use lag(start={self.start})")

    def _reach(self, reducer: Reducer, formula: Expr, right: Expr) -> float | None:
        return reducer.reach(formula, right)

    def step_formula(self, reducer: Reducer, *whole: type) -> Expr:
        """The left side for lag q + 1 after one step and the claim for lag q; nodes of the classes `whole` stay."""
        now = places_of(self.left)[0].time
        expr = self._to_time(reducer, self.at(self.following)[0], now, *whole)
        return self._to_time(reducer, self.apply(expr, self.following - 1, whole), now - 1, *whole)

    def _to_time(self, reducer: Reducer, expr: Expr, now: Expr, *whole: type) -> Expr:
        """Unfold what the claim is about at one time, with the claim put in at earlier times; nodes of `whole` stay."""

        def once(expr: Expr) -> Expr:
            new = self._unfolded(reducer, expr, now, whole)
            return self.apply(new, self.following - 1, whole) if now != places_of(self.left)[0].time else new

        return fixed_point(expr, once, MAX_STEPS, f"induction: {self.left} does not come to an end at one time")

    def _unfolded(self, reducer: Reducer, expr: Expr, now: Expr, whole: tuple[type, ...]) -> Expr:
        """One step of the recursion for the derivatives of one time."""
        engine = reducer.forward(self.at(self.following)[0].wrt, self.left.args[2:])
        return engine.resolve(engine.unfold(expr, lambda item: item.time == now and engine.system.is_case(item)))[0]

    def _times(self, node: Expr) -> dict[Expr, Expr]:
        return {self.left.target.time: node.target.time, self.over: node.target.time - node.wrt.time}

    def explain(self, reducer: Reducer) -> list[tuple[str, tuple[Expr, ...]]]:
        """The proof as a reader sees it: base and step, each as (words, chain of equal formulas)."""
        left, before, after = self.at(self.following)[0], to_latex(self.following - 1), to_latex(self.following)
        once = self._to_time(reducer, left, places_of(left)[0].time)
        return [
            (f"Base, ${to_latex(self.over)} = {self.start}$:", self.at(Integer(self.start))),
            (
                f"Step, ${before}$ to ${after}$: one step of the recursion, then the claim for ${before}$:",
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

    end = property(lambda self: self.left.wrt.time + self.over, doc="T, the last time.")

    def base_formula(self, reducer: Reducer) -> Expr:
        """The adjoint at the last time, every later one being 0."""
        expr = self._unfolded(reducer, self.at(Integer(0))[0])

        def later(node: Expr) -> bool:
            return self._match(node) is not None and bool((node.wrt.time - self.end).is_positive)

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
        """One step of the adjoint recursion, with everything of no time of its own worked out.

        A sum over 1..T picks the time of the node, which the claim makes for these times only.
        """
        engine, now = Backward(reducer.system, self.left.target, self.left.args[2:]), symbol.wrt.time

        def picked(node: Expr) -> Expr | None:
            within = isinstance(node, Sigma) and node.limits == (1, self.end)
            found = delta_of(node.body, node.index) if within else None
            return substitute(node.body / found, {node.index: now}) if found and now in found.args else None

        formula = fixed_point(
            engine.step(symbol.wrt),
            lambda expr: engine.unfold(expr, lambda node: node.time is None and node != self.left.target),
            MAX_STEPS,
            f"induction: {symbol} does not come to an end at one time",
        )
        return contract(replace(formula, picked))

    def _times(self, node: Expr) -> dict[Expr, Expr]:
        return {self.over: self.end - node.wrt.time}

    def _covers(self, steps: Expr, longest: Expr | None) -> bool:
        when = self.end - steps
        in_sequence = when == 1 or (when.is_Symbol and not when.is_nonnegative)
        return (super()._covers(steps, longest) and not when.is_Integer) or (longest is None and in_sequence)
