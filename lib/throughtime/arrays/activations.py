"""Activation functions f with their derivatives f', element by element on arrays.

Each formula keeps full relative precision for every real z, without overflow, and is analytic near the real
axis: on complex z the same lines serve the complex step, for which a library's complex tanh may be too
inexact.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from throughtime.arrays import validate


def _logistic(z: np.ndarray) -> np.ndarray:
    sign = np.where(z.real >= 0.0, 1.0, -1.0)
    decay = np.exp(-sign * z)  # the sign that cannot overflow
    return np.where(sign > 0.0, 1.0, decay) / (1.0 + decay)


def _logistic_slope(z: np.ndarray) -> np.ndarray:
    decay = np.exp(-np.where(z.real >= 0.0, z, -z))  # the slope is even
    return decay / ((1.0 + decay) * (1.0 + decay))


def _tanh(z: np.ndarray) -> np.ndarray:
    sign = np.where(z.real >= 0.0, 1.0, -1.0)
    fallen = np.expm1(-2.0 * sign * z)  # 1 - exp(-2z) would cancel near 0
    return -sign * fallen / (2.0 + fallen)


FORMULAS = {  # of f and f' by name
    "identity": (lambda z: 1.0 * z, lambda z: 1.0 + 0.0 * z),
    "logistic": (_logistic, _logistic_slope),
    "tanh": (_tanh, lambda z: 4.0 * _logistic_slope(2.0 * z)),  # does not cancel in saturation, as 1 - f(z)**2 would
    "tanh_half": (lambda z: _tanh(0.5 * z), lambda z: 2.0 * _logistic_slope(z)),
    "twice_tanh_half": (lambda z: 2.0 * _tanh(0.5 * z), lambda z: 4.0 * _logistic_slope(z)),
}


@dataclass(frozen=True, repr=False)
class ActivationFunction:
    """A differentiable activation function: ``f(z)`` and ``f.derivative(z)`` on numbers and arrays.

    ``bounds`` are its infimum and supremum, ``max_slope`` is max f'. ValueError for a name without ``FORMULAS``.
    """

    name: str
    bounds: tuple[float, float]
    max_slope: float

    def __post_init__(self) -> None:
        validate.one_of("name", self.name, FORMULAS)

    def __repr__(self) -> str:
        return self.name

    def __call__(self, z: Any) -> Any:
        """f(z), element by element, z real or complex. TypeError for no numbers, ValueError for NaN or infinity."""
        return self.derivative(z, 0)

    def derivative(self, z: Any, order: int = 1) -> Any:
        """The derivative of f of some order, element by element; order 0 is f itself. z and errors as for f.

        Every f but the identity is an affine image of the logistic function s(kz), whose derivatives are polynomials
        in s times its slope. Raises ValueError for an order that is no integer of at least 0.
        """
        if not isinstance(order, int) or order < 0:
            raise ValueError(f"order: expected an integer >= 0, got {order!r}")
        if order < 2:
            points = validate.array("z", z, np.shape(z), allow_complex=True)
            return FORMULAS[self.name][order](points)[()]
        if self.name == "identity":
            return 0.0 * self(z)
        height = self.bounds[1] - self.bounds[0]
        rate = 4.0 * self.max_slope / height
        inner = rate * np.asarray(z)
        y, factor, square = logistic(inner), Polynomial([1.0]), Polynomial([0.0, 1.0, -1.0])
        for _ in range(order - 1):  # the next derivative of s' q(s) is s' (q(s) s'' / s' + q'(s) s')
            factor = factor * square.deriv() + factor.deriv() * square
        return height * rate**order * logistic.derivative(inner) * factor(y)


identity = ActivationFunction("identity", (-np.inf, np.inf), 1.0)
logistic = ActivationFunction("logistic", (0.0, 1.0), 0.25)
tanh = ActivationFunction("tanh", (-1.0, 1.0), 1.0)
tanh_half = ActivationFunction("tanh_half", (-1.0, 1.0), 0.5)  # f of the LFMN; h of LSTM 1997
twice_tanh_half = ActivationFunction("twice_tanh_half", (-2.0, 2.0), 1.0)  # g of LSTM 1997

ACTIVATIONS = {f.name: f for f in (identity, logistic, tanh, tanh_half, twice_tanh_half)}


def named(argument: str, value: Any) -> ActivationFunction:
    """``value`` if it is an ActivationFunction, or the one of ``ACTIVATIONS`` with that name.

    Raises TypeError, naming the argument, for anything else, ValueError for an unknown name.
    """
    if isinstance(value, ActivationFunction):
        return value
    if not isinstance(value, str):
        raise TypeError(f"{argument}: expected an ActivationFunction or the name of one, got {type(value).__name__}")
    return ACTIVATIONS[validate.one_of(argument, value, ACTIVATIONS)]
