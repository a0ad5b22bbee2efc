"""Contraction of Kronecker deltas in a term: sums carried out, and equal letters substituted in other factors."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from throughtime.derivation.formulas.domains import Index, lies_in
from throughtime.derivation.formulas.nodes import Delta
from throughtime.derivation.formulas.rewrite import Ranges, at_least_zero, free, inside, only_elements, substitute
from throughtime.derivation.formulas.sums import Term, is_void, solved


def contracted(term: Term) -> list[Term]:
    """The term with sums over Kronecker deltas carried out, and the equalities of deltas and one-element domains used.

    One term, or none where a factor is always 0.
    """
    while picked := next(filter(None, (_picked(factor, term) for factor in term.factors)), None):
        delta, letter, place = picked
        if place is None:
            return []
        rest = tuple(factor for factor in term.factors if factor is not delta)
        term = replace(term, factors=rest).put({letter: place})
    summed, ranges = {letter for letter, _ in term.bound}, term.ranges()
    known = only_elements(frozenset().union(*map(free, term.factors)))
    others, links = [factor for factor in term.factors if not isinstance(factor, Delta)], []
    for factor in term.factors:
        if not isinstance(factor, Delta):
            continue
        delta = substitute(factor, known)
        letter, place = _link(delta, summed) if isinstance(delta, Delta) else (None, delta)
        if letter is None:
            links.append(place)
            continue
        known = {old: substitute(new, {letter: place}) for old, new in known.items()} | {letter: place}
        links = [substitute(link, {letter: place}) for link in links] + [Delta(letter, place)]
    factors = [substitute(factor, known) for factor in others]
    if 0 in (*links, *factors) or any(_never(link, ranges) for link in links):
        return []
    if any(is_void(factor, ranges) for factor in factors):
        return []
    return [replace(term, factors=(*links, *factors))]


def _link(delta: Delta, summed: set[Expr]) -> tuple[Expr | None, Expr]:
    """The letter that a delta allows to be replaced, and its place: a summed one if possible, the last one by name.

    An index gives way to a number, and to an index over a smaller domain or earlier by name; a time to any time.
    """
    left, right = delta.args
    if isinstance(left, Index) and isinstance(right, Index):
        one, other = sorted(delta.args, key=lambda index: (len(index.domain.leaves()), index.name))
        return (other, one) if other.domain.contains(one.domain) else (None, delta)
    for index, place in (delta.args, delta.args[::-1]):
        if isinstance(index, Index) and place.is_Integer:
            return index, place
    for letter in sorted(free(delta), key=lambda one: (one in summed, str(one)), reverse=True):
        if not delta.has(Index) and (place := solved(delta, letter)) is not None:
            return letter, place
    return None, delta


def _never(link: Expr, ranges: Ranges) -> bool:
    """Whether a delta of two times is 0 at all times in 1..T and in some ranges."""
    if not isinstance(link, Delta) or all(isinstance(one, Index) for one in link.args):
        return False
    ahead = link.args[0] - link.args[1]
    return any(at_least_zero(steps - 1, ranges) for steps in (ahead, -ahead))


def _picked(factor: Expr, term: Term) -> tuple[Delta, Expr, Expr | None] | None:
    """For a delta of a summed index: delta, index and the value it picks; None for a value outside the sum."""
    if not isinstance(factor, Delta):
        return None
    for letter, limits in term.bound:
        if letter not in free(factor):
            continue
        if limits:
            place, ranges = solved(factor, letter), term.ranges()
            later = place is None or any(letter in free(end) for one in free(place) for end in ranges.get(one, ()))
            within = None if later else inside(place, limits, ranges)
        else:
            place = factor.args[factor.args[0] == letter]
            alone = letter in factor.args and letter not in free(place)
            within = lies_in(place, letter.domain) or None if alone else None
        if within is not None:
            return factor, letter, place if within else None
    return None
