"""Equations of sources that write t + 1 for the present: the same equations at the engine's times 1..T."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Integer

from .domains import Index
from .nodes import Ref, Sigma, nodes
from .rewrite import free, replace, substitute


def at_present(members: Sequence[Expr]) -> list[Expr]:
    """A chain with its free time moved so that the latest time on its left is t, which runs from 1 to T.

    A source that lets t run from 0 to T - 1 and speaks of t + 1 says the same.
    """
    ahead = _ahead(members[0])
    values = {time: time - steps for time, steps in ahead.items() if steps > 0}
    return [_counted_from_one(substitute(member, values)) for member in members]


def _ahead(left: Expr) -> dict[Expr, Expr]:
    """For each free time of a formula, the most steps after it that something is read."""
    found: dict[Expr, Expr] = {}
    for node in nodes(left):
        if isinstance(node, Ref) and node.time is not None:
            steps, base = node.time.as_coeff_Add()
            if base in free(left) and not isinstance(base, Index):
                found[base] = max(found.get(base, steps), steps)
    return found


def _counted_from_one(expr: Expr) -> Expr:
    """Every sum over times from 0, or from another number, as a sum from 1."""

    def rule(node: Expr) -> Expr | None:
        if not isinstance(node, Sigma) or not node.limits or not node.limits[0].is_Integer or node.limits[0] == 1:
            return None
        early = node.limits[0] - 1
        body = substitute(_counted_from_one(node.body), {node.index: node.index + early})
        return Sigma(body, node.index, Integer(1), node.limits[1] - early)

    return replace(expr, rule)
