"""Elementary functions with rules of their own: exp, log and sqrt; maximum and minimum of two formulas.

The engine knows the derivative of these functions and nothing else: not that exp(a + b) = exp(a) exp(b), nor that
sqrt(a) sqrt(a) = a. The values at different points are independent numbers on the exact instances, so what holds there
and in general holds for the function; what needs such an identity is not called wrong, and proved where a bench knows
it (`Bench.known`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Abs, Expr, Max, Min, Mod, Pow, Symbol, diff

from throughtime.derivation.formulas.nodes import Activation, Modulus, Quantity

VALUE, POINT = Symbol("value"), Symbol("point")


class Elementary(Activation):
    """A function f with f' = `rule(f(z), z)`; its derivatives of every order are formulas in f(z) and z.

    >>> import throughtime as tt
    >>> t, y = tt.time(), tt.variable("y")
    >>> print(tt.exp(y[t]), tt.log.prime(y[t]), tt.sqrt.prime(y[t]), sep=", ")
    exp(y(t)), 1/y(t), 1/(2*sqrt(y(t)))
    """

    def __new__(cls, name: str, rule: Callable[[Any, Any], Any], latex: str):
        self = super().__new__(cls, name, latex=latex)
        self.rule = rule
        return self

    def derived(self, order: int, value: Expr, z: Expr) -> Expr:
        """The derivative of that order at `z`, where the function is `value`."""
        found, slope = VALUE, self.rule(VALUE, POINT)
        for _ in range(order):
            found = diff(found, POINT) + diff(found, VALUE) * slope
        return found.xreplace({VALUE: value, POINT: z})


FUNCTIONS = "write exp, log, sqrt, maximum, minimum of throughtime.derivation, or an Activation"
WAYS_OUT = {
    Quantity: "a quantity is written with its indices and time in brackets; w, which has none, as w[()]",
    (Abs, Modulus): "write relu(z) + relu(-z) for abs(z)",
    Mod: "give what has a period as a sequence, with mask=True where it is 0 or 1; a learnt period has no rule",
    (Max, Min): "write maximum or minimum of throughtime.derivation",
    Pow: "write exp(a*log(x)) of throughtime.derivation for x**a, whose exponent is no integer",
}


def way_out(expr: Expr) -> str:
    """Advice on a formula for which the engine has no rule."""
    return next((way for kind, way in WAYS_OUT.items() if isinstance(expr, kind)), FUNCTIONS)


exp = Elementary("exp", lambda value, z: value, r"\exp")
log = Elementary("log", lambda value, z: 1 / z, r"\log")
sqrt = Elementary("sqrt", lambda value, z: 1 / (2 * value), r"\operatorname{sqrt}")
relu = Activation("relu", latex=r"\operatorname{relu}")
"""The positive part, max(z, 0); its slope at 0 is what a model says that it is."""


def maximum(left: Expr, right: Expr) -> Expr:
    """The maximum of two formulas, as right + relu(left - right).

    Where they are equal the slope with respect to `left` is relu'(0) and that with respect to `right` 1 - relu'(0):
    1 and 0, 0 and 1 or a half each, as `relu` is implemented. What the engine derives holds for each of these.

    >>> import throughtime as tt
    >>> t, x, y = tt.time(), tt.sequence("x"), tt.variable("y")
    >>> print(tt.maximum(x[t], y[t]))
    relu(x(t) - y(t)) + y(t)
    """
    return right + relu(left - right)


def minimum(left: Expr, right: Expr) -> Expr:
    """The minimum of two formulas, as left - relu(left - right); at ties see `maximum`.

    >>> import throughtime as tt
    >>> t, y = tt.time(), tt.variable("y")
    >>> print(tt.minimum(y[t], 1))
    -relu(y(t) - 1) + y(t)
    """
    return left - relu(left - right)
