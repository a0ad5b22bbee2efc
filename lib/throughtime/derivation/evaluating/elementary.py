"""Elementary functions as numbers: derivatives of every order in closed form, with no rule of the derivations."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any


def _sigmoid(value: Any, order: int) -> Any:
    """Logistic derivative: the sum of (-1)^(k-1) (k-1)! S(order + 1, k) value^k over k, S a Stirling number."""
    powers = range(1, order + 2)
    return sum(value**k * sum((-1) ** (j + 1) * math.comb(k, j) * j ** (order + 1) for j in powers) / k for k in powers)


# The derivative of an order of 1 or more, where the function is `value` at z.
CLOSED: dict[str, Callable[[Any, Any, int], Any]] = {
    "exp": lambda value, z, order: value,
    "log": lambda value, z, order: -math.factorial(order - 1) / (-z) ** order,
    "sqrt": lambda value, z, order: math.prod(Fraction(1, 2) - k for k in range(order)) * value ** (1 - 2 * order),
    "sigma": lambda value, z, order: _sigmoid(value, order),
    "tanh": lambda value, z, order: 2 ** (order + 1) * _sigmoid((1 + value) / 2, order),  # 2 sigma(2z) - 1
}
REAL = {name: getattr(math, name) for name in ("exp", "log", "sqrt", "tanh")}
REAL["sigma"] = lambda z: 1 / (1 + math.exp(-z))
# Functions of which the derivations know no rule, as numbers: the derivative of an order at z.
NAMED: dict[str, Callable[[float, int], float]] = {
    "relu": lambda z, order: float(z > 0) if order == 1 else 0.0 if order else max(z, 0.0),
    "abs": lambda z, order: math.copysign(1.0, z) if order == 1 else 0.0 if order else abs(z),
    "softplus": lambda z, order: _sigmoid(REAL["sigma"](z), order - 1) if order else math.log1p(math.exp(z)),
    "sign": lambda z, order: 0.0 if order else math.copysign(float(z != 0), z),
    "elu": lambda z, order: float(order < 2) * z ** (1 - min(order, 1)) if z > 0 else math.exp(z) - (not order),
    "silu": lambda z, order: z * _sigmoid(REAL["sigma"](z), order) + (order and order * NAMED["softplus"](z, order)),
    "sin": lambda z, order: math.sin(z + order * math.pi / 2),
    "cos": lambda z, order: math.cos(z + order * math.pi / 2),
    "sinh": lambda z, order: math.cosh(z) if order % 2 else math.sinh(z),
    "cosh": lambda z, order: math.sinh(z) if order % 2 else math.cosh(z),
}
NAMED["swish"] = NAMED["silu"]
MIDDLE = {"relu": 0.5, "abs": 0.0}  # the middle of the slopes at a kink, at 0, where the slope is a convention


def in_the_middle(name: str, given: Callable[[Any, int], Any]) -> Callable[[Any, int], Any]:
    """A function with the middle of its slopes at its kink."""
    return lambda z, order: MIDDLE[name] if order == 1 and z == 0 else given(z, order)


def with_derivatives(name: str, value: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
    """One of the functions as `(z, order) -> number`, where `value` gives the function itself."""
    return lambda z, order: CLOSED[name](value(z), z, order) if order else value(z)


def standing_in(name: str, drawn: Callable[[Any, int], Any]) -> Callable[[Any], Any]:
    """A drawn function in place of one of the functions; at 0 the root is 0, and the logarithm has no value."""

    def value(z: Any) -> Any:
        if z == 0 and name == "log":
            raise ZeroDivisionError("log of 0")
        return z if z == 0 and name == "sqrt" else drawn(z, 0)

    return value


def real(name: str) -> Callable[[float], float]:
    """The function itself in floating point; it raises ArithmeticError where it has no real value."""

    def value(z: float) -> float:
        try:
            return REAL[name](z)
        except ValueError as error:
            raise ArithmeticError(f"{name} of {z}") from error

    return value
