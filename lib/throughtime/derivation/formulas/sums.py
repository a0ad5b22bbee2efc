"""Sums over times in normal form: from 1 to a symbol, with what is left over at either end.

With the antidifference P(b) = g(1) + ... + g(b) for b >= 0, the sum of g over a..b is P(b) - P(a - 1) wherever it has
no fewer than 0 terms, and P(c + 1) = P(c) + g(c + 1) for every integer c. So sums that are shifted, reversed, cut in
two or telescoped have one normal form; where the number of terms may be negative, a sum is left as it stands.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, product
from math import prod

from sympy import Expr, Integer, Mul, Pow, Symbol, factorrat

from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.nodes import Delta, Modulus, Ref, Sigma, Total, bound, every
from throughtime.derivation.formulas.rewrite import Ranges, at_least_zero, edges, free, substitute, times

MOST = 20  # terms at an end of a sum
MANY = 200  # terms of a product, of which like ones are added at once


@dataclass(frozen=True)
class Term:
    """coefficient * sum over the bound indices (each with its time limits, if any) of the product of factors.

    Limits may contain other bound times, of sums further out.
    """

    coefficient: Expr
    factors: tuple[Expr, ...]
    bound: tuple[tuple[Expr, tuple], ...] = ()

    def formula(self) -> Expr:
        """The term as a formula."""
        expr = self.coefficient * Mul(*self.factors)
        for letter in reversed(self.inwards()):
            expr = Sigma(expr, letter, *dict(self.bound)[letter])
        return expr

    def inwards(self) -> list[Expr]:
        """The bound indices, those in the limits of others before these."""
        rest, order = dict(self.bound), []
        while rest:
            order += [one for one, limits in rest.items() if rest.keys().isdisjoint(chain(*map(free, limits)))]
            rest = {one: limits for one, limits in rest.items() if one not in order}
        return order

    def ranges(self) -> Ranges:
        """The limits of the bound times."""
        return {letter: limits for letter, limits in self.bound if limits}

    def put(self, values: dict[Expr, Expr], bound: tuple = ()) -> Term:
        """The term with bound times that take one value, or with others in their place, which `bound` binds."""
        rest = (pair for pair in self.bound if pair[0] not in values)
        put = tuple((letter, tuple(substitute(end, values) for end in limits)) for letter, limits in rest)
        factors = tuple(substitute(factor, values) for factor in self.factors)
        return Term(self.coefficient, factors, (*put, *bound))


def multiplied(groups: Iterable[list[Term]]) -> list[Term]:
    """The product of sums of terms, multiplied out. Their bound indices differ: each sum was given a new one.

    Of many terms like ones are added after each factor: (a + b)^8 has 9 terms instead of 256.
    """
    groups = [*groups]
    if prod(map(len, groups)) <= MANY:
        return [_product(chosen) for chosen in product(*groups)]
    found = [Term(Integer(1), ())]
    for group in groups:
        alike: dict[tuple, Term] = {}
        for made in map(_product, product(found, group)):
            key = frozenset(Counter(made.factors).items()), made.bound
            alike[key] = replace(made, coefficient=made.coefficient + alike[key].coefficient) if key in alike else made
        found = [*alike.values()]
    return found


def _product(chosen: Iterable[Term]) -> Term:
    return Term(
        Mul(*(term.coefficient for term in chosen)),
        tuple(factor for term in chosen for factor in term.factors),
        tuple(binder for term in chosen for binder in term.bound),
    )


def powers(factors: tuple[Expr, ...]) -> tuple[Expr, list[Expr]]:
    """The number in a product, and the other factors: one power for each base and symbolic exponent, one for the whole
    number beside it, so that u^(q+1) is u^q * u. Numbers go by their primes: 2 * 4^q is 2^(2q+1).
    """
    exponents: dict[Expr, Expr] = defaultdict(lambda: Integer(0))
    numbers = [factor for factor in factors if factor.is_Rational]
    for factor in factors:
        base, exponent = factor.as_base_exp()
        for part in Mul.make_args(base) if not factor.is_Rational else ():
            if part.is_Rational and part != 0 and exponent.is_integer:
                for prime, times in factorrat(part).items():
                    exponents[Integer(prime)] += times * exponent
            elif isinstance(part, Modulus) and exponent.is_even:
                exponents[part.args[0]] += exponent  # |z|^2 = z^2
            else:
                exponents[part] += exponent
    split = ((base, part) for base, exponent in exponents.items() for part in exponent.as_coeff_Add())
    made = [base**part for base, part in split if part != 0]
    numbers += [power for power in made if power.is_Rational]
    return Mul(*numbers), [power for power in made if not power.is_Rational]


def solved(delta: Delta, letter: Expr) -> Expr | None:
    """The time that a letter has to be for a delta to be 1; None if no such time follows."""
    difference = delta.args[0] - delta.args[1]
    slope = difference.coeff(letter)
    return (letter - slope * difference).expand() if slope in (1, -1) else None


def is_void(factor: Expr, ranges: Ranges) -> bool:
    """Whether a factor is 0 by causality: the past does not depend on the future, nor anything on what is after T."""
    if not isinstance(factor, Total) or not isinstance(factor.target, Ref) or factor.wrt.time is None:
        return False
    last = LENGTH if factor.target.time is None else factor.target.time
    return factor.target.quantity.is_defined and at_least_zero(factor.wrt.time - last - 1, ranges)


def apart(term: Term, key: Callable[[Term], tuple]) -> list[Term] | None:
    """The first sum over times of a term that is not in normal form, taken apart; None if all of them are.

    `key` tells which of several ways to write a term comes first.
    """
    ranges = term.ranges()
    for letter in term.inwards():
        if letter in ranges and (new := _one_apart(term, letter, ranges, key)) is not None:
            return new
    return _ordered(term, ranges, key)


def _one_apart(term: Term, letter: Expr, ranges: Ranges, key: Callable[[Term], tuple]) -> list[Term] | None:
    lower, upper = ranges[letter]
    if (steps := (upper - lower + 1).expand()) == 0:
        return []
    in_limits = any(letter in free(end) for limits in ranges.values() for end in limits)
    if not in_limits and not any(letter in free(factor) for factor in term.factors):
        if not at_least_zero(steps, ranges):
            return None if lower == 1 else [_relettered(term, letter, Integer(1), 1 - lower, (Integer(1), steps))]
        rest = tuple(pair for pair in term.bound if pair[0] != letter)
        return [Term(term.coefficient, (*term.factors, steps), rest)]  # so many equal terms
    if clamped := _clamped(term, letter, ranges):
        return [clamped]
    if (few := _not_void(term, letter, ranges)) is not None:
        return few
    if not in_limits and (summed := _geometric(term, letter, ranges)):
        return summed
    slope, shift = _latest(term, letter, key)
    lower, upper = _ends(slope, shift, lower, upper)
    (before, below), (behind, last) = ((end.expand().as_coeff_Add()) for end in (lower - 1, upper))
    if last != 0 and below != last and not all(at_least_zero(base, ranges) for base in (below, last)):
        back = (last - lower).expand().as_coeff_Add()  # steps from the last time, since the first one may be any
        if at_least_zero(steps, ranges) and at_least_zero(back[1], ranges):
            slope, shift, (before, below), (behind, last) = -slope, last - shift, (-behind - 1, Integer(0)), back
    if ((slope, shift, before, below, behind) == (1, 0, 0, 0, 0) and last != 0) or max(abs(before), abs(behind)) > MOST:
        return None
    known = below == last or all(at_least_zero(base, ranges) for base in (below, last))
    if not at_least_zero(steps, ranges) or not known:  # left whole, with another letter
        if not at_least_zero(lower - 1, ranges):
            shift, lower, upper = (shift + 1 - lower).expand(), Integer(1), steps
        return None if (slope, shift) == (1, 0) else [_relettered(term, letter, slope, shift, (lower, upper))]

    def at(when: Expr) -> Term:
        return term.put({letter: slope * (when - shift)})

    found = []
    for base, more, sign in ((last, behind, 1), (below, before, -1)):
        if base != 0 and below != last:
            plain = base == LENGTH or (base.is_Symbol and not base.is_nonnegative)  # stays within 1..T
            new = Symbol(letter.name, integer=True) if plain else Symbol(letter.name, integer=True, positive=True)
            new = Symbol(f"{letter.name}{'+' if sign > 0 else '-'}", **new.assumptions0)
            part = term.put({letter: slope * (new - shift)}, bound=((new, (Integer(1), base)),))
            found.append(replace(part, coefficient=sign * part.coefficient))
        for place, there in edges(1, base, int(more)):
            found.append(replace(at(place), coefficient=sign * there * term.coefficient))
    return found


def _relettered(term: Term, letter: Expr, slope: Expr, shift: Expr, limits: tuple[Expr, Expr]) -> Term:
    """The term with the time slope * letter + shift, which is at least 1, in place of a letter."""
    new = Symbol(f"{letter.name}+", integer=True, positive=True)
    return term.put({letter: slope * (new - shift)}, bound=((new, limits),))


def _ends(slope: Expr, shift: Expr, lower: Expr, upper: Expr) -> tuple[Expr, Expr]:
    """The limits of the time slope * letter + shift."""
    ends = slope * lower + shift, slope * upper + shift
    return ends if slope == 1 else ends[::-1]


def _clamped(term: Term, letter: Expr, ranges: Ranges) -> Term | None:
    """A limit that a delta makes void is replaced by the time that the delta picks."""
    for delta in term.factors:
        if isinstance(delta, Delta) and letter in free(delta) and (when := solved(delta, letter)) is not None:
            lower, upper = ranges[letter]
            ends = (
                when if at_least_zero(when - lower, ranges) else lower,
                when if at_least_zero(upper - when, ranges) else upper,
            )
            if ends != (lower, upper) and not any(free(end) & ranges.keys() for end in ends):
                return replace(term, bound=tuple((one, ends if one == letter else old) for one, old in term.bound))
    return None


def _not_void(term: Term, letter: Expr, ranges: Ranges) -> list[Term] | None:
    """The last terms of a sum of derivatives with respect to a node of about its last time; the others are 0."""
    lower, upper = ranges[letter]
    for factor in term.factors:
        if not isinstance(factor, Total) or getattr(factor.target, "time", None) is None:
            continue
        if not factor.target.quantity.is_defined or factor.wrt.time is None or letter not in free(factor.target.time):
            continue
        first = (factor.wrt.time - factor.target.time + letter).expand()
        steps = (upper - first).expand()
        few = steps.is_Integer and 0 <= steps < MOST and letter not in free(first)
        if few and at_least_zero(first - lower, ranges):
            return [term.put({letter: first + n}) for n in range(int(steps) + 1)]
    return None


def _geometric(term: Term, letter: Expr, ranges: Ranges) -> list[Term] | None:
    """r * (r + ... + r^b) is the same sum and r^(b+1) - r: a factor r beside a geometric sum is taken away."""
    lower, upper = ranges[letter]
    with_letter = [factor for factor in term.factors if letter in free(factor)]
    if lower != 1 or not at_least_zero(upper, ranges):
        return None
    ratio: dict[Expr, Expr] = {}
    for factor in with_letter:
        base, exponent = factor.as_base_exp()
        if letter in free(base) or exponent != letter:
            return None
        ratio |= dict.fromkeys(Mul.make_args(base), exponent)
    have = dict.fromkeys(ratio, Integer(0))
    for factor in term.factors:
        base, exponent = factor.as_base_exp()
        if base in have and exponent.is_Integer:
            have[base] += exponent
    sign = 1 if all(have[base] >= 1 for base in ratio) else -1 if all(have[base] < 0 for base in ratio) else 0
    if not sign:
        return None
    whole = Mul(*ratio) ** -sign
    less = replace(term, factors=(*term.factors, whole))
    ends = ((upper + 1, 1), (Integer(1), -1)) if sign > 0 else ((Integer(0), 1), (upper, -1))
    return [less, *(replace(less.put({letter: at}), coefficient=there * less.coefficient) for at, there in ends)]


def _latest(term: Term, letter: Expr, key: Callable[[Term], tuple]) -> tuple[Expr, Expr]:
    """Slope and shift of the time slope * letter + shift that becomes the letter: the latest one that a sum reads.

    Times that differ by more than a number are tried one after the other; the one that gives the first key is chosen.
    """
    inner = {one for one in term.ranges() if one != letter} & _inside(term, letter)
    found = next(filter(None, (moments(term, letter, inner) for moments in (_read, _raised, _equated))), [])
    latest: dict[tuple[Expr, Expr], Expr] = {}
    for when in found:
        slope = when.coeff(letter)
        steps, rest = (when - slope * letter).expand().as_coeff_Add()
        latest[slope, rest] = max(steps, latest.get((slope, rest), steps))
    ways = [(slope, rest + steps) for (slope, rest), steps in latest.items()]
    ways.sort(key=lambda way: (-way[0], str(way)))
    if len(ways) < 2:
        return ways[0] if ways else (Integer(1), Integer(0))
    own = Symbol("#s", integer=True, positive=True)
    return min(ways, key=lambda way: key(term.put({letter: way[0] * (own - way[1])})))


def _inside(term: Term, letter: Expr) -> set[Expr]:
    """The bound times whose range depends on one."""
    found, ranges = {letter}, term.ranges()
    for one in term.inwards():
        if any(found & free(end) for end in ranges.get(one, ())):
            found.add(one)
    return found - {letter}


def _moments(times: Iterable[Expr], letter: Expr, other: Iterable[Expr]) -> list[Expr]:
    """The times that are a letter, or its negative, up to what contains no `other` letter."""
    found = (when for when in times if when.coeff(letter) in (1, -1))
    return [when for when in found if free(when - when.coeff(letter) * letter).isdisjoint({letter, *other})]


def _read(term: Term, letter: Expr, inner: set[Expr]) -> list[Expr]:
    """The times of quantities."""
    read = (factor for factor in term.factors if letter in free(factor))
    return [when for factor in read for when in _moments(times(factor), letter, inner | bound(factor))]


def _raised(term: Term, letter: Expr, inner: set[Expr]) -> list[Expr]:
    """The exponents."""
    powers = every(Pow, *term.factors)
    return [when for power in powers for when in _moments([power.exp], letter, inner | bound(power))]


def _equated(term: Term, letter: Expr, inner: set[Expr]) -> list[Expr]:
    """The letter less the number of steps in the time to which a delta equates it."""
    places = (solved(one, letter) for one in term.factors if isinstance(one, Delta) and letter in free(one))
    return [letter - place.as_coeff_Add()[0] for place in places if place is not None]


def _ordered(term: Term, ranges: Ranges, key: Callable[[Term], tuple]) -> list[Term] | None:
    """A double sum over times r <= s <= b, if it is one over s <= r <= b in normal form: the square less that one; the
    square alone, if all is 0 where s < r.

    The square and the diagonal are the two triangles together, which are the same if the term is symmetric.
    """
    for inner, limits in ranges.items():
        outer = limits[1]
        if limits[0] != 1 or outer not in ranges or ranges[outer][0] != 1:
            continue
        if sum(one in free(end) for one in (inner, outer) for ends in ranges.values() for end in ends) > 1:
            continue  # a third sum depends on one of them
        last, others = ranges[outer][1], tuple(pair for pair in term.bound if pair[0] not in (inner, outer))
        square = replace(term, bound=(*others, (inner, (Integer(1), last)), (outer, (Integer(1), last))))
        above = {**ranges, outer: (Integer(1), inner - 1), inner: (Integer(1), last)}
        if any(is_void(factor, above) for factor in term.factors):
            return [square]
        free_ones = (Symbol("#r", integer=True, positive=True), Symbol("#s", integer=True, positive=True))
        here, there = (
            key(replace(term, bound=others).put(dict(zip(pair, free_ones, strict=True))))
            for pair in ((inner, outer), (outer, inner))
        )
        if here < there:
            return None
        diagonal = replace(term, bound=(*others, (outer, ranges[outer]))).put({inner: outer})
        if here == there:
            return [replace(one, coefficient=one.coefficient / 2) for one in (square, diagonal)]
        turned = replace(term, bound=(*others, (outer, (Integer(1), inner)), (inner, (Integer(1), last))))
        return [square, replace(turned, coefficient=-turned.coefficient), diagonal]
    return None
