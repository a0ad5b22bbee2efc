"""Equations that an induction shows, over a lag or over the time of one side."""

from __future__ import annotations

from contextlib import suppress

from sympy import Expr, Symbol

from throughtime.derivation.deriving.induction import FromTheEnd, FromTheStart, Induction, Lemma, lag, places_of
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Ref, Total, every
from throughtime.derivation.formulas.rewrite import substitute


def over_time(reducer: Reducer, left: Expr, right: Expr) -> float | None:
    """Number of first steps that an induction over one side's time, or over its lag, leaves open; None without one."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Ref | Total) and all(isinstance(place, Ref) for place in places_of(one)):
            with suppress(DerivationError):
                return _claim(one, other, reducer.system.t).prove(reducer)
    return None


def _claim(left: Expr, right: Expr, now: Symbol) -> Induction:
    """What an induction shows of a left side: for all lags, from the end back, or from the start on.

    What is claimed of the last time T and a time before it is shown of any time and one before it.
    """
    target, *by = places_of(left)
    when = by[0].time if by else None
    if target.time == LENGTH and when is not None and when.is_Symbol:
        if any(node.target.time is None for node in every(DerivativeSymbol, right)):
            raise DerivationError(f"induction: {right} depends on what comes after a time")
        values = {LENGTH: now, when: now - lag()}
        return Lemma(substitute(left, values), substitute(right, values), lag())
    if target.time is not None and when is not None and (back := target.time - when).is_Symbol:
        return Lemma(left, right, back)
    if target.time is None and when is not None and when.is_Symbol:
        values = {when: LENGTH - lag()}
        return FromTheEnd(substitute(left, values), substitute(right, values), lag())
    if target.time is None:
        raise DerivationError(f"induction: {left} has no time")
    return FromTheStart(left, right, target.time)
