"""Experiments with one unit: its error flow, and the input and output weight conflicts of a carousel.

The unit in the conflicts is the constant error carousel, s(t) = s(t-1) + g(t) u x(t-1): a linear unit with self weight
one. With the gate g = 1 at all times it is the unit of bptt-26 and lstm97-34. The gates are fixed here; an LSTM has to
learn them.

>>> round(best_weight(19 * 0.09), 4), round(least_error(19 * 0.09), 4)
(0.369, 0.3155)
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from book.bptt.networks import flow, links
from numpy.typing import NDArray
from throughtime.arrays.activations import ActivationFunction
from throughtime.textbook.recurrent import FullyRecurrent

Floats = NDArray[np.float64]

STEPS = 20  # length of a sequence
NOISE = 0.3  # standard deviation of a distractor; the value to store is 1 or -1
SEQUENCES = 200
EPOCHS = 200
RATE = 0.2


def error_flow(activation: ActivationFunction, weight: float, lags: int, pulse: float) -> Floats:
    """|dz(t)/dz(t-q)| of a self-connected unit for the lags q = 0, ..., ``lags``, shape (lags + 1,) (bptt-22).

    The unit is z(t) = weight * activation(z(t-1)) + x(t-1); ``pulse`` is its first input x(0), the only one that is not
    0. The largest lag reaches z(1).
    """
    unit = FullyRecurrent(n_in=1, n_out=1, activation=activation)
    theta = unit.layout.flatten({"W": np.array([[1.0, weight]])})
    z = unit.forward(theta, pulse * np.eye(lags + 1, 1)).z
    return np.abs(flow(links([[weight]], activation.derivative(z[lags:0:-1])))[:, 0, 0])


class Training(NamedTuple):
    """The course of one weight under gradient descent."""

    weight: Floats  # (epochs + 1,), before the first and after every update
    error: Floats  # (epochs,), mean over the sequences of half the squared error, before each update


def best_weight(disturbance: float) -> float:
    """The root u = 1 / (1 + N) of (u - 1) + u N = 0, where both parts of the gradient cancel; N is ``disturbance``."""
    return 1 / (1 + disturbance)


def least_error(disturbance: float) -> float:
    """The mean error at the best weight, N / (2 (1 + N)), where the weight 0 has 1/2. N as for ``best_weight``."""
    return 0.5 * disturbance / (1 + disturbance)


def store(seed: int, gate: Floats | None = None) -> Training:
    """Train the input weight u of a carousel that has to keep its first input until time T (input weight conflict).

    The first input is 1 or -1, the later ones are normal noise. The error is (s(T) - x(0))^2 / 2. ``gate``, (STEPS,),
    multiplies the inputs.
    """
    draw = np.random.default_rng(seed)
    x = draw.normal(0, NOISE, (SEQUENCES, STEPS))
    x[:, 0] = draw.choice([-1.0, 1.0], SEQUENCES)
    target = x[:, 0].copy()
    stored = (x * (1.0 if gate is None else gate)).sum(axis=1)
    return _descend(lambda u: u[0] * stored - target, [stored], RATE)


def read(seed: int, gate: Floats | None = None) -> Training:
    """Train the output weight v from a carousel s = 1 or -1 to a unit that needs s at the last step only.

    The unit r(t) = v o(t) s + c x(t) has the target x(t) at all other steps and s at the last, where x is 0; c is
    trained as well (output weight conflict). The error is the sum of (r - target)^2 / 2 over the steps. ``gate`` is o.
    """
    draw = np.random.default_rng(seed)
    stored = draw.choice([-1.0, 1.0], SEQUENCES)
    own = draw.normal(0, 1, (SEQUENCES, STEPS))
    own[:, -1] = 0.0
    target = own.copy()
    target[:, -1] = stored
    let_out = stored[:, None] * (np.ones(STEPS) if gate is None else gate)
    return _descend(lambda v: v[0] * let_out + v[1] * own - target, [let_out, own], rate=0.6 / STEPS)


def open_at(step: int) -> Floats:
    """A gate (STEPS,) of zeros with a 1 at index ``step``; negative indices count from the end."""
    return np.eye(STEPS)[step]


def _descend(missed: Callable[[Floats], Floats], read: list[Floats], rate: float) -> Training:
    """Gradient descent from 0 with error signals ``missed``, linear in weights with the factors ``read``."""
    weights, kept = np.zeros(len(read)), []
    for _ in range(EPOCHS):
        miss = missed(weights)
        kept.append((weights[0], 0.5 * np.vdot(miss, miss) / SEQUENCES))
        weights = weights - rate * np.array([np.vdot(miss, each) for each in read]) / SEQUENCES
    weight, error = np.array(kept).T
    return Training(np.append(weight, weights[0]), error)
