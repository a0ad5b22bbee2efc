"""What each lag contributes to the gradient of a weight: one logistic unit, and random networks of tanh units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from throughtime.models.activations import logistic, tanh
from throughtime.models.recurrent import FullyRecurrent
from throughtime_book.bptt.vanishing.random_nets import INPUT, UNITS, gaussian

Floats = NDArray[np.float64]
STEPS, NETS = 60, 100


def of_one_unit(weight: float = 1.0, steps: int = STEPS) -> Floats:
    """Terms of dz(T)/dw for one logistic unit without input, by lag, shape (steps - 1,).

    The term of lag m is y(T-m-1) times the flow from T back to T-m. Lag T-1 would be the first step, where y(0) = 0.
    """
    net = FullyRecurrent(1, 1, activation=logistic)
    theta = net.layout.flatten({"W": [[0.0, weight]]})
    trace = net.forward(theta, np.zeros((steps, 1)))
    lags = range(steps - 1)
    return np.array([net.error_flow(theta, trace.x, steps, steps - m)[0, 0] * trace.y[steps - m - 1, 0] for m in lags])


def of_networks(scale: float, nets: int = NETS, units: int = UNITS, steps: int = STEPS) -> Floats:
    """Norm of each lag's contribution to dE(T)/dW of random tanh networks, W recurrent weights, shape (nets, steps).

    Recurrent weights N(0, scale^2 / units), an input N(0, INPUT^2) to each unit; the error signal at time T is a random
    direction. Row: a network; column: a lag, from 0. The last lag, of the first step, adds nothing: y(0) = 0.
    """
    weights = scale * gaussian(units, nets, seed=0)
    found = np.empty((nets, steps))
    for row, w in zip(found, weights, strict=True):
        random = np.random.default_rng([7, len(row)])
        x, y, z = INPUT * random.normal(size=(steps, units)), [np.zeros(units)], []
        for given in x:
            z.append(w @ y[-1] + given)
            y.append(tanh(z[-1]))
        signal = random.normal(size=units)
        for lag in range(steps):
            t = steps - lag
            row[lag] = np.linalg.norm(signal) * np.linalg.norm(y[t - 1])
            if t > 1:
                signal = tanh.derivative(z[t - 2]) * (w.T @ signal)
    return found


def share(contributions: Floats, lags: int) -> Floats:
    """The part of the summed norms that the first ``lags`` lags hold, of each network."""
    return contributions[:, :lags].sum(axis=1) / contributions.sum(axis=1)
