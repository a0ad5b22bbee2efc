"""Substitution that respects bound indices, and the contraction of Kronecker deltas."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from sympy import Add, Expr, Integer, Mul, Symbol, expand_mul

from .domains import LENGTH, Index, lies_in
from .errors import DomainError
from .nodes import Bound, Delta, Paths, Sigma, nodes, rebuild


def free(expr: Expr) -> set[Expr]:
    """The indices and integer symbols (times, lags) that a formula leaves free."""
    if not expr.args:
        return {expr} if isinstance(expr, Index) or (expr.is_Symbol and expr.is_integer) else set()
    if isinstance(expr, Bound):
        inner = free(expr.body) - {expr.index}
        return inner.union(*(free(limit) for limit in expr.limits))
    if isinstance(expr, Paths):
        inner = free(expr.link) - {expr.before, expr.after, expr.count}
        return inner.union(*(free(arg) for arg in expr.args[4:]))
    found: set[Expr] = set()
    for arg in expr.args:
        found |= free(arg)
    return found


def bound(expr: Expr) -> set[Expr]:
    """The indices that a formula binds somewhere."""
    letters = {node.index for node in nodes(expr) if isinstance(node, Bound)}
    return letters.union(*(node.args[1:4] for node in nodes(expr) if isinstance(node, Paths)))


def another(time: Symbol, name: str) -> Symbol:
    """A letter for times or lags with another name, of which the same is known."""
    return Symbol(name, **time.assumptions0)


def fresh(index: Expr, taken: set[Expr]) -> Expr:
    """`index`, or the first primed copy of it whose name is not among those of `taken`."""
    names = {str(other) for other in taken}
    primes = next(n for n in count() if str(index) + "'" * n not in names) * "'"
    if not primes:
        return index
    if isinstance(index, Index):
        return Index(index.name + primes, index.domain, index.latex + primes)
    return another(index, index.name + primes)


def rename_bound(expr: Expr, taken: set[Expr]) -> Expr:
    """Rename every bound index whose name is among `taken`, so that the formula may stand in that scope."""
    if isinstance(expr, Bound):
        body, index = expr.body, expr.index
        names = {str(other) for other in taken}
        if str(index) in names:
            index = fresh(index, taken | free(body) | bound(body))
            body = substitute(body, {expr.index: index})
        return expr.func(rename_bound(body, taken | {index}), index, *expr.limits)
    if isinstance(expr, Paths):
        link, *letters = _renamed_letters(expr, taken)
        return Paths(rename_bound(link, taken | set(letters)), *letters, *expr.args[4:])
    return rebuild(expr, [rename_bound(arg, taken) for arg in expr.args])


def _renamed_letters(expr: Paths, taken: set[Expr]) -> tuple[Expr, ...]:
    """The link of paths and its three letters, those of them renamed whose name is among `taken`."""
    names = {str(other) for other in taken}
    values: dict[Expr, Expr] = {}
    for letter in expr.args[1:4]:
        if str(letter) in names:
            others = taken | free(expr.link) | bound(expr.link) | set(expr.args[1:4])
            values[letter] = fresh(letter, others | set(values.values()))
    return substitute(expr.link, values), *(values.get(letter, letter) for letter in expr.args[1:4])


def substitute(expr: Expr, values: dict[Expr, Expr]) -> Expr:
    """Replace free indices and times; bound indices are renamed where they would capture a value."""
    values = {old: new for old, new in values.items() if old != new}
    if not values or not expr.args:
        return values.get(expr, expr)
    if isinstance(expr, Bound):
        values = {old: new for old, new in values.items() if old != expr.index and old in free(expr)}
        arriving = set().union(*(free(new) for new in values.values()))
        if str(expr.index) in {str(other) for other in arriving}:
            expr = rename_bound(expr, arriving)
        limits = [substitute(limit, values) for limit in expr.limits]
        return expr.func(substitute(expr.body, values), expr.index, *limits)
    if isinstance(expr, Paths):
        inner = {old: new for old, new in values.items() if old in free(expr.link) - set(expr.args[1:4])}
        link, *letters = _renamed_letters(expr, set().union(*(free(new) for new in inner.values())))
        return Paths(substitute(link, inner), *letters, *(substitute(arg, values) for arg in expr.args[4:]))
    return rebuild(expr, [substitute(arg, values) for arg in expr.args])


def replace(expr: Expr, rule: Callable[[Expr], Expr | None], scope: set[Expr] | None = None) -> Expr:
    """Replace each outermost node for which `rule` returns something; what comes in is renamed apart."""
    scope = free(expr) if scope is None else scope
    found = rule(expr)
    if found is not None:
        return found if found == expr else rename_bound(found, scope)
    if isinstance(expr, Bound):
        return expr.func(replace(expr.body, rule, scope | {expr.index}), expr.index, *expr.limits)
    if isinstance(expr, Paths):
        return Paths(replace(expr.link, rule, scope | set(expr.args[1:4])), *expr.args[1:])
    return rebuild(expr, [replace(arg, rule, scope) for arg in expr.args])


def counted(expr: Expr) -> Expr:
    """A number of steps with what is known of its letters: times count from 1, lags from 0."""
    times = (letter for letter in expr.free_symbols if letter.is_integer and not letter.is_nonnegative)
    return expr.xreplace({letter: Symbol(letter.name, integer=True, positive=True) for letter in times})


def in_times(time: Expr, limits: tuple) -> bool | None:
    """Whether a time lies between two limits; None where that depends. The time t is at most the length T."""
    lower, upper = limits
    steps, base = time.as_coeff_Add()
    after, before = counted(time - lower), counted(upper - time)
    if after.is_negative or before.is_negative:
        return False
    in_sequence = upper == LENGTH and base.is_Symbol and not base.is_nonnegative and steps <= 0
    return True if after.is_nonnegative and (before.is_nonnegative or in_sequence) else None


def at_least_one(steps: Expr) -> Expr:
    """A number of steps with what is known of it: a sequence has a first time."""
    return counted(steps.xreplace({LENGTH: Symbol("T", integer=True, positive=True)}))


def has_length(lower: Expr, upper: Expr) -> bool:
    """Whether a range has as many places as its limits say: it ends at the earliest just before it begins.

    The time t is at most the length T.
    """
    steps, base = lower.as_coeff_Add()
    after_a_time = upper == LENGTH and base.is_Symbol and not base.is_nonnegative and steps <= 1
    return bool(at_least_one(upper - lower + 1).is_nonnegative or after_a_time)


def own_letter(expr: Bound) -> Bound:
    """A sum or product whose letter may leave the times 1..T, counted from 1 by a letter that says no more than that.

    A plain letter for times counts as one of 1..T (`counted`, `in_times`).
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


def contract(expr: Expr) -> Expr:
    """Sum every Kronecker delta out, and take factors that do not depend on the index before the sum."""
    if not expr.args:
        return expr
    if isinstance(expr, Mul):
        return _numbers_out([contract(arg) for arg in expr.args])
    if not isinstance(expr, Sigma):
        return rebuild(expr, [contract(arg) for arg in expr.args])
    expr = own_letter(expr)
    return _sum_out(contract(expr.body), expr.index, expr.limits)


def _numbers_out(factors: list[Expr]) -> Expr:
    """The product with the numbers common to all terms of a bracket taken out of it: (2a - 2b)/2 becomes a - b."""
    parts = [factor.primitive() if isinstance(factor, Add) else (Integer(1), factor) for factor in factors]
    return Mul(*(number for number, _ in parts), *(rest for _, rest in parts))


def _sum_out(body: Expr, index: Expr, limits: tuple) -> Expr:
    found = _delta(body, index)
    if found is None and any(isinstance(node, Delta) and index in node.args for node in nodes(body)):
        body = expand_mul(body)
        if isinstance(body, Add) and any(_delta(term, index) for term in body.args):
            return Add(*(_sum_out(term, index, limits) for term in body.args))
        found = _delta(body, index)
    if found is not None:
        other = found.args[1] if found.args[0] == index else found.args[0]
        if isinstance(index, Index) and not lies_in(other, index.domain):
            raise DomainError(
                f"sum over {index} in {index.domain.name}: {other} may lie outside; restrict it to a part"
            )
        inside = in_times(other, limits) if limits else True
        if inside is not None:
            return contract(substitute(body / found, {index: other})) if inside else Integer(0)
    factors = Mul.make_args(body)
    for inner in factors:
        if not limits and _picks(inner, index):
            inner_body = rename_bound(inner, free(body) | {index})
            return _sum_out(_sum_out(body / inner * inner_body.body, index, ()), inner_body.index, inner_body.limits)
    outside = [factor for factor in factors if index not in free(factor)]
    inside = Mul(*(factor for factor in factors if index in free(factor)))
    if limits or len(outside) < len(factors):
        return Mul(*outside, Sigma(inside, index, *limits))
    return Sigma(body, index, *limits)


def _picks(inner: Expr, index: Expr) -> bool:
    """Whether a delta with the index stands below sums inside, which are then taken outside."""
    if not isinstance(inner, Sigma):
        return False
    return _delta(inner.body, index) is not None or any(_picks(part, index) for part in Mul.make_args(inner.body))


def _delta(term: Expr, index: Expr) -> Delta | None:
    """A factor that picks one element of a sum over the index: a delta of it and a place that does not read it."""
    deltas = (f for f in Mul.make_args(term) if isinstance(f, Delta) and index in f.args)
    return next((f for f in deltas if sum(index in free(arg) for arg in f.args) == 1), None)
