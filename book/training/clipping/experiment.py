"""The one-unit net with a cliff in its error surface (Pascanu, Mikolov and Bengio 2013), and gradient descent on it.

x_t = w sigma(x_{t-1}) + b with logistic sigma and x_0 = 1/2; the error is (sigma(x_T) - 7/10)^2 at T = 50. Beside it an
Elman net of eight hidden units, which reads 20 random bits and says at the end how many are 1, scaled to [-1, 1].
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from throughtime.arrays.activations import logistic
from throughtime.textbook.simple_recurrent import Elman

START, TARGET, LENGTH = 0.5, 0.7, 50
ARRIVED, FAR = 0.02, 10.0  # bounds: median error of the last fifty updates, largest modulus of w and b at the end


def error(w: Any, b: Any, length: int = LENGTH) -> Any:
    """The error at T = `length`; `w` and `b` are real or complex numbers or arrays of one shape."""
    state = START
    for _ in range(length):
        state = w * logistic(state) + b
    return (logistic(state) - TARGET) ** 2


def gradient(w: Any, b: Any, length: int = LENGTH) -> np.ndarray:
    """(dE/dw, dE/db), shape (2, *shape of w), by forward differentiation (RTRL).

    dx_t/dw = sigma(x_{t-1}) + w sigma'(x_{t-1}) dx_{t-1}/dw,  dx_t/db = 1 + w sigma'(x_{t-1}) dx_{t-1}/db
    """
    state, by_w, by_b = START, 0.0, 0.0
    for _ in range(length):
        act, slope = logistic(state), w * logistic.derivative(state)
        by_w, by_b = act + slope * by_w, 1.0 + slope * by_b
        state = w * act + b
    outer = 2 * (logistic(state) - TARGET) * logistic.derivative(state)
    return np.array([outer * by_w, outer * by_b])


class Paths(NamedTuple):
    """m descents of n updates."""

    places: np.ndarray  # (n + 1, m, 2): points (w, b)
    errors: np.ndarray  # (n + 1, m)
    norms: np.ndarray  # (n, m): of the gradients before clipping

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


SEQUENCES, STEPS, RATE, UPDATES = 20, 20, 0.3, 24
NET = Elman(n_in=1, hidden=8, n_out=1, f_hid="tanh", f_out="identity")


def train(clip: Callable[[np.ndarray], np.ndarray] = lambda g: g, nudge: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Mean error and norm of its gradient before clipping at each update, from weights moved by ``nudge``."""
    draw = np.random.default_rng(2)
    theta = 0.8 * draw.normal(size=NET.layout.size) * (1 + nudge)
    bits = draw.integers(0, 2, (SEQUENCES, STEPS, 1)).astype(float)
    target, mask = np.zeros(bits.shape), np.zeros(bits.shape[:2])
    target[:, -1], mask[:, -1] = 2 * bits.mean(axis=1) - 1, 1.0
    errors, norms = [], []
    for _ in range(UPDATES):
        found = NET.gradient(theta, bits, target, mask)
        slope = found.gradient / SEQUENCES
        errors.append(found.loss / SEQUENCES)
        norms.append(np.linalg.norm(slope))
        theta = theta - RATE * clip(slope)
    return np.array(errors), np.array(norms)
