"""The claims on vanishing and explosion, judged on networks: bptt-15 to bptt-20, bptt-coth and their 1997 twins.

The judges use no proof. A bound counts as true if no network breaks it and, for every size, lag and factor, some
network attains it, so that a weaker bound fails as well. A limit is read off networks that run for long.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from sympy import Equality, Function, Implies, Matrix, Rational, Symbol, lambdify, oo, symbols
from sympy.logic.boolalg import Boolean
from throughtime.checks import STEP
from throughtime.models.activations import logistic, tanh
from throughtime_book.bptt.error_flow import numbers as ef

d, n = Symbol(r"d_{\mathrm{out}}", positive=True), Symbol("n", positive=True)
F = Symbol("F", real=True)  # one entry of the flow
P = Symbol("P", real=True)  # the modulus of the product along one path
a, a_min, a_max = (
    Symbol("a"),
    Symbol(r"a_{\mathrm{min}}", real=True),
    Symbol(r"a_{\mathrm{max}}", real=True),
)  # links: any, extremes
p_min = Symbol(r"p_{\mathrm{min}}", real=True)  # the smallest modulus of a link on the path of P
w_max = Symbol(r"w_{\mathrm{max}}", real=True)
lim_flow = Symbol(r"\lim_{n \to \infty} |{F_{k_0 k_n}(n)}|")
lim_terms = Symbol(r"\lim_{n \to \infty} \max_{k_0^\star} |{F_{k_0^\star k_n}(n)}|")
lim_sum = Symbol(r"\lim_{n \to \infty} |{\sum_{k_0^\star} F_{k_0^\star k_n}(n)}|")

COLUMNS = (d, n, F, P, a_min, a_max, p_min, w_max)
SCALES = (1.2, 3.0, 6.0)  # weights: the factor of a logistic unit at rest is a quarter of them
SIZES, LAGS = (1, 2, 3, 4), (1, 2, 3, 5)
LONG = 400


# ---- bounds


@cache
def _sampled() -> tuple[np.ndarray, np.ndarray]:
    """Rows of COLUMNS, and the number of the cell (size, lag, scale) a row belongs to; -1 for a random network.

    In a cell all weights are one positive number and all net inputs 0; the others have weights of both signs, or of
    one, and logistic slopes at random net inputs. Every entry of a flow is one row.
    """
    random = np.random.default_rng(1991)
    rows, cells, cell = [], [], 0
    for units in SIZES:
        for lag in LAGS:
            for scale in SCALES:
                rows += _rows(np.full((units, units), scale), np.zeros((lag, units)), random)
                cells += [cell] * (len(rows) - len(cells))
                cell += 1
                for lowest in (-scale, 0.1 * scale, 0.5 * scale):
                    weights = random.uniform(lowest, scale, (units, units))
                    rows += _rows(weights, random.normal(0, 1.5, (lag, units)), random)
                    cells += [-1] * (len(rows) - len(cells))
    return np.array(rows), np.array(cells)


def _rows(weights: np.ndarray, net: np.ndarray, random: np.random.Generator) -> list[tuple[float, ...]]:
    steps = ef.links(weights, logistic.derivative(net))
    reached = ef.flow(steps)[-1]
    every = range(len(weights))
    rows = []
    for start in every:
        for end in every:
            path = (start, *random.integers(0, len(weights), len(net) - 1), end)
            on_path = np.abs([step[path[m], path[m + 1]] for m, step in enumerate(steps)])
            rows.append(
                (
                    len(weights), len(net), reached[start, end], on_path.prod(),
                    steps.min(), np.abs(steps).max(), on_path.min(), np.abs(weights).max(),
                )
            )  # fmt: skip
    return rows


def bound(formula: Boolean) -> bool:
    """Whether an inequality in COLUMNS, perhaps under a condition, holds in every row and is attained in every cell."""
    condition, inequality = formula.args if isinstance(formula, Implies) else (None, formula)
    rows, cells = _sampled()
    given = np.ones(len(rows), bool) if condition is None else _values(condition, rows).astype(bool)
    with np.errstate(all="ignore"):
        left, right = _values(inequality.lhs, rows), _values(inequality.rhs, rows)
    slack = 1e-9 * np.maximum(np.abs(left), np.abs(right))
    holds = left <= right + slack if inequality.rel_op in ("<=", "<") else left >= right - slack
    attained = given & (np.abs(left - right) <= slack)
    every_cell = set(cells[attained]) >= set(range(cells.max() + 1))
    return bool(np.all(holds[given]) and every_cell)


def _values(expr, rows: np.ndarray) -> np.ndarray:
    return np.broadcast_to(lambdify(COLUMNS, expr, "numpy")(*rows.T), len(rows))


# ---- limits


@cache
def _long_runs() -> tuple[tuple[np.ndarray, float, float, float, float], ...]:
    """For every held network and unit k_n: its links, its largest weight, the limits of the flow, its terms, their sum.

    The conditions on weights speak of logistic units, so a network of others has no finite "largest weight" here.
    """
    neutral = ef.Held([[1.0]], [0.0], tanh)
    resting = ef.Held([[0.5, -0.3], [0.2, 0.4]], [0.1, -0.2], tanh)
    opposed = ef.Held([[2.0, 0.0], [-2.0, 0.0]], [0.0, 0.0], tanh)
    found = []
    for net in (*ef.COUNTEREXAMPLES, neutral, resting, opposed):
        reached = net.flow(LONG)[-1]
        for column in reached.T:
            limits = (np.abs(reached).max(), np.abs(column).max(), abs(column.sum()))
            weight = np.abs(net.weights).max() if net.activation is logistic else np.inf
            found.append((net.link, weight, *map(limit, limits)))
    return tuple(found)


def limit(late: float) -> float:
    """The limit a sequence has whose late element is this: 0, infinity, or that element."""
    return 0.0 if late < 1e-9 else np.inf if late > 1e9 else round(late, 9)


def limits(formula: Implies) -> bool:
    """Whether an implication between factors and limits holds of every network, and its premise of some.

    A premise on `a` is one on every link.
    """
    premise, conclusion = formula.args
    met = 0
    for steps, *known in _long_runs():
        values = dict(
            zip((w_max, lim_flow, lim_terms, lim_sum), (oo if x == np.inf else x for x in known), strict=True)
        )
        given = all(_true(premise, {**values, a: link}) for link in steps.flat)
        met += given
        if given and not _true(conclusion, values):
            return False
    return met > 0


def _true(formula: Boolean, values: dict) -> bool:
    return bool(formula.subs(values) == True)  # noqa: E712


def factors(formula: Boolean) -> bool:
    """Explosion and vanishing: a limit where the formula speaks of one, else a bound."""
    return limits(formula) if formula.has(lim_flow, lim_terms, lim_sum) else bound(formula)


# ---- the logistic function


x, w, z, y, c = symbols("x w z y c", real=True)
sigma, slope = Function("sigma"), Function(r"\sigma'")
PEAK, LOWEST, HIGHEST = (
    Symbol(rf"\{which}_{{x \in \mathbb{{R}}}} {of}")
    for which, of in (("max", r"\sigma'(x)"), ("inf", r"\sigma(x)"), ("sup", r"\sigma(x)"))
)
POINTS = np.array([-30.0, -3.0, -0.7, 0.0, 0.4, 1.0, 5.0])


def logistic_facts(formula: Equality) -> bool:
    """Whether an equation in x, sigma(x), sigma'(x), or their extremes, holds of the model's function at samples."""
    grid = np.linspace(-40, 40, 80_001)
    extremes = {
        PEAK: (logistic(grid + 1j * STEP).imag / STEP).max(),
        LOWEST: logistic(grid).min(),
        HIGHEST: logistic(grid).max(),
    }
    if formula.has(PEAK, LOWEST, HIGHEST):
        return bool(abs(float((formula.lhs - formula.rhs).subs(extremes))) < 1e-12)
    for point in POINTS:
        values = {
            sigma(x): float(logistic(point)),
            slope(x): float(logistic(complex(point, STEP)).imag / STEP),
            x: point,
        }
        left, right = (complex(side.subs(values)) for side in formula.args)
        if not abs(left - right) <= 1e-12 * max(abs(left), abs(right)):
            return False
    return True


def weight_and_factor(formula: Boolean) -> bool:
    """An implication such as "if |w| < 4 then |w sigma'(z)| < 1", or else a bound or a limit.

    It has to be true for every z, and for no larger set of weights.
    """
    if not formula.has(w):
        return factors(formula)
    at_z = Symbol("s", real=True)
    premise, conclusion = (lambdify((w, at_z, z), side.subs(slope(z), at_z), "numpy") for side in formula.args)
    nets = np.linspace(-8, 8, 81)
    slopes = logistic.derivative(nets)
    return all(
        bool(np.all(premise(weight, slopes, nets))) == bool(np.all(conclusion(weight, slopes, nets)))
        for weight in np.round(np.linspace(-9, 9, 181), 6)
    )


def same_in_the_model(*nets: ef.Held, lag: int = 12) -> bool:
    """Whether the library's network, run on the inputs that hold it, has the flow of its links."""
    return all(
        np.allclose(net.measured_flow(lag), net.flow(lag)[-1], rtol=1e-12, atol=1e-12 * ef.norms(net.flow(lag)).max())
        for net in nets
    )


def exact_flow(net: ef.Held, lag: int) -> Matrix:
    """The flow of logistic units at rest, where each slope is 1/4, in rational numbers."""
    if net.activation is not logistic or np.any(net.at):
        raise ValueError(f"net: expected logistic units held at 0, got {net.words}")
    return Matrix([[Rational(str(weight)) / 4 for weight in row] for row in np.asarray(net.weights)]) ** lag


# ---- large weights, and the weight with the largest factor


B = Symbol("B", real=True)  # |w sigma'(w y + c)|
lim_net, lim_slope, lim_product = (
    Symbol(rf"\lim_{{|w| \to \infty}} |{{{inside}}}|")
    for inside in (r"\operatorname{net}", r"\sigma'(\operatorname{net})", r"\prod_q w\,\sigma'(\operatorname{net})")
)


def large_weight_nets(weight: float) -> dict[str, tuple[float, float, float]]:
    """|net|, slope and product of links, for three networks whose weights grow; the first two are one logistic unit.

    "free": nothing but its own output comes in. "held": an input keeps its net input at 0. "outer": of two units, and
    one link, only the weight of that link grows, from a unit that does not read it.
    """
    free = weight / 2
    return {
        "free": (free, float(logistic.derivative(free)), (weight * float(logistic.derivative(free))) ** 2),
        "held": (0.0, 0.25, float(ef.Held([[weight]], [0.0], logistic).flow(2)[2, 0, 0])),
        "outer": (free, 0.25, float(ef.Held([[0, weight], [0, 0]], [0.0, 0.0], logistic).flow(1)[1, 0, 1])),
    }


def large_weights(formula: Boolean) -> bool:
    """A limit for |w| to infinity, true if every network has it; or a bound of B, attained at large |w|."""
    if not formula.has(B):
        known = [map(limit, row) for row in large_weight_nets(1e12).values()]
        names = (lim_net, lim_slope, lim_product)
        return all(
            _true(formula, {s: oo if v == np.inf else v for s, v in zip(names, row, strict=True)}) for row in known
        )
    weight, sent, rest = (
        g.ravel() for g in np.meshgrid([-90, -9, -2, 0.5, 3, 30, 90], [-1, 0.3, 0.8, 2], [-2, 0, 1.5])
    )
    found = np.abs(weight) * logistic.derivative(weight * sent + rest)
    left, right = (lambdify((B, w, y, c), side, "numpy")(found, weight, sent, rest) for side in formula.args)
    holds = np.all(left <= right * (1 + 1e-9)) if formula.rel_op in ("<=", "<") else np.all(left >= right * (1 - 1e-9))
    aligned = (np.abs(weight) == 90) & (np.abs(sent) >= 0.8) & (np.sign(weight * sent) == -np.sign(rest))
    return bool(holds and np.allclose(np.broadcast_to(left / right, found.shape)[aligned], 1, atol=1e-9))


w_in, w_out = Symbol("w_{l_{m} l_{m+1}}"), Symbol("w_{l_{m-1} l_{m}}")
w_print = Symbol("w_{l_{m} l_{m-1}}")
y_before, y_print = Symbol("y_{l_{m+1}}(t-m-1)"), Symbol("y_{l_{m-1}}(t-m-1)")
net_m = Symbol(r"\operatorname{net}_{l_{m}}(t-m)")


def stationary(sent: float, rest: float, *, into: bool) -> list[float]:
    """Weights, found by search, at which |w| sigma'(net) peaks.

    net = w sent + rest if w leads `into` the unit; otherwise it is `rest`, whatever w is.
    """
    grid = np.linspace(-60, 60, 120_001)
    factor = np.abs(grid) * logistic.derivative(grid * sent + rest if into else np.full_like(grid, rest))
    peaks = np.flatnonzero((factor[1:-1] > factor[:-2]) & (factor[1:-1] > factor[2:])) + 1
    return [float(grid[peak]) for peak in peaks]


def largest_factor(formula: Equality) -> bool:
    """Whether the equation picks out exactly the weights at which the factor peaks.

    In the numbering of the print the weight w_{l_m l_{m-1}} leads into unit l_m, and y_{l_{m-1}} is what it carries.
    """
    grid = np.linspace(-60, 60, 120_001)
    for sent, rest in ((0.3, 0.0), (0.9, 0.6), (0.5, -1.0), (-0.7, 0.2)):
        into = not formula.has(w_out)
        weights = grid + 1e-7  # off the points where the right side is infinite
        nets = weights * sent + rest if into else np.full_like(weights, rest + 1e-7)
        given = {w_in: w, w_print: w, w_out: w, y_before: y, y_print: y, net_m: z}
        difference = lambdify((w, y, z), (formula.lhs - formula.rhs).subs(given), "numpy")(weights, sent, nets)
        turns = np.flatnonzero((np.sign(difference[1:]) != np.sign(difference[:-1])) & (np.abs(difference[1:]) < 1))
        peaks = stationary(sent, rest, into=into)
        if len(turns) != len(peaks) or not np.allclose(grid[turns], peaks, atol=3e-3):
            return False
    return True


# ---- the bound by the norm


def _random_links(lag: int, count: int = 60):
    """Weights, the largest slope, and slopes of either sign up to it, for random networks of up to six units."""
    random = np.random.default_rng(lag)
    for _ in range(count):
        units, gamma = int(random.integers(1, 7)), random.choice([0.25, 1.0])
        weights = random.normal(size=(units, units)) * random.choice([0.3, 1.0, 5.0])
        yield weights, gamma, gamma * random.uniform(-1, 1, (lag, units))


def norm_bound(lag: int) -> bool:
    """Whether no random network has a flow larger than (gamma |W|)^lag."""
    return all(
        ef.norms(ef.flow(ef.links(weights, slopes)))[-1]
        <= (gamma * ef.largest_singular_value(weights)) ** lag * (1 + 1e-12)
        for weights, gamma, slopes in _random_links(lag)
    )


def norm_bound_attained(lag: int) -> bool:
    """Whether networks of tanh units with orthogonal weights, times a number, held at 0, attain the bound."""
    random = np.random.default_rng(2013)
    nets = (
        ef.Held(scale * np.linalg.qr(random.normal(size=(units, units)))[0], np.zeros(units), tanh)
        for units in (1, 2, 5)
        for scale in (0.7, 1.0, 1.6)
    )
    return all(
        np.isclose(
            ef.norms(net.measured_flow(lag)[None])[0],
            (net.gamma * ef.largest_singular_value(net.weights)) ** lag,
            rtol=1e-9,
        )
        for net in nets
    )


def norm_against_count() -> bool:
    """Whether the norm is at most the number of units times the largest weight, which equal weights attain."""
    sizes = [(ef.largest_singular_value(w), len(w) * np.abs(w).max()) for w, _, _ in _random_links(1)]
    equal = ef.largest_singular_value(np.ones((4, 4)))
    return all(norm <= count * (1 + 1e-12) for norm, count in sizes) and bool(np.isclose(equal, 4))
