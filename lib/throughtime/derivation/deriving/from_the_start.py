"""Claims about a quantity at a time, from the start on or from some steps earlier, proved by induction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Add, Expr, Integer

from throughtime.derivation.deriving.definition import reached
from throughtime.derivation.deriving.induction import Induction, Lemma, places_of
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.times import written_out
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import Applied, DerivativeSymbol, Ref
from throughtime.derivation.formulas.rewrite import (
    at_least_zero,
    contract,
    free,
    rename_bound,
    replace,
    substitute,
)


@dataclass(frozen=True)
class FromTheStart(Lemma):
    """`left(t) = right(t)` at every time t from 1 on, by induction over t.

    `left` is a quantity at time t, or its derivative with respect to a parameter or an initial state, as
    dh[i,t]/dh[j,0]; each index a letter; DerivationError else. The base is t = 1; the step puts definitions in at t
    and at t - 1, and the claim for t - 1. Used like `Lemma`. `apply` rewrites `left` at times that are at least 1.
    """

    words = "time"
    start: int = 1

    def __post_init__(self) -> None:
        target, *by = places_of(self.left)
        plain = self.over.is_Symbol and self.over.is_integer and not self.over.is_nonnegative
        fixed = all(ref.time is None or ref.is_initial for ref in by)
        if not plain or not fixed or getattr(target, "time", None) != self.over or self.start != 1:
            what = "or its derivative with respect to a parameter or an initial state"
            raise DerivationError(f"induction: {self.left} is not a quantity at a time {self.over} from 1 on, {what}")
        Induction.__post_init__(self)

    following = property(lambda self: self.over, doc="The time of the step's claim; that for one before is put in.")

    def step_formula(self, reducer: Reducer, *whole: type) -> Expr:
        """As for a `Lemma`; what a quantity reads, or arguments of activations, stay as they are if this proves it."""
        for once in self._once(reducer) if isinstance(self.left, Ref) else ():
            if self._proves(reducer, once):
                return once
        outside = super().step_formula(reducer, Applied, *whole)
        return outside if self._proves(reducer, outside) else super().step_formula(reducer, *whole)

    def _once(self, reducer: Reducer) -> Iterator[Expr]:
        """The definition of the quantity alone, with the claim for the time before put in: everywhere, and only where
        this quantity is a term of its own, as in sums of steps that read it."""
        definition = reducer.system.definition(self.left)
        yield self._put_in(definition)
        terms = Add.make_args(definition)
        yield Add(*(self._put_in(term) if isinstance(term, Ref) else term for term in terms))

    def _put_in(self, expr: Expr) -> Expr:
        return self.apply(expr, self.following - 1)

    def _proves(self, reducer: Reducer, formula: Expr) -> bool:
        """Whether a formula is the right side at t >= 2; asked at t + 1, so that a last term is split off."""
        later = {self.over: self.over + 1}
        return reducer.reach(*(substitute(side, later) for side in (formula, self.right))) == 0

    def base(self, reducer: Reducer) -> float | None:
        """Base case t = 1: both sides unfolded and compared, sums and products written out."""
        return reducer.reach(*map(written_out, self.at(Integer(1))))

    def explain(self, reducer: Reducer) -> list[tuple[str, tuple[Expr, ...]]]:
        """As for a `Lemma`; the step ends with the right side."""
        base, (words, step) = super().explain(reducer)
        return [base, (words, tuple(dict.fromkeys((*step, self.right))))]

    def _unfolded(self, reducer: Reducer, expr: Expr, now: Expr, whole: tuple[type, ...]) -> Expr:
        """One step for the derivatives of one time, or for the quantities of that time that read the claimed one."""
        if not isinstance(self.left, Ref):
            return super()._unfolded(reducer, expr, now, whole)
        system, own = reducer.system, self.left.quantity
        readers = reached([own], lambda one: (case.left.quantity for case, ref in system.reads if ref.quantity == one))

        def rule(node: Expr) -> Expr | None:
            if isinstance(node, (DerivativeSymbol, *whole)):
                return node
            chosen = isinstance(node, Ref) and node.time == now and node.quantity in {own, *readers}
            return system.definition(node) if chosen and system.is_case(node) else None

        return contract(replace(expr, rule))

    def _times(self, node: Expr) -> dict[Expr, Expr]:
        return {self.over: places_of(node)[0].time}

    def _covers(self, steps: Expr, longest: Expr | None) -> bool:
        return at_least_zero(steps - 1) if longest is None else steps == longest


@dataclass(frozen=True)
class FromEarlier(FromTheStart):
    """`left(t) = right(t, q)` for every q from 0 to t, `left` being a quantity and `right` reading it at t - q alone.

    The base is q = 0; the step puts the claim for q, one time earlier, into the definition at t.
    """

    start: int = 0

    def __post_init__(self) -> None:
        when = getattr(self.left, "time", None)
        if not isinstance(self.left, Ref) or when is None or not when.is_Symbol or not self.over.is_nonnegative:
            raise DerivationError(f"induction: {self.left} is no quantity at a time, or {self.over} no number of steps")
        Induction.__post_init__(self)

    following = property(lambda self: self.over + 1)

    def base(self, reducer: Reducer) -> float | None:
        return reducer.reach(*self.at(Integer(self.start)))

    def step_formula(self, reducer: Reducer, *whole: type) -> Expr:
        """The definition at t with the claim for q put in for t - 1."""
        ways = [*self._once(reducer)]
        return next((way for way in ways if self._proves(reducer, way)), ways[0])

    def _put_in(self, expr: Expr) -> Expr:
        now, own = self.left.time, self.left.quantity

        def rule(node: Expr) -> Expr | None:
            if isinstance(node, DerivativeSymbol):
                return node
            if not isinstance(node, Ref) or (node.quantity, node.time) != (own, now - 1):
                return None
            values = {now: now - 1, **dict(zip(self.left.indices, node.indices, strict=True))}
            return substitute(rename_bound(self.right, free(node)), values)

        return contract(replace(expr, rule))

    def _proves(self, reducer: Reducer, formula: Expr) -> bool:
        """Whether a formula is the claim for one step more, at t, or at t + 1 where the last factor is split off."""
        sides = formula, contract(self.at(self.following)[1])
        moved = ({self.left.time: self.left.time + steps} for steps in (0, 1))
        return any(reducer.reach(*(substitute(side, later) for side in sides)) == 0 for later in moved)
