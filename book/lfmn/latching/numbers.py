"""Information latching: one unit that feeds its activation back to itself, and what it withstands.

The unit is the activation-feedback unit of the LFMN (lfmn-3, lfmn-6), seen through its net input::

    a(t+1) = v f(a(t)) + I(t+1),        f(z) = tanh(z / 2)

with the self weight ``v`` and the forcing ``I``, the weighted input. States, forcings and disturbances are
all net inputs. Statements: lfmn-latching, lfmn-latching-condition, lfmn-latching-bound.

>>> round(float(largest_disturbance(4.0)), 4), round(float(critical_point(4.0)), 4)
(1.0657, 1.7627)
>>> [(round(e.state, 3), e.stability) for e in equilibria(4.0)]
[(-3.83, 'stable'), (0.0, 'unstable'), (3.83, 'stable')]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike, NDArray
from throughtime.models import validate
from throughtime.models.activations import TANH_HALF, activate, logistic, tanh_half

Floats = NDArray[np.float64]

ONSET = 2.0
"""The self weight above which a unit latches: 1 / max f'."""


LARGEST = 8.9e307
"""Largest size of a state, so that the sum of two is below the end of float64."""


def activation(z: ArrayLike) -> Floats:
    """f(z) = tanh(z / 2), elementwise, for finite z of any shape."""
    return tanh_half(validate.real("z", z))


def slope(v: ArrayLike, a: ArrayLike) -> Floats:
    """Local slope of the map, da(t+1)/da(t) = v f'(a) = v (1 - f(a)^2) / 2, elementwise; exact in saturation."""
    return validate.real("v", v) * tanh_half.derivative(validate.real("a", a))


def drift(v: ArrayLike, a: ArrayLike) -> Floats:
    """Change of the state in an unforced step, v f(a) - a, elementwise. Its derivative is slope - 1."""
    v, a = validate.real("v", v), validate.real("a", a)
    return v * tanh_half(a) - a


# --- equilibria -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Equilibrium:
    """A state that one step maps to itself, and the slope of the map there."""

    state: float
    slope: float

    @property
    def stability(self) -> str:
        """``"stable"``, ``"unstable"``, or ``"neutral"``: slope +-1, which decides nothing."""
        size = abs(self.slope)
        return "stable" if size < 1 else "unstable" if size > 1 else "neutral"


def equilibria(v: float, forcing: float = 0.0) -> tuple[Equilibrium, ...]:
    """All equilibria under a constant forcing, in increasing order: one, two (|forcing| = B) or three.

    ValueError for |v| + |forcing| above 8.9e307.
    """
    v, forcing = validate.number("v", v), validate.number("forcing", forcing)
    reach = abs(v) + abs(forcing) + 1.0  # no equilibrium is further out: |f| < 1
    if reach > LARGEST:
        raise ValueError(f"v, forcing: expected |v| + |forcing| up to {LARGEST}, got {v} and {forcing}")

    def root(low: float, high: float) -> float:
        return _root(v, -forcing, low, high)

    if v <= ONSET:
        states = [root(-reach, reach)]
    else:
        xi, most, side = critical_point(v), float(largest_disturbance(v)), math.copysign(1.0, forcing)
        beyond = root(side * xi, side * reach)
        if abs(forcing) < most:
            states = [root(-side * reach, -side * xi), root(-xi, xi), beyond]
        else:  # at the bound the other two have met at the critical point, past it they are gone
            states = [-side * xi, beyond] if abs(forcing) == most else [beyond]
    return tuple(Equilibrium(a, float(slope(v, a))) for a in sorted(states))


def period_two(v: float) -> float:
    """The amplitude of the orbit a, -a, a, ... of a unit with v < -2: the latched state of weight -v."""
    v = validate.number("v", v)
    if not v < -ONSET:
        raise ValueError(f"v: a period-2 orbit needs v < -2, got {v}")
    return latched_state(-v)


# --- what a unit withstands -------------------------------------------------------------------------------


def critical_point(v: float) -> float:
    """xi > 0, the state with slope one: f(xi)^2 = 1 - 2/v, so xi = arcosh(v - 1). Needs v > 2."""
    return math.acosh(_latching(v) - 1)


def largest_disturbance(v: ArrayLike) -> Floats:
    """B(v) = v f(xi) - xi = sqrt(v (v - 2)) - arcosh(v - 1) for v > 2; 0 for 0 <= v <= 2; elementwise.

    The largest bound on the forcing under which a state beyond xi can never change its sign. A negative
    weight flips the sign at every step, disturbed or not, and has no such bound: ValueError.
    """
    v = validate.real("v", v)
    if np.any(v < 0):
        raise ValueError(
            f"v: a negative self weight flips the sign at every step and withstands nothing, got {v.min()}"
        )
    w = np.maximum(v, ONSET)
    level, n = np.sqrt((w - 2) / w), np.arange(1, 18)  # f(xi)
    # B = 2 f(xi) / (1 - f(xi)^2) - 2 artanh f(xi), as a series where the two terms cancel.
    series = (4 * n / (2 * n + 1) * level[..., None] ** (2 * n + 1)).sum(axis=-1)
    return np.where(w < 2.2, series, np.sqrt(w) * np.sqrt(w - 2) - np.arccosh(w - 1))[()]


def printed_disturbance(v: ArrayLike) -> Floats:
    """The bound as the note prints it, with (1 - f)^2 where f' asks for 1 - f^2. Smaller than B for v > 2."""
    v = validate.real("v", v)
    if not np.all(v > ONSET):
        raise ValueError(f"v: the printed equation has a solution xi > 0 only for v > 2, got {v.min()}")
    rest = np.sqrt(2 / v)  # 1 - f(xi) as printed
    return v * (1 - rest) - np.log((2 - rest) / rest)


def margin(v: float, a: ArrayLike) -> Floats:
    """D(a), the largest b such that no forcing with |I| <= b ever changes the sign of a unit now in state a.

    D(a) = max of the drift over [0, |a|]: 0 for 0 <= v <= 2, else drift(|a|) up to xi and B(v) from there on.
    """
    v, a = validate.number("v", v), np.abs(validate.real("a", a))
    most = largest_disturbance(v)
    if v <= ONSET:
        return np.zeros_like(a)
    return np.where(a < critical_point(v), drift(v, a), most)


def smallest_safe_state(v: float, disturbance: float) -> float:
    """The root of drift = disturbance in [0, xi]: states at least that far from zero keep their sign.

    Needs v > 2 and 0 <= disturbance <= B(v). At 0 it is 0, which itself has no sign to keep.
    """
    v, b = _within_bound(v, disturbance)
    return _root(v, b, 0.0, critical_point(v)) if b > 0 else 0.0


def latched_state(v: float, disturbance: float = 0.0) -> float:
    """The root of drift = disturbance beyond xi: where a unit rests while pushed towards the other sign.

    Without a disturbance it is the positive stable equilibrium. Needs v > 2 and 0 <= disturbance <= B(v).
    """
    v, b = _within_bound(v, disturbance)
    return _root(v, b, critical_point(v), v)


def resting_slope(v: ArrayLike) -> Floats:
    """The factor by which a gradient shrinks at each step of a unit at rest, elementwise; v >= 0.

    v / 2 at the state 0 for v <= 2, the slope at the latched state beyond: one at v = 2 and only there.
    """
    v = validate.real("v", v)
    if np.any(v < 0):
        raise ValueError(f"v: expected self weights of at least 0, got {v.min()}")
    flat = [w / 2 if w <= ONSET else float(slope(w, latched_state(w))) for w in v.ravel()]
    return np.reshape(flat, v.shape)


# --- motion -----------------------------------------------------------------------------------------------


def trajectory(v: float, start: ArrayLike, forcing: ArrayLike) -> Floats:
    """States a(0), ..., a(T) under the forcing I(1), ..., I(T), shape (T,).

    ``start`` is one state or an array of states that all meet the same forcing. Shape (T+1,) + start.shape.
    """
    v, start, forcing = validate.number("v", v), validate.real("start", start), validate.real("forcing", forcing)
    if forcing.ndim != 1:
        raise ValueError(f"forcing: expected one value a step, shape (T,), got shape {forcing.shape}")

    def step(a: float, push: float) -> float:
        return v * activate(TANH_HALF, a) + push

    pushes = forcing.tolist()  # plain numbers, since these are many steps of few states
    runs = [[*accumulate(pushes, step, initial=a)] for a in start.ravel().tolist()]
    return np.reshape(np.transpose(runs), (len(forcing) + 1, *start.shape))


def gradient(v: float, states: ArrayLike) -> Floats:
    """da(t)/da(0) along the states a(0), ..., a(T): the product of the slopes before t. Same shape."""
    v, states = validate.number("v", v), validate.real("states", states)
    if states.ndim < 1 or len(states) == 0:
        raise ValueError(f"states: expected at least one state along the first axis, got shape {states.shape}")
    factors = slope(v, states)
    factors = np.concatenate([np.ones_like(factors[:1]), factors[:-1]])
    return np.cumprod(factors, axis=0)


def steps_to_flip(v: float, start: float, forcing: float, limit: int = 1_000_000) -> int | None:
    """Steps until a constant forcing has taken away the sign of ``start``; None if the margin says never.

    Takes a self weight of at least 0. RuntimeError if the sign is lost only after more than ``limit`` steps.
    """
    v, start, forcing = validate.number("v", v), validate.number("start", start), validate.number("forcing", forcing)
    if start == 0:
        raise ValueError("start: the state 0 has no sign to lose")
    push = math.copysign(1.0, start) * forcing  # by symmetry the start is positive
    a = abs(start)
    if -push <= margin(v, a):
        return None
    for step in range(1, validate.count("limit", limit, 1) + 1):
        a = v * activate(TANH_HALF, a) + push
        if a < 0:
            return step
    raise RuntimeError(f"the sign of {start} still stands after limit = {limit} steps")


def passage_steps(v: float, excess: ArrayLike) -> Floats:
    """Steps in which a disturbance B(v) + excess flips a latched sign, to leading order in the excess; v > 2.

    pi sqrt(2 / (f(xi) excess)): the passage through the narrow gate that a saddle-node leaves behind.
    """
    excess = validate.real("excess", excess)
    if not np.all(excess > 0):
        raise ValueError(f"excess: expected values above 0, got {excess.min()}")
    return np.pi * np.sqrt(2 / (activation(critical_point(v)) * excess))


def energy(v: float, a: ArrayLike, forcing: float = 0.0) -> Floats:
    """A Lyapunov function of the map under a constant forcing, in terms of y = f(a), elementwise.

    E = (1 + y) log(1 + y) + (1 - y) log(1 - y) - v y^2 / 2 - forcing y falls at each step by at least
    (1 + v/2) (change of y)^2: so it falls whenever the unit moves, for every v >= -2.
    """
    a = validate.real("a", a)
    y = tanh_half(a)
    wells = validate.number("v", v) * y**2 / 2 + validate.number("forcing", forcing) * y
    # 1 + y = 2 logistic(a), whose logarithm stays finite where 1 - y has become 0.
    entropy = sum(2 * logistic(z) * (math.log(2) - np.logaddexp(0, -z)) for z in (a, -a))
    return entropy - wells


# --- checks -----------------------------------------------------------------------------------------------


def _latching(v: float) -> float:
    v = validate.number("v", v)
    if not ONSET < v <= LARGEST:
        raise ValueError(f"v: only a self weight above 2 latches, expected one up to {LARGEST}, got {v}")
    return v


def _within_bound(v: float, disturbance: float) -> tuple[float, float]:
    v, b = _latching(v), validate.number("disturbance", disturbance)
    most = float(largest_disturbance(v))
    if not 0 <= b <= most:
        raise ValueError(f"disturbance: expected 0 <= b <= B({v}) = {most}, got {b}")
    return v, b


def _root(v: float, forcing: float, low: float, high: float) -> float:
    """The root of drift = forcing between two ends in either order where the drift is monotone: to the last bit."""

    def residual(a: float) -> float:
        return v * activate(TANH_HALF, a) - a - forcing

    low, high = min(low, high), max(low, high)
    rising = residual(high) > residual(low)
    while low < (middle := (low + high) / 2) < high:
        value = residual(middle)
        if value == 0:
            return middle
        if (value > 0) == rising:
            high = middle
        else:
            low = middle
    return middle
