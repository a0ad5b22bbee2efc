"""Descents by several methods on one error surface: the mean error of the linear bit counter at sixteen bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from throughtime.learning.clipping import clip_by_norm
from throughtime.learning.optimizers import GradientDescent, IRpropMinus, Optimizer
from throughtime_book.training.bit_counter.mean_error import mean_error, mean_error_and_gradient

LENGTH, ARRIVED, LOST = 16, 0.01, 100.0
RATE, THRESHOLD = 4e-4, 10.0  # the largest stable rate at the minimum is 5.03e-4


def gradient(place: np.ndarray, length: int = LENGTH) -> np.ndarray:
    """(dE/dv_x, dE/dv_f) of the mean error at ``place`` = (v_x, v_f), shape (2,)."""
    return np.array(mean_error_and_gradient(*place, length)[1])


def unchanged(found: np.ndarray) -> np.ndarray:
    """The gradient itself, for methods without clipping."""
    return found


METHODS: dict[str, tuple[Callable[[], Optimizer], Callable[[np.ndarray], np.ndarray]]] = {
    "gradient descent": (partial(GradientDescent, 2, RATE), unchanged),
    "clipped by norm": (partial(GradientDescent, 2, RATE), partial(clip_by_norm, threshold=THRESHOLD)),
    "iRprop-": (partial(IRpropMinus, 2), unchanged),
}


@dataclass(frozen=True)
class Run:
    """The end of a descent: "arrived", "lost" or "under way", number of updates, and the error there (inf if lost)."""

    end: str
    updates: int
    error: float


def descend(start: tuple[float, float], method: str, updates: int = 1000, scale: float = 1.0) -> Run:
    """Descend from (v_x, v_f) until the error is below 0.01, a weight exceeds 100 in modulus, or after `updates`.

    `method` is a key of `METHODS`, else KeyError. `scale` multiplies every gradient before clipping and update.
    """
    make, change = METHODS[method]
    optimizer, place = make(), np.array(start, dtype=float)
    for done in range(updates + 1):
        if np.abs(place).max() > LOST:
            return Run("lost", done, float("inf"))
        height = float(mean_error(*place, LENGTH))
        if height < ARRIVED or done == updates:
            return Run("arrived" if height < ARRIVED else "under way", done, height)
        place = optimizer.step(place, change(scale * gradient(place)))
    raise AssertionError("unreachable")
