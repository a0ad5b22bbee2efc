"""Checks of what latches, and how much it withstands, by simulated units: lfmn-latching, its condition and its bound.

No check uses what the chapter proves. Units run under constant, alternating and random disturbances of several
strengths; a formula is true if it says of every unit what the runs show.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from book.lfmn import one_unit as lt
from book.shared.samples import Samples
from book.shared.words import Among, ForSome, Throughout, Where, Words
from numpy.typing import ArrayLike
from sympy import And, Basic, Eq, Equality, Function, Poly, S, Symbol, sign, symbols, tanh
from sympy.logic.boolalg import Boolean
from throughtime.arrays.activations import tanh_half
from throughtime.textbook.lfmn import LFMN

t, t0, b, v, u, w, a0, B = symbols("t t_0 b v u w a_0 B", real=True)
xi = Symbol("xi", real=True)
a, I = Function("a"), Function("I")
KEPT = Words("the sign is kept")
STANDS = Throughout(Eq(sign(a(t)), sign(a(t0))), t > t0)


class f(Function):
    """f(z) = tanh(z / 2), known to SymPy by three rules: odd, zero at 0, slope (1 - f^2) / 2."""

    nargs = 1

    @classmethod
    def eval(cls, z):
        """f(0) = 0 and f(-z) = -f(z)."""
        if z.is_zero:
            return S.Zero
        return -cls(-z) if z.could_extract_minus_sign() else None

    def fdiff(self, argindex: int = 1):
        """The slope."""
        return (1 - self**2) / 2


PRINTED_WEIGHTS = symbols("w^hid u^hid v^hid w^out u^out v^out W^out", real=True)

SET_AT, STEPS = 3, 400  # t_0 and the last time
WEAK = 0.004  # the noise in which a sign has to be read: strong enough to undo in 400 steps what nothing holds
STRENGTHS = (WEAK, 0.05, 0.2, 1.0, 3.0)
BOUNDS = (-0.5, 0.0, 0.005, 0.06, 0.3, 1.02, 3.0)  # numbers that a formula's b may be


@dataclass(frozen=True)
class Unit:
    """One unit: its kind of feedback ("activation" or "net input"), self weight, state at t_0, input weight."""

    kind: str
    weight: float
    start: float
    input_weight: float = 1.0

    def run(self, forcing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States a(0..T) and forcings I(0..T), shape (N, T+1), for disturbances (N, T - t_0) after t_0.

        The unit starts on the other side and is set to `start` by the forcing at t_0, as an input would do it.
        """
        given = np.zeros((len(forcing), SET_AT + 1 + forcing.shape[1]))
        given[:, SET_AT + 1 :] = forcing
        states = np.empty_like(given)
        states[:, 0] = -self.start
        for now in range(1, given.shape[1]):
            before = states[:, now - 1]
            fed_back = self.weight * (tanh_half(before) if self.kind == "activation" else before)
            if now == SET_AT:
                given[:, now] = self.start - fed_back
            states[:, now] = fed_back + given[:, now]
        states[:, SET_AT] = self.start
        return states, given


UNITS = tuple(
    [Unit("activation", weight, 1.0, 3.0) for weight in (0.5, 1.0, 1.5, 2.0, -1.0, -3.0)]
    + [Unit("activation", weight, -0.7, 0.1) for weight in (-2.5, 1.8, 2.2, 2.5, 3.0, 4.0, 6.0)]
    + [Unit("net input", weight, 1.0, 3.0) for weight in (-3.0, -1.0, 0.5, 1.0, 1.2, 1.5, 2.5)]
    + [Unit("net input", weight, -0.7, 0.1) for weight in (-1.5, 0.9, 1.3, 2.2)]
)  # fmt: skip


@cache
def disturbances(steps: int = STEPS - SET_AT) -> np.ndarray:
    """None at all, then for each strength: constant up and down, alternating, random; shape (N, steps)."""
    ones, turning = np.ones(steps), (-1.0) ** np.arange(steps)
    random = np.random.default_rng(5)
    rows = [np.zeros(steps)]
    for strength in STRENGTHS:
        rows += [strength * ones, -strength * ones, strength * turning, random.uniform(-strength, strength, steps)]
    return np.array(rows)


@cache
def keeps_sign(unit: Unit) -> bool:
    """Whether a reader who sees only the sign, late and in weak noise, is always right: at the last two steps."""
    forcing = disturbances()
    states, _ = unit.run(forcing[np.abs(forcing).max(axis=1) <= WEAK])
    return bool(np.all(np.sign(states[:, -2:]) == np.sign(unit.start)))


@cache
def never_turns(unit: Unit) -> bool:
    """Whether the undisturbed state has the same sign at every two neighbouring steps from t_0 on."""
    states, _ = unit.run(disturbances()[:1])
    signs = np.sign(states[0, SET_AT:])
    return bool(np.all(signs[1:] * signs[:-1] == 1))


def states_of_rest(v: float) -> int:
    """How many states the unit rests in without forcing: sign changes of the drift on a fine grid."""
    return int(np.count_nonzero(np.diff(np.sign(lt.drift(v, np.linspace(-25, 25, 100_000))))))


def through_the_model(weight: float, forcing: ArrayLike) -> np.ndarray:
    """States of a hidden unit of the library's LFMN under a forcing (T,), times 1, 2, ..., T."""
    model = LFMN(1, hidden=(0, 0, 1), output=(1, 0, 0))
    theta = np.zeros(model.layout.size)
    model.layout.views(theta)["w_hid"][:] = 1
    model.layout.views(theta)["v_hid"][:] = weight
    return model.forward(theta, np.asarray(forcing, float)[:, None]).net_hid[1:, 0]


def defines_latching(formula: Boolean) -> bool:
    """Whether a formula in a(t), t and t_0 is true of exactly the undisturbed units whose sign never turns."""
    return all(_true_of(formula, unit) == never_turns(unit) for unit in UNITS)


def defines_robust_latching(formula: Boolean) -> bool:
    """Whether a formula in a(t), I(t), t, t_0 and b is true of exactly the units whose sign a late reader can trust.

    A formula that names no I speaks of the undisturbed run. One that does has to be true of every run.
    """
    return all(_true_of(formula, unit) == keeps_sign(unit) for unit in UNITS)


def _true_of(formula: Boolean, unit: Unit) -> bool:
    if isinstance(formula, ForSome):
        numbers = [x for x in BOUNDS if formula.condition.subs(b, x) == True]  # noqa: E712
        return any(_true_of(formula.body.subs(b, x), unit) for x in numbers)
    return _run_of(unit, formula.has(I)).holds(formula)


@cache
def _run_of(unit: Unit, disturbed: bool) -> Samples:
    return _samples(*unit.run(disturbances() if disturbed else disturbances()[:1]))


def _samples(states: np.ndarray, given: np.ndarray) -> Samples:
    """A row for each time of each run; the runs are the cells."""
    runs, times = states.shape
    now, start = np.tile(np.arange(times), runs), np.repeat(states[:, SET_AT], times)
    rows = np.column_stack([states.ravel(), start, given.ravel(), now, np.full_like(now, SET_AT)])
    return Samples((a(t), a(t0), I(t), t, t0), rows, np.repeat(np.arange(runs), times), (0.0, 0.0))


def condition_on_weights(formula: Boolean) -> bool:
    """Whether a formula in `KEPT` and the weights v, u, or those of the note, agrees with the runs of `UNITS`.

    v: units with activation feedback; u: with net-input feedback. The note's weights: all self weights of a net
    are the unit's own, all input weights are its input weight.
    """
    named = {v: "activation", u: "net input"}
    kinds = {kind for weight, kind in named.items() if formula.has(weight)}
    cases = [
        {name: unit.weight if str(name)[0] in "uv" else unit.input_weight for name in (v, u, *PRINTED_WEIGHTS)}
        | {KEPT: keeps_sign(unit)}
        for unit in UNITS
        if kinds <= {unit.kind}
    ]
    return bool(cases) and Samples.of(cases).holds(_said_of_each(formula))


def _said_of_each(formula: Boolean) -> Boolean:
    """A `Throughout` over an `Among`, anywhere in a formula, as the conjunction it stands for."""

    def spell(node: Basic) -> Basic:
        symbol, *others = node.condition.args
        return And(*(node.body.subs(symbol, other) for other in others))

    return formula.replace(lambda node: isinstance(node, Throughout) and isinstance(node.condition, Among), spell)


# ---- how much


@cache
def withstood(weight: float, steps: int = 3000) -> float:
    """The largest constant disturbance under which some start on a grid keeps its sign, by bisection to 1e-4."""
    starts = np.linspace(0.05, 2 * weight, 200)

    def some_kept(push: float) -> bool:
        states = starts
        for _ in range(steps):
            before = states
            states = weight * tanh_half(states) - push
            states = states[states > 0]  # a negative state stays negative: the weight and the push are positive
            if np.array_equal(states, before):
                break  # at rest, to the last bit, or none is left
        return bool(states.size)

    low, high = 0.0, weight
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if some_kept(middle) else (low, middle)
    return low


WEIGHTS = (2.5, 4.0, 7.0)


def bound_on_forcing(formula: Boolean) -> bool:
    """Whether a formula agrees with the runs for several self weights. It has one of three forms:

    an equation for B, alone or `Where` the equation of xi stands; an implication on a(t) and I(t), true of runs from
    states near zero and far from it; an equivalence of `KEPT` and a condition on b and a_0.
    """
    if isinstance(formula, Where | Equality):
        return all(_gives(formula, weight, withstood(weight)) for weight in WEIGHTS)
    return all(_agrees(formula, weight) for weight in WEIGHTS)


def _gives(formula: Boolean, weight: float, expected: float) -> bool:
    """Every solution that the formula admits has to give that B, and there has to be one."""
    at, level = {v: weight, w: weight}, Symbol("level", real=True)
    body, condition = (formula.body, formula.condition) if isinstance(formula, Where) else (formula, None)
    if not isinstance(body, Equality) or body.lhs != B:
        return False
    points: list[Any] = [0.0]
    if condition is not None:
        parts = [part.subs(at).subs(f(xi), level) for part in And.make_args(condition)]
        equation, *others = sorted(parts, key=lambda part: not isinstance(part, Equality))
        if not isinstance(equation, Equality) or not equation.has(level):
            return False
        levels = Poly(equation.lhs - equation.rhs, level).nroots()
        points = [2 * np.arctanh(float(root)) for root in levels if root.is_real and abs(root) < 1]
        points = [x for x in points if all(part.subs(xi, x) == True for part in others)]  # noqa: E712
    values = [complex(_with_f(body.rhs.subs(at).subs(xi, point)).evalf()) for point in points]
    return bool(values) and all(abs(value - expected) < 1e-3 for value in values)


def _with_f(expr: Basic) -> Basic:
    return expr.replace(f, lambda z: tanh(z / 2))


@cache
def _runs(weight: float) -> list[tuple[float, np.ndarray, np.ndarray, np.ndarray]]:
    """Starts near zero and far from it, bounds around the margin of each, its states and forcings bound by bound."""
    most = withstood(weight)
    grid = np.linspace(0, weight, 4001)
    peak = grid[np.argmax(lt.drift(weight, grid))]
    shape = disturbances(1500) / np.maximum(np.abs(disturbances(1500)).max(axis=1, keepdims=True), 1e-9)
    found = []
    for start in (0.25 * peak, -0.6 * peak, 0.9 * peak, 1.01 * peak, -2 * peak):
        reach = most if abs(start) > peak else float(lt.drift(weight, abs(start)))
        bounds = np.array([0.8 * reach, 0.97 * reach, 1.03 * reach, 2 * most])
        pushes = (bounds[:, None, None] * shape).reshape(-1, shape.shape[1])
        found.append((start, bounds, *Unit("activation", weight, start).run(pushes)))
    return found


def _agrees(formula: Boolean, weight: float) -> bool:
    """Whether a formula is true of all runs: of whether the sign is `KEPT` in those of each bound, or at every time."""
    formula = formula.subs({v: weight, xi: float(np.arccosh(weight - 1)), B: withstood(weight) - 1e-3})
    if not formula.has(KEPT):
        return all(_samples(states, given).holds(formula) for _, _, states, given in _runs(weight))
    cases = []
    for start, bounds, states, _ in _runs(weight):
        stands = (np.sign(states[:, SET_AT + 1 :]) == np.sign(start)).reshape(len(bounds), -1).all(axis=1)
        cases += [{KEPT: bool(kept), a0: start, b: bound} for bound, kept in zip(bounds, stands, strict=True)]
    return all(_with_f(formula.subs(case)) == True for case in cases)  # noqa: E712
