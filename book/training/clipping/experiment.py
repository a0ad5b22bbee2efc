"""The one-unit net with a cliff in its error surface (Pascanu, Mikolov and Bengio 2013), and gradient descent on it.

x_t = w sigma(x_{t-1}) + b with logistic sigma and x_0 = 1/2; the error is (sigma(x_T) - 7/10)^2 at T = 50.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from throughtime.arrays.activations import logistic

START, TARGET, LENGTH = 0.5, 0.7, 50
ARRIVED, FAR = 0.02, 10.0  # bounds: median error of the last fifty updates, largest modulus of w and b at the end


def error(w: Any, b: Any, length: int = LENGTH) -> Any:
    """The error at T = `length`; `w` and `b` are real or complex numbers or arrays of one shape."""
    state = START + 0 * (w + b)
    for _ in range(length):
        state = w * logistic(state) + b
    return (logistic(state) - TARGET) ** 2


def gradient(w: Any, b: Any, length: int = LENGTH) -> np.ndarray:
    """(dE/dw, dE/db), shape (2, *shape of w), by forward differentiation (RTRL).

    dx_t/dw = sigma(x_{t-1}) + w sigma'(x_{t-1}) dx_{t-1}/dw,  dx_t/db = 1 + w sigma'(x_{t-1}) dx_{t-1}/db
    """
    state = START + 0.0 * (w + b)
    by_w = by_b = 0.0 * state
    for _ in range(length):
        act, slope = logistic(state), w * logistic.derivative(state)
        by_w, by_b = act + slope * by_w, 1.0 + slope * by_b
        state = w * act + b
    outer = 2 * (logistic(state) - TARGET) * logistic.derivative(state)
    return np.array([outer * by_w, outer * by_b])


@dataclass(frozen=True)
class Paths:
    """m descents of n updates: points (w, b) in ``places`` (n + 1, m, 2), ``errors`` (n + 1, m), ``norms`` (n, m).

    The norms are those of the gradients before clipping.
    """

    places: np.ndarray
    errors: np.ndarray
    norms: np.ndarray

    @property
    def arrived(self) -> np.ndarray:
        """Which of them end at the minimum, (m,)."""
        return np.median(self.errors[-50:], axis=0) < ARRIVED

    @property
    def thrown(self) -> np.ndarray:
        """Which of them end far off, (m,)."""
        return np.abs(self.places[-1]).max(axis=1) > FAR


def descend(starts: np.ndarray, rate: float, updates: int, threshold: float = np.inf) -> Paths:
    """Gradient descent from each row (w, b) of `starts`, shape (m, 2), each gradient clipped by norm (rnn-clip)."""
    place = np.array(starts, dtype=float)
    places, norms = [place], []
    for _ in range(updates):
        found = gradient(*place.T).T
        norms.append(np.hypot(*found.T))
        place = place - rate * found * np.minimum(1.0, threshold / np.maximum(norms[-1], 1e-300))[:, None]
        places.append(place)
    every = np.array(places)
    return Paths(every, error(every[..., 0], every[..., 1]), np.array(norms))
