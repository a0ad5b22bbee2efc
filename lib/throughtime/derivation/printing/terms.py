"""The order of the terms of a sum: that in which the sources write a recursion.

What carries no derivative comes first, and of that the old state that a new one is computed from. A derivative of an
earlier time, with which a recursion goes on, stands where the product rule puts it: behind the other half of its
product, (u y)' = u' y + u y', and before all other terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sympy import Add, Expr, Integer, Mul

from throughtime.derivation.formulas.domains import Dimension, Index
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Immediate, Ref, every, refs
from throughtime.derivation.formulas.rewrite import times
from throughtime.derivation.printing.order import SUMS, ranks
from throughtime.derivation.printing.places import is_negative, plus_first


def terms_in_order(terms: Sequence[Expr], text: Callable[[Expr], str]) -> list[Expr]:
    """Terms in reading order; `text` decides where nothing else does, so that the order is always the same."""
    whens = [*times(*terms)]
    recursions = {term: found for term in terms if (found := _carried(term, whens))}

    def key(term: Expr) -> tuple:
        derived = [*every(DerivativeSymbol, term)]
        return (
            _side(term, recursions),
            not _is_old_state(term, whens),
            bool(derived),
            any(_of_another_time(node) for node in derived),
            is_negative(term),
            sorted(ranks(term), reverse=True),
            _first_column(term),
            text(term.as_coeff_Mul()[1]),
        )

    return plus_first(sorted(terms, key=key))


def _is_before(when: Expr, times: Sequence[Expr]) -> bool:
    """Whether a time is known to lie before one of the others."""
    return any((time - when).is_positive for time in times)


def _carried(term: Expr, times: Sequence[Expr]) -> list[DerivativeSymbol]:
    """Derivatives with respect to a weight of a time before the latest in the sum: a recursion goes on with them.

    Through a layer, that is, in a sum, it does not.
    """
    if any(every(SUMS, term)):
        return []
    found = (n for n in every(DerivativeSymbol, term) if n.wrt.quantity.is_parameter)
    return [n for n in found if isinstance(n.target, Ref) and n.target.time and _is_before(n.target.time, times)]


def _side(term: Expr, recursions: dict[Expr, list[DerivativeSymbol]]) -> int:
    """Side of a term: 0 in front of the recursion, 1 for the recursion itself, 2 after it."""
    if term in recursions:
        return 1
    return 2 if recursions and not any(_is_other_half(term, *pair) for pair in recursions.items()) else 0


def _is_other_half(term: Expr, recursion: Expr, carried: Sequence[DerivativeSymbol]) -> bool:
    """Whether a term comes from the product that the recursion comes from, with the other factor differentiated.

    Then it holds what the recursion has the derivative of, or the recursion holds the weight. An immediate derivative
    is one if its weight has no index but those of its unit.
    """
    if isinstance(term, Immediate):
        return set(term.wrt.indices) <= set(term.target.indices)
    by_weight = any(symbol.wrt.quantity == ref.quantity for symbol in carried for ref in refs(recursion))
    return by_weight or any(symbol.target in refs(term) for symbol in carried)


def _is_old_state(term: Expr, times: Sequence[Expr]) -> bool:
    """Whether a term is an earlier quantity of the net, as it is or times gates and weights."""
    parts = Mul.make_args(term)
    if not all(isinstance(part, Ref) or part.is_Number for part in parts):
        return False
    states = [part for part in parts if isinstance(part, Ref) and part.quantity.is_defined and part.quantity.timed]
    return any(s.time.as_coeff_Add()[0].is_negative or _is_before(s.time, times) for s in states)


def _of_another_time(node: DerivativeSymbol) -> bool:
    """Whether a derivative is that of the previous or next step, with which a recursion goes on."""
    return any(isinstance(end, Ref) and isinstance(end.time, Add) for end in (node.target, node.wrt))


def _first_column(term: Expr) -> int:
    """First column of the term's first sum when every layer has one unit: adjacent columns print in column order."""
    letters = [n.letters[0] for n in every(SUMS, term)]
    sums = [letter.domain.lower for letter in letters if isinstance(letter, Index)]
    return int(sums[0].xreplace(dict.fromkeys(sums[0].atoms(Dimension), Integer(1)))) if sums else 0
