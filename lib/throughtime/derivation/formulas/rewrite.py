"""Substitution that respects bound indices, the contraction of Kronecker deltas, and the splitting of sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import chain, count, product
from types import MappingProxyType
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow, Symbol, expand_mul

from throughtime.derivation.formulas.domains import KEPT, LENGTH, Dimension, Index, lies_in
from throughtime.derivation.formulas.errors import DomainError
from throughtime.derivation.formulas.nodes import (
    Activation,
    Binder,
    Bound,
    Constant,
    Delta,
    Quantity,
    Ref,
    Sigma,
    bound,
    every,
    nodes,
    rebuild,
)

Ranges = Mapping[Expr, tuple[Expr, Expr]]
NOWHERE: Ranges = MappingProxyType({})


def times(*formulas: Expr) -> Iterator[Expr]:
    """The times of all quantities in some formulas, also within derivatives."""
    return (ref.time for ref in every(Ref, *formulas) if ref.time is not None)


@lru_cache(KEPT)
def free(expr: Expr) -> frozenset[Expr]:
    """The indices and integer symbols (times, lags) that a formula leaves free."""
    if not expr.args:
        return frozenset([expr]) if _is_letter(expr) else frozenset()
    if isinstance(expr, Binder):
        inner = free(expr.body) - set(expr.letters)
        return inner.union(*map(free, expr.outside))
    return frozenset().union(*map(free, expr.args))


def _is_letter(expr: Expr) -> bool:
    return isinstance(expr, Index) or (expr.is_Symbol and bool(expr.is_integer))


@lru_cache(KEPT)
def counts(expr: Expr) -> bool:
    """Whether a formula is made of letters, times, sizes and deltas alone, as (n - 1)/T and 1 - Delta(i, k) are."""
    if isinstance(expr, Delta | Dimension) or _is_letter(expr):
        return True
    parts = [arg for arg in expr.args if not arg.is_Number]
    return isinstance(expr, Add | Mul | Pow) and bool(parts) and all(map(counts, parts))


def another(letter: Index | Symbol, name: str, latex: str | None = None) -> Index | Symbol:
    """A copy of an index or symbol under another name: over the same domain, or with the same SymPy assumptions."""
    return Index(name, letter.domain, latex) if isinstance(letter, Index) else Symbol(name, **letter.assumptions0)


def fresh(letter: Expr, taken: Iterable[Expr]) -> Expr:
    """`letter`, or its copy with the fewest primes whose name is not among those of `taken`."""
    names = set(map(str, taken))
    primes = next(n for n in count() if str(letter) + "'" * n not in names) * "'"
    return another(letter, letter.name + primes, getattr(letter, "latex", "") + primes) if primes else letter


def rename_bound(expr: Expr, taken: Set[Expr]) -> Expr:
    """Rename bound letters to avoid capture: those whose name is among the names of `taken`."""
    if not (within := bound(expr)) or set(map(str, taken)).isdisjoint(map(str, within)):
        return expr
    if not isinstance(expr, Binder):
        return rebuild(expr, [rename_bound(arg, taken) for arg in expr.args])
    body, letters = _renamed(expr, taken)
    return expr.func(rename_bound(body, taken | {*letters}), *letters, *expr.outside)


def _renamed(expr: Binder, taken: Set[Expr]) -> tuple[Expr, list[Expr]]:
    """The body of a binder and its letters, those letters renamed whose name is among those of `taken`."""
    names = set(map(str, taken))
    if names.isdisjoint(map(str, expr.letters)):
        return expr.body, list(expr.letters)
    values: dict[Expr, Expr] = {}
    for letter in expr.letters:
        if str(letter) in names:
            others = taken | free(expr.body) | bound(expr.body) | {*expr.letters, *values.values()}
            values[letter] = fresh(letter, others)
    return substitute(expr.body, values), [values.get(letter, letter) for letter in expr.letters]


def substitute(expr: Expr, values: dict[Expr, Expr]) -> Expr:
    """Replace free indices and times; bound letters are renamed where they would capture a value."""
    if not expr.args:
        return values.get(expr, expr)
    here = free(expr)
    values = {old: new for old, new in values.items() if old != new and (old in here or not _is_letter(old))}
    if not values:
        return expr
    if not isinstance(expr, Binder):
        return rebuild(expr, [substitute(arg, values) for arg in expr.args])
    body, letters = _renamed(expr, set().union(*map(free, values.values())))
    inner = {old: new for old, new in values.items() if old not in letters}
    return expr.func(substitute(body, inner), *letters, *(substitute(arg, values) for arg in expr.outside))


@lru_cache(KEPT)
def kinds(expr: Expr) -> frozenset[type]:
    """The classes of the nodes of a formula."""
    return frozenset([type(expr)]).union(*map(kinds, expr.args))


def replace(
    expr: Expr,
    rule: Callable[[Expr], Expr | None],
    scope: Set[Expr] | None = None,
    *,
    only: tuple[type[Expr], ...] = (),
) -> Expr:
    """Replace each outermost node for which `rule` returns a formula; its bound letters are renamed apart.

    Of a sum, a product over an index and paths only the body is searched. `only` are the classes of the nodes that the
    rule may replace: what contains none of them is left out.
    """
    if only and kinds(expr).isdisjoint(only):
        return expr
    scope = free(expr) if scope is None else scope
    found = rule(expr)
    if found is not None:
        return found if found == expr else rename_bound(found, scope)
    if isinstance(expr, Binder):
        body = replace(expr.body, rule, scope | {*expr.letters}, only=only)
        return expr.func(body, *expr.letters, *expr.outside)
    return rebuild(expr, [replace(arg, rule, scope, only=only) for arg in expr.args])


def counted(expr: Expr) -> Expr:
    """An expression in times and lags with its times assumed positive; lags have their assumptions already."""
    times = (letter for letter in expr.free_symbols if letter.is_integer and not letter.is_nonnegative)
    return expr.xreplace({letter: Symbol(letter.name, integer=True, positive=True) for letter in times})


def at_least_zero(steps: Expr, ranges: Ranges = NOWHERE) -> bool:
    """Whether a number of steps is known to be at least 0: free plain times lie in 1..T, bound ones in their ranges."""
    steps = least(steps, ranges)
    for letter in sorted(free(steps), key=str):
        if letter.is_Symbol and not letter.is_nonnegative:
            steps = _least(steps, letter, Integer(1), LENGTH)
    return bool(counted(steps.xreplace({LENGTH: Symbol("T", integer=True, positive=True)})).is_nonnegative)


def least(steps: Expr, ranges: Ranges) -> Expr:
    """The least of a number of steps over the ranges of bound times; of k = 1..s before s."""
    rest = dict(ranges)
    while inner := [one for one in rest if not any(one in free(end) for ends in rest.values() for end in ends)]:
        for letter in inner:
            steps = _least(steps, letter, *rest.pop(letter))
    return steps


def _least(steps: Expr, letter: Expr, lower: Expr, upper: Expr) -> Expr:
    """The least value of a linear expression for a letter in a range."""
    slope = steps.coeff(letter)
    linear = slope.is_number and letter not in free((steps - slope * letter).expand())
    return steps.xreplace({letter: lower if slope.is_nonnegative else upper}) if linear else steps


def inside(when: Expr, limits: tuple, ranges: Ranges = NOWHERE) -> bool | None:
    """Whether a time lies between two limits; None if that depends."""
    lower, upper = limits
    if at_least_zero(lower - when - 1, ranges) or at_least_zero(when - upper - 1, ranges):
        return False
    return True if at_least_zero(when - lower, ranges) and at_least_zero(upper - when, ranges) else None


def edges(lower: Expr, last: Expr, steps: Expr) -> list[tuple[Expr, int]]:
    """The places of the range lower..last + steps outside 1..last with the sign 1, those it lacks with -1.

    `lower` and `steps` are integers, `last` is a symbol.
    """
    before = [(Integer(place), 1) for place in range(lower, 1)] + [(Integer(place), -1) for place in range(1, lower)]
    behind = [(last + n, 1) for n in range(1, steps + 1)] + [(last - n, -1) for n in range(-steps)]
    return before + behind


def own_letter(expr: Bound) -> Bound:
    """Re-index a sum or product over times, unless it stays within 1..T, so that it runs from 1.

    The new index is assumed positive only: a plain time symbol would be taken to lie in 1..T (`at_least_zero`).
    """
    if not expr.limits:
        return expr
    index, (lower, upper) = expr.index, expr.limits
    steps, last = upper.as_coeff_Add()
    in_time = last == LENGTH or (last.is_Symbol and not last.is_nonnegative)
    if not index.is_nonnegative and in_time and steps <= 0 and counted(lower - 1).is_nonnegative:
        return expr
    own = Symbol(index.name, integer=True, positive=True)
    if (index, lower) == (own, 1):
        return expr
    body = substitute(expr.body, {index: own + lower - 1})
    return expr.func(body, own, Integer(1), upper - lower + 1)


@lru_cache(KEPT)
def contract(expr: Expr) -> Expr:
    """Carry out every sum over a Kronecker delta, and take factors without the index out of the sum.

    Raises DomainError where the delta may pick an element outside the domain of the sum.
    """
    if not expr.args:
        return expr
    if isinstance(expr, Mul):
        return _numbers_out([contract(arg) for arg in expr.args])
    if not isinstance(expr, Sigma):
        return rebuild(expr, [contract(arg) for arg in expr.args])
    expr = own_letter(expr)
    return _sum_out(contract(expr.body), expr.index, expr.limits)


def only_elements(letters: Iterable[Expr]) -> dict[Expr, Expr]:
    """The element of each letter over a domain of one element."""
    indices = (letter for letter in letters if isinstance(letter, Index))
    return {index: index.domain.lower for index in indices if index.domain.lower == index.domain.upper}


def with_elements(expr: Expr) -> Expr:
    """The formula with the element itself for each free letter over a domain of one element."""
    return substitute(expr, only_elements(free(expr)))


def _numbers_out(factors: list[Expr]) -> Expr:
    """The product, with the rational content of each bracket taken out of it: (2a - 2b)/2 becomes a - b."""
    parts = [factor.primitive() if isinstance(factor, Add) else (Integer(1), factor) for factor in factors]
    return Mul(*(number for number, _ in parts), *(rest for _, rest in parts))


def _sum_out(body: Expr, index: Expr, limits: tuple) -> Expr:
    """The sum of a contracted body, over a domain (no limits) or over times."""
    if alone := only_elements([index]):
        return contract(substitute(body, alone))
    found = delta_of(body, index)
    if found is None and any(index in node.args for node in every(Delta, body)):
        body = expand_mul(body)
        if isinstance(body, Add) and any(delta_of(term, index) for term in body.args):
            return Add(*(_sum_out(term, index, limits) for term in body.args))
        found = delta_of(body, index)
    if found is not None:
        other = found.args[1] if found.args[0] == index else found.args[0]
        if isinstance(index, Index) and not lies_in(other, index.domain):
            restricted = "restrict it to a part"
            if other.is_Integer:
                restricted = f"{index.domain.upper} may be less; of a domain of {other} + n elements it is one"
            raise DomainError(f"sum over {index} in {index.domain.name}: {other} may lie outside; {restricted}")
        within = inside(other, limits) if limits else True
        if within is not None:
            return contract(substitute(body / found, {index: other})) if within else Integer(0)
    factors = Mul.make_args(body)
    for inner in factors:
        if not limits and _picks(inner, index):
            inner_body = rename_bound(inner, free(body) | {index})
            return _sum_out(_sum_out(body / inner * inner_body.body, index, ()), inner_body.index, inner_body.limits)
    outside = [factor for factor in factors if index not in free(factor)]
    others = Mul(*(factor for factor in factors if index in free(factor)))
    if limits or len(outside) < len(factors):
        return Mul(*outside, Sigma(others, index, *limits))
    return Sigma(body, index, *limits)


def _picks(inner: Expr, index: Expr) -> bool:
    """Whether a delta of the index stands inside nested sums; these are then exchanged with the sum over the index."""
    if not isinstance(inner, Sigma):
        return False
    return delta_of(inner.body, index) is not None or any(_picks(part, index) for part in Mul.make_args(inner.body))


def delta_of(term: Expr, index: Expr) -> Delta | None:
    """A factor Delta(index, place) whose place does not depend on the index, so that it picks one element of a sum."""
    deltas = (f for f in Mul.make_args(term) if isinstance(f, Delta) and index in f.args)
    return next((f for f in deltas if sum(index in free(arg) for arg in f.args) == 1), None)


def split_sums(expr: Expr, wanted: Callable[[Sigma], bool] = lambda sigma: True) -> Expr:
    """Split each sum over a union that is `wanted` into one sum for each leaf."""
    if not expr.args:
        return expr
    args = [split_sums(arg, wanted) for arg in expr.args]
    done = rebuild(expr, args)
    if isinstance(done, Sigma) and isinstance(done.index, Index) and done.index.domain.parts and wanted(done):
        parts = (done.index.within(leaf) for leaf in done.index.domain.leaves())
        return Add(*(Sigma(substitute(done.body, {done.index: part}), part) for part in parts))
    return done


def by_parts(*formulas: Expr) -> list[tuple[Expr, ...]]:
    """The formulas for every choice of a leaf for each free index over a union, with their sums over unions split."""
    letters = sorted({i for one in formulas for i in free(one) if isinstance(i, Index) and i.domain.parts}, key=str)
    choices = (zip(letters, leaves, strict=True) for leaves in product(*(i.domain.leaves() for i in letters)))
    each = ({letter: letter.within(leaf) for letter, leaf in choice} for choice in choices)
    return [tuple(split_sums(substitute(one, values)) for one in formulas) for values in each]


def named(formula: Expr) -> Iterator[Any]:
    """All quantities, activations, constants, dimensions and domains in a formula: what is identified by its name."""
    for node in set(nodes(formula)):
        if isinstance(node, Quantity | Activation | Constant | Dimension):
            yield node
        over = (node.domain,) if isinstance(node, Index) else node.domains if isinstance(node, Quantity) else ()
        for part in chain.from_iterable((whole, *whole.leaves()) for whole in over):
            yield part
            yield from part.upper.atoms(Dimension)
