"""What the tasks share: the pair they return, and what they draw from."""

from typing import NamedTuple

import numpy as np

from throughtime.models import validate


class Labelled(NamedTuple):
    """Sequences of one length, (N, T, lines), and the label of each, (N,)."""

    x: np.ndarray
    labels: np.ndarray


class AtEnd(NamedTuple):
    """Sequences (N, longest, lines), zero behind their lengths (N,), and targets (N, outputs) for their ends."""

    x: np.ndarray
    lengths: np.ndarray
    targets: np.ndarray

    def by_step(self) -> tuple[np.ndarray, np.ndarray]:
        """Targets and mask (N, longest, outputs) of every step: an error counts at the end alone."""
        places = np.arange(len(self.x)), self.lengths - 1
        targets = np.zeros((*self.x.shape[:2], self.targets.shape[1]))
        mask = np.zeros_like(targets)
        targets[places], mask[places] = self.targets, 1.0
        return targets, mask


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """A generator from a seed; one that is given goes on where it stands. TypeError for None: say which seed."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(validate.count("seed", seed))
