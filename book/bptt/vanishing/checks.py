"""Checks of bounds, limits and conditions on the error flow, by networks.

No check uses a proof. A bound counts as true if no network breaks it and, for every size, lag and factor, some network
attains it, so that a weaker bound fails as well. A limit is read off networks that run for long; the condition for it
has to be the weakest one, so that a narrower condition fails as well.
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise, product
from typing import Any

import numpy as np
from book.bptt import networks as ef
from book.shared.samples import Samples
from sympy import Equality, Function, Ge, Gt, Implies, Le, Lt, Symbol, lambdify, oo, symbols
from sympy.logic.boolalg import Boolean
from throughtime.arrays.activations import logistic, tanh
from throughtime.checks import STEP, complex_step
from throughtime.textbook.recurrent import FullyRecurrent

d, n = Symbol(r"d_{\mathrm{out}}", positive=True), Symbol("n", positive=True)
F = Symbol("F", real=True)  # one entry of the flow
P = Symbol("P", real=True)  # modulus of the product along one path
a = Symbol("a")  # any factor
a_min, a_max = (Symbol(rf"a_{{\mathrm{{{which}}}}}", real=True) for which in ("min", "max"))
p_min = Symbol(r"p_{\mathrm{min}}", real=True)  # smallest modulus of a factor on the path of P
w_max = Symbol(r"w_{\mathrm{max}}", real=True)
total = Symbol(r"\sum_{k_0^\star} F_{k_0^\star k_n}", real=True)
lim_flow = Symbol(r"\lim_{n \to \infty} |{F_{k_0 k_n}(n)}|")
lim_terms = Symbol(r"\lim_{n \to \infty} \max_{k_0^\star} |{F_{k_0^\star k_n}(n)}|")
lim_sum = Symbol(r"\lim_{n \to \infty} |{\sum_{k_0^\star} F_{k_0^\star k_n}(n)}|")
x, w, z, y, c = symbols("x w z y c", real=True)
sigma, slope = Function("sigma"), Function(r"\sigma'")

# ---- bounds

COLUMNS = (d, n, F, P, a_min, a_max, p_min, w_max, total)
SCALES = (1.2, 3.0, 6.0)  # of weights: the factor of a logistic unit at rest is a quarter of them
SIZES, LAGS = (1, 2, 3, 4), (1, 2, 3, 5)


@cache
def networks() -> Samples:
    """A row for every entry of a flow; a cell for each size, lag and scale.

    In a cell all weights are one positive number and all net inputs 0. Random networks, of number -1, have weights of
    both signs or of one, and logistic slopes at random net inputs.
    """
    random = np.random.default_rng(1991)
    rows, cells = [], []
    for cell, (units, lag, scale) in enumerate(product(SIZES, LAGS, SCALES)):
        networks = [(cell, np.full((units, units), scale), np.zeros((lag, units)))]
        for lowest in (-scale, 0.1 * scale, 0.5 * scale):
            weights = random.uniform(lowest, scale, (units, units))
            networks.append((-1, weights, random.normal(0, 1.5, (lag, units))))
        for number, weights, net in networks:
            rows += _rows(weights, net, random)
            cells += [number] * (len(rows) - len(cells))
    return Samples(COLUMNS, np.array(rows), cells)


def _rows(weights: np.ndarray, net: np.ndarray, random: np.random.Generator) -> Iterator[tuple[float, ...]]:
    links = ef.links(weights, logistic.derivative(net))
    reached, (lag, units) = ef.flow(links)[-1], net.shape
    for start, end in product(range(units), repeat=2):
        path = (start, *random.integers(0, units, lag - 1), end)
        on_path = np.abs([link[step] for link, step in zip(links, pairwise(path), strict=True)])
        sizes = (links.min(), np.abs(links).max(), on_path.min(), np.abs(weights).max())
        yield units, lag, reached[start, end], on_path.prod(), *sizes, reached[:, end].sum()


# ---- limits

LONG = 400  # lag at which a limit is read off
EDGES = tuple(ef.Held(np.full((units, units), 4 / units), np.zeros(units), logistic) for units in (1, 2, 4))
"""Networks of logistic units in which every weight is 4/d and every factor 1/d, so that the flow does not change."""
OTHERS = (
    ef.Held([[1.0]], [0.0], tanh),
    ef.Held([[6.0]], [0.0], logistic),
    ef.Held([[3.0]], [0.5], logistic),
    ef.Held([[0.5, -0.3], [0.2, 0.4]], [0.1, -0.2], tanh),
    ef.Held([[2.0, 0.0], [-2.0, 0.0]], [0.0, 0.0], tanh),
    ef.Held([[1.5, -1.0], [0.5, 1.2]], [0.3, -0.2], logistic),
    ef.Held([[6.0, 5.0], [7.0, 8.0]], [0, 0], logistic),
)


@cache
def _long_runs() -> tuple[tuple[np.ndarray, dict], ...]:
    """Factors of every held network, each once, with its size, largest weight and limits, for each unit k_n.

    The conditions on weights speak of logistic units, so a network of others has no finite "largest weight" here.
    """
    found = []
    for net in (*ef.COUNTEREXAMPLES, *EDGES, *OTHERS):
        reached = net.flow(LONG)[-1]
        known = {d: len(net.link), w_max: np.abs(net.weights).max() if net.activation is logistic else oo}
        for column in reached.T:
            late = map(_limit, (np.abs(reached).max(), np.abs(column).max(), abs(column.sum())))
            limits = dict(zip((lim_flow, lim_terms, lim_sum), late, strict=True))
            found.append((np.unique(net.link), known | limits))
    return tuple(found)


def _limit(late: float) -> Any:
    """Limit of a sequence with this late element: 0, infinity, or the element."""
    return 0.0 if late < 1e-9 else oo if late > 1e9 else round(late, 9)


def _given(premise: Boolean) -> list[dict]:
    """Values of the networks that meet a condition; one on `a` is one on every factor."""
    return [values for links, values in _long_runs() if all(is_true(premise, {**values, a: link}) for link in links)]


def is_implied(formula: Implies) -> bool:
    """Whether an implication between factors and limits holds for every network, and its premise for some."""
    premise, conclusion = formula.args
    met = _given(premise)
    return bool(met) and all(is_true(conclusion, values) for values in met)


@cache
def is_sharp(formula: Implies, sizes: tuple[int, ...] = (1, 2, 4)) -> bool:
    """Whether an implication is true, and its condition the weakest: what lies just outside need not have the limit.

    For each of the `sizes`, some network of that many units meets the condition with equality allowed, and fails.
    """
    premise, conclusion = formula.args
    if not is_implied(formula) or not isinstance(premise, Lt | Gt):
        return is_implied(formula)
    outside = (Le if isinstance(premise, Lt) else Ge)(*premise.args)
    failing = {values[d] for values in _given(outside) if not is_true(conclusion, values)}
    return failing >= set(sizes)


def is_true(formula: Boolean, values: dict) -> bool:
    """Whether a formula is true with these values put in; one that stays open is not."""
    return bool(formula.subs(values) == True)  # noqa: E712


@cache
def factors() -> Samples:
    """Weights of logistic units, each a cell, with the slopes at many net inputs."""
    slopes, tried = logistic.derivative(np.linspace(-8, 8, 81)), np.round(np.linspace(-9, 9, 181), 6)
    rows = np.array([[weight, steep] for weight in tried for steep in slopes])
    return Samples((w, slope(z)), rows, np.repeat(np.arange(len(tried)), len(slopes)))


def holds_for_factors(formula: Boolean, sizes: tuple[int, ...] = (1, 2, 4)) -> bool:
    """Whether a bound holds and is attained, or a limit holds with the weakest condition for networks of these sizes.

    "If |w| < 4 then |w sigma'(z)| < 1" has to hold for every z and for no more weights.
    """
    if formula.has(w):
        return factors().is_weakest(formula)
    return is_sharp(formula, sizes) if formula.has(lim_flow, lim_terms, lim_sum) else networks().is_sharp(formula)


holds_for_one_unit = partial(holds_for_factors, sizes=(1,))  # of more units a weaker condition suffices


# ---- the bound by the norm


def _random_links(lag: int) -> Iterator[tuple[np.ndarray, float, np.ndarray]]:
    """Weights, the largest slope, and slopes of either sign up to it, for random networks of up to six units."""
    random = np.random.default_rng(lag)
    for _ in range(60):
        units, gamma = int(random.integers(1, 7)), random.choice([0.25, 1.0])
        weights = random.normal(size=(units, units)) * random.choice([0.3, 1.0, 5.0])
        yield weights, gamma, gamma * random.uniform(-1, 1, (lag, units))


def norm_is_bounded(lag: int) -> bool:
    """Whether no random network has a flow larger than (gamma |W|)^lag."""
    return all(
        ef.norms(ef.flow(ef.links(W, slopes))[-1]) <= (gamma * ef.norms(W)) ** lag * (1 + 1e-12)
        for W, gamma, slopes in _random_links(lag)
    )


def norm_bound_is_attained(lag: int) -> bool:
    """Whether networks of tanh units with orthogonal weights, times a number, held at 0, attain the bound."""
    random = np.random.default_rng(2013)
    for units, scale in product((1, 2, 5), (0.7, 1.0, 1.6)):
        orthogonal = np.linalg.qr(random.normal(size=(units, units)))[0]
        net = ef.Held(scale * orthogonal, np.zeros(units), tanh)
        bound = (net.gamma * ef.norms(net.weights)) ** lag
        if not np.isclose(ef.norms(net.measured_flow(lag)), bound, rtol=1e-9):
            return False
    return True


def norm_is_below_count() -> bool:
    """Whether the norm is at most the number of units times the largest weight, which equal weights attain."""
    below = all(ef.norms(W) <= len(W) * np.abs(W).max() * (1 + 1e-12) for W, _, _ in _random_links(1))
    return below and bool(np.isclose(ef.norms(np.ones((4, 4))), 4))


# ---- the logistic function

PEAK, LOWEST, HIGHEST = (
    Symbol(rf"\{which}_{{x \in \mathbb{{R}}}} {of}")
    for which, of in (("max", r"\sigma'(x)"), ("inf", r"\sigma(x)"), ("sup", r"\sigma(x)"))
)


@cache
def logistic_curve() -> Samples:
    """The library's function at some x, its slopes by the complex step, and extremes of both."""
    wide, at = np.linspace(-700, 700, 14_001), np.array([-30, -3, -0.7, 0, 0.4, 1, 5])
    value, all_values = logistic(at), logistic(wide)
    slopes, all_slopes = (logistic(places + 1j * STEP).imag / STEP for places in (at, wide))
    extremes = np.tile([all_slopes.max(), all_values.min(), all_values.max()], (len(at), 1))
    rows = np.column_stack([at, value, slopes, extremes])
    return Samples((x, sigma(x), slope(x), PEAK, LOWEST, HIGHEST), rows, rounding=(1e-12, 1e-300))


# ---- weights without bound

B = Symbol("B", real=True)  # |w sigma'(w y + c)|
lim_net, lim_slope, lim_product = (
    Symbol(rf"\lim_{{|w| \to \infty}} |{{{inside}}}|")
    for inside in (r"\operatorname{net}", r"\sigma'(\operatorname{net})", r"\prod_q w\,\sigma'(\operatorname{net})")
)


@cache
def large_weights() -> tuple[Samples, Samples]:
    """Limits of three networks for |w| to infinity; and B in one unit, with a cell for each large w against c.

    The networks: one logistic unit that its own output alone feeds, one that its input keeps at net input 0, and two
    units and one link, whose weight grows and comes from a unit that does not read it.
    """
    large = 1e12
    free = float(logistic.derivative(large / 2))
    held = ef.Held([[large]], [0.0], logistic).flow(2)[2, 0, 0]
    outer = ef.Held([[0, large], [0, 0]], [0.0, 0.0], logistic).flow(1)[1, 0, 1]
    limits = ((large / 2, free, (large * free) ** 2), (0.0, 0.25, held), (large / 2, 0.25, outer))
    networks = Samples((lim_net, lim_slope, lim_product), ([*map(_limit, row)] for row in limits))
    grid = np.meshgrid([-90, -9, -2, 0.5, 3, 30, 90], [-1, 0.3, 0.8, 2], [-2, 0, 1.5])
    weight, sent, rest = (axis.ravel() for axis in grid)
    found = np.abs(weight) * logistic.derivative(weight * sent + rest)
    aligned = (np.abs(weight) == 90) & (np.abs(sent) >= 0.8) & (np.sign(weight * sent) == -np.sign(rest))
    cells = np.where(aligned, np.cumsum(aligned) - 1, -1)
    return networks, Samples((B, w, y, c), np.column_stack([found, weight, sent, rest]), cells)


def holds_for_large_weights(formula: Boolean) -> bool:
    """Whether all three networks have a limit for |w| to infinity; or a bound of B holds, and is attained."""
    networks, unit = large_weights()
    return unit.is_sharp(formula) if formula.has(B) else networks.holds(formula)


# ---- the weight with the largest factor

w_into, w_out = Symbol("w_{l_{m} l_{m-1}}"), Symbol("w_{l_{m-1} l_{m}}")
sent_in = Symbol("y_{l_{m-1}}(t-m-1)")
net_m = Symbol(r"\operatorname{net}_{l_{m}}(t-m)")
GRID = np.linspace(-60, 60, 120_001)


def peaks(sent: float, rest: float, *, into: bool) -> list[float]:
    """Weights, found by search, at which |w| sigma'(net) peaks; net = w sent + rest for a weight `into` the unit.

    Otherwise the net input is `rest`, whatever the weight is.
    """
    factor = np.abs(GRID) * logistic.derivative(GRID * sent + rest if into else np.full_like(GRID, rest))
    return GRID[1:-1][(factor[1:-1] > factor[:-2]) & (factor[1:-1] > factor[2:])].tolist()


def is_largest_factor(formula: Equality) -> bool:
    """Whether an equation picks out exactly the weights at which the factor peaks.

    The weight w_{l_m l_{m-1}} leads into unit l_m, and carries y_{l_{m-1}}; w_{l_{m-1} l_m} leads out of it.
    """
    into, weights = not formula.has(w_out), GRID + 1e-7  # off the points where the right side is infinite
    difference = (formula.lhs - formula.rhs).subs({w_into: w, w_out: w, sent_in: y, net_m: z})
    for sent, rest in ((0.3, 0.0), (0.9, 0.6), (0.5, -1.0), (-0.7, 0.2)):
        nets = weights * sent + rest if into else np.full_like(weights, rest + 1e-7)
        values = lambdify((w, y, z), difference, "numpy")(weights, sent, nets)
        turns = np.flatnonzero((np.sign(values[1:]) != np.sign(values[:-1])) & (np.abs(values[1:]) < 1))
        wanted = peaks(sent, rest, into=into)
        if len(turns) != len(wanted) or not np.allclose(GRID[turns], wanted, atol=3e-3):
            return False
    return True


@cache
def every_pair_has_a_weight() -> bool:
    """Whether each unit's net input changes with a weight of its own from each unit, in the library's network."""
    net, random = FullyRecurrent(n_in=1, n_out=3, activation=logistic), np.random.default_rng(5)
    theta, x = net.init(random, scale=1.0), random.normal(size=(2, 1))
    by_weight = [complex_step(lambda at, row=row: net.forward(at, x).z[2, row], theta) for row in range(3)]
    own = [by_weight[row][net.layout.index("W", row, net.n_in + column)] for row, column in product(range(3), repeat=2)]
    return bool(np.all(np.abs(own) > 1e-3))
