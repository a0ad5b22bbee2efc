"""Activations of one number, real or complex: their text is copied into the programs that call them.

Each keeps full relative precision for every real z, without overflow, and is analytic near the real axis, for the
complex step. ``fast`` has the same without branches.
"""

import numpy as np


def _logistic(z):
    decay = np.exp(-z) if z.real >= 0.0 else np.exp(z)  # the sign that cannot overflow
    return (1.0 if z.real >= 0.0 else decay) / (1.0 + decay)


def _logistic_slope(z):
    decay = np.exp(-z) if z.real >= 0.0 else np.exp(z)  # the slope is even
    return decay / ((1.0 + decay) * (1.0 + decay))


def _tanh(z):
    if abs(z.real) < 1.0:
        return np.sinh(z) / np.cosh(z)  # 1 - exp(-2z) would cancel here
    if z.real > 0.0:
        return (1.0 - np.exp(-2.0 * z)) / (1.0 + np.exp(-2.0 * z))
    return (np.exp(2.0 * z) - 1.0) / (np.exp(2.0 * z) + 1.0)
