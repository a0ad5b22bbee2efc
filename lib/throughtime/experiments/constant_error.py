"""One unit in experiments: what error flow it carries, and how one weight is torn between two tasks.

The unit of the conflicts is the constant error carousel, s(t) = s(t-1) + g(t) u x(t-1): a linear unit whose self
weight is one. With the gate g = 1 at all times it is the unit of bptt-26 and lstm97-34; a gate that is given here has
to be learned in an LSTM.

>>> round(best_weight(19 * 0.09), 4), round(least_error(19 * 0.09), 4)
(0.369, 0.3155)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from throughtime.models.activations import Activation
from throughtime.models.recurrent import FullyRecurrent

Floats = NDArray[np.float64]

STEPS = 20  # the length of a sequence
NOISE = 0.3  # standard deviation of a distractor; what has to be stored is 1 or -1
SEQUENCES = 200
EPOCHS = 200
RATE = 0.2


# --- the error flow of one unit ---------------------------------------------------------------------------


def error_flow(activation: Activation, weight: float, lags: int, pulse: float) -> Floats:
    """|dz(t)/dz(t-q)| for the lags q = 0, ..., lags of a self-connected unit, shape (lags + 1,).

    The unit is alone after a first input of strength ``pulse``; the last lag reaches back to that input.
    """
    if lags < 1:
        raise ValueError(f"lags: expected at least 1, got {lags}")
    unit = FullyRecurrent(n_in=1, n_out=1, activation=activation)
    theta = unit.layout.flatten({"W": np.array([[1.0, weight]])})
    x = np.zeros((lags + 1, 1))
    x[0] = pulse
    now = lags + 1
    return np.array([abs(unit.error_flow(theta, x, now, now - lag)[0, 0]) for lag in range(lags + 1)])


# --- one weight, two tasks --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Training:
    """One weight under gradient descent, from its first value on.

    ``weight`` has shape (epochs + 1,), the others (epochs,): the mean error (half squares) before each update, and the
    gradient in two parts: what the steps give that need the weight, and what those give that it disturbs.
    """

    weight: Floats
    error: Floats
    needing: Floats
    disturbed: Floats

    @property
    def gradient(self) -> Floats:
        """Both parts together, shape (epochs,)."""
        return self.needing + self.disturbed


def best_weight(disturbance: float) -> float:
    """The weight at which both parts of the gradient cancel, (u - 1) + u N = 0, for a disturbance of power N."""
    return 1 / (1 + _power(disturbance))


def least_error(disturbance: float) -> float:
    """The mean error that remains at the best weight, N / (2 (1 + N)): one half would be not to try."""
    return 0.5 * _power(disturbance) / (1 + _power(disturbance))


def store(seed: int, gate: ArrayLike | None = None, *, steps: int = STEPS, noise: float = NOISE) -> Training:
    """Train the input weight u of a carousel that has to hold its first input until the end.

    The first input is 1 or -1, those after it are noise. The error at the end is (s(T) - x(0))^2 / 2. ``gate``, one
    factor a step, says how much of each input is let in; without one everything is.
    """
    draw = np.random.default_rng(seed)
    x = draw.normal(0, noise, (SEQUENCES, steps))
    x[:, 0] = draw.choice([-1.0, 1.0], SEQUENCES)
    target = x[:, 0].copy()
    let_in = x * _gate(gate, steps)

    def parts(u: Floats) -> tuple[float, Floats, Floats]:
        miss = u * let_in.sum(axis=1) - target  # the error signal: a carousel brings it back to every step unchanged
        by_step = (miss[:, None] * let_in).mean(axis=0)
        return 0.5 * np.mean(miss**2), by_step[:1], by_step[1:].sum(keepdims=True)

    return _descend(parts, np.zeros(1), RATE)


def read(seed: int, gate: ArrayLike | None = None, *, steps: int = STEPS) -> Training:
    """Train the output weight w from a carousel that holds 1 or -1 to a reader that needs it at the last step only.

    At all other steps the reader has to answer an input of its own, with a weight c that is trained too:
    r(t) = w o(t) s + c x(t), with target x(t), and s at the end, where x is 0. The error is the sum of half squares
    over the steps. ``gate`` is o(t), one factor a step.
    """
    draw = np.random.default_rng(seed)
    stored = draw.choice([-1.0, 1.0], SEQUENCES)
    own = draw.normal(0, 1, (SEQUENCES, steps))
    own[:, -1] = 0.0
    target = own.copy()
    target[:, -1] = stored
    let_out = stored[:, None] * _gate(gate, steps)

    def parts(weights: Floats) -> tuple[float, Floats, Floats]:
        miss = weights[0] * let_out + weights[1] * own - target
        by_step = np.array([(miss * let_out).mean(axis=0), (miss * own).mean(axis=0)])
        return 0.5 * np.mean((miss**2).sum(axis=1)), by_step[:, -1], by_step[:, :-1].sum(axis=1)

    return _descend(parts, np.zeros(2), rate=0.6 / steps)


def open_at(step: int, steps: int = STEPS) -> Floats:
    """A gate that is 1 at one step, counted from 0 or from the end, and 0 at all others; shape (steps,)."""
    gate = np.zeros(steps)
    gate[step] = 1.0
    return gate


def _descend(parts: Callable, start: Floats, rate: float) -> Training:
    """Gradient descent on the weights; what is kept is the first one's."""
    weights, kept = start, []
    for _ in range(EPOCHS):
        error, needing, disturbed = parts(weights)
        kept.append((weights[0], error, needing[0], disturbed[0]))
        weights = weights - rate * (needing + disturbed)
    weight, error, needing, disturbed = np.array(kept).T
    return Training(np.append(weight, weights[0]), error, needing, disturbed)


def _gate(gate: ArrayLike | None, steps: int) -> Floats:
    if steps < 2:
        raise ValueError(f"steps: expected at least 2, one that needs the weight and one that it disturbs, got {steps}")
    factors = np.ones(steps) if gate is None else np.asarray(gate, float)
    if factors.shape != (steps,) or not np.all(np.isfinite(factors)):
        raise ValueError(f"gate: expected {steps} finite factors, one a step, got shape {factors.shape}")
    return factors


def _power(disturbance: float) -> float:
    if not (np.isfinite(disturbance) and disturbance >= 0):
        raise ValueError(f"disturbance: expected a finite power of at least 0, got {disturbance}")
    return float(disturbance)
