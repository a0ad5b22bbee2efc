"""The order of the factors of a product: that in which the sources write a gradient, from the loss to the weight.

Derivative symbols follow each other by the chain rule. What is no derivative stands in front of them: brackets and
slopes, the last of the net's quantities first, then weights, then activities. Two kinds of factor go further to the
front, before the slope they belong to: a gate that scales the unit of the slope, and a weight that carries a signal
back to that unit. Deltas stand before the first factor that has one of their letters. A product over times stands
where its ends say: behind the factor that would be its next later one, or in the chain of its derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sympy import Add, Expr, Integer, Mul, Pow, Symbol

from .domains import Index
from .nodes import (
    DEFINED,
    INPUT,
    PARAMETER,
    Applied,
    Delta,
    DerivativeSymbol,
    Immediate,
    Modulus,
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
ANY = Symbol("any unit", integer=True)


def in_order(factors: Sequence[Expr], text: Callable[[Expr], str]) -> list[Expr]:
    """Factors in reading order; `text` decides where nothing else does, so that the order is always the same."""
    deltas = [f for f in factors if isinstance(f, Delta)]
    factors = [f for f in factors if f not in deltas]
    ends = {factor: _ends(factor) for factor in factors}
    linked = [f for f in factors if isinstance(f, DerivativeSymbol) or _is_linked(f, ends)]
    others = sorted((f for f in factors if f not in linked), key=lambda f: (*_key(f), text(f)))
    ahead = _pulled_ahead([f for f in others if _key(f)[0] < CHAIN])
    behind = [f for f in others if _key(f)[0] >= CHAIN]
    ordered = [*_in_time(ahead), *_chained(sorted(linked, key=lambda f: (*_key(f), text(f))), ends), *behind]
    return _with_deltas(sorted(deltas, key=text), ordered)


def ranks(expr: Expr, role: str | None = None) -> list[int]:
    """The ranks of the quantities in a formula (of those of one role), the latest first."""
    found = {n.rank for n in nodes(expr) if isinstance(n, Quantity) and role in (None, n.role)}
    return sorted(found, reverse=True)


def _key(factor: Expr) -> tuple[int, int, int]:
    base = _bare(factor)
    if isinstance(base, DerivativeSymbol):
        return (CHAIN, not isinstance(base, Immediate), -max(ranks(base.target), default=-1))
    if isinstance(base, SUMS | Add) and any(map(_carries_on, nodes(base))):
        return (LAST, max(ranks(base), default=-1), 0)
    if isinstance(base, SUMS | Add) or (isinstance(base, Applied) and base.order):
        kind = 2 if isinstance(base, SUMS) else 3 if isinstance(base, Add) else 4
        return (4, -max(ranks(base, DEFINED), default=FIRST), kind)
    if isinstance(base, Applied):
        return (6, FIRST, max(ranks(base), default=-1))  # behind the gate that scales it
    if isinstance(base, Ref) and base.quantity.role == INPUT and not base.quantity.timed:
        return (5, FIRST, max(ranks(base), default=-1))  # given once: behind the weights
    kind = _kind(base.quantity) if isinstance(base, Ref) else 0
    return (kind, max(ranks(base), default=-1), 0)


def _bare(factor: Expr) -> Expr:
    """What a power or a modulus is taken of."""
    while isinstance(factor, Pow | Modulus):
        factor = factor.args[0]
    return factor


def _kind(quantity: Quantity) -> int:
    """Weights first, then what the net computes, then its sources."""
    if quantity.role == INPUT:
        return 1 if quantity.name == "sigma" else 7
    return 5 if quantity.role == PARAMETER else 7 if quantity.lag else 6


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
    if isinstance(factor, Modulus):
        return _ends(factor.args[0])
    if isinstance(factor, Product) and factor.limits:
        return _ends_in_time(factor)
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


def _ends_in_time(product: Product) -> Ends:
    """A product over times is linked in itself if the tail of each factor is the head of the next."""
    head, tail = _ends(product.body)
    (when, (lower, upper)) = product.index, product.limits
    if head is None or tail is None:
        return None, None
    if tail.xreplace({when: when + 1}) == head:
        return head.xreplace({when: upper}), tail.xreplace({when: lower})
    if head.xreplace({when: when + 1}) == tail:
        return head.xreplace({when: lower}), tail.xreplace({when: upper})
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
    summed = any(isinstance(factor, Sigma) for factor in factors)
    for factor in factors:
        places = [place for place, other in enumerate(ordered) if _belongs(factor, other, summed)]
        if places and places[0] < ordered.index(factor):
            ordered.remove(factor)
            ordered.insert(places[0], factor)
    return ordered


def _belongs(factor: Expr, slope: Expr, behind_a_sum: bool) -> bool:
    """Whether a gate or weight belongs in front of a slope.

    A quantity with more letters than the unit of the slope is a gate only where no sum stands in front: behind a sum
    over such gates it is what the unit reads.
    """
    factor, slope = (part.args[0] if isinstance(part, Modulus) else part for part in (factor, slope))
    if isinstance(factor, Ref) and isinstance(slope, Ref):
        return _meets(factor, slope)
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
    letters = set().union(*map(free, value.indices), set())
    return bool(unit & letters) and (letters <= unit or not behind_a_sum)


def _meets(row: Ref, weight: Ref) -> bool:
    """Whether two elements stand as in a product of matrices, x_in v_nk, where the weight is the right one."""
    if weight.quantity.role != PARAMETER or row.quantity.role == PARAMETER:
        return False
    if len(row.indices) != 2 or len(weight.indices) != 2:
        return False
    return row.indices[1] == weight.indices[0] and weight.indices[1] not in row.indices


# times -------------------------------------------------------------------------------------------------------


def _in_time(factors: list[Expr]) -> list[Expr]:
    """A product over times or along paths behind what would be its next later factor, before its next earlier one."""
    ordered = list(factors)
    for whole in factors:
        base = whole.args[0] if isinstance(whole, Modulus) else whole
        if isinstance(base, Paths):
            body, when, lower, upper = base.link, base.count, Integer(1), base.steps
        elif isinstance(base, Product) and base.limits:
            body, when, (lower, upper) = base.body, base.index, base.limits
        else:
            continue
        falls = any(n.time.coeff(when).is_negative for n in _timed(body))
        later, earlier = (lower - 1, upper + 1) if falls else (upper + 1, lower - 1)
        ordered.remove(whole)
        in_front = _next_ones(body, when, later, ordered)
        behind = [f for f in _next_ones(body, when, earlier, ordered) if f not in in_front]
        if in_front:
            ordered = [f for f in ordered if f not in behind]
            place = ordered.index(in_front[-1]) + 1
            ordered = [*ordered[:place], whole, *behind, *ordered[place:]]
        else:
            ordered.insert(ordered.index(behind[0]) if behind else factors.index(whole), whole)
    return ordered


def _timed(expr: Expr) -> list[Ref]:
    return [n for n in nodes(expr) if isinstance(n, Ref) and n.time is not None]


def _next_ones(body: Expr, when: Expr, at: Expr, factors: list[Expr]) -> list[Expr]:
    """The factors that a body has at one time, of whatever unit; none if all that it has there is timeless."""
    parts = {_of_any_unit(part.xreplace({when: at})): part.has(when) for part in Mul.make_args(body)}
    found = {factor: parts[unit] for factor in factors if (unit := _of_any_unit(factor)) in parts}
    return list(found) if any(found.values()) else []


def _of_any_unit(expr: Expr) -> Expr:
    expr = expr.args[0] if isinstance(expr, Modulus) else expr
    return expr.xreplace(dict.fromkeys((n for n in free(expr) if isinstance(n, Index)), ANY))


# deltas ------------------------------------------------------------------------------------------------------


def _with_deltas(deltas: list[Expr], factors: list[Expr]) -> list[Expr]:
    """Deltas before the first factor that has a letter of theirs, before all where none has."""
    letters = set().union(*map(free, deltas))
    first = next((place for place, factor in enumerate(factors) if letters & free(factor)), 0)
    while first and isinstance(factors[first - 1], Ref):  # a gate or weight belongs to what stands behind it
        first -= 1
    return [*factors[:first], *deltas, *factors[first:]]
