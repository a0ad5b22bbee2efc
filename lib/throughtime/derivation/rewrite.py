"""Substitution that respects bound indices, and the contraction of Kronecker deltas."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from sympy import Add, Expr, Integer, Mul, Pow, expand_mul

from .domains import Index
from .errors import DomainError
from .nodes import Bound, Delta, Paths, Sigma, nodes, rebuild


def free(expr: Expr) -> set[Expr]:
    """The indices and integer symbols (times, lags) that a formula leaves free."""
    if isinstance(expr, Bound):
        inner = free(expr.body) - {expr.index}
        return inner.union(*(free(limit) for limit in expr.limits))
    if isinstance(expr, Paths):
        inner = free(expr.link) - {expr.before, expr.after, expr.count}
        return inner.union(*(free(arg) for arg in expr.args[4:]))
    if isinstance(expr, Index) or (expr.is_Symbol and expr.is_integer):
        return {expr}
    return set().union(*(free(arg) for arg in expr.args))


def bound(expr: Expr) -> set[Expr]:
    """The indices that a formula binds somewhere."""
    return {node.index for node in nodes(expr) if isinstance(node, Bound)}


def fresh(index: Expr, taken: set[Expr]) -> Expr:
    """`index`, or the first primed copy of it whose name is not among those of `taken`."""
    names = {str(other) for other in taken}
    primes = next(n for n in count() if str(index) + "'" * n not in names) * "'"
    if not primes:
        return index
    if isinstance(index, Index):
        return Index(index.name + primes, index.domain, index.latex + primes)
    return index.func(index.name + primes, integer=True)


def rename_bound(expr: Expr, taken: set[Expr]) -> Expr:
    """Rename every bound index whose name is among `taken`, so that the formula may stand in that scope."""
    if isinstance(expr, Bound):
        body, index = expr.body, expr.index
        names = {str(other) for other in taken}
        if str(index) in names:
            index = fresh(index, taken | free(body) | bound(body))
            body = substitute(body, {expr.index: index})
        return expr.func(rename_bound(body, taken | {index}), index, *expr.limits)
    return rebuild(expr, [rename_bound(arg, taken) for arg in expr.args])


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
    return rebuild(expr, [substitute(arg, values) for arg in expr.args])


def replace(expr: Expr, rule: Callable[[Expr], Expr | None], scope: set[Expr] | None = None) -> Expr:
    """Replace each outermost node for which `rule` returns something; what comes in is renamed apart."""
    scope = free(expr) if scope is None else scope
    found = rule(expr)
    if found is not None:
        return found if found == expr else rename_bound(found, scope)
    if isinstance(expr, Bound):
        return expr.func(replace(expr.body, rule, scope | {expr.index}), expr.index, *expr.limits)
    return rebuild(expr, [replace(arg, rule, scope) for arg in expr.args])


def contract(expr: Expr) -> Expr:
    """Sum every Kronecker delta out, and take factors that do not depend on the index before the sum."""
    if not expr.args:
        return expr
    if isinstance(expr, Mul):
        return _numbers_out([contract(arg) for arg in expr.args])
    if not isinstance(expr, Sigma):
        return rebuild(expr, [contract(arg) for arg in expr.args])
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
        if isinstance(index, Index) and not (isinstance(other, Index) and index.domain.contains(other.domain)):
            raise DomainError(
                f"sum over {index} in {index.domain.name}: {other} may lie outside; restrict it to a part"
            )
        return contract(substitute(body / found, {index: other}))
    factors = Mul.make_args(body)
    outside = [factor for factor in factors if index not in free(factor)]
    inside = Mul(*(factor for factor in factors if index in free(factor)))
    if limits or len(outside) < len(factors):
        return Mul(*outside, Sigma(inside, index, *limits))
    return Sigma(body, index, *limits)


def _delta(term: Expr, index: Expr) -> Delta | None:
    for factor in Mul.make_args(term):
        base = factor.base if isinstance(factor, Pow) else factor
        if isinstance(base, Delta) and index in base.args:
            return factor
    return None
