"""Temporal order (Hochreiter and Schmidhuber 1997, experiment 6): classify distant symbols by their order."""

from collections.abc import Sequence

import numpy as np

from throughtime.arrays import validate
from throughtime.tasks._draw import AtEnd, generator

SYMBOLS = "EBabcdXY"
TWO = ((10, 20), (50, 60))  # windows of the relevant symbols in the paper's sequences of 100 to 110 steps
THREE = ((10, 20), (33, 43), (66, 76))


def temporal_order(
    windows: Sequence[tuple[int, int]], lengths: tuple[int, int], copies: int, seed: int | np.random.Generator
) -> AtEnd:
    """``copies`` >= 1 sequences of symbols in one-hot code, in the order of ``SYMBOLS``.

    windows    (first, last) time, counted from 0 and both included, of each relevant symbol
    lengths    (shortest, longest); lengths are uniform between them, both included

    A sequence starts with E and ends with B. At a random time in each window it has an X or a Y, at all other times a
    distractor a, b, c or d. The target is the one-hot code of the word of X and Y, words in alphabetical order.
    Inputs of shape (copies, longest, 8), targets (copies, 2 ** len(windows)).

    TypeError for windows, numbers or seeds of a wrong type. ValueError for what is no pair, and unless the windows are
    disjoint, in order, and between the first and the last step of the shortest sequence.
    """
    validate.count("copies", copies, 1)
    if not isinstance(windows, Sequence):
        raise TypeError(f"windows: expected a sequence of pairs, got {windows!r}")
    for name, pair in [("lengths", lengths), *(("windows", window) for window in windows)]:
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise ValueError(f"{name}: expected the first and the last of each, got {pair!r}")
        for number in pair:
            validate.count(name, number)
    shortest, longest = lengths
    ends = [0, *(end for window in windows for end in window), shortest - 1]
    inner = [*zip(ends[:-1:2], ends[1::2], strict=True)]  # the gaps between windows
    if not windows or any(before >= after for before, after in inner) or any(a > b for a, b in windows):
        raise ValueError(f"windows: expected disjoint windows in order within {shortest} steps, got {tuple(windows)}")
    if shortest > longest:
        raise ValueError(f"lengths: expected the shortest and the longest, got {lengths}")
    random = generator(seed)
    drawn = random.integers(shortest, longest + 1, copies)
    x, targets = np.zeros((copies, longest, len(SYMBOLS))), np.zeros((copies, 2 ** len(windows)))
    for sequence, target, length in zip(x, targets, drawn, strict=True):
        symbols = random.integers(SYMBOLS.index("a"), SYMBOLS.index("d") + 1, length)
        symbols[0], symbols[-1] = SYMBOLS.index("E"), SYMBOLS.index("B")
        word = random.integers(0, 2, len(windows))
        times = [random.integers(first, last + 1) for first, last in windows]
        symbols[times] = SYMBOLS.index("X") + word
        sequence[np.arange(length), symbols] = 1.0
        target[int("".join(map(str, word.tolist())), 2)] = 1.0
    return AtEnd(x, drawn, targets)
