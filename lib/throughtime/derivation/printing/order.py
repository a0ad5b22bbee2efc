"""The order of the factors of a product: that in which the sources write a gradient, from the loss to the weight.

Derivative symbols follow each other by the chain rule. What is no derivative stands in front of them: brackets and
slopes, the last of the net's quantities first, then weights, then activities. Two kinds of factor go further to the
front, before the slope they belong to: a gate that scales the unit of the slope, and a weight that carries a signal
back to that unit. Deltas stand before the first factor that has one of their letters. A product over times stands
behind the factor that would come before its first one, or in the chain of its derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sympy import Add, Expr, Integer, Mul, Pow, Symbol

from throughtime.derivation.formulas.domains import Index, row
from throughtime.derivation.formulas.nodes import (
    DEFINED,
    INPUT,
    PARAMETER,
    Applied,
    Bound,
    Delta,
    DerivativeSymbol,
    Immediate,
    Modulus,
    Paths,
    Product,
    Quantity,
    Ref,
    Sigma,
    every,
    nodes,
)
from throughtime.derivation.formulas.rewrite import free

Key = tuple[int, int, int]
Ends = tuple[Expr | None, Expr | None]
SUMS = Bound | Paths
OTHER, MASK, BRACKET, WEIGHT, STATE, SOURCE, DERIVATIVE, RECURSION = range(8)  # kinds of factors in reading order
FIRST = 1_000_000  # above every rank
ANY = Symbol("any unit", integer=True)


def in_order(factors: Sequence[Expr], text: Callable[[Expr], str]) -> list[Expr]:
    """Factors in reading order; `text` decides where nothing else does, so that the order is always the same."""
    deltas = sorted((f for f in factors if isinstance(f, Delta)), key=text)
    others = sorted((f for f in factors if f not in deltas), key=lambda f: (*_key(f), text(f)))
    ends = {factor: _ends(factor) for factor in others}
    linked = [f for f in others if isinstance(f, DerivativeSymbol) or _is_linked(ends[f], ends.values())]
    ahead = [f for f in others if f not in linked and _key(f)[0] < DERIVATIVE]
    behind = [f for f in others if f not in linked and f not in ahead]
    return _with_deltas(deltas, [*_in_time(_pulled_ahead(ahead)), *_chained(linked, ends), *behind])


def ranks(expr: Expr, role: str | None = None) -> set[int]:
    """The ranks of the quantities in a formula (of those of one role), the highest being that of the one made last."""
    return {node.rank for node in every(Quantity, expr) if role in (None, node.role)}


def latest(expr: Expr, role: str | None = None, default: int = -1) -> int:
    """The rank of the quantity in a formula (of those of one role) that was made last."""
    return max(ranks(expr, role), default=default)


def _key(factor: Expr) -> Key:
    """Sort key of a factor: its kind, and what orders the factors of one kind."""
    while isinstance(factor, Pow | Modulus):
        factor = factor.args[0]
    return row(_KEYS, factor)(factor)


def _key_of_bracket(bracket: Expr) -> Key:
    if any(map(_carries_on, nodes(bracket))):
        return RECURSION, latest(bracket), 0
    return BRACKET, -latest(bracket, DEFINED, FIRST), 1 if isinstance(bracket, Add) else 0


def _key_of_value(value: Applied) -> Key:
    """Sort key of a value: a slope after the brackets of its unit, a value after the gate that scales it."""
    return (BRACKET, -latest(value, DEFINED, FIRST), 2) if value.order else (STATE, FIRST, latest(value))


def _key_of_element(ref: Ref) -> Key:
    quantity = ref.quantity
    if quantity.is_input and not quantity.timed:
        return WEIGHT, FIRST, latest(ref)  # given once: behind the weights
    kinds = {PARAMETER: WEIGHT, DEFINED: STATE, INPUT: SOURCE}
    return MASK if quantity.mask else SOURCE if quantity.lag else kinds[quantity.role], latest(ref), 0


_KEYS = {
    Expr: lambda other: (OTHER, latest(other), 0),
    Bound: _key_of_bracket,
    Paths: _key_of_bracket,
    Add: _key_of_bracket,
    Applied: _key_of_value,
    Ref: _key_of_element,
    DerivativeSymbol: lambda symbol: (DERIVATIVE, not isinstance(symbol, Immediate), -latest(symbol.target)),
}


def _carries_on(node: Expr) -> bool:
    """Whether this is the derivative with which the recursion goes on, which is printed last."""
    if not isinstance(node, DerivativeSymbol) or isinstance(node, Immediate):
        return False
    return node.wrt.quantity.is_parameter or (isinstance(node.target, Ref) and node.target.time is None)


# the chain rule ----------------------------------------------------------------------------------------------


def _ends(factor: Expr) -> Ends:
    """Numerator and denominator of a factor, if it is a derivative; None where it has no such end."""
    return row(_ENDS, factor)(factor)


def _ends_of_product(product: Product) -> Ends:
    """Over times: those of a chain, if the tail of each factor is the head of the next later or earlier one."""
    head, tail = _ends(product.body)
    if product.limits and head is not None and tail is not None:
        when, (lower, upper) = product.index, product.limits
        if tail.xreplace({when: when + 1}) == head:
            return head.xreplace({when: upper}), tail.xreplace({when: lower})
        if head.xreplace({when: when + 1}) == tail:
            return head.xreplace({when: lower}), tail.xreplace({when: upper})
    return None, None


def _ends_of_factors(factors: Mul) -> Ends:
    """Ends that no other factor continues."""
    heads, tails = (set(side) - {None} for side in zip(*map(_ends, factors.args), strict=True))
    return _common(heads - tails), _common(tails - heads)


def _common(ends: Iterable[Expr | None]) -> Expr | None:
    """Common end of all, if there is one."""
    found = set(ends)
    return found.pop() if len(found) == 1 else None


_ENDS = {
    Expr: lambda other: (None, None),
    DerivativeSymbol: lambda symbol: (symbol.target, symbol.wrt),
    Modulus: lambda whole: _ends(whole.args[0]),
    Sigma: lambda whole: _ends(whole.body),
    Paths: lambda whole: _ends(whole.link),
    Product: _ends_of_product,
    Add: lambda terms: tuple(map(_common, zip(*map(_ends, terms.args), strict=True))),
    Mul: _ends_of_factors,
}


def _follows(later: Ends, earlier: Ends) -> bool:
    """Whether the numerator of the first is the denominator of the second."""
    return later[0] is not None and later[0] == earlier[1]


def _is_linked(own: Ends, others: Iterable[Ends]) -> bool:
    return any(_follows(own, other) or _follows(other, own) for other in others)


def _chained(factors: Sequence[Expr], ends: dict[Expr, Ends]) -> list[Expr]:
    """Each factor after the one whose denominator is its numerator."""
    ordered: list[Expr] = []
    left = list(factors)
    while left:
        following = [f for f in left if ordered and _follows(ends[f], ends[ordered[-1]])]
        starts = [f for f in left if not any(_follows(ends[f], ends[other]) for other in left)]
        ordered.append((following or starts or left)[0])
        left.remove(ordered[-1])
    return ordered


# gates and weights -------------------------------------------------------------------------------------------


def _pulled_ahead(factors: Sequence[Expr]) -> list[Expr]:
    """Gates and weights in front of the first slope that they belong to."""
    ordered = list(factors)
    summed = any(isinstance(factor, Sigma) for factor in factors)
    for factor in factors:
        here = ordered.index(factor)
        first = next((place for place in range(here) if _belongs(factor, ordered[place], summed)), here)
        ordered.insert(first, ordered.pop(here))
    return ordered


def _belongs(factor: Expr, other: Expr, behind_a_sum: bool) -> bool:
    """Whether a factor stands in front of another one: a row before its matrix, a gate or weight before a slope."""
    factor, other = _inside(factor), _inside(other)
    if isinstance(other, Ref):
        return isinstance(factor, Ref) and _multiplies(factor, other)
    if not isinstance(other, Applied) or not other.order or not isinstance(other.argument, Ref):
        return False
    if isinstance(factor, Ref) and factor.quantity.is_parameter and factor.indices:
        return _carries_back(factor, other.argument)
    return _is_gate(factor, other.argument, behind_a_sum)


def _inside(factor: Expr) -> Expr:
    return factor.args[0] if isinstance(factor, Modulus) else factor


def _letters(*indices: Expr) -> set[Expr]:
    return set().union(*map(free, indices))


def _multiplies(row: Ref, weight: Ref) -> bool:
    """Whether two elements stand as in a product of matrices, x_in v_nk, where the weight is the right one."""
    roles = row.quantity.role, weight.quantity.role
    if roles[0] == PARAMETER or roles[1] != PARAMETER or not len(row.indices) == len(weight.indices) == 2:
        return False
    return row.indices[1] == weight.indices[0] and weight.indices[1] not in row.indices


def _carries_back(weight: Ref, state: Ref) -> bool:
    """Whether a weight w_ji carries a signal from unit j back to unit i of the state, or u_i one from i to itself.

    The second, of one index, does so where the state is that of an earlier time.
    """
    if len(weight.indices) == 1:
        return isinstance(state.time, Add) and bool(state.time.as_coeff_Add()[0].is_negative)
    unit, (receiving, *sending) = _letters(*state.indices), weight.indices
    return bool(unit & _letters(*sending)) and not unit & free(receiving)


def _is_gate(factor: Expr, state: Ref, behind_a_sum: bool) -> bool:
    """Whether a factor is a quantity (or an activation of one) that scales the unit of the state at the same time.

    If it has indices that the unit lacks, it counts as a gate only when no sum precedes it: after a sum it is an
    input of the unit and stays behind the slope.
    """
    gate = factor.argument if isinstance(factor, Applied) and not factor.order else factor
    if not isinstance(gate, Ref) or not gate.quantity.is_defined or gate.time != state.time:
        return False
    unit, letters = _letters(*state.indices), _letters(*gate.indices)
    return bool(unit & letters) and (letters <= unit or not behind_a_sum)


# times -------------------------------------------------------------------------------------------------------


def _in_time(factors: Sequence[Expr]) -> list[Expr]:
    """A product over times or along paths after what would be its factor before the first one."""
    ordered = list(factors)
    for whole in factors:
        before = _before_first(_inside(whole))
        found = [factor for factor in ordered if _of_any_unit(factor) in before]
        if any(before[_of_any_unit(factor)] for factor in found):
            ordered.remove(whole)
            ordered.insert(ordered.index(found[-1]) + 1, whole)
    return ordered


def _before_first(factor: Expr) -> dict[Expr, bool]:
    """Factor that would precede a product's first one, of whatever unit, and whether it depends on the time."""
    if isinstance(factor, Paths):
        body, when, before = factor.link, factor.count, Integer(0)
    elif isinstance(factor, Product) and factor.limits:
        body, when, before = factor.body, factor.index, factor.limits[0] - 1
    else:
        return {}
    return {_of_any_unit(part.xreplace({when: before})): part.has(when) for part in Mul.make_args(body)}


def _of_any_unit(expr: Expr) -> Expr:
    expr = _inside(expr)
    return expr.xreplace({letter: ANY for letter in free(expr) if isinstance(letter, Index)})


# deltas ------------------------------------------------------------------------------------------------------


def _with_deltas(deltas: list[Expr], factors: list[Expr]) -> list[Expr]:
    """Deltas before the first factor that has a letter of theirs, before all where none has."""
    letters = _letters(*deltas)
    first = next((place for place, factor in enumerate(factors) if letters & free(factor)), 0)
    while first and isinstance(factors[first - 1], Ref):  # a gate or weight belongs to what stands behind it
        first -= 1
    return [*factors[:first], *deltas, *factors[first:]]
