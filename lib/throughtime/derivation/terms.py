"""The order of the terms of a sum: that in which the sources write a recursion.

What carries no derivative comes first, and of that the old state that a new one is computed from. A derivative of an
earlier time, with which a recursion goes on, stands where the product rule puts it: behind the other half of its
product, (u y)' = u' y + u y', and before all other terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sympy import Add, Expr, Integer, Mul

from .domains import Dimension, Index
from .nodes import DEFINED, PARAMETER, DerivativeSymbol, Immediate, Ref, Sigma, Total, Truncated, nodes, refs
from .order import SUMS, ranks
from .plain import plus_first


def terms_in_order(terms: Sequence[Expr], text: Callable[[Expr], str]) -> list[Expr]:
    """Terms in reading order; `text` decides where nothing else does, so that the order is always the same."""
    times = [n.time for term in terms for n in nodes(term) if isinstance(n, Ref) and n.time is not None]
    earlier = {term: _earlier(term, times) for term in terms}
    own = {
        term: found for term, found in earlier.items() if found and not any(isinstance(n, SUMS) for n in nodes(term))
    }
    recursions = {} if all(earlier.values()) else own
    places = {term: _place(term, recursions) for term in terms}
    old = {term: _is_old_state(term, times) for term in terms}

    def place(term: Expr) -> tuple:
        return (places[term], not old[term], *_key(term), _first_column(term), text(term.as_coeff_Mul()[1]))

    return plus_first(sorted(terms, key=place))


def _first_column(term: Expr) -> int:
    """Where the first sum of a term begins in a net with one unit of each kind: neighbours stand side by side."""
    sums = [n.index.domain.lower for n in nodes(term) if isinstance(n, Sigma) and isinstance(n.index, Index)]
    return int(sums[0].xreplace(dict.fromkeys(sums[0].atoms(Dimension), Integer(1)))) if sums else 0


def _is_old_state(term: Expr, times: Sequence[Expr]) -> bool:
    """Whether a term is what the net computed at an earlier time, as it is or times gates and weights."""
    states = [part for part in Mul.make_args(term) if isinstance(part, Ref) and part.time is not None]
    earlier = [
        state
        for state in states
        if state.time.as_coeff_Add()[0].is_negative or any((time - state.time).is_positive for time in times)
    ]
    plain = all(isinstance(part, Ref) or part.is_Number for part in Mul.make_args(term))
    return plain and any(state.quantity.role == DEFINED for state in earlier)


def _earlier(term: Expr, times: Sequence[Expr]) -> list[DerivativeSymbol]:
    """The derivatives by a weight that are of a time before the latest one that the sum speaks of.

    In a sum over the units of a layer the recursion is that of the layer, and stays last; else it is a unit's own.
    """
    found = [n for n in nodes(term) if isinstance(n, Total | Truncated) and n.wrt.quantity.role == PARAMETER]
    found = [n for n in found if isinstance(n.target, Ref) and n.target.time is not None]
    return [n for n in found if any((time - n.target.time).is_positive for time in times)]


def _place(term: Expr, recursions: dict[Expr, list[DerivativeSymbol]]) -> int:
    """0 in front of the recursion, 1 for the recursion itself, 2 behind it."""
    if term in recursions:
        return 1
    return 2 if recursions and not any(_is_other_half(term, *pair) for pair in recursions.items()) else 0


def _is_other_half(term: Expr, recursion: Expr, carried: Sequence[DerivativeSymbol]) -> bool:
    """Whether a term comes from the product that the recursion comes from, with the other factor differentiated.

    Then it holds what the recursion has the derivative of, or the recursion holds the weight. Of an immediate
    derivative that is known where the weight has no letter but those of its unit.
    """
    if isinstance(term, Immediate):
        return set(term.wrt.indices) <= set(term.target.indices)
    inside = refs(recursion)
    by_weight = any(symbol.wrt.quantity == ref.quantity for symbol in carried for ref in inside)
    return by_weight or any(symbol.target in refs(term) for symbol in carried)


def _key(term: Expr) -> tuple:
    coefficient, rest = term.as_coeff_Mul()
    derived = [node for node in nodes(term) if isinstance(node, DerivativeSymbol)]
    return (
        bool(derived),
        any(_of_another_time(node) for node in derived),
        bool(coefficient.is_negative),
        not term.is_Number,
        ranks(rest),
        str(coefficient),
    )


def _of_another_time(node: DerivativeSymbol) -> bool:
    """Whether a derivative is that of the step before or behind, with which a recursion goes on."""
    return any(isinstance(end, Ref) and isinstance(end.time, Add) for end in (node.target, node.wrt))
