"""Random recurrent networks: their error flow over many lags, its growth rate in mean field theory, gradients by lag.

Weights are drawn from N(0, g^2 / d), each unit has an input of its own from N(0, INPUT^2). In mean field theory (d to
infinity) a net input is normal with a variance q, and the flow grows by a factor exp(rate) per step::

    q = g^2 E f(sqrt(q) xi)^2 + INPUT^2,    rate = 1/2 log(g^2 E f'(sqrt(q) xi)^2),    xi from N(0, 1)
"""

from itertools import accumulate, repeat

import numpy as np
from book.bptt import networks as ef
from numpy.typing import NDArray
from throughtime.arrays.activations import ActivationFunction, logistic, tanh
from throughtime.textbook.recurrent import FullyRecurrent

Floats = NDArray[np.float64]
UNITS, NETS, WARM_UP, INPUT = 32, 20, 40, 0.1
STEPS = 60  # of the runs whose gradient is taken apart by lag
_NODES = np.linspace(-9, 9, 9001)
_MASSES = np.exp(-(_NODES**2) / 2)


def gaussian_mean(values: Floats) -> float:
    """E of a function of a standard normal variable, from its values at an even grid."""
    return float(values @ _MASSES / _MASSES.sum())


def variance(activation: ActivationFunction, scale: float) -> float:
    """The variance of a net input in mean field theory, by iteration from 1."""
    q = 1.0
    for _ in range(2000):
        q, before = scale**2 * gaussian_mean(activation(np.sqrt(q) * _NODES) ** 2) + INPUT**2, q
        if abs(q - before) < 1e-13 * q:
            break
    return q


def rate(activation: ActivationFunction, scale: float) -> float:
    """The growth rate of the flow per step in mean field theory: its largest Lyapunov exponent."""
    slopes = activation.derivative(np.sqrt(variance(activation, scale)) * _NODES)
    return float(0.5 * np.log(scale**2 * gaussian_mean(slopes**2)))


def critical_scale(activation: ActivationFunction) -> float:
    """The scale at which the rate is 0, by bisection."""
    low, high = 0.1, 40.0
    for _ in range(60):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if rate(activation, middle) < 0 else (low, middle)
    return float(np.sqrt(low * high))


def gaussian(units: int, nets: int, seed: int) -> Floats:
    """Matrices of independent entries from N(0, 1 / units), shape (nets, units, units)."""
    return np.random.default_rng(seed).normal(size=(nets, units, units)) / np.sqrt(units)


def orthogonal(units: int, nets: int, seed: int) -> Floats:
    """Random orthogonal matrices, shape (nets, units, units)."""
    factors, triangles = np.linalg.qr(np.random.default_rng(seed).normal(size=(nets, units, units)))
    return factors * np.sign(np.diagonal(triangles, axis1=1, axis2=2))[:, None, :]


def slopes(weights: Floats, activation: ActivationFunction, lag: int, seed: int = 0, given: float = INPUT) -> Floats:
    """f' at the net inputs of the last ``lag`` steps, newest first, shape (lag, nets, units).

    Weights have the shape (nets, units, units), inputs the standard deviation ``given``. The networks run ``WARM_UP``
    steps before.
    """
    nets, units, _ = weights.shape
    random = np.random.default_rng([seed, 1])
    y, found = np.zeros((nets, units)), []
    for _ in range(WARM_UP + lag):
        z = np.einsum("nij,nj->ni", weights, y) + given * random.normal(size=(nets, units))
        y = activation(z)
        found.append(activation.derivative(z))
    return np.array(found[-lag:][::-1])


def flows(
    weights: Floats, activation: ActivationFunction, lags: tuple[int, ...], seed: int = 0, given: float = INPUT
) -> Floats:
    """The flow of each network over each of the ``lags``, shape (lags, nets, units, units)."""
    steps = slopes(weights, activation, max(lags), seed, given)
    each = (ef.flow(ef.links(w, steps[:, net]))[list(lags)] for net, w in enumerate(weights))
    return np.stack([*each], axis=1)


def log_norms(activation: ActivationFunction, scale: float, lags: tuple[int, ...]) -> Floats:
    """log10 of the norm of the flow, shape (lags, NETS); norms below 1e-300 count as 1e-300."""
    reached = flows(scale * gaussian(UNITS, NETS, seed=0), activation, lags)
    return np.log10(np.maximum(ef.norms(reached), 1e-300))


def exponents(activation: ActivationFunction, scale: float, units: int) -> Floats:
    """The largest Lyapunov exponent of each random network, shape (NETS,): growth of a small deviation per step.

    The deviation follows the links along a run with inputs, and is brought back to length 1 at every step.
    """
    weights, steps = scale * gaussian(units, NETS, seed=0), 200
    deviation, total = np.ones((NETS, units)) / np.sqrt(units), np.zeros(NETS)
    for step, slope in enumerate(slopes(weights, activation, steps, seed=2)[::-1]):
        deviation = np.einsum("nij,nj->ni", weights, slope * deviation)
        length = np.linalg.norm(deviation, axis=1)
        deviation /= length[:, None]
        if step >= steps // 4:
            total += np.log(length)
    return total / (steps - steps // 4)


def random_signs(units: int, lag: int) -> Floats:
    """Typical entry of S^n for 200 matrices S of random signs, n = 1, ..., ``lag``, shape (lag,).

    The root mean square over the entries of each power, and of it the median over the matrices.
    """
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(200, units, units))
    powers = accumulate(repeat(signs, lag), np.matmul)
    return np.array([np.median(np.sqrt((power**2).mean(axis=(1, 2)))) for power in powers])


def contributions_of_one_unit() -> Floats:
    """Terms of dz(T)/dw for one logistic unit of self weight 1 without input, by lag, shape (STEPS - 1,).

    The term of lag m is y(T-m-1) times the flow from T back to T-m. Lag T-1 would be the first step, where y(0) = 0.
    """
    net = FullyRecurrent(1, 1, activation=logistic)
    theta = net.layout.flatten({"W": [[0.0, 1.0]]})
    trace = net.forward(theta, np.zeros((STEPS, 1)))
    flows = ef.flow(ef.links([[1.0]], logistic.derivative(trace.z[STEPS - 1 : 1 : -1])))
    return flows[:, 0, 0] * trace.y[STEPS - 1 : 0 : -1, 0]


def contributions(scale: float) -> Floats:
    """Norm of each lag's contribution to dE(T)/dW of 100 random tanh networks, W recurrent weights, shape (100, STEPS).

    Recurrent weights N(0, scale^2 / UNITS), an input N(0, INPUT^2) to each unit; the error signal at time T is a random
    direction. Row: a network; column: a lag, from 0. The last lag, of the first step, adds nothing: y(0) = 0.
    """
    net, found = FullyRecurrent(UNITS, UNITS, activation=tanh), []
    last, targets = np.eye(STEPS)[-1], np.zeros((STEPS, UNITS))
    random = np.random.default_rng([7, STEPS])
    x, signal = INPUT * random.normal(size=(STEPS, UNITS)), random.normal(size=UNITS)
    for w in scale * gaussian(UNITS, 100, seed=0):
        theta = net.layout.flatten({"W": np.hstack([np.eye(UNITS), w])})
        trace = net.forward(theta, x)
        targets[-1] = trace.y[-1] - signal / tanh.derivative(trace.z[-1])
        signals = net.error_signals(theta, x, targets, last).z
        found.append((np.linalg.norm(signals[1:], axis=1) * np.linalg.norm(trace.y[:-1], axis=1))[::-1])
    return np.array(found)


def share(contributions: Floats, lags: int) -> Floats:
    """The part of the summed norms that the first ``lags`` lags hold, of each network."""
    return contributions[:, :lags].sum(axis=1) / contributions.sum(axis=1)
