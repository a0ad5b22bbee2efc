"""A normal form of formulas: two formulas with one normal form are equal for all dimensions.

A formula becomes a sum of terms, a term a rational coefficient, a multiset of bound indices and a sorted product of
factors. Sums over a union are split into its leaves, deltas are summed out, and bound indices get the smallest naming.
The converse does not hold: two normal forms may differ and be equal, so a mismatch is a question, no refutation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain, count, permutations, product
from math import factorial, prod
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow, Rational

from throughtime.derivation.formulas.deltas import contracted
from throughtime.derivation.formulas.domains import KEPT, Dimension, Index, row
from throughtime.derivation.formulas.effort import look
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import (
    Applied,
    Bound,
    Delta,
    Paths,
    Product,
    Ref,
    Sigma,
    Truncated,
    every,
)
from throughtime.derivation.formulas.rewrite import (
    NOWHERE,
    Ranges,
    another,
    at_least_zero,
    edges,
    free,
    own_letter,
    substitute,
    times,
)
from throughtime.derivation.formulas.sums import Term, apart, multiplied, powers

MAX_ORDERS = 5_040  # of bound indices that nothing tells apart
ORDERS = 32  # which take as long as a comparison
MAX_POWER = 8
ROUNDS = 50
_dummies = map("#{}".format, count())


@lru_cache(KEPT)
def canonical(expr: Expr) -> tuple:
    """The normal form, as a nested tuple that can be compared and hashed."""
    return tuple(sorted((key, str(value)) for key, (value, _) in collected(terms(expr)).items()))


def collected(found: list[Term]) -> dict[tuple, tuple[Expr, Term]]:
    """The coefficient of all terms with one key together, unless it is 0, and the first of them with coefficient 1."""
    total: dict[tuple, tuple[Expr, Term]] = {}
    for term in found:
        key, coefficient = _named(term)
        before, first = total.get(key, (Integer(0), replace(term, coefficient=term.coefficient / coefficient)))
        total[key] = before + coefficient, first
    return {key: pair for key, pair in total.items() if pair[0] != 0}


def terms(expr: Expr) -> list[Term]:
    """A formula as a sum of terms: brackets multiplied out, deltas and sums of what has no index summed out.

    Sums over times are taken apart until they are in normal form, or ROUNDS times.
    """
    found, todo = [], [(term, 0) for term in _terms(expr)]
    while todo:
        look()
        term, rounds = todo.pop()
        for done in (one for rest in contracted(term) for one in _counted(rest)):
            ranged = done.ranges() and rounds < ROUNDS
            parts = apart(done, lambda one: _named(one)[0]) if ranged else None
            parts = _products_apart(done) if ranged and parts is None else parts
            if parts is None:
                found.append(done)
            else:
                todo += [(again, rounds + 1) for part in parts for again in _again(part)]
    return found


def _products_apart(term: Term) -> list[Term] | None:
    """A term with its first product that the ranges of its sums let be taken apart so; None if there is none."""
    ranges = term.ranges()
    for place, factor in enumerate(term.factors):
        if not isinstance(factor, Product):
            continue
        lower, upper = factor.limits
        if (made := _one_product(factor.body, factor.index, lower, upper, ranges)) != _factor(factor):
            rest = replace(term, factors=term.factors[:place] + term.factors[place + 1 :])
            return multiplied([[rest], made])
    return None


def _again(term: Term) -> list[Term]:
    """A term in which letters have been replaced, multiplied out."""
    return multiplied([[Term(term.coefficient, (), term.bound)], *map(_terms, term.factors)])


def _counted(term: Term) -> list[Term]:
    """The term with each sum over a domain whose index stands in no factor replaced by the size of the domain."""
    here = frozenset().union(*map(free, term.factors))
    idle = [index for index, _ in term.bound if isinstance(index, Index) and index not in here]
    if not idle:
        return [term]
    sizes = [_terms(index.domain.upper - index.domain.lower + 1) for index in idle]
    rest = tuple(binder for binder in term.bound if binder[0] not in idle)
    return multiplied([[Term(term.coefficient, term.factors, rest)], *sizes])


def _terms(expr: Expr) -> list[Term]:
    return row(TERMS, expr)(expr)


def _factor(expr: Expr) -> list[Term]:
    return [Term(Integer(1), (expr,))]


def _power(expr: Pow) -> list[Term]:
    """A bracket, a sum or a product to a power is multiplied out up to the power MAX_POWER, beside a symbolic one."""
    steps, last = expr.exp.as_coeff_Add()
    if not (steps.is_Integer and 0 < steps <= MAX_POWER and isinstance(expr.base, Add | Bound | Mul)):
        return _factor(expr)
    return multiplied(map(_terms, [expr.base**last, *[expr.base] * int(steps)]))


def _paths(expr: Paths) -> list[Term]:
    """Paths of q + n links with an integer n: the first n links are split off, each with a sum of its own."""
    expr = min(expr, _backwards(expr), key=_orientation)
    more, last = expr.steps.as_coeff_Add()
    if not (more.is_Integer and more >= 0) or expr.steps == last != 0:
        return _factor(expr)
    if expr.steps == 0:
        return _terms(Delta(expr.start, expr.end))
    alone = expr.steps == 1
    middle = expr.end if alone else Index(next(_dummies), expr.after.domain)
    first = substitute(expr.link, {expr.before: expr.start, expr.after: middle, expr.count: Integer(1)})
    if alone:
        return _terms(first)
    later = substitute(expr.link, {expr.count: expr.count + 1})
    return _terms(Sigma(first * Paths(later, *expr.letters, middle, expr.end, expr.steps - 1), middle))


def _backwards(expr: Paths) -> Paths:
    """The same paths walked from their end to their start."""
    before, after, number = expr.letters
    values = {before: after, after: before, number: expr.steps + 1 - number}
    return Paths(substitute(expr.link, values), *expr.letters, expr.end, expr.start, expr.steps)


def _orientation(expr: Paths) -> tuple[int, str]:
    """Paths that are walked back in time come first: as derivatives are unfolded, the latest link is split off."""
    return max((int(when.coeff(expr.count)) for when in times(expr.link)), default=0), _link_key(expr)


def _link_key(expr: Paths) -> str:
    depth = len([*every(Paths, expr.link)])
    names = zip(expr.letters, ("1", "2", "count"), strict=True)  # U[before, after] comes before U[after, before]
    return str(canonical(substitute(expr.link, {one: another(one, f"#{name}{depth}") for one, name in names})))


def _summed(expr: Sigma) -> list[Term]:
    if not isinstance(expr.index, Index):
        expr = own_letter(expr)
        places = [(another(expr.index, next(_dummies)), expr.limits)]
    else:
        places = [(Index(next(_dummies), leaf), ()) for leaf in expr.index.domain.leaves()]
    return [
        replace(term, bound=(*term.bound, (index, limits)))
        for index, limits in places
        for term in _terms(substitute(expr.body, {expr.index: index}))
    ]


def _product(expr: Product) -> list[Term]:
    """One product for each factor, re-indexed so that its times are t - m without a number, for m from 1 to a symbol.

    Of a range walked from its other end the one is taken whose factors depend least on how many they are.
    Factors left over at either end are multiplied or divided out, so that g(1) * prod_{m=1..q} g(m + 1) and
    prod_{m=1..q+1} g(m) have one normal form.
    """
    expr = own_letter(expr)
    return multiplied([_one_product(factor, expr.index, *expr.limits) for factor in Mul.make_args(expr.body)])


def _one_product(body: Expr, index: Expr, lower: Expr, upper: Expr, ranges: Ranges = NOWHERE) -> list[Term]:
    turned = substitute(body, {index: lower + upper - index})
    body = min(body, turned, key=lambda one: _walk(one, index, lower, upper)) if turned != body else body
    if not at_least_zero(upper - lower + 1, ranges):  # could end before it begins
        return _factor(Product(substitute(body, {index: index + lower - 1}), index, 1, upper - lower + 1))
    if upper - lower == -1:
        return _terms(Integer(1))
    if index not in free(body):
        return _terms(body ** (upper - lower + 1))
    if not lower.is_Integer:
        body, lower, upper = substitute(body, {index: index + lower - 1}), Integer(1), upper - lower + 1
    shift = _shift(body, index)
    body, lower, upper = substitute(body, {index: index - shift}), lower + shift, upper + shift
    more, last = upper.as_coeff_Add()
    if not (lower.is_Integer and more.is_Integer) or (ranges and not at_least_zero(last, ranges)):
        return _factor(Product(body, index, lower, upper))
    within = [_factor(Product(body, index, 1, last))] if last != 0 else []
    ends = [_terms(substitute(body, {index: place}) ** sign) for place, sign in edges(lower, last, more)]
    return multiplied(within + ends)


def _walk(body: Expr, index: Expr, lower: Expr, upper: Expr) -> tuple[int, Expr, str]:
    """What tells both ways to walk a product apart: one whose factors do not know the number of steps comes first, then
    one that goes back in time.
    """
    steps, counted = upper - lower, substitute(body, {index: another(index, "#walked") + lower - 1})
    back = sum(when.coeff(index) for when in times(body))
    return sum(counted.has(one) for one in steps.free_symbols | steps.atoms(Dimension)), back, key_of(counted)


def _shift(body: Expr, index: Expr) -> Expr:
    """The shift of the index after which the first time that depends on it, or else the body, contains no number."""
    when = next((one for one in times(body) if index in free(one)), body)
    slope = when.coeff(index)
    return slope * when.as_coeff_Add()[0] if slope in (1, -1) else Integer(0)


def _named(term: Term) -> tuple[tuple, Expr]:
    """The key of a term under the naming of its bound indices that makes it smallest, and its coefficient."""
    groups: dict[str, list[Expr]] = defaultdict(list)
    inner = {letter: another(letter, "?") for letter in term.ranges()}
    nested = {letter: ends for letter, ends in term.ranges().items() if any(free(end) & inner.keys() for end in ends)}
    for letter, limits in term.bound:
        limits = tuple(substitute(end, inner) for end in limits)
        groups[letter.domain.name if isinstance(letter, Index) else f"time{limits}"].append(letter)
    coefficient, factors = powers(Mul.make_args(Mul(*term.factors)))
    outer = _names_in(factors)
    unnamed = {index: another(index, f"{name}?") for name, group in groups.items() for index in group}
    keys = []
    for number, arrangement in enumerate(product(*(_orders(group, factors, unnamed) for group in groups.values())), 1):
        if number % ORDERS == 0:
            look()
        values = {
            index: another(index, f"{name}#{outer + place}")
            for name, group in zip(groups, arrangement, strict=True)
            for place, index in enumerate(group)
        }
        ranged = (f"{values[one]} in {[substitute(end, values) for end in ends]}" for one, ends in nested.items())
        keys.append((*sorted(key_of(substitute(factor, values)) for factor in factors), *sorted(ranged)))
    ranges = tuple(sorted((name, len(group)) for name, group in groups.items()))
    return (ranges, min(keys)), term.coefficient * coefficient


def _orders(group: list[Expr], factors: list[Expr], unnamed: dict[Expr, Expr]) -> Iterator[tuple[Expr, ...]]:
    """The orders of some bound indices that may give the smallest key.

    Indices go by the factors that they stand in, all other bound indices being left unnamed; only those that this
    does not tell apart are permuted.
    """
    if len(group) == 1:
        return iter([(group[0],)])
    alike: dict[tuple[str, ...], list[Expr]] = defaultdict(list)
    for index in group:
        values = unnamed | {index: another(index, f"{unnamed[index]}!")}
        keys = sorted(key_of(substitute(factor, values)) for factor in factors if index in free(factor))
        alike[tuple(keys)].append(index)
    if prod(factorial(len(some)) for some in alike.values()) > MAX_ORDERS:
        raise DerivationError(f"a product of {len(factors)} factors has {len(group)} summed indices like each other")
    orders = product(*(permutations(alike[where]) for where in sorted(alike)))
    return (tuple(chain.from_iterable(order)) for order in orders)


def _names_in(factors: list[Expr]) -> int:
    """The first free number for stand-ins: an argument of an activation may contain those of the sums around it."""
    numbers = [str(letter)[1:].rpartition("#") for factor in factors for letter in free(factor)]
    return max((int(number) for _, mark, number in numbers if mark and number.isdecimal()), default=-1) + 1


@lru_cache(KEPT)
def key_of(expr: Expr) -> str:
    """A factor as text; arguments of functions and bodies of products are in normal form themselves."""
    return row(KEYS, expr)(expr)


def _applied_key(expr: Applied) -> str:
    return f"{expr.function.name}[{_places(expr.indices)}]^({expr.order})({canonical(expr.argument)})"


def _product_key(expr: Product) -> str:
    depth = len([*every(Product, expr.body)])
    body = substitute(expr.body, {expr.index: another(expr.index, f"#m{depth}")})
    return f"Product({canonical(body)},{_places(expr.limits)})"


def _other_key(expr: Expr) -> str:
    inner = (str(canonical(arg)) if arg.args else _place(arg) for arg in expr.args)
    return f"{expr.func.__name__}({','.join(inner)})" if expr.args else _place(expr)


def _truncated_key(expr: Truncated) -> str:
    """As of any derivative; cuts are made at once, in whatever order they are written."""
    return _other_key(expr.func(*expr.args[:2], *sorted(set(expr.args[2:]), key=str)))


def _place(expr: Expr) -> str:
    """A reference or an index as text; indices with their domain, since a letter may be restricted to a part."""
    if isinstance(expr, Index):
        return f"{expr.name}:{expr.domain.name}"
    if not expr.args:
        return str(expr) if expr.is_Number or expr.is_Symbol else f"{expr.func.__name__} {expr}"
    return f"{expr.func.__name__}({_places(expr.args)})"


def _places(exprs: Iterable[Expr]) -> str:
    return ",".join(map(_place, exprs))


TERMS: dict[type[Expr], Callable[[Any], list[Term]]] = {
    Rational: lambda expr: [Term(expr, ())] if expr else [],
    Add: lambda expr: [term for arg in expr.args for term in _terms(arg)],
    Mul: lambda expr: multiplied(map(_terms, expr.args)),
    Pow: _power,
    Sigma: _summed,
    Product: _product,
    Paths: _paths,
    Expr: _factor,
}
KEYS: dict[type[Expr], Callable[[Any], str]] = {
    Applied: _applied_key,
    Product: _product_key,
    Paths: lambda expr: f"Paths({_link_key(expr)},{_places(expr.outside)})",
    Truncated: _truncated_key,
    Ref: _place,
    Delta: _place,
    Expr: _other_key,
}
