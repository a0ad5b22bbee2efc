"""Checks of how fast networks forget, by runs: lfmn-15 (definition), lfmn-16 (largest slope), lfmn-17 (condition).

No check uses what the chapter proves: sensitivities are followed through the recursion, slopes are read off a grid.
Rate and gain are those of the bound (lfmn-17, lfmn-22): for every input sequence, |dy_i(t)/dx_k(t-q)| <= gain * rate^q
with rate = max(|u|, |v| M) over the units and M the largest slope of the activation. A network with rate < 1 forgets.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from sympy import And, Equality, Expr, Function, Integer, Limit, Symbol, exp, lambdify, oo, symbols
from sympy.core.basic import Basic
from throughtime.arrays.activations import tanh_half
from throughtime.checks import STEP
from throughtime.derivation import Bench, ExactInstance, d, polynomial
from throughtime.systems import lfmn as s
from throughtime.textbook.lfmn import LFMN

# --- rate, gain, and the window of inputs that is left ----------------------------------------------------

KINDS = ("net", "act")


def unit(kind: str) -> LFMN:
    """The smallest network with memory: one input, one recurrent output, "net"-input or "act"ivation feedback."""
    return LFMN(n_in=1, hidden=(0, 0, 0), output=(0, 1, 0) if kind == "net" else (0, 0, 1))


def unit_parameters(kind: str, weight: float, input_weight: float = 1.0) -> np.ndarray:
    """The flat parameter vector of `unit(kind)` with that self weight."""
    named = {name: np.zeros(shape) for name, shape in unit(kind).layout.shapes.items()}
    named["W_out"][:] = input_weight
    named["u_out" if kind == "net" else "v_out"][:] = weight
    return unit(kind).layout.flatten(named)


def sensitivities(net: LFMN, theta: np.ndarray, x: np.ndarray) -> np.ndarray:
    """|dy_i(T)/dx_k(T-q)| for the lags q = 0, ..., T-1, shape (T, d_out, n_in), by the complex step.

    One batch, in which each sequence has another of its inputs moved; x (T, n_in).
    """
    moved = x + 1j * STEP * np.eye(x.size).reshape(x.size, *x.shape)
    slopes = net.forward(theta, moved).y[:, -1].imag / STEP
    return np.abs(slopes.reshape(*x.shape, net.n_out)[::-1].transpose(0, 2, 1))


def rate(net: LFMN, theta: np.ndarray) -> float:
    """max(|u|, |v| M) over all recurrent units that feed an output; 0 if there is none.

    Hidden units count only if some output is static: nothing else reads them.
    """
    weights = net.layout.views(theta)
    layers = ("out", "hid") if net.output.static else ("out",)
    each = [np.abs(weights[f"u_{layer}"]) for layer in layers]
    each += [np.abs(weights[f"v_{layer}"]) * net.activation.max_slope for layer in layers]
    return float(np.max(np.concatenate(each), initial=0.0))


def gain(net: LFMN, theta: np.ndarray) -> float:
    """The factor in front of rate^q, summed over the inputs, for the output that has the largest.

    M^2 sum_jk |w_out_ij w_hid_jk| for a static output i (lfmn-22), M sum_k |W_out_ik| for a recurrent one.
    """
    weights = {name: np.abs(values) for name, values in net.layout.views(theta).items()}
    slope = net.activation.max_slope
    static = slope**2 * (weights["w_out"] @ weights["w_hid"]).sum(axis=1)
    recurrent = slope * weights["W_out"].sum(axis=1)
    return float(np.max(np.concatenate([static, recurrent])))


def window(net: LFMN, theta: np.ndarray, tolerance: float, spread: float) -> int:
    """The number of latest inputs that fix every output to within `tolerance`; needs a rate between 0 and 1.

    Two input sequences that agree on them, and elsewhere differ by at most `spread` in each component, give outputs
    that differ by at most gain * spread * rate^W / (1 - rate) <= tolerance. At least 1.
    """
    slowest = rate(net, theta)
    worst = gain(net, theta) * spread / (1 - slowest)
    return max(1, math.ceil(math.log(tolerance / worst) / math.log(slowest)))


def unforced_decay(kind: str, weight: np.ndarray, currents: np.ndarray) -> np.ndarray:
    """log |d net(T) / d current(1)| of single units with these self weights, step by step through the recursion.

    `currents` (T,) drive every unit alike. In logarithms, so that long lags neither overflow nor underflow.
    """
    state, size = np.zeros_like(weight), np.zeros_like(weight)
    with np.errstate(divide="ignore", over="ignore"):
        for place, current in enumerate(currents):
            if place:
                size = size + np.log(np.abs(weight * (1.0 if kind == "net" else tanh_half.derivative(state))))
            state = weight * (state if kind == "net" else tanh_half(state)) + current
            if kind == "net":
                state = np.clip(state, -1e9, 1e9)  # beyond, the slope of the recursion is the weight all the same
    return size


# --- symbols of the printed formulas ----------------------------------------------------------------------

n, t, q = symbols("n t q", integer=True, positive=True)
z = Symbol("z", real=True)
M = Symbol("M", positive=True)
u_hid, v_hid, u_out, v_out = symbols("u^hid_j v^hid_j u^out_i v^out_i", real=True)
WEIGHTS = (u_hid, v_hid, u_out, v_out)


class Sensitivity(Function):
    """dy_i(t)/dx_k(t-q) as a function of t and q, with the source's sign."""

    nargs = 2

    def _latex(self, printer) -> str:
        time, lag = map(printer._print, self.args)
        return rf"\frac{{\partial y_i({time})}}{{\partial x_k({time} - {lag})}}"


class Largest(Function):
    """The maximum over all real z."""

    nargs = 1

    def _latex(self, printer) -> str:
        return rf"\max_{{z \in \mathbb{{R}}}} {printer._print(self.args[0])}"


class Logistic(Function):
    """sigma(z) = 1/(1 + e^-z); its derivative is taken from that definition."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return (1 / (1 + exp(-z))).diff(z).subs(z, self.args[0])

    def _eval_rewrite_as_exp(self, arg: Expr, **kwargs) -> Expr:
        return 1 / (1 + exp(-arg))

    def _latex(self, printer, exp=None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\sigma{power}\left({printer._print(self.args[0])}\right)"


# --- lfmn-15 ----------------------------------------------------------------------------------------------

LONG = 400
RATES = (Fraction(0), Fraction(1, 2), Fraction(-9, 10), Fraction(1), Fraction(-1), Fraction(11, 10), Fraction(2))
STARTS = range(1, 6)  # times of the input, which stands still while the lag grows


def sensitivity(u: Fraction, time: int, lag: int) -> float:
    """|dy(time)/dx(time-lag)| at zero input of one unit with net-input feedback u and slope 1/2 at 0.

    There is no input before time 1 or after `time`: nothing depends on those.
    """
    return float(abs(u) ** lag / 2) if 0 <= lag < time else 0.0


@cache
def loses_its_input(u: Fraction) -> bool:
    """Whether a run from one first input and a run from none end at the same output; it knows no derivative."""
    state = 1.0
    for _ in range(LONG):
        state *= float(u)
    return abs(float(tanh_half(state))) < 1e-9


def tells_forgetting(formula: Basic) -> bool:
    """Whether a definition `lim ... = value` holds of the units whose output loses an input, and of no other."""
    return all(_met(formula, u) == loses_its_input(u) for u in RATES)


def _met(formula: Equality, u: Fraction) -> bool:
    """Whether the limit is the value for an input at each of several times, judged at two long lags, 10 % apart.

    The time t of the output is that of the input plus the lag.
    """
    taken, value = formula.args
    assert isinstance(taken, Limit)
    lags = (LONG, LONG + LONG // 10) if taken.args[2] == oo else (0, 1)
    found = [taken.args[0].subs({t: n + q}).subs({q: lag, n: at}).args for lag in lags for at in STARTS]
    return all(abs(sensitivity(u, *map(int, place)) - float(value)) < 1e-6 for place in found)


def _resting(bench: Bench, values: dict, length: int) -> ExactInstance:
    """One unit of each kind at zero input in exact numbers; f = z/2 has the slope of tanh(z/2) at 0."""
    ones = {dimension: 1 for sizes in bench.sizes for dimension in sizes}
    wired = {("W_out", 2, 1): Fraction(1), ("W_out", 3, 1): Fraction(1)}
    half = {"f": polynomial(0, Fraction(1, 2))}
    return ExactInstance(
        bench.system, ones, length, seed=1, activations=half, values=wired | values, zeros=frozenset({"x"})
    )


def _by_lag(net: ExactInstance, output: Expr) -> list[Fraction]:
    """|dy(T)/dx(T-q)| of one output for q = 0, ..., T-1, by brute force."""
    (env,) = net.places([output, s.k])
    now = {**env, s.t: Integer(net.length)}
    return [abs(net.value(d(s.y[output, s.t], s.x[s.k, s.t - lag]), now)) for lag in range(net.length)]


def sensitivity_is_brute_force(bench: Bench) -> bool:
    """Whether `sensitivity` is what dual numbers find in the unrolled system, exactly, for several u and lags."""
    return all(
        list(map(float, _by_lag(_resting(bench, {("u_out", 2): u}, length), s.i_n)))
        == [sensitivity(u, length, lag) for lag in range(length)]
        for u, length in product(RATES, (1, 4, 7))
    )


def sensitivity_is_the_librarys() -> bool:
    """Whether `sensitivity` equals the complex step through the numeric model at zero input."""
    rest = np.zeros((12, 1))
    return all(
        np.allclose(
            sensitivities(unit("net"), unit_parameters("net", float(u)), rest)[:, 0, 0],
            [sensitivity(u, 12, lag) for lag in range(12)],
            rtol=1e-12, atol=0,
        )
        for u in RATES
    )  # fmt: skip


# --- lfmn-16 ----------------------------------------------------------------------------------------------

GRID = np.linspace(-40, 40, 80_001)  # 0 is on it, and all that is not flat


def is_largest(formula: Equality) -> bool:
    """Whether the largest value on the grid is the one claimed, to 1e-9."""
    claimed = float(formula.rhs)
    values = lambdify(z, formula.lhs.args[0].doit(), "numpy")(GRID)
    return abs(float(np.max(values)) - claimed) < 1e-9


def slope_is_rational() -> bool:
    """With p = e^z the slope is the rational number 2p/(1+p)^2: at most 1/2 at many p, and 1/2 at p = 1 alone."""
    points = [Fraction(a, b) for a, b in product(range(1, 40), repeat=2)]
    slopes = {p: 2 * p / (1 + p) ** 2 for p in points}
    return max(slopes.values()) == Fraction(1, 2) and [p for p in slopes if slopes[p] == Fraction(1, 2)] == [1]


def slope_is_the_librarys() -> bool:
    """The library's own derivative attains its `max_slope` at 0 and nowhere exceeds it."""
    slopes = tanh_half.derivative(GRID)
    return bool(np.max(slopes) == tanh_half.max_slope == 0.5 == tanh_half.derivative(0.0))


# --- lfmn-17 ----------------------------------------------------------------------------------------------

LONG_RUN = 20_000  # 0.9995^20000 = 4.5e-5
NET_WEIGHTS = np.array([w * side for w in (0.0, 0.5, 0.9995, 1.0, 1.0005, 1.5, 2.5) for side in (1, -1)])
ACT_WEIGHTS = np.array([w * side for w in (0.0, 0.6, 1.5, 1.999, 2.0, 2.001, 2.5, 3.5) for side in (1, -1)])


@cache
def _forgets() -> tuple[np.ndarray, np.ndarray]:
    """For each weight of the two lists: whether the unit forgets under every one of three input sequences."""
    draw = np.random.default_rng(17)
    currents = (np.zeros(LONG_RUN), np.full(LONG_RUN, 0.3), draw.normal(size=LONG_RUN))
    runs = [[unforced_decay(kind, w, c) for c in currents] for kind, w in (("net", NET_WEIGHTS), ("act", ACT_WEIGHTS))]
    net, act = (np.all(np.array(sizes) < np.log(1e-4), axis=0) for sizes in runs)
    return net, act


def is_the_condition(formula: Basic) -> bool:
    """Whether a formula holds of just those weights with which a network forgets, whatever its inputs.

    The network has one unit of each kind in each layer, all of them wired to some output; it forgets if they all do.
    """
    net, act = _forgets()
    grid = np.meshgrid(NET_WEIGHTS, ACT_WEIGHTS, NET_WEIGHTS, ACT_WEIGHTS, indexing="ij")
    forgets = net[:, None, None, None] & act[:, None, None] & net[:, None] & act
    parts = formula.args if isinstance(formula, And) else (formula,)
    claimed = np.ones(forgets.shape, dtype=bool)
    for part in parts:
        claimed &= lambdify(WEIGHTS, part.subs(M, tanh_half.max_slope), "numpy")(*grid)
    return bool(np.array_equal(claimed, forgets))


def borders_are_exact(bench: Bench) -> bool:
    """Exact numbers at and inside the border: u = 1 and v = 2 keep the sensitivity of lag 0, halves halve it."""
    kept = _by_lag(_resting(bench, {("u_out", 2): Fraction(1), ("v_out", 3): Fraction(2)}, 9), s.i_n)
    kept += _by_lag(_resting(bench, {("u_out", 2): Fraction(1), ("v_out", 3): Fraction(2)}, 9), s.i_a)
    inside = _resting(bench, {("u_out", 2): Fraction(1, 2), ("v_out", 3): Fraction(1)}, 9)
    halved = [Fraction(1, 2) ** (lag + 1) for lag in range(9)]
    return set(kept) == {Fraction(1, 2)} and _by_lag(inside, s.i_n) == _by_lag(inside, s.i_a) == halved


def bound_holds_in_the_library(networks: int = 12, length: int = 24) -> bool:
    """Random networks within the condition: every sensitivity of the numeric model is at most gain * rate^lag."""
    for seed in range(networks):
        draw = np.random.default_rng(seed)
        net = LFMN(n_in=2, hidden=(1, 2, 2), output=(2, 1, 1))
        theta = net.init(draw, scale=0.99)
        found = sensitivities(net, theta, draw.normal(size=(length, 2))).sum(axis=2).max(axis=1)
        bound = gain(net, theta) * rate(net, theta) ** np.arange(length)
        if not (rate(net, theta) < 1 and np.all(found[1:] <= bound[1:] * (1 + 1e-12))):
            return False
    return True


# --- relaxation -------------------------------------------------------------------------------------------


def contracts() -> bool:
    """0 <= f(a) - f(b) <= (a - b)/2 for a >= b on a fine grid, and no factor below 1/2 would do near 0."""
    points = np.linspace(-6, 6, 601)
    gap = points[:, None] - points[None, :]
    rise = tanh_half(points)[:, None] - tanh_half(points)[None, :]
    upper = gap > 0
    share = rise[upper] / gap[upper]
    return bool(np.all(share > 0) and np.all(share <= 0.5) and share.max() > 0.499)


def late_loss_is_bounded(last: int = 25, seed: int = 3) -> bool:
    """Random forgetting units, two sequences that differ in the first input, targets 1/2 and -1/2 at time T only.

    The two outputs differ by at most gain * |x(1) - x'(1)| * rate^(T-1), and the losses keep above what that leaves.
    """
    draw = np.random.default_rng(seed)
    for kind in ("net", "act"):
        for weight in draw.uniform(0.1, 0.9, size=20) * (1 if kind == "net" else 2):
            net, theta = unit(kind), unit_parameters(kind, weight)
            one = draw.normal(size=(last, 1))
            other = np.vstack([-one[:1], one[1:]])
            ends = [net.forward(theta, x).y[-1, 0] for x in (one, other)]
            most = gain(net, theta) * abs(one[0, 0] - other[0, 0]) * rate(net, theta) ** (last - 1)
            least = max(0.0, 1.0 - most) ** 2 / 2
            if abs(ends[0] - ends[1]) > most * (1 + 1e-9) + 1e-15:
                return False
            if (ends[0] - 0.5) ** 2 + (ends[1] + 0.5) ** 2 < least * (1 - 1e-12):
                return False
    return True
