"""Checks of how fast networks forget, by runs: lfmn-15 (definition), lfmn-16 (largest slope), lfmn-17 (condition).

No check uses what the chapter proves: units run, sensitivities follow the recursion, slopes are read off a grid.
"""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from book.lfmn.forgetting.rates import KINDS, sensitivities, unit, unit_parameters
from book.shared.samples import Samples
from book.shared.words import printed
from sympy import Basic, Equality, Expr, Function, Integer, Symbol, exp, oo, symbols
from throughtime.arrays.activations import tanh_half
from throughtime.derivation import Bench, ExactInstance, d, polynomial
from throughtime.systems import lfmn as s

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


Largest = printed("Largest", r"\max_{z \in \mathbb{R}} %s")  # the maximum over all real z


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


# --- lfmn-15: a definition, asked of units at rest --------------------------------------------------------

LONG = 400
RATES = (Fraction(0), Fraction(1, 2), Fraction(-9, 10), Fraction(1), Fraction(-1), Fraction(11, 10), Fraction(2))
STARTS = range(1, 6)  # times of the input, which stands still while the lag grows


def sensitivity(rate: Fraction, time: int, lag: int) -> float:
    """|dy(time)/dx(time-lag)| at zero input of one unit with u = rate, or v = 2 rate, and slope 1/2 at 0.

    There is no input before time 1 or after `time`: nothing depends on those.
    """
    return float(abs(rate) ** lag / 2) if 0 <= lag < time else 0.0


@cache
def loses_its_input(u: Fraction) -> bool:
    """Whether a run from one first input and a run from none end at the same output; it knows no derivative."""
    pulse = np.eye(LONG, 1)
    return bool(abs(unit("net").forward(unit_parameters("net", float(u)), pulse).y[-1, 0]) < 1e-9)


def tells_forgetting(formula: Equality) -> bool:
    """Whether a definition `lim ... = value` holds of the units whose output loses an input, and of no other.

    The limit is the value if it is at two long lags, 10 % apart, for an input at each of several times; the time t of
    the output is that of the input plus the lag.
    """
    taken, value = formula.args
    lags = (LONG, LONG + LONG // 10) if taken.args[2] == oo else (0, 1)
    moving = taken.args[0].subs({t: n + q})
    places = [tuple(map(int, moving.subs({q: lag, n: at}).args)) for lag, at in product(lags, STARTS)]
    met = {u: all(abs(sensitivity(u, *place) - float(value)) < 1e-6 for place in places) for u in RATES}
    return all(met[u] == loses_its_input(u) for u in RATES)


def sensitivity_is_brute_force(bench: Bench) -> bool:
    """Whether `sensitivity` is what dual numbers find in the unrolled system, exactly, with both kinds of feedback.

    One unit of each kind at zero input in exact numbers; f = z/2 has the slope of tanh(z/2) at 0.
    """
    ones = {dimension: 1 for sizes in bench.sizes for dimension in sizes}
    half = {"f": polynomial(0, Fraction(1, 2))}
    wired = {("W_out", place, 1): Fraction(1) for place in (2, 3)}
    for rate, length in product(RATES, (1, 4, 9)):
        weights = wired | {("u_out", 2): rate, ("v_out", 3): 2 * rate}
        net = ExactInstance(
            bench.system, ones, length, seed=1, activations=half, values=weights, zeros=frozenset({"x"})
        )
        expected = [sensitivity(rate, length, lag) for lag in range(length)]
        for output in (s.i_n, s.i_a):
            (env,) = net.places([output, s.k])
            now = {**env, s.t: Integer(length)}
            found = [abs(net.value(d(s.y[output, s.t], s.x[s.k, s.t - lag]), now)) for lag in range(length)]
            if [*map(float, found)] != expected:
                return False
    return True


def sensitivity_is_the_librarys() -> bool:
    """Whether `sensitivity` equals the complex step through the numeric model at zero input."""
    for rate, kind in product(RATES, KINDS):
        weight = float(rate if kind == "net" else 2 * rate)
        found = sensitivities(unit(kind), unit_parameters(kind, weight), np.zeros((12, 1)))[:, 0, 0]
        if not np.allclose(found, [sensitivity(rate, 12, lag) for lag in range(12)], rtol=1e-12, atol=0):
            return False
    return True


# --- lfmn-16: the largest slope, on a grid ----------------------------------------------------------------

GRID = np.linspace(-40, 40, 80_001)  # 0 is on it, and all that is not flat


def is_largest(formula: Equality) -> bool:
    """Whether the largest value on the grid is the one claimed, to 1e-9."""
    claimed = float(formula.rhs)
    values = Samples((z,), GRID[:, None]).values(formula.lhs.args[0].doit())
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


# --- lfmn-17: the condition, asked of runs at, inside and outside its borders -----------------------------

LONG_RUN = 20_000  # 0.9995^20000 = 4.5e-5
NET_WEIGHTS = np.array([w * side for w in (0.0, 0.5, 0.9995, 1.0, 1.0005, 1.5, 2.5) for side in (1, -1)])
ACT_WEIGHTS = np.array([w * side for w in (0.0, 0.6, 1.5, 1.999, 2.0, 2.001, 2.5, 3.5) for side in (1, -1)])


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


def forget(kind: str, weights: np.ndarray) -> np.ndarray:
    """Whether the unit with each of these self weights forgets under every one of three input sequences."""
    currents = np.zeros(LONG_RUN), np.full(LONG_RUN, 0.3), np.random.default_rng(17).normal(size=LONG_RUN)
    return np.all([unforced_decay(kind, weights, each) < np.log(1e-4) for each in currents], axis=0)


@cache
def networks() -> tuple[Samples, np.ndarray]:
    """Networks with one unit of each kind in each layer, all wired to some output, and whether each forgets.

    A network forgets if all its units do.
    """
    net, act = forget("net", NET_WEIGHTS), forget("act", ACT_WEIGHTS)
    rows = np.array([*product(NET_WEIGHTS, ACT_WEIGHTS, NET_WEIGHTS, ACT_WEIGHTS)])
    return Samples(WEIGHTS, rows, rounding=(0.0, 0.0)), np.array([*map(all, product(net, act, net, act))])


def is_the_condition(formula: Basic) -> bool:
    """Whether a formula holds of just those weights with which a network forgets, whatever its inputs."""
    samples, forgets = networks()
    return np.array_equal(samples.truth(formula.subs(M, tanh_half.max_slope)), forgets)
