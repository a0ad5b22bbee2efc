"""Return types and random generator of the tasks."""

from typing import NamedTuple

import numpy as np

from throughtime.arrays import validate


class Labelled(NamedTuple):
    """N sequences ``x`` of one length T, shape (N, T, lines), and their integer ``labels``, shape (N,)."""

    x: np.ndarray
    labels: np.ndarray


class AtEnd(NamedTuple):
    """N sequences of different lengths with a target at the last step of each.

    x           (N, longest, lines), zero after the last step of a sequence
    lengths     (N,), numbers of steps
    targets     (N, outputs), for the last step
    """

    x: np.ndarray
    lengths: np.ndarray
    targets: np.ndarray

    def by_step(self) -> tuple[np.ndarray, np.ndarray]:
        """Targets and mask of every step, (N, longest, outputs) each; the mask is 1 at the last steps, 0 elsewhere."""
        places = np.arange(len(self.x)), self.lengths - 1
        targets = np.zeros((*self.x.shape[:2], self.targets.shape[1]))
        mask = np.zeros_like(targets)
        targets[places], mask[places] = self.targets, 1.0
        return targets, mask


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """A generator from a seed >= 0; a given generator is returned as it is, and advanced by its user.

    TypeError for None or any other type (there is no default seed), ValueError for a seed below 0.
    """
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(validate.count("seed", seed))
