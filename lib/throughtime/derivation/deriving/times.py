"""Shifts of time: equations that sources write for the time t + 1, at the engine's times 1..T."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from sympy import Add, Expr, Integer, Mul

from throughtime.derivation.formulas.domains import LENGTH, Index
from throughtime.derivation.formulas.nodes import Binder, Bound, Product, Sigma, every, rebuild, time
from throughtime.derivation.formulas.rewrite import (
    at_least_zero,
    counted,
    edges,
    free,
    least,
    own_letter,
    replace,
    substitute,
    times,
)


def at_present(members: Sequence[Expr]) -> list[Expr]:
    """A chain of equal formulas with its free times shifted so that the latest time on its left side is t.

    Sources in which t runs from 0 to T - 1 write t + 1 for it.
    """
    ahead = _ahead(members[0])
    values = {when: when - steps for when, steps in ahead.items() if steps > 0}
    return [substitute(member, values) for member in members]


def extremes(choose: Callable[[Expr, Expr], Expr], whens: Iterable[Expr]) -> dict[Expr, Expr]:
    """Least (`min`) or greatest (`max`) number of steps after each symbol in some times."""
    found: dict[Expr, Expr] = {}
    for steps, base in (when.as_coeff_Add() for when in whens):
        found[base] = choose(found.get(base, steps), steps)
    return found


def fewest(steps: Expr, formula: Expr) -> Expr:
    """The least of some steps over the ranges of letters of sums over time: that of t - i is 1 for i up to t - 1."""
    found = {(one, node.outside) for node in every(Binder, formula) for one in node.letters}
    letters = [one for one, limits in found]
    bound = {one: limits for one, limits in found if len(limits) == 2 and letters.count(one) == 1}
    return least(steps, {one: limits for one, limits in bound.items() if one not in free(formula)})


def least_length(*formulas: Expr) -> int:
    """Least length of a sequence that contains every time in some formulas."""
    whens = [Integer(1), LENGTH, *times(*formulas)]
    first, last = extremes(min, whens), extremes(max, whens)
    return max(int(last[base] - first[base]) + 1 for base in first)


def _ahead(left: Expr) -> dict[Expr, Expr]:
    """Greatest number of steps of a quantity after each free time of a formula."""
    letters = {letter for letter in free(left) if not isinstance(letter, Index)}
    return {base: steps for base, steps in extremes(max, times(left)).items() if base in letters}


def counted_from_one(expr: Expr) -> Expr:
    """Every sum over times re-indexed to run from 1 to a symbol; left-over terms at either end are added.

    A sum that could end before it begins is left alone; a sequence has at least one time.
    """
    if isinstance(expr, Sigma) and expr.limits:
        expr, *ends = _ends_apart(expr)
    else:
        expr, ends = own_letter(expr) if isinstance(expr, Bound) else expr, []
    inner = rebuild(expr, [counted_from_one(arg) for arg in expr.args])
    return Add(inner, *(counted_from_one(end) for end in ends))


def _ends_apart(expr: Sigma) -> tuple[Expr, ...]:
    """A sum over times re-indexed to run from 1 to a symbol, and the left-over terms.

    If the number of terms is that symbol, and the sum reads nothing after its index, none are left over; else the
    latest time in the sum becomes the index.
    """
    letter, (lower, upper) = expr.index, expr.limits
    steps, last = upper.as_coeff_Add()
    known = lower.is_Integer and steps.is_Integer and counted(last).is_nonnegative
    if not known or not at_least_zero(upper - lower + 1):
        return (own_letter(expr),)
    ahead = _ahead(expr.body).get(letter, Integer(0))
    whole = upper - lower + 1 == last and ahead <= 1 - lower
    later = 1 - lower if whole else max(ahead, Integer(0))
    lower, steps = lower + later, steps + later

    def at(when: Expr) -> Expr:
        return substitute(expr.body, {letter: when - later})

    plain, ends = time(letter.name), edges(lower, last, steps)
    return own_letter(Sigma(at(plain), plain, Integer(1), last)), *(sign * at(place) for place, sign in ends)


def padded(expr: Expr) -> tuple[Expr, list[Expr]]:
    """Each sum or product over times that ends more than a step too early at t = 1..n, begun n terms earlier, these
    taken off.

    The result is the same for t > n; the times t - n, one for each such range, are returned with it. Those inside
    others are left alone, since t has to be free.
    """
    if isinstance(expr, Add | Mul):
        parts = [padded(arg) for arg in expr.args]
        return expr.func(*(new for new, _ in parts)), [when for _, late in parts for when in late]
    if not isinstance(expr, Bound) or not expr.limits:
        return expr, []
    lower, upper = expr.limits
    steps, last = (upper - lower + 1).as_coeff_Add()
    in_time = last == LENGTH or (last.is_Symbol and not last.is_nonnegative)
    if not (lower.is_Integer and steps.is_Integer and in_time and steps < -1):
        return expr, []
    few = int(-1 - steps)
    first = (substitute(expr.body, {expr.index: lower - n}) for n in range(1, few + 1))
    whole = expr.func(expr.body, expr.index, lower - few, upper)
    return (whole - Add(*first) if isinstance(expr, Sigma) else whole / Mul(*first)), [last - few]


def written_out(expr: Expr) -> Expr:
    """A formula with each sum or product over times between two numbers written term by term."""

    def rule(node: Expr) -> Expr | None:
        if not isinstance(node, Bound) or not node.limits or not all(limit.is_Integer for limit in node.limits):
            return None
        first, last = map(int, node.limits)
        terms = [written_out(substitute(node.body, {node.index: Integer(n)})) for n in range(first, last + 1)]
        return reduce(node.operation, terms, Integer(isinstance(node, Product)))

    return replace(expr, rule)
