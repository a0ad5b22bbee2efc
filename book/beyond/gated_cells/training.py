"""A compiled GRU on the adding problem."""

from __future__ import annotations

from functools import cache

import numpy as np
import throughtime as tt
from throughtime.learning.optimizers import Adam
from throughtime.programs import CompiledNetwork
from throughtime.tasks.adding import adding
from throughtime_book.beyond.gated_cells import system as c

UNITS, LENGTH, COPIES, UPDATES, RATE, PROBES = 8, 20, 20, 1500, 0.02, 500


@cache
def network(name: str = "GRU, reset after", units: int = UNITS, inputs: int = 2) -> CompiledNetwork:
    """A cell with one output, its gates logistic and its candidate tanh."""
    sizes = {c.n: units, c.m: inputs, c.r: 1}
    return tt.compile(c.CELLS[name].build(), c.loss, sizes, activations={"sigma": "logistic", "phi": "tanh"})


def problem(copies: int, seed: int | np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, targets and the mask of the last steps."""
    drawn = adding(LENGTH, copies, seed)
    targets, mask = drawn.by_step()
    return drawn.x, targets, mask[..., 0]


def train(updates: int = UPDATES, seed: int = 0) -> list[float]:
    """Mean squared errors on new sequences, before and after training by Adam."""
    net, random = network(), np.random.default_rng(seed)
    theta = net.init(random, scale=0.5)
    optimizer, probes = Adam(len(theta), RATE), problem(PROBES, 10**6)
    losses = [2 * net.loss(theta, *probes) / PROBES]
    for _ in range(updates):
        found = net.gradient(theta, *problem(COPIES, random), method="bptt")
        theta = optimizer.step(theta, found.gradient / COPIES)
    return [*losses, 2 * net.loss(theta, *probes) / PROBES]


def of_the_mean() -> float:
    """Mean squared error of who always answers the mean of the targets of the probes."""
    _, targets, mask = problem(PROBES, 10**6)
    return float(np.var(targets[..., 0][mask > 0]))
