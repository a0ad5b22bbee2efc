"""The claims on vanishing and explosion, judged on networks: bptt-15 to bptt-18, bptt-20 and their 1997 twins.

The judges use no proof. A bound counts as true if no network breaks it and, for every size, lag and factor, some
network attains it, so that a weaker bound fails as well. A limit is read off networks that run for long; the condition
for it has to be the weakest one, so that a narrower condition fails as well.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from sympy import Equality, Function, Ge, Gt, Implies, Le, Lt, Matrix, Rational, Symbol, lambdify, oo, symbols
from sympy.logic.boolalg import Boolean
from throughtime.checks import STEP
from throughtime.models.activations import logistic, tanh
from throughtime_book.bptt import networks as ef

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
total = Symbol(r"\sum_{k_0^\star} F_{k_0^\star k_n}", real=True)

COLUMNS = (d, n, F, P, a_min, a_max, p_min, w_max, total)
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
                    steps.min(), np.abs(steps).max(), on_path.min(), np.abs(weights).max(), reached[:, end].sum(),
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


EDGES = tuple(ef.Held(np.full((units, units), 4 / units), np.zeros(units), logistic) for units in (1, 2, 4))
"""Networks of logistic units in which every weight is 4/d and every factor 1/d, so that the flow does not change."""
OTHERS = (
    ef.Held([[1.0]], [0.0], tanh), ef.Held([[6.0]], [0.0], logistic), ef.Held([[3.0]], [0.5], logistic),
    ef.Held([[0.5, -0.3], [0.2, 0.4]], [0.1, -0.2], tanh), ef.Held([[2.0, 0.0], [-2.0, 0.0]], [0.0, 0.0], tanh),
    ef.Held([[1.5, -1.0], [0.5, 1.2]], [0.3, -0.2], logistic), ef.Held([[6.0, 5.0], [7.0, 8.0]], [0, 0], logistic),
)  # fmt: skip


@cache
def _long_runs() -> tuple[tuple[np.ndarray, dict], ...]:
    """For every held network and unit k_n: its factors, each once, and the values of size, largest weight and limits.

    The conditions on weights speak of logistic units, so a network of others has no finite "largest weight" here.
    """
    found = []
    for net in (*ef.COUNTEREXAMPLES, *EDGES, *OTHERS):
        reached = net.flow(LONG)[-1]
        weight = np.abs(net.weights).max() if net.activation is logistic else np.inf
        for column in reached.T:
            late = map(limit, (np.abs(reached).max(), np.abs(column).max(), abs(column.sum())))
            values = zip((w_max, lim_flow, lim_terms, lim_sum), (weight, *late), strict=True)
            known = {symbol: oo if value == np.inf else value for symbol, value in values}
            found.append((np.unique(net.link), {d: len(net.link), **known}))
    return tuple(found)


def limit(late: float) -> float:
    """The limit a sequence has whose late element is this: 0, infinity, or that element."""
    return 0.0 if late < 1e-9 else np.inf if late > 1e9 else round(late, 9)


def _given(premise: Boolean) -> list[dict]:
    """The values of the networks that meet a condition; one on `a` is one on every factor."""
    return [values for links, values in _long_runs() if all(true_of(premise, {**values, a: link}) for link in links)]


def implied(formula: Implies) -> bool:
    """Whether an implication between factors and limits holds of every network, and its premise of some."""
    premise, conclusion = formula.args
    met = _given(premise)
    return bool(met) and all(true_of(conclusion, values) for values in met)


@cache
def limits(formula: Implies, sizes: tuple[int, ...] = (1, 2, 4)) -> bool:
    """Whether an implication is true, and its condition the weakest: what lies just outside need not have the limit.

    For each of the `sizes`, some network of that many units meets the condition with equality allowed, and fails.
    """
    premise, conclusion = formula.args
    if not implied(formula):
        return False
    if not isinstance(premise, Lt | Gt):
        return True
    outside = (Le if isinstance(premise, Lt) else Ge)(*premise.args)
    failing = {values[d] for values in _given(outside) if not true_of(conclusion, values)}
    return failing >= set(sizes)


def true_of(formula: Boolean, values: dict) -> bool:
    """Whether a formula is true with these values put in; one that stays open is not."""
    return bool(formula.subs(values) == True)  # noqa: E712


def of_one_unit(formula: Boolean) -> bool:
    """The same, with the weakest condition for a single unit: of more units, factors above 1/d_out suffice."""
    return limits(formula, (1,)) if formula.has(lim_flow) else bound(formula)


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
