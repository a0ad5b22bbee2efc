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


def with_derivatives(name: str, value: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
    """One of the functions as `(z, order) -> number`, where `value` gives the function itself."""
    return lambda z, order: CLOSED[name](value(z), z, order) if order else value(z)


def real(name: str) -> Callable[[float], float]:
    """The function itself in floating point; it raises ArithmeticError where it has no real value."""

    def value(z: float) -> float:
        try:
            return REAL[name](z)
        except ValueError as error:
            raise ArithmeticError(f"{name} of {z}") from error

    return value
