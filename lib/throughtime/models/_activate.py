"""Activation functions and their slopes by number, one number at a time, for the compiled loops."""

import numpy as np

from throughtime.arrays.activations import LOGISTIC, TANH, TANH_HALF, TWICE_TANH_HALF
from throughtime.models._jit import kernel


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
