"""The timing tasks of Gers, Schraudolph and Schmidhuber 2002, each drawn as one tape that streams are cut from.

A task is a frozen record of its settings; ``tape(intervals, random)`` has the shape (4, steps). Its rows are the input,
the target, 1 where there is a target, and 1 at the last step of an interval. A stream begins with an interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from throughtime.tasks.spike_delays import spike_delays
from throughtime.tasks.waves import WAVES

INPUT, TARGET, COUNTED, END = range(4)


@dataclass(frozen=True)
class Measured:
    """MSD: spikes at T(n) = T(n-1) + F + I(n), at which the net has to put out I(n); elsewhere it has no target.

    period      F
    delays      from which I(n) is drawn
    continual   whether a stream goes on behind a spike; not in NMSD, where the net starts anew with each interval
    """

    period: int
    delays: tuple[int, ...] = (0, 1)
    continual: bool = True
    tolerance = 0.49

    @property
    def momentum(self) -> float:
        """Of gradient descent."""
        return 0.9999 if self.continual else 0.99

    @property
    def squash(self) -> str:
        """Of the output unit, a logistic one where it can reach all targets."""
        return "logistic" if max(self.delays) <= 1 else "identity"

    def tape(self, intervals: int, random: np.random.Generator) -> np.ndarray:
        """A number of intervals, one after another."""
        x, targets, mask = (part[:, 0] for part in spike_delays(self.period, self.delays, intervals, random))
        return np.stack([x, targets, mask, x])


@dataclass(frozen=True)
class Generated:
    """GTS: inputs and targets of MSD exchanged. The net reads I(n) and puts out a spike at T(n), elsewhere 0.

    The net reads I(n) at the first step of the interval, as the note guesses; a delay that is always 0 is not seen.
    """

    period: int
    delays: tuple[int, ...] = (0,)
    tolerance, momentum, squash, continual = 0.49, 0.999, "logistic", True

    def tape(self, intervals: int, random: np.random.Generator) -> np.ndarray:
        """A number of intervals, one after another."""
        spikes, delays, *_ = Measured(self.period, self.delays).tape(intervals, random)
        ends = np.flatnonzero(spikes)
        x = np.zeros(len(spikes))
        x[np.r_[0, ends[:-1] + 1]] = delays[ends]
        return np.stack([x, spikes, np.ones(len(x)), spikes])


@dataclass(frozen=True)
class Wave:
    """PFG: without any input the net puts out a wave of a period F, at the times t = 1, 2, ...; an interval is F.

    shape       "cosine", "triangle" or "rectangle"
    """

    shape: str
    period: int
    tolerance, momentum, squash, continual = 0.3, 0.99, "identity", True

    def tape(self, intervals: int, random: np.random.Generator) -> np.ndarray:
        """A number of periods."""
        times = np.arange(1, intervals * self.period + 1)
        targets = WAVES[self.shape](times, self.period)
        return np.stack([np.zeros(len(times)), targets, np.ones(len(times)), times % self.period == 0])


Timing = Measured | Generated | Wave
