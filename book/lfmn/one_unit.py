"""One unit that feeds its activation back to itself: its states, what they withstand, and the gradient through them.

The activation-feedback unit of the LFMN (lfmn-3, lfmn-6), seen through its net input::

    a(t+1) = v f(a(t)) + I(t+1),        f(z) = tanh(z / 2)

with the self weight ``v`` and the forcing ``I``, the weighted input. States, forcings and disturbances are net inputs.

>>> round(float(largest_disturbance(4.0)), 4), round(critical_point(4.0), 4), round(latched_state(4.0), 3)
(1.0657, 1.7627, 3.83)
"""

import math
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike, NDArray
from throughtime.arrays.activations import tanh_half

Floats = NDArray[np.float64]

ONSET = 2.0
"""The self weight above which a unit latches: 1 / max f'."""


def slope(v: ArrayLike, a: ArrayLike) -> Floats:
    """Local slope of the map, da(t+1)/da(t) = v f'(a), elementwise."""
    return np.asarray(v) * tanh_half.derivative(np.asarray(a, float))


def drift(v: ArrayLike, a: ArrayLike) -> Floats:
    """Change of the state in an unforced step, v f(a) - a, elementwise. Its derivative is slope - 1."""
    a = np.asarray(a, float)
    return v * tanh_half(a) - a


# ---- what a unit withstands


def critical_point(v: float) -> float:
    """xi > 0, the state with slope one: f(xi)^2 = 1 - 2/v, so xi = arcosh(v - 1). Needs v >= 2."""
    return math.acosh(v - 1)


def largest_disturbance(v: ArrayLike) -> Floats:
    """B(v) = v f(xi) - xi = sqrt(v (v - 2)) - arcosh(v - 1) for v > 2; 0 for 0 <= v <= 2; elementwise.

    The largest bound on the forcing under which a state beyond xi can never change its sign.
    """
    v = np.maximum(v, ONSET)
    return np.sqrt(v * (v - 2)) - np.arccosh(v - 1)


def printed_disturbance(v: ArrayLike) -> Floats:
    """The bound as the note prints it, with (1 - f)^2 where f' asks for 1 - f^2. Needs v > 2."""
    level = 1 - np.sqrt(2 / np.asarray(v))
    return v * level - 2 * np.arctanh(level)


def margin(v: float, a: ArrayLike) -> Floats:
    """D(a), the largest b such that no forcing with |I| <= b ever changes the sign of a unit now in state a; v >= 0.

    D(a) = max of the drift over [0, |a|]: 0 up to v = 2, beyond it drift(|a|) up to xi and B(v) from there on.
    """
    return drift(v, np.minimum(np.abs(a), critical_point(v))) if v > ONSET else np.zeros_like(a, float)


def smallest_safe_state(v: float, disturbance: float) -> float:
    """The root of drift = disturbance in [0, xi]: states at least that far from zero keep their sign.

    Needs v > 2 and 0 <= disturbance <= B(v). At 0 it is 0, which itself has no sign to keep.
    """
    return _root(v, disturbance, 0.0, critical_point(v)) if disturbance > 0 else 0.0


def latched_state(v: float, disturbance: float = 0.0) -> float:
    """The root of drift = disturbance beyond xi: where a unit rests while pushed towards the other sign.

    Without a disturbance it is the positive stable equilibrium. Needs v > 2 and 0 <= disturbance <= B(v).
    """
    return _root(v, disturbance, v, critical_point(v))


def _root(v: float, forcing: float, low: float, high: float) -> float:
    """The state with this drift between two ends of which `low` has the smaller drift, to the last bit."""
    while min(low, high) < (middle := (low + high) / 2) < max(low, high):
        if v * math.tanh(middle / 2) - middle > forcing:
            high = middle
        else:
            low = middle
    return middle


def resting_slope(v: ArrayLike) -> Floats:
    """The factor by which a gradient shrinks at each step of a unit at rest, elementwise; v >= 0.

    v / 2 at the state 0 for v <= 2, the slope at the latched state beyond: one at v = 2 and only there.
    """
    return np.vectorize(lambda w: w / 2 if w <= ONSET else float(slope(w, latched_state(w))), otypes=[float])(v)


# ---- motion


def trajectory(v: float, start: ArrayLike, forcing: ArrayLike) -> Floats:
    """States a(0), ..., a(T) under the forcing I(1), ..., I(T), shape (T,).

    ``start`` is one state or an array of states that all meet the same forcing. Shape (T+1,) + start.shape.
    """
    start, pushes = np.asarray(start, float), np.asarray(forcing, float).tolist()

    def step(a: float, push: float) -> float:  # plain numbers, since these are many steps of few states
        return v * math.tanh(a / 2) + push

    runs = [[*accumulate(pushes, step, initial=a)] for a in start.ravel().tolist()]
    return np.reshape(np.transpose(runs), (len(pushes) + 1, *start.shape))


def gradient(v: float, states: Floats) -> Floats:
    """da(t)/da(0) along the states a(0), ..., a(T): the product of the slopes before t. Same shape."""
    factors = slope(v, states)
    return np.cumprod(np.concatenate([np.ones_like(factors[:1]), factors[:-1]]), axis=0)


def steps_to_flip(v: float, start: float, forcing: float) -> int | None:
    """Steps until a constant forcing has taken away the sign of a positive start, or None if it never does; v >= 0."""
    if -forcing <= margin(v, start):
        return None
    a, steps = start, 0
    while a >= 0:
        a, steps = v * math.tanh(a / 2) + forcing, steps + 1
    return steps


def passage_steps(v: float, excess: ArrayLike) -> Floats:
    """Steps in which a disturbance B(v) + excess flips a latched sign, to leading order in the excess; v > 2.

    pi sqrt(2 / (f(xi) excess)): the passage through the narrow gate that a saddle-node leaves behind.
    """
    return np.pi * np.sqrt(2 / (math.tanh(critical_point(v) / 2) * np.asarray(excess)))
