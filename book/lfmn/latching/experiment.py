"""What plain gradient descent learns through a latch: to store the sign of the first input.

One unit, ``a(t) = v f(a(t-1)) + w x(t) + noise``, whose input is a sign at time 1 and 0 afterwards. The squared error
of ``f(a(T))`` comes at the last step only, so the input weight can learn only through all the steps in between.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from book.shared.intervals import counted

STARTS = (1.0, 1.5, 1.8, 2.0, 2.2, 2.5, 3.0, 3.5, 4.0)
LENGTHS = (8, 32)
RUNS = 100
SEQUENCES, EPOCHS, RATE = 20, 200, 0.5
NOISE = 0.1
GOAL = 0.8  # targets are +-GOAL
REACHED = 0.2  # input weight that outweighs the noise
TEST_LENGTH, TEST_SEQUENCES = 300, 50

Floats = np.ndarray


def signs(count: int) -> Floats:
    """The classes of ``count`` sequences, -1 and 1 in turn."""
    return np.where(np.arange(count) % 2, 1.0, -1.0)


def last_state(v: Floats, w: Floats, noise: Floats) -> Floats:
    """The states a(T) of many runs; v, w: (..., 1), noise: (T, ..., sequences)."""
    a = w * signs(noise.shape[-1]) + noise[0]
    for push in noise[1:]:
        a = v * np.tanh(a / 2) + push
    return a


def gradients(v: Floats, w: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Derivatives of the mean squared error of the last activation by v and w, (..., 1) each, by forward recursion."""
    classes = signs(noise.shape[-1])
    a = w * classes + noise[0]
    by_v, by_w = np.zeros_like(a), np.broadcast_to(classes, a.shape)
    for push in noise[1:]:
        y = np.tanh(a / 2)
        slope = v * (1 - y * y) / 2
        by_v, by_w = slope * by_v + y, slope * by_w
        a = v * y + push
    y = np.tanh(a / 2)
    error = (y - GOAL * classes) * (1 - y * y)
    return (error * by_v).mean(axis=-1, keepdims=True), (error * by_w).mean(axis=-1, keepdims=True)


class Learnt(NamedTuple):
    """Outcomes of RUNS runs for each start in STARTS."""

    stored: tuple[int, ...]  # runs that are right on all long sequences
    weight: tuple[float, ...]  # median of the self weight when the input weight first exceeds REACHED, of those runs


@cache
def learnt(length: int, trained: bool, seed: int = 0) -> Learnt:
    """Gradient descent from each start in STARTS, tested on long sequences.

    All start with the input weight 0. Without ``trained`` the self weight is held at its start.
    """
    draw = np.random.default_rng(seed)
    v = np.tile(np.reshape(STARTS, (-1, 1, 1)), (1, RUNS, 1))
    w, at = np.zeros_like(v), np.full_like(v, np.nan)
    noise = draw.uniform(-NOISE, NOISE, (length, len(STARTS), RUNS, SEQUENCES))
    for _ in range(EPOCHS):
        by_v, by_w = gradients(v, w, noise)
        w = w - RATE * by_w
        v = v - RATE * by_v if trained else v
        at = np.where(np.isnan(at) & (w > REACHED), v, at)
    noise = draw.uniform(-NOISE, NOISE, (TEST_LENGTH, len(STARTS), RUNS, TEST_SEQUENCES))
    right = np.all(np.sign(last_state(v, w, noise)) == signs(TEST_SEQUENCES), axis=-1)
    medians = [np.nanmedian(place[good]) if good.any() else np.nan for place, good in zip(at, right, strict=True)]
    return Learnt(tuple(right.sum(axis=1).tolist()), tuple(medians))


def table_rows(length: int) -> list[list[str]]:
    """A row for each start: runs that store the sign with v held, with v trained, and v when w exceeds REACHED."""
    held, free = learnt(length, False), learnt(length, True)
    rows = zip(STARTS, held.stored, free.stored, free.weight, strict=True)
    return [[f"{v:g}", counted(one, RUNS), counted(both, RUNS), f"{at:.2f}"] for v, one, both, at in rows]
