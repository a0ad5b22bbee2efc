"""Equations of sources that write t + 1 for the present: the same equations at the engine's times 1..T."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Add, Expr, Integer

from .domains import Index
from .nodes import Bound, Ref, Sigma, nodes, rebuild, time
from .rewrite import at_least_one, counted, free, own_letter, substitute


def at_present(members: Sequence[Expr]) -> list[Expr]:
    """A chain with its free time moved so that the latest time on its left is t, which runs from 1 to T.

    A source that lets t run from 0 to T - 1 and speaks of t + 1 says the same.
    """
    ahead = _ahead(members[0])
    values = {when: when - steps for when, steps in ahead.items() if steps > 0}
    return [substitute(member, values) for member in members]


def _ahead(left: Expr) -> dict[Expr, Expr]:
    """For each free time of a formula, the most steps after it that something is read."""
    found: dict[Expr, Expr] = {}
    for node in nodes(left):
        if isinstance(node, Ref) and node.time is not None:
            steps, base = node.time.as_coeff_Add()
            if base in free(left) and not isinstance(base, Index):
                found[base] = max(found.get(base, steps), steps)
    return found


def counted_from_one(expr: Expr) -> Expr:
    """Every sum over times as one from 1 to a bare letter, with what that leaves over at either end as terms.

    A sum that could end before it begins is left alone; a sequence has at least one time.
    """
    if isinstance(expr, Sigma) and expr.limits:
        expr, *ends = _ends_apart(expr)
    else:
        expr, ends = own_letter(expr) if isinstance(expr, Bound) else expr, []
    inner = rebuild(expr, [counted_from_one(arg) for arg in expr.args])
    return Add(inner, *map(counted_from_one, ends))


def _ends_apart(expr: Sigma) -> tuple[Expr, ...]:
    """A sum over times from 1 to a bare letter, and the terms beside it.

    Where as many terms are summed as that letter says, the sum is shifted; else it is shifted so that the latest time
    it reads is at most the present.
    """
    letter, (lower, upper) = expr.index, expr.limits
    steps, last = upper.as_coeff_Add()
    known = lower.is_Integer and steps.is_Integer and counted(last).is_nonnegative
    if not known or not at_least_one(upper - lower + 1).is_nonnegative:
        return (own_letter(expr),)
    later = 1 - lower if upper - lower + 1 == last else max(_ahead(expr.body).get(letter, 0), Integer(0))
    lower, steps = lower + later, steps + later

    def at(when: Expr) -> Expr:
        return substitute(expr.body, {letter: when - later})

    before = [at(Integer(when)) for when in range(lower, 1)] + [-at(Integer(when)) for when in range(1, lower)]
    behind = [at(last + n) for n in range(1, steps + 1)] + [-at(last - n) for n in range(-steps)]
    plain = time(letter.name)
    return own_letter(Sigma(at(plain), plain, Integer(1), last)), *before, *behind
