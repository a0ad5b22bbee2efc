"""95 % intervals for counts of runs and for medians."""

from collections.abc import Sequence
from math import comb, sqrt
from statistics import NormalDist

Z = NormalDist().inv_cdf(0.975)


def wilson(count: int, of: int) -> tuple[float, float]:
    """Wilson's interval of a share, in [0, 1], from ``count`` of ``of`` >= 1 independent runs.

    ValueError for a count outside 0 to ``of``.

    >>> [round(100 * end) for end in wilson(8, 10)]
    [49, 94]
    """
    if not 0 <= count <= of or of < 1:
        raise ValueError(f"count: expected 0 to {of}, got {count}")
    share, spread = count / of, Z**2 / of
    middle, half = share + spread / 2, Z * sqrt(share * (1 - share) / of + spread / of / 4)
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def counted(count: int, of: int) -> str:
    """A count with its interval in percent.

    >>> counted(8, 10)
    '8 of 10 (49 to 94 %)'
    """
    low, high = (round(100 * end) for end in wilson(count, of))
    return f"{count} of {of} ({low} to {high} %)"


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """An interval of a median between two order statistics: its coverage is at least 95 % for any distribution.

    ValueError for fewer than 6 values, for which there is none.
    """
    ordered, tail, rank = sorted(values), 0.0, 0
    while (tail := tail + comb(len(ordered), rank) / 2 ** len(ordered)) <= 0.025:
        rank += 1
    if rank == 0:
        raise ValueError(f"values: expected at least 6 numbers, got {len(ordered)}")
    return ordered[rank - 1], ordered[-rank]
