"""Target waves of periodic function generation (peephole-waves), cosine, triangle and rectangle, and their differences.

The net has no input; its target at time t = 1, 2, ... is the wave at t.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from throughtime.arrays import validate


def cosine(t: np.ndarray, period: int) -> np.ndarray:
    """(1 - cos(2 pi t / period)) / 2, from 0 to 1, at the times ``t``, of any shape, which the result has too.

    TypeError if ``period`` is not an integer or the times are not real numbers, ValueError if ``period`` is below 1 or
    a time not finite.
    """
    validate.count("period", period, 1)
    return (1.0 - np.cos(2.0 * np.pi * validate.real("t", t) / period)) / 2.0


def triangle(t: np.ndarray, period: int) -> np.ndarray:
    """Linear from 0 to 1 in the first half of each period and back to 0.

    Arguments, shape and errors as for ``cosine``.
    """
    place = np.mod(validate.real("t", t), validate.count("period", period, 1))
    return np.where(place > period / 2, 2.0 - 2.0 * place / period, 2.0 * place / period)


def rectangle(t: np.ndarray, period: int) -> np.ndarray:
    """1 in the second half of each period, 0 in the first and at its end.

    Arguments, shape and errors as for ``cosine``.
    """
    return np.where(np.mod(validate.real("t", t), validate.count("period", period, 1)) > period / 2, 1.0, 0.0)


WAVES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {f.__name__: f for f in (cosine, triangle, rectangle)}


def largest_difference(wave: Callable[[np.ndarray, int], np.ndarray], period: int, order: int) -> float:
    """The largest modulus of the difference of a wave of the given order >= 1 at integer times (peephole-differences).

    ``wave`` takes times of shape (n,) and the period. One period suffices, since the differences have the period of
    the wave. TypeError if ``wave`` is not callable, or period or order not an integer; ValueError if one is below 1.
    """
    if not callable(wave):
        raise TypeError(f"wave: expected a function of times and period, got {wave!r}")
    validate.count("order", order, 1)
    times = np.arange(validate.count("period", period, 1) + order)
    return float(np.abs(np.diff(wave(times, period), order)).max())
