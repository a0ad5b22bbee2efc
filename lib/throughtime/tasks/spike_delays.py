"""Measuring spike delays (peephole-msd), a task of Gers, Schraudolph and Schmidhuber 2002."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from throughtime.arrays import validate
from throughtime.tasks._draw import generator


class Stream(NamedTuple):
    """One continual sequence: inputs, targets and mask of all steps, shape (T, 1) each; row t-1 is time t."""

    x: np.ndarray
    targets: np.ndarray
    mask: np.ndarray


def spike_delays(period: int, delays: Sequence[int], spikes: int, seed: int | np.random.Generator) -> Stream:
    """A stream of zeros with 1 at the times T(n) = T(n-1) + period + I(n), n = 1, ..., ``spikes``, from T(0) = 0.

    Each I(n) is drawn from ``delays`` and is the target at T(n); the mask is 1 there and 0 elsewhere. The stream ends
    at the last spike. TypeError for numbers or seeds of a wrong type, ValueError for a period or a number of spikes
    below 1, and for no or negative delays.

    >>> spike_delays(3, [0, 2], 2, seed=0).x[:, 0].tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    validate.count("period", period, 1)
    validate.count("spikes", spikes, 1)
    if not isinstance(delays, Sequence | np.ndarray):
        raise TypeError(f"delays: expected a sequence of integers, got {delays!r}")
    validate.count("number of delays", len(delays), 1)
    for delay in delays:
        validate.count("delays", delay, 0)
    drawn = generator(seed).choice(np.asarray(delays), spikes)
    rows = np.cumsum(drawn + period) - 1
    x, targets = np.zeros((rows[-1] + 1, 1)), np.zeros((rows[-1] + 1, 1))
    x[rows, 0], targets[rows, 0] = 1.0, drawn
    return Stream(x, targets, x.copy())
