"""Nets of two minGRU units that learn the adding problem on line, and their errors."""

from __future__ import annotations

from functools import cache

import numpy as np
from throughtime.programs import CompiledNetwork
from throughtime.tasks.adding import adding
from throughtime_book.beyond.diagonal_recurrence import counting

UNITS, LENGTH, NETS, SEQUENCES, PROBES, RATE = 2, 20, 100, 40_000, 500, 0.3
BIASES = (0.0, -2.0)
SOLVED = 0.002


def network() -> CompiledNetwork:
    """A layer of minGRU units with two inputs and one output."""
    return counting.compiled("minGRU", UNITS, 2)


def starts(bias: float, nets: int = NETS) -> np.ndarray:
    """Weights of the nets, (nets, size), uniform on [-0.5, 0.5] but for the biases of the gates."""
    net = network()
    weights = np.stack([net.init(seed, 0.5) for seed in range(nets)])
    for one in weights:
        net.layout.views(one)["b_z"][:] = bias
    return weights


@cache
def stream(copies: int, seed: int) -> tuple[np.ndarray, ...]:
    """Sequences of the adding problem one after the other: inputs, targets, mask of last steps, first steps."""
    drawn = adding(LENGTH, copies, seed)
    targets, mask = drawn.by_step()
    inside = np.arange(drawn.x.shape[1]) < drawn.lengths[:, None]
    first = np.broadcast_to(np.arange(drawn.x.shape[1]) == 0, inside.shape)
    return drawn.x[inside], targets[inside], mask[inside][:, 0], first[inside].astype(float)


def learn(bias: float, nets: int = NETS, sequences: int = SEQUENCES) -> np.ndarray:
    """The weights of all nets after one pass over a stream of sequences, moved by the exact gradient on line."""
    learner = network().learner(starts(bias, nets), "rtrl", rate=RATE)
    x, targets, mask, first = stream(sequences, 0)
    learner.run(x, targets, mask, starts=first)
    return learner.theta


def errors(weights: np.ndarray) -> np.ndarray:
    """Mean squared error of each net on new sequences."""
    net, drawn = network(), adding(LENGTH, PROBES, 10**6)
    outputs = [net.forward(theta, drawn.x).y[np.arange(PROBES), drawn.lengths, 0] for theta in weights]
    return np.mean((np.array(outputs) - drawn.targets[:, 0]) ** 2, axis=1)


def of_the_mean() -> float:
    """Mean squared error of who always answers the mean of the targets."""
    return float(adding(LENGTH, PROBES, 10**6).targets.var())
