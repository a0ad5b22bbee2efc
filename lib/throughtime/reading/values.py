"""Functions that are what their names say, in one form: formulas that have the same are equal wherever both exist."""

from __future__ import annotations

from collections.abc import Collection

from sympy import Add, Expr, Integer, Mul, Pow, expand_mul, factor_terms, together

from throughtime.derivation import DerivativeSymbol, Modulus, Ref, exp, log
from throughtime.derivation.formulas.nodes import Activation, Applied, rebuild
from throughtime.reading.known import sigma

SIN = Activation("sin")
WRITTEN = {
    "sigma": lambda z: (1 + exp(-z)) ** -1,
    "tanh": lambda z: 1 - 2 * (1 + exp(2 * z)) ** -1,
    "softplus": lambda z: log(1 + exp(z)),
    "sqrt": lambda z: exp(log(z) / 2),
    "relu": lambda z: (z + Modulus(z)) / 2,
    "abs": Modulus,
}
KINKED = ("relu", "abs")  # where their arguments are 0, their slopes are not those of this form


def by_value(expr: Expr, but: Collection[str] = ()) -> Expr:
    """A formula in exp and log of positive ones taken apart, sin and moduli without signs; functions named in `but`
    are left alone.

    >>> import throughtime as tt
    >>> from throughtime.reading.values import by_value
    >>> t, x = tt.time(), tt.sequence("x")
    >>> print(by_value(tt.relu(x[t]) - tt.relu(-x[t])), by_value(tt.exp(x[t]) * tt.exp(-x[t])))
    x(t) 1
    """
    if isinstance(expr, Ref | DerivativeSymbol) or not expr.args:
        return expr
    if isinstance(expr, Mul):  # relu' relu = relu, also where relu' may be any number
        beside = [base.argument for base, number in expr.as_powers_dict().items() if _is(base, "relu") and number > 0]
        expr = Mul(*(one for one in expr.args if not _is(one, "relu", 1) or one.argument not in beside))
    expr = rebuild(expr, [by_value(arg, but) for arg in expr.args])
    if isinstance(expr, Applied) and expr.function.name not in but:
        return _applied(expr.function.name, expr.order, expand_mul(expr.argument), expr)
    if isinstance(expr, Modulus):
        content, rest = expand_mul(expr.args[0]).as_content_primitive()
        if any(rest in (one + one.args[0], one - one.args[0]) for one in rest.atoms(Modulus)):  # relu, up to its sign
            return content * rest
        return content * Modulus(-rest if rest.could_extract_minus_sign() else rest)
    if isinstance(expr, Pow) and expr.exp.is_Integer and isinstance(expr.base, Add) and not expr.has(Modulus):
        expr = together(expr.base) ** expr.exp  # 1/(1 + 1/exp(z)) as exp(z)/(exp(z) + 1)
    if isinstance(expr, Mul | Pow):
        if expr.has(Modulus):
            return Add(*map(_squared, Add.make_args(expr.expand(deep=False))))
        powers = {base: number for base, number in expr.as_powers_dict().items() if _is(base, "exp")}
        others = expr / Mul(*(base**number for base, number in powers.items()))
        return others * _exp(Add(*(number * base.argument for base, number in powers.items()))) if powers else expr
    return expr


def _squared(term: Expr) -> Expr:
    even = (factor for factor in Mul.make_args(term) if isinstance(factor.as_base_exp()[0], Modulus))
    values = {one: one.base.args[0] ** one.exp for one in even if one.is_Pow and one.exp.is_even}
    return expand_mul(term.xreplace(values), deep=False) if values else term


def _applied(name: str, order: int, z: Expr, expr: Applied) -> Expr:
    """A function, or one of its derivatives, at an argument."""
    if name == "softplus" and order:
        return by_value(Applied(sigma, Integer(order - 1), z))
    if name in ("sin", "cos"):  # cos as the slope of sin
        turns, back = (order + (name == "cos")) % 4, z.could_extract_minus_sign()
        made = Applied(SIN, Integer(turns % 2), -z if back else z) if z != 0 else Integer(turns % 2)
        return made * (-1) ** (turns // 2 + (back and turns % 2 == 0))
    if name in ("sinh", "cosh"):
        return by_value((exp(z) + (-1) ** (1 + order + (name == "cosh")) * exp(-z)) / 2)
    if name == "log" and _positive(z):
        powers = factor_terms(together(z)).as_powers_dict()
        return Add(*(number * (base.argument if _is(base, "exp") else log(base)) for base, number in powers.items()))
    if name == "exp":
        return _exp(z)
    return by_value(WRITTEN[name](z)) if name in WRITTEN and not order else expr


def _exp(z: Expr) -> Expr:
    """exp of a sum as a product: of each term a whole power of exp of the term without a number, and what is left."""
    found: Expr = Integer(1)
    for number, rest in (term.as_coeff_Mul() for term in Add.make_args(expand_mul(z))):
        base = rest.argument if _is(rest, "log") and _positive(rest.argument) else exp(rest)
        whole = number // 1
        found *= (base**whole if rest * whole != 0 else 1) * (exp(rest * (number - whole)) if number != whole else 1)
    return found


def _is(expr: Expr, name: str, order: int = 0) -> bool:
    return isinstance(expr, Applied) and expr.order == order and expr.function.name == name


def _positive(expr: Expr) -> bool:
    """Whether a formula is above 0 by its form."""
    if isinstance(expr, Add | Mul):
        return all(map(_positive, expr.args))
    if isinstance(expr, Pow):
        return bool(expr.exp.is_integer) and _positive(expr.base)
    return _is(expr, "exp") or bool(expr.is_Number and expr > 0)
