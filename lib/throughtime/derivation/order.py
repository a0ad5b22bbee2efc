"""The order of the factors of a product: that in which the sources write a gradient, from the loss to the weight.

Derivative symbols follow each other by the chain rule. What is no derivative stands in front of them: brackets and
slopes, the last of the net's quantities first, then weights, then activities. Two kinds of factor go further to the
front, before the slope they belong to: a gate that scales the unit of the slope, and a weight that carries a signal
back to that unit. Deltas stand before the first factor that has one of their letters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sympy import Add, Expr, Mul, Pow

from .nodes import (
    DEFINED,
    PARAMETER,
    Applied,
    Delta,
    DerivativeSymbol,
    Immediate,
    Paths,
    Product,
    Quantity,
    Ref,
    Sigma,
    Total,
    Truncated,
    nodes,
)
from .rewrite import free

Ends = tuple[Expr | None, Expr | None]
SUMS = Sigma | Product | Paths
FIRST, CHAIN, LAST = 1_000_000, 8, 9


def in_order(factors: Sequence[Expr], text: Callable[[Expr], str]) -> list[Expr]:
    """Factors in reading order; `text` decides where nothing else does, so that the order is always the same."""
    deltas = [f for f in factors if isinstance(f, Delta)]
    factors = [f for f in factors if f not in deltas]
    ends = {factor: _ends(factor) for factor in factors}
    linked = [f for f in factors if isinstance(f, DerivativeSymbol) or _is_linked(f, ends)]
    others = sorted((f for f in factors if f not in linked), key=lambda f: (*_key(f), text(f)))
    ahead = _pulled_ahead([f for f in others if _key(f)[0] < CHAIN])
    behind = [f for f in others if _key(f)[0] >= CHAIN]
    ordered = [*ahead, *_chained(sorted(linked, key=lambda f: (*_key(f), text(f))), ends), *behind]
    return _with_deltas(sorted(deltas, key=text), ordered)


def ranks(expr: Expr, role: str | None = None) -> list[int]:
    """The ranks of the quantities in a formula (of those of one role), the latest first."""
    found = {n.rank for n in nodes(expr) if isinstance(n, Quantity) and role in (None, n.role)}
    return sorted(found, reverse=True)


def _key(factor: Expr) -> tuple[int, int, int]:
    base = factor.base if isinstance(factor, Pow) else factor
    if isinstance(base, DerivativeSymbol):
        return (CHAIN, not isinstance(base, Immediate), -max(ranks(base.target), default=-1))
    if isinstance(base, SUMS | Add) and any(map(_carries_on, nodes(base))):
        return (LAST, max(ranks(base), default=-1), 0)
    if isinstance(base, SUMS | Add) or (isinstance(base, Applied) and base.order):
        kind = 2 if isinstance(base, SUMS) else 3 if isinstance(base, Add) else 4
        return (4, -max(ranks(base, DEFINED), default=FIRST), kind)
    kind = 0
    if isinstance(base, Applied):
        kind = 6
    elif isinstance(base, Ref):
        kind = {PARAMETER: 5, DEFINED: 6}.get(base.quantity.role, 1 if base.quantity.name == "sigma" else 7)
    return (kind, max(ranks(base), default=-1), 0)


def _carries_on(node: Expr) -> bool:
    """Whether a derivative symbol is the one that the recursion goes on with, and so stands last."""
    if not isinstance(node, Total | Truncated) or not isinstance(node.wrt, Ref):
        return False
    return node.wrt.quantity.role == PARAMETER or (isinstance(node.target, Ref) and node.target.time is None)


# the chain rule ----------------------------------------------------------------------------------------------


def _ends(factor: Expr) -> Ends:
    """What a factor is the derivative of, and with respect to what; None where it has no such end."""
    if isinstance(factor, DerivativeSymbol):
        return factor.target, factor.wrt
    if isinstance(factor, SUMS):
        return _ends(factor.args[0])
    if isinstance(factor, Add):
        heads, tails = zip(*map(_ends, factor.args), strict=True)
        return _common(heads), _common(tails)
    if isinstance(factor, Mul):
        found = {part: _ends(part) for part in factor.args}
        heads, tails = ({pair[side] for pair in found.values()} - {None} for side in (0, 1))
        return _common(heads - tails), _common(tails - heads)
    return None, None


def _common(ends) -> Expr | None:
    return next(iter(ends)) if len(set(ends)) == 1 else None


def _is_linked(factor: Expr, ends: dict[Expr, Ends]) -> bool:
    head, tail = ends[factor]
    return any(
        (head is not None and head == other_tail) or (tail is not None and tail == other_head)
        for other, (other_head, other_tail) in ends.items()
        if other != factor
    )


def _chained(factors: list[Expr], ends: dict[Expr, Ends]) -> list[Expr]:
    """Each factor behind the one whose denominator is its numerator."""
    ordered: list[Expr] = []
    left = list(factors)
    while left:
        tails = [ends[factor][1] for factor in left]
        starts = [factor for factor in left if ends[factor][0] is None or ends[factor][0] not in tails]
        following = [f for f in left if ordered and ends[f][0] is not None and ends[f][0] == ends[ordered[-1]][1]]
        ordered.append((following or starts or left)[0])
        left.remove(ordered[-1])
    return ordered


# gates and weights -------------------------------------------------------------------------------------------


def _pulled_ahead(factors: list[Expr]) -> list[Expr]:
    """Gates and weights in front of the first slope that they belong to."""
    ordered = list(factors)
    for factor in factors:
        places = [place for place, other in enumerate(ordered) if _belongs(factor, other)]
        if places and places[0] < ordered.index(factor):
            ordered.remove(factor)
            ordered.insert(places[0], factor)
    return ordered


def _belongs(factor: Expr, slope: Expr) -> bool:
    if not isinstance(slope, Applied) or not slope.order or not isinstance(slope.argument, Ref):
        return False
    at = slope.argument
    unit = free(at) - ({at.time} if at.time is not None else set())
    if isinstance(factor, Ref) and factor.quantity.role == PARAMETER and factor.indices:
        receiving, *sending = factor.indices
        if not sending:  # a unit's weight to itself
            return isinstance(at.time, Add) and bool(at.time.as_coeff_Add()[0].is_negative)
        return bool(unit & set().union(*map(free, sending))) and not unit & free(receiving)
    value = factor.argument if isinstance(factor, Applied) and not factor.order else factor
    if not isinstance(value, Ref) or value.quantity.role != DEFINED or value.time != at.time:
        return False
    return bool(unit & set().union(*map(free, value.indices), set()))


# deltas ------------------------------------------------------------------------------------------------------


def _with_deltas(deltas: list[Expr], factors: list[Expr]) -> list[Expr]:
    """Deltas before the first factor that has a letter of theirs, before all where none has."""
    letters = set().union(*map(free, deltas))
    first = next((place for place, factor in enumerate(factors) if letters & free(factor)), 0)
    while first and isinstance(factors[first - 1], Ref):  # a gate or weight belongs to what stands behind it
        first -= 1
    return [*factors[:first], *deltas, *factors[first:]]
