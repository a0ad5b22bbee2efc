"""The adding problem of Hochreiter and Schmidhuber 1997 (experiment 4): the sum of two marked numbers."""

import numpy as np

from throughtime.arrays import validate
from throughtime.tasks._draw import AtEnd, generator

EARLY = 10  # the first mark is on one of this many pairs


def adding(shortest: int, copies: int, seed: int | np.random.Generator) -> AtEnd:
    """``copies`` >= 1 sequences of pairs (value, marker), with lengths uniform from T = ``shortest`` >= 6 to T + T/10.

    Values are uniform on [-1, 1]. The marker is 1 at one of the first ten pairs and at another one of the first
    T/2 - 1, -1 at the first and the last pair, and 0 elsewhere. The target is 0.5 + (X1 + X2) / 4 with the marked
    values X1 and X2; if the very first pair is drawn, its marker stays -1 and its value counts as 0. Quotients are
    rounded down.

    Inputs of shape (copies, longest, 2), targets (copies, 1). TypeError for counts or seeds that are not integers,
    ValueError for T below 6 (two marks do not fit) or ``copies`` below 1.
    """
    validate.count("shortest", shortest, 6)
    validate.count("copies", copies, 1)
    random = generator(seed)
    longest, half = shortest + shortest // 10, shortest // 2 - 1
    lengths = random.integers(shortest, longest + 1, copies)
    x, targets = np.zeros((copies, longest, 2)), np.zeros((copies, 1))
    for sequence, target, length in zip(x, targets, lengths, strict=True):
        sequence[:length, 0] = random.uniform(-1, 1, length)
        first = random.integers(min(EARLY, half))
        second = random.choice(np.delete(np.arange(half), first))
        sequence[[first, second], 1] = 1.0
        sequence[[0, length - 1], 1] = -1.0
        target[0] = 0.5 + sum(sequence[place, 0] for place in (first, second) if place > 0) / 4
    return AtEnd(x, lengths, targets)
