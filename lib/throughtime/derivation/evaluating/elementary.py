"""exp, log and sqrt as numbers: their derivatives of every order in closed form, with no rule of the derivations."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

# The derivative of an order of 1 or more, where the function is `value` at z.
CLOSED: dict[str, Callable[[Any, Any, int], Any]] = {
    "exp": lambda value, z, order: value,
    "log": lambda value, z, order: -math.factorial(order - 1) / (-z) ** order,
    "sqrt": lambda value, z, order: math.prod(Fraction(1, 2) - k for k in range(order)) * value ** (1 - 2 * order),
}


def with_derivatives(name: str, value: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
    """One of the functions as `(z, order) -> number`, where `value` gives the function itself."""
    return lambda z, order: CLOSED[name](value(z), z, order) if order else value(z)


def real(name: str) -> Callable[[float], float]:
    """The function itself in floating point; it raises ArithmeticError where it has no real value."""

    def value(z: float) -> float:
        try:
            return getattr(math, name)(z)
        except ValueError as error:
            raise ArithmeticError(f"{name} of {z}") from error

    return value
