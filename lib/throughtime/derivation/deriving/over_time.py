"""Equations that an induction shows, over a lag or over the time of one side."""

from __future__ import annotations

from contextlib import suppress

from sympy import Add, Expr, Integer, Pow, Symbol

from throughtime.derivation.deriving.from_the_start import FromEarlier, FromTheStart
from throughtime.derivation.deriving.induction import FromTheEnd, Induction, Lemma, lag, places_of
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import Bound, DerivativeSymbol, Paths, Ref, Total, every, rebuild, refs
from throughtime.derivation.formulas.rewrite import free, replace, substitute


def over_time(reducer: Reducer, left: Expr, right: Expr) -> float | None:
    """Number of first steps that an induction over one side's time, or over its lag, leaves open; None without one."""
    apart = [(one, right - left + one) for one in Add.make_args(left) if isinstance(one, Ref)]  # h(t) of h(t) - h(k)
    for one, other in (*apart, (left, right), (right, left)):
        if isinstance(one, Ref | Total) and all(isinstance(place, Ref) for place in places_of(one)):
            with suppress(DerivationError):
                return _claim(one, other, reducer.system.t).prove(reducer)
    return None


def _claim(left: Expr, right: Expr, now: Symbol) -> Induction:
    """What an induction shows of a left side: for all lags, from the end back, or from the start on.

    What is claimed of the last time T, and a time before it, is shown of any time, and one before it.
    """
    target, *by = places_of(left)
    when = by[0].time if by else None
    back = when is not None and when.is_Symbol
    if target.time == LENGTH and (back or now not in free(left) | free(right)):
        if any(node.target.time is None for node in every(DerivativeSymbol, right)):
            raise DerivationError(f"induction: {right} depends on what comes after a time")
        values = {LENGTH: now, when: now - lag()} if back else {LENGTH: now}
        return _claim(substitute(left, values), substitute(right, values), now)
    if when == 1 and target.time == now:  # dh(t)/dh(1)
        return Lemma(substitute(left, {Integer(1): now - lag()}), _counted_back(right, now), lag())
    steps = target.time - when if target.time is not None and when is not None else Integer(0)
    if steps.is_Symbol and steps.is_nonnegative:
        return Lemma(left, right, steps)
    if target.time is None and back:
        values = {when: LENGTH - lag()}
        return FromTheEnd(substitute(left, values), substitute(right, values), lag())
    if target.time is None and when is not None and (LENGTH - when).is_nonnegative:
        return FromTheEnd(left, right, LENGTH - when)
    if target.time is None:
        raise DerivationError(f"induction: {left} has no time")
    if isinstance(left, Ref) and (backs := _steps_back(left, right)):
        at_now = {now: now - target.time + now}  # of h(t+q)
        return FromEarlier(substitute(left, at_now), substitute(right, at_now), *backs)
    return FromTheStart(left, right, target.time)


def _steps_back(left: Ref, right: Expr) -> set[Expr]:
    """The number of steps from a quantity back to where the other side reads it."""
    backs = {left.time - ref.time for ref in refs(right) if ref.quantity == left.quantity}
    return backs if len(backs) == 1 and all(back.is_Symbol and back.is_nonnegative for back in backs) else set()


def _counted_back(right: Expr, now: Symbol) -> Expr:
    """What is claimed from 1 to t, from t - q on; DerivationError where that is not the same."""
    back, steps = now - lag() - 1, {now: lag() + 1}

    def rule(node: Expr) -> Expr | None:
        if isinstance(node, Paths | Pow):  # a power of matrices, or of numbers
            return rebuild(node, [*node.args[:-1], substitute(node.args[-1], steps)])
        if isinstance(node, Bound) and node.limits and node.limits[0].is_Integer:
            return rebuild(node, [*node.args[:2], node.limits[0] + back, node.limits[1]])
        return None

    claim = replace(right, rule)
    if substitute(claim, {lag(): now - 1}) != right:
        raise DerivationError(f"induction: {right} is no formula of the steps from 1 on")
    return claim
