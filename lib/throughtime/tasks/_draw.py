"""What the tasks share: the pair they return, and checks of their arguments."""

import math
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np


class Labelled(NamedTuple):
    """Sequences of one length, (N, T, lines), and the label of each, (N,)."""

    x: np.ndarray
    labels: np.ndarray


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """A generator from a seed; one that is given goes on where it stands. None is refused: say which seed."""
    if seed is None:
        raise TypeError("seed: expected an integer or a Generator, so that the draw can be repeated, got None")
    return np.random.default_rng(seed)


def at_least(name: str, value: Any, minimum: int) -> None:
    """TypeError unless ``value`` is an integer, ValueError unless it is at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: expected an integer, got {value!r}")
    if value < minimum:
        raise ValueError(f"{name}: expected at least {minimum}, got {value}")


def noise_bound(noise: float) -> float:
    """``noise`` if it is finite and at least 0, else ValueError."""
    if not (math.isfinite(noise) and noise >= 0):
        raise ValueError(f"noise: expected a finite number of at least 0, got {noise}")
    return float(noise)
