"""Equality of formulas by their normal form, on a common denominator where there are fractions of sums."""

from __future__ import annotations

from dataclasses import replace

from sympy import Add, Expr, Integer, Mul

from throughtime.derivation.formulas.canonical import collected, key_of, terms
from throughtime.derivation.formulas.nodes import Bound
from throughtime.derivation.formulas.rewrite import free
from throughtime.derivation.formulas.sums import Term

MOST = 2_000  # terms on a common denominator
ROUNDS = 4  # fractions below fraction bars


def equal(left: Expr, right: Expr) -> bool:
    """Whether both sides have one normal form: then they are equal for all dimensions and all functions.

    Fractions are brought to a common denominator: equal then means equal wherever no denominator is 0.

    >>> import throughtime as tt
    >>> i, j = tt.indices("i j", tt.domain("units", tt.Dimension("n")))
    >>> b = tt.parameter("b", i.domain)
    >>> tt.equal(tt.sum_over(i, b[i]), tt.sum_over(j, b[j]))
    True
    >>> tt.equal(tt.sum_over(j, tt.Delta(i, j) * b[j]), b[i])
    True
    >>> tt.equal(b[i], b[j])
    False
    """
    return left == right or not _difference(terms(left - right))


def reduced(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Two formulas with the same difference: both 0 if they are `equal`, else without most of what they share.

    A slip changes one term of many; what is left of the others need not be worked out any further.
    """
    rest = _difference(terms(left - right))
    if rest and len(rest) >= len(terms(left)) + len(terms(right)):
        return left, right
    return Add(*(term.formula() for term in rest)), Integer(0)


def remainder(left: Expr, right: Expr) -> Expr:
    """The difference of two formulas in normal form; 0 if they are `equal`."""
    return Add(*(term.formula() for term in _difference(terms(left - right))))


def _difference(found: list[Term]) -> list[Term]:
    """The terms that do not cancel, none of them if they cancel on a common denominator."""
    rest = raised = _left(found)
    for _ in range(ROUNDS):
        largest: dict[str, tuple[Expr, int]] = {}
        for term in raised:
            for key, (base, times) in _denominators(term).items():
                largest[key] = base, max(times, largest.get(key, (base, 0))[1])
        if not largest or len(raised) > MOST:
            break
        raised = _left([new for term in raised for new in terms(_raised(term, largest))])
    if raised and (bodies := _bodies(rest)):
        raised = _difference(bodies)
    return rest if raised else []


def _bodies(found: list[Term]) -> list[Term]:
    """What sums add up at one of the times and units over which each of them runs once, where they have fractions of
    sums; nothing if there is none.

    The sums are equal if these are, and these have a common denominator.
    """
    below = (one.as_base_exp() for term in found for one in term.factors)
    if not any(isinstance(base, Add | Bound) and exponent.is_negative for base, exponent in below):
        return []
    letters = [[(limits or letter.domain, letter) for letter, limits in term.bound] for term in found]
    ranges = [[over for over, _ in own] for own in letters]
    shared = [over for over in ranges[0] if all(each.count(over) == 1 for each in ranges)]
    here = {over: letter for over, letter in letters[0] if over in shared}
    if not here:
        return []
    pairs = zip(found, letters, strict=True)
    return [term.put({letter: here[over] for over, letter in own if over in here}) for term, own in pairs]


def _left(found: list[Term]) -> list[Term]:
    return [replace(term, coefficient=value * term.coefficient) for value, term in collected(found).values()]


def _denominators(term: Term) -> dict[str, tuple[Expr, int]]:
    """The sums below the fraction bar of a term that contain none of its summed indices, by key, and their powers."""
    summed = {index for index, _ in term.bound}
    found: dict[str, tuple[Expr, int]] = {}
    for base, exponent in (factor.as_base_exp() for factor in term.factors):
        if isinstance(base, Add | Bound) and exponent.is_Integer and exponent < 0 and summed.isdisjoint(free(base)):
            key = key_of(base)
            found[key] = base, found.get(key, (base, 0))[1] - int(exponent)
    return found


def _raised(term: Term, largest: dict[str, tuple[Expr, int]]) -> Expr:
    """A term times the largest power of each denominator."""
    mine = _denominators(term)
    kept = [f for f in term.factors if not f.as_base_exp()[1].is_negative or key_of(f.as_base_exp()[0]) not in mine]
    missing = (base ** (times - mine.get(key, (base, 0))[1]) for key, (base, times) in largest.items())
    return Mul(replace(term, factors=tuple(kept)).formula(), *missing)
