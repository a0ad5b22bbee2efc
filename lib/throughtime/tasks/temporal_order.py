"""Temporal order (Hochreiter and Schmidhuber 1997, experiment 6): symbols far apart, told by their order."""

from collections.abc import Sequence

import numpy as np

from throughtime.models import validate
from throughtime.tasks._draw import AtEnd, generator

SYMBOLS = "EBabcdXY"
TWO = ((10, 20), (50, 60))  # when the relevant symbols come, in the paper's sequences of 100 to 110 steps
THREE = ((10, 20), (33, 43), (66, 76))


def temporal_order(
    windows: Sequence[tuple[int, int]],
    lengths: tuple[int, int],
    copies: int,
    seed: int | np.random.Generator,
) -> AtEnd:
    """``copies`` sequences of symbols, one line each of ``SYMBOLS``: 1 for the symbol, else 0.

    A sequence starts with E and ends with B; between them stand distractors a, b, c, d, but for one X or Y at
    a random time, counted from 0, within each of the ``windows`` (both ends included). There is one target
    line for each word of X and Y, in alphabetical order. Lengths are uniform between the two given, both
    included. ValueError unless the windows are disjoint, in order, and within the shortest sequence.
    """
    validate.count("copies", copies, 1)
    for name, pairs in (("windows", windows), ("lengths", [lengths])):
        for pair in pairs:
            if len(pair) != 2:
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
        target[int("".join(map(str, word)), 2)] = 1.0
    return AtEnd(x, drawn, targets)
