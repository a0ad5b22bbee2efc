"""The target waves of periodic function generation: cosine, triangle, rectangle (peephole-waves), and their steepness.

A net that generates one gets no input; its target at time t is the wave at t, for t = 1, 2, ...
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..models import validate

__all__ = ["WAVES", "cosine", "largest_difference", "rectangle", "triangle"]


def cosine(t: np.ndarray, period: int) -> np.ndarray:
    """(1 - cos(2 pi t / period)) / 2, between 0 and 1, at times of any shape; ValueError unless period is 1 or more."""
    validate.count("period", period, 1)
    return (1.0 - np.cos(2.0 * np.pi * np.asarray(t) / period)) / 2.0


def triangle(t: np.ndarray, period: int) -> np.ndarray:
    """Up from 0 to 1 over half a period and down again; arguments and errors as for ``cosine``."""
    place = np.mod(t, validate.count("period", period, 1))
    return np.where(place > period / 2, 2.0 - 2.0 * place / period, 2.0 * place / period)


def rectangle(t: np.ndarray, period: int) -> np.ndarray:
    """1 in the second half of each period, 0 in the first and at its end; arguments and errors as for ``cosine``."""
    return np.where(np.mod(t, validate.count("period", period, 1)) > period / 2, 1.0, 0.0)


WAVES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "cosine": cosine,
    "triangle": triangle,
    "rectangle": rectangle,
}


def largest_difference(wave: Callable[[np.ndarray, int], np.ndarray], period: int, order: int) -> float:
    """max over integers t of |f'(t)| or |f''(t)|, the first or second difference (peephole-differences), order >= 1.

    One period decides, since differences have the period of the wave. ValueError for a period or order below 1.
    """
    validate.count("order", order, 1)
    times = np.arange(validate.count("period", period, 1) + order)
    return float(np.abs(np.diff(wave(times, period), order)).max())
