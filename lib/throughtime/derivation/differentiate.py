"""One application of the product and chain rules to a formula; what a quantity's own derivative is, the caller says."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Add, Expr, Function, Integer, Mul, Pow

from .errors import DerivationError
from .nodes import Applied, Delta, DerivativeSymbol, Ref, Sigma
from .rewrite import contract, free, rename_bound


def linearize(expr: Expr, leaf: Callable[[Ref], Expr]) -> Expr:
    """The differential of `expr`, where `leaf(ref)` stands for the differential of each quantity."""
    if isinstance(expr, Ref):
        return leaf(expr)
    if not expr.args or isinstance(expr, Delta):
        return Integer(0)
    if isinstance(expr, Add):
        return Add(*(linearize(term, leaf) for term in expr.args))
    if isinstance(expr, Mul):
        rest = expr.args
        return Add(*(Mul(*rest[:n], linearize(rest[n], leaf), *rest[n + 1 :]) for n in range(len(rest))))
    if isinstance(expr, Pow) and expr.exp.is_number:
        return expr.exp * expr.base ** (expr.exp - 1) * linearize(expr.base, leaf)
    if isinstance(expr, Applied):
        return expr.derivative() * linearize(expr.argument, leaf)
    if isinstance(expr, Sigma):
        return Sigma(linearize(expr.body, leaf), expr.index, *expr.limits)
    if isinstance(expr, Function):
        return Add(*(expr.fdiff(n) * linearize(arg, leaf) for n, arg in enumerate(expr.args, 1)))
    if isinstance(expr, DerivativeSymbol):
        raise DerivationError(f"second derivatives are not derived here: {expr}")
    raise DerivationError(f"no rule to differentiate {type(expr).__name__}: {expr}")


def same_element(left: Ref, right: Ref) -> Expr:
    """1 where two references to one quantity are the same element, else 0, as a product of deltas."""
    if left.quantity != right.quantity:
        return Integer(0)
    return Mul(*(Delta(a, b) for a, b in zip(left.args[1:], right.args[1:], strict=True)))


def immediate(expr: Expr, wrt: Ref, *, contracted: bool = True) -> Expr:
    """∂expr/∂wrt: every other quantity that stands in `expr` is held."""
    result = linearize(rename_bound(expr, free(wrt)), lambda ref: same_element(ref, wrt))
    return contract(result) if contracted else result
