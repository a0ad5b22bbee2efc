"""The product and chain rules, applied once to a formula; the caller supplies the differential of each quantity."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Add, Expr, Function, Integer, Mul, Pow

from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.functions import way_out
from throughtime.derivation.formulas.nodes import Applied, Delta, DerivativeSymbol, Immediate, Ref, Sigma
from throughtime.derivation.formulas.rewrite import contract, free, rename_bound, replace


def linearize(expr: Expr, leaf: Callable[[Ref], Expr]) -> Expr:
    """The differential of `expr`, where `leaf(ref)` is the differential of each quantity.

    Raises DerivationError for a node without a rule, and for a derivative: second derivatives are not derived.
    """
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
    raise DerivationError(f"no rule to differentiate {type(expr).__name__}: {expr}; {way_out(expr)}")


def same_element(left: Ref, right: Ref) -> Expr:
    """Product of Kronecker deltas: 1 where two references denote one element, else 0."""
    if left.quantity != right.quantity:
        return Integer(0)
    return Mul(*(Delta(a, b) for a, b in zip(left.args[1:], right.args[1:], strict=True)))


def immediate(expr: Expr, wrt: Ref, *, contracted: bool = True) -> Expr:
    """∂expr/∂wrt, all other quantities in `expr` held constant."""
    result = linearize(rename_bound(expr, free(wrt)), lambda ref: same_element(ref, wrt))
    return contract(result) if contracted else result


def expand_partials(system: System, expr: Expr) -> Expr:
    """Every ∂a/∂b in `expr`, where a is defined by the system, as a formula.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> print(tt.expand_partials(unit, tt.partial(y[t], y[t - 1])))
    w
    """

    def rule(node: Expr) -> Expr | None:
        return immediate(system.definition(node.target), node.wrt) if isinstance(node, Immediate) else None

    return contract(replace(expr, rule, only=(Immediate,)))
