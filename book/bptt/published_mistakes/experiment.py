"""Backward sweeps with one slip each, modelled on published mistakes, for the gradient of a fully recurrent net."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from throughtime.arrays.activations import tanh
from throughtime.checks import angle
from throughtime.textbook.recurrent import FullyRecurrent

SLIPS = {
    "no recursion": "the error of later steps is never carried back",
    "transposed": "the error comes back through $W$ instead of $W^{\\mathsf T}$",
    "slope one step late": "the error carried back meets the slope of the step it comes from",
    "slope lost": "no slope at all",
    "activation for slope": "the activation stands where its slope belongs",
    "state one step late": "the weight gradient uses $y(t)$ instead of $y(t-1)$",
}


def gradient(
    net: FullyRecurrent, theta: np.ndarray, x: Any, targets: Any, mask: np.ndarray, slip: str | None = None
) -> np.ndarray:
    """The gradient of ``net.loss`` by a plain backward sweep, flat like ``theta``: exact, or with one slip.

    ``slip`` is a key of ``SLIPS``, or None. Other arguments as for ``net.gradient``, but that a mask has to be given.
    """
    trace = net.forward(theta, x)
    z, y = trace.z, trace.y
    weights = net.recurrent_weights(theta)
    slopes = np.stack([f.derivative(column) for f, column in zip(net.activation, z.T, strict=True)], axis=1)
    if slip == "slope lost":
        slopes = np.ones_like(z)
    elif slip == "activation for slope":
        slopes = y
    carrier = weights if slip == "transposed" else weights.T
    if slip == "no recursion":
        carrier = np.zeros_like(weights)

    error = np.asarray(mask)[:, None] * (y[1:] - targets)
    signal = np.zeros_like(z)
    signal[-1] = slopes[-1] * error[-1]
    for t in range(trace.length - 1, 0, -1):
        late = t + (slip == "slope one step late")
        signal[t] = slopes[t] * error[t - 1] + slopes[late] * (carrier @ signal[t + 1])

    state = y[1:] if slip == "state one step late" else y[:-1]
    return (signal[1:].T @ np.hstack([trace.x, state])).ravel()


def survey(scales: Sequence[float], *, inputs: float = 1.0) -> dict[str, np.ndarray]:
    """Angle in degrees and norm ratio for 100 random networks, by slip, shape (scales, 100, 2).

    The networks have 6 tanh units, two random inputs of size ``inputs`` over 12 steps, recurrent weights uniform on
    [-scale, scale] / sqrt(6) and a loss at every step. All scales share the same draws up to the factor.
    """
    units, length = 6, 12
    found = {slip: np.empty((len(scales), 100, 2)) for slip in SLIPS}
    net = FullyRecurrent(n_in=2, n_out=units, activation=tanh)
    for draw in range(100):
        random = np.random.default_rng(draw)
        w_in = random.uniform(-1, 1, (units, 2))
        w = random.uniform(-1, 1, (units, units)) / np.sqrt(units)
        x, targets = inputs * random.normal(size=(length, 2)), random.uniform(-1, 1, (length, units))
        for place, scale in enumerate(scales):
            theta = net.layout.flatten({"W": np.hstack([w_in, scale * w])})
            exact = gradient(net, theta, x, targets, np.ones(length))
            for slip in SLIPS:
                wrong = gradient(net, theta, x, targets, np.ones(length), slip)
                found[slip][place, draw] = angle(wrong, exact), np.linalg.norm(wrong) / np.linalg.norm(exact)
    return found
