"""Errors that go back in time, with random starts and a regularizer; descents by several methods on one surface.

The network is that of Pascanu et al. 2013: x(t+1) = W tanh(x(t)) + u(t), with the error e(t) = dE/dx(t), a row.
The surface is the mean error of the linear bit counter at sixteen bits.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from book.training.rprop.experiment import error_and_gradient
from throughtime.learning.clipping import clip_by_norm
from throughtime.learning.optimizers import GradientDescent, IRpropMinus, Optimizer

# ---- errors that go back

UNITS, STEPS, NETS, NOISE = 32, 20, 100, 0.1


def orthogonal(draw: np.random.Generator) -> np.ndarray:
    """A random orthogonal matrix, (UNITS, UNITS)."""
    q, r = np.linalg.qr(draw.normal(size=(UNITS, UNITS)))
    return q * np.sign(np.diag(r))


STARTS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "uniform on [-0.1, 0.1]": lambda draw: draw.uniform(-0.1, 0.1, (UNITS, UNITS)),
    "Gaussian, variance 1/32": lambda draw: draw.normal(0, UNITS**-0.5, (UNITS, UNITS)),
    "orthogonal": orthogonal,
    "identity": lambda draw: np.eye(UNITS),
}


def problem(start: str, nets: int = NETS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For ``nets`` nets, seeds 0, 1, ...: weights (nets, UNITS, UNITS), inputs and an error of length 1 at the end.

    Inputs (nets, STEPS, UNITS) are normal with standard deviation NOISE; errors are (nets, UNITS).
    """
    W, u, last = (np.zeros((nets, *shape)) for shape in ((UNITS, UNITS), (STEPS, UNITS), (UNITS,)))
    for seed in range(nets):
        draw = np.random.default_rng(seed)
        W[seed], u[seed], error = STARTS[start](draw), draw.normal(0, NOISE, (STEPS, UNITS)), draw.normal(size=UNITS)
        last[seed] = error / np.linalg.norm(error)
    return W, u, last


def backward(W: np.ndarray, u: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slopes (STEPS, nets, UNITS) and errors (STEPS+1, nets, UNITS) of all nets, each on one run with inputs u."""
    x, slopes, errors = np.zeros_like(last), np.zeros((STEPS, *last.shape)), np.zeros((STEPS + 1, *last.shape))
    for t in range(STEPS):
        slopes[t] = 1 - np.tanh(x) ** 2
        x = np.einsum("nij,nj->ni", W, np.tanh(x)) + u[:, t]
    errors[-1] = last
    for t in range(STEPS, 0, -1):
        errors[t - 1] = np.einsum("ni,nij->nj", errors[t], W) * slopes[t - 1]
    return slopes, errors


def omega_gradient(slopes: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """The immediate derivative of Omega with respect to W, (nets, UNITS, UNITS): slopes and errors held constant."""
    before, after = errors[:-1], errors[1:]
    shorter, longer = np.linalg.norm(before, axis=-1), np.linalg.norm(after, axis=-1)
    factor = 2 * (shorter / longer - 1) / longer / shorter
    return np.einsum("tn,tni,tnj->nij", factor, after, before * slopes)


def kept(start: str) -> np.ndarray:
    """Length of an error after STEPS steps back, relative to its first, in each net, (NETS,)."""
    return np.linalg.norm(backward(*problem(start))[1][0], axis=-1)


def regularized(start: str) -> tuple[np.ndarray, np.ndarray]:
    """The same after 200 steps of W along -dOmega/dW, and the largest factor for any error, (NETS,) each."""
    W, u, last = problem(start)
    for _ in range(200):
        W = W - 0.02 * omega_gradient(*backward(W, u, last))
    slopes, errors = backward(W, u, last)
    product = np.broadcast_to(np.eye(UNITS), W.shape)
    for slope in slopes[::-1]:
        product = product @ (W * slope[:, None])
    return np.linalg.norm(errors[0], axis=-1), np.linalg.norm(product, 2, axis=(1, 2))


# ---- descents

LENGTH, UPDATES, ARRIVED, LOST = 16, 1000, 0.01, 100.0
RATE, THRESHOLD = 4e-4, 10.0  # the largest stable rate at the minimum is 5.03e-4

# Makes an optimizer, and what is done to a gradient before its step.
METHODS: dict[str, tuple[Callable[[], Optimizer], Callable[[np.ndarray], np.ndarray]]] = {
    "gradient descent": (partial(GradientDescent, 2, RATE), np.asarray),
    "clipped by norm": (partial(GradientDescent, 2, RATE), partial(clip_by_norm, threshold=THRESHOLD)),
    "iRprop-": (partial(IRpropMinus, 2), np.asarray),
}


class Run(NamedTuple):
    """The end of a descent: "arrived", "lost" or "under way", number of updates, and the error there (inf if lost)."""

    end: str
    updates: int
    error: float


def descend(start: tuple[float, float], method: str, scale: float = 1.0) -> Run:
    """Descend from (v_x, v_f) until the error is below 0.01, a weight exceeds 100 in modulus, or after 1000 updates.

    `scale` multiplies every gradient before clipping and update.
    """
    make, change = METHODS[method]
    optimizer, place = make(), np.array(start, dtype=float)
    for done in range(UPDATES + 1):
        if np.abs(place).max() > LOST:
            return Run("lost", done, np.inf)
        height, slope = error_and_gradient(place, LENGTH)
        if height < ARRIVED:
            return Run("arrived", done, height)
        place = optimizer.step(place, change(scale * slope))
    return Run("under way", UPDATES, height)
