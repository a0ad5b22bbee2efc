"""Activation functions f with their derivatives f', by number so that compiled loops can choose one per unit.

Each formula keeps full relative precision for every real z, without overflow, and is analytic near the real
axis: on complex z the same lines serve the complex step, for which a library's complex tanh may be too
inexact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import validate
from ._jit import kernel

CODES = range(5)
IDENTITY, LOGISTIC, TANH, TANH_HALF, TWICE_TANH_HALF = CODES


@kernel
def _logistic(z):
    decay = np.exp(-z) if z.real >= 0.0 else np.exp(z)  # the sign that cannot overflow
    return (1.0 if z.real >= 0.0 else decay) / (1.0 + decay)


@kernel
def _logistic_slope(z):
    decay = np.exp(-z) if z.real >= 0.0 else np.exp(z)  # the slope is even
    return decay / ((1.0 + decay) * (1.0 + decay))


@kernel
def _tanh(z):
    if abs(z.real) < 1.0:
        return np.sinh(z) / np.cosh(z)  # 1 - exp(-2z) would cancel here
    if z.real > 0.0:
        return (1.0 - np.exp(-2.0 * z)) / (1.0 + np.exp(-2.0 * z))
    return (np.exp(2.0 * z) - 1.0) / (np.exp(2.0 * z) + 1.0)


@kernel
def activate(code, z):
    """f(z) of the activation with number ``code``; z is one real or complex number."""
    if code == LOGISTIC:
        return _logistic(z)
    if code == TANH:
        return _tanh(z)
    if code == TANH_HALF:
        return _tanh(0.5 * z)
    if code == TWICE_TANH_HALF:
        return 2.0 * _tanh(0.5 * z)
    return 1.0 * z


@kernel
def slope(code, z):
    """f'(z) of activation number ``code``; it does not cancel in saturation, as 1 - f(z)**2 would."""
    if code == LOGISTIC:
        return _logistic_slope(z)
    if code == TANH:
        return 4.0 * _logistic_slope(2.0 * z)
    if code == TANH_HALF:
        return 2.0 * _logistic_slope(z)
    if code == TWICE_TANH_HALF:
        return 4.0 * _logistic_slope(z)
    return 1.0 + 0.0 * z


@kernel
def _map_activate(code, z, result):
    for n in range(len(z)):
        result[n] = activate(code, z[n])


@kernel
def _map_slope(code, z, result):
    for n in range(len(z)):
        result[n] = slope(code, z[n])


@dataclass(frozen=True)
class Activation:
    """A differentiable activation function: ``f(z)`` and ``f.derivative(z)`` on numbers and arrays.

    ``code`` is its number in ``activate``, ``bounds`` are its infimum and supremum, ``max_slope`` is max f'.
    """

    name: str
    code: int
    bounds: tuple[float, float]
    max_slope: float

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"code: expected one of {list(CODES)}, got {self.code!r}")

    def __call__(self, z: Any) -> Any:
        """f(z) by element, also complex. TypeError if z holds no numbers, ValueError for NaN or infinity."""
        return self._map(_map_activate, z)

    def derivative(self, z: Any) -> Any:
        """f'(z), element by element; z and errors as for f."""
        return self._map(_map_slope, z)

    def _map(self, loop: Callable, z: Any) -> Any:
        points = validate.array("z", z, np.shape(z), allow_complex=True)
        result = np.empty_like(points)
        loop(self.code, points.ravel(), result.reshape(-1))
        return result[()]


identity = Activation("identity", IDENTITY, (-np.inf, np.inf), 1.0)
logistic = Activation("logistic", LOGISTIC, (0.0, 1.0), 0.25)
tanh = Activation("tanh", TANH, (-1.0, 1.0), 1.0)
tanh_half = Activation("tanh_half", TANH_HALF, (-1.0, 1.0), 0.5)  # f of the LFMN; h of LSTM 1997
twice_tanh_half = Activation("twice_tanh_half", TWICE_TANH_HALF, (-2.0, 2.0), 1.0)  # g of LSTM 1997

ACTIVATIONS = {f.name: f for f in (identity, logistic, tanh, tanh_half, twice_tanh_half)}
