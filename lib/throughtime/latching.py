"""Information latching: one unit that feeds its activation back to itself, and what it can bear.

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
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .models import validate

Floats = NDArray[np.float64]

ONSET = 2.0
"""The self weight above which a unit latches: 1 / max f'."""


def activation(z: ArrayLike) -> Floats:
    """f(z) = tanh(z / 2), elementwise."""
    return np.tanh(np.asarray(z, float) / 2)


def slope(v: ArrayLike, a: ArrayLike) -> Floats:
    """Local slope of the map, da(t+1)/da(t) = v f'(a) = v (1 - f(a)^2) / 2, elementwise."""
    return np.asarray(v, float) * (1 - activation(a) ** 2) / 2


def drift(v: ArrayLike, a: ArrayLike) -> Floats:
    """What an unforced step adds to the state, v f(a) - a, elementwise. Its derivative is slope - 1."""
    return np.asarray(v, float) * activation(a) - np.asarray(a, float)


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
    """All equilibria under a constant forcing, in increasing order: one, two (|forcing| = B) or three."""
    v, forcing = validate.number("v", v), validate.number("forcing", forcing)
    reach = abs(v) + abs(forcing) + 1.0  # no equilibrium is further out: |f| < 1

    def root(low: float, high: float) -> float:
        return _bisect(lambda a: v * math.tanh(a / 2) - a + forcing, low, high)

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


# --- what a unit can bear ---------------------------------------------------------------------------------


def critical_point(v: float) -> float:
    """xi > 0, the state with slope one: f(xi)^2 = 1 - 2/v, so xi = arcosh(v - 1). Needs v > 2."""
    return math.acosh(_latching(v) - 1)


def largest_disturbance(v: ArrayLike) -> Floats:
    """B(v) = v f(xi) - xi = sqrt(v (v - 2)) - arcosh(v - 1) for v > 2; 0 for 0 <= v <= 2; elementwise.

    The largest bound on the forcing under which a state beyond xi can never change its sign. A negative
    weight flips the sign at every step, disturbed or not, and has no such bound: ValueError.
    """
    v = _finite("v", v)
    if np.any(v < 0):
        raise ValueError(f"v: a negative self weight flips the sign at every step and bears nothing, got {v.min()}")
    w = np.maximum(v, ONSET)
    return np.sqrt(w * (w - 2)) - np.arccosh(w - 1)


def printed_disturbance(v: ArrayLike) -> Floats:
    """The bound as the note prints it, with (1 - f)^2 where f' asks for 1 - f^2. Smaller than B for v > 2."""
    v = _finite("v", v)
    if not np.all(v > ONSET):
        raise ValueError(f"v: the printed equation has a solution xi > 0 only for v > 2, got {v.min()}")
    level = 1 - np.sqrt(2 / v)  # f(xi) as printed
    return v * level - 2 * np.arctanh(level)


def margin(v: float, a: ArrayLike) -> Floats:
    """D(a), the largest b such that no forcing with |I| <= b ever changes the sign of a unit now in state a.

    D(a) = max of the drift over [0, |a|]: 0 for 0 <= v <= 2, else drift(|a|) up to xi and B(v) from there on.
    """
    v, a = validate.number("v", v), np.abs(_finite("a", a))
    most = largest_disturbance(v)
    if v <= ONSET:
        return np.zeros_like(a)
    return np.where(a < critical_point(v), drift(v, a), most)


def smallest_safe_state(v: float, disturbance: float) -> float:
    """The root of drift = disturbance in [0, xi]: states at least that far from zero keep their sign.

    Needs v > 2 and 0 <= disturbance <= B(v). At 0 it is 0, which itself has no sign to keep.
    """
    v, b = _bearable(v, disturbance)
    return _bisect(lambda a: v * math.tanh(a / 2) - a - b, 0.0, critical_point(v)) if b > 0 else 0.0


def latched_state(v: float, disturbance: float = 0.0) -> float:
    """The root of drift = disturbance beyond xi: where a unit rests while pushed towards the other sign.

    Without a disturbance it is the positive stable equilibrium. Needs v > 2 and 0 <= disturbance <= B(v).
    """
    v, b = _bearable(v, disturbance)
    return _bisect(lambda a: v * math.tanh(a / 2) - a - b, critical_point(v), v)


def resting_slope(v: ArrayLike) -> Floats:
    """The factor by which a gradient shrinks at each step of a unit at rest, elementwise; v >= 0.

    v / 2 at the state 0 for v <= 2, the slope at the latched state beyond: one at v = 2 and only there.
    """
    v = _finite("v", v)
    if np.any(v < 0):
        raise ValueError(f"v: expected self weights of at least 0, got {v.min()}")
    flat = [w / 2 if w <= ONSET else float(slope(w, latched_state(w))) for w in v.ravel()]
    return np.reshape(flat, v.shape)


# --- motion -----------------------------------------------------------------------------------------------


def trajectory(v: float, start: ArrayLike, forcing: ArrayLike) -> Floats:
    """States a(0), ..., a(T) under the forcing I(1), ..., I(T), shape (T,).

    ``start`` is one state or an array of states that all meet the same forcing. Shape (T+1,) + start.shape.
    """
    v, start, forcing = validate.number("v", v), _finite("start", start), _finite("forcing", forcing)
    if forcing.ndim != 1:
        raise ValueError(f"forcing: expected one value a step, shape (T,), got shape {forcing.shape}")
    states = np.empty((len(forcing) + 1, *start.shape))
    states[0] = start
    for t, push in enumerate(forcing):
        states[t + 1] = v * activation(states[t]) + push
    return states


def gradient(v: float, states: ArrayLike) -> Floats:
    """da(t)/da(0) along the states a(0), ..., a(T): the product of the slopes before t. Same shape."""
    states = _finite("states", states)
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
    for step in range(1, limit + 1):
        a = v * math.tanh(a / 2) + push
        if a < 0:
            return step
    raise RuntimeError(f"the sign of {start} still stands after limit = {limit} steps")


def passage_steps(v: float, excess: ArrayLike) -> Floats:
    """Steps in which a disturbance B(v) + excess flips a latched sign, to leading order in the excess; v > 2.

    pi sqrt(2 / (f(xi) excess)): the passage through the narrow gate that a saddle-node leaves behind.
    """
    excess = _finite("excess", excess)
    if not np.all(excess > 0):
        raise ValueError(f"excess: expected values above 0, got {excess.min()}")
    return np.pi * np.sqrt(2 / (activation(critical_point(v)) * excess))


def energy(v: float, a: ArrayLike, forcing: float = 0.0) -> Floats:
    """A Lyapunov function of the map under a constant forcing, in terms of y = f(a), elementwise.

    E = (1 + y) log(1 + y) + (1 - y) log(1 - y) - v y^2 / 2 - forcing y falls at each step by at least
    (1 + v/2) (change of y)^2: so it falls whenever the unit moves, for every v >= -2.
    """
    y = activation(_finite("a", a))
    wells = validate.number("v", v) * y**2 / 2 + validate.number("forcing", forcing) * y
    return (1 + y) * np.log1p(y) + (1 - y) * np.log1p(-y) - wells


# --- checks -----------------------------------------------------------------------------------------------


def _finite(name: str, value: ArrayLike) -> Floats:
    if np.iscomplexobj(value):
        raise TypeError(f"{name}: expected real numbers, got {value!r}")
    array = np.asarray(value, float)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name}: expected finite numbers, got {array}")
    return array


def _latching(v: float) -> float:
    v = validate.number("v", v)
    if not v > ONSET:
        raise ValueError(f"v: only a self weight above 2 latches, got {v}")
    return v


def _bearable(v: float, disturbance: float) -> tuple[float, float]:
    v, b = _latching(v), validate.number("disturbance", disturbance)
    most = float(largest_disturbance(v))
    if not 0 <= b <= most:
        raise ValueError(f"disturbance: expected 0 <= b <= B({v}) = {most}, got {b}")
    return v, b


def _bisect(residual: Callable[[float], float], low: float, high: float) -> float:
    """Where, between two ends in either order, a monotone residual changes sign: to the last bit."""
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
