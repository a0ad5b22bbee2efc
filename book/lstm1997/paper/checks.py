"""Checks of what the paper claims of error flow, sizes, runs and delayed XOR, by networks and by counting.

No check uses a proof. An inequality counts as true if no sampled network breaks it and, in every cell of sizes and
lags, some network attains it, so that a weaker one fails as well. A condition for vanishing has to be the weakest one:
among networks whose weights are all equal it separates those whose flow vanishes from the others.
"""

from functools import cache
from itertools import product

import numpy as np
import sympy as sp
from book.lstm1997.complexity import checks as cost
from book.lstm1997.complexity.checks import SameOrder
from book.lstm1997.training.checks import solved as solved
from book.shared.samples import Samples
from book.shared.words import Iff
from sympy import Abs, Integer, Le, Rational, Symbol, symbols
from sympy.logic.boolalg import Boolean
from throughtime.arrays.activations import logistic
from throughtime.derivation import Step
from throughtime.textbook.lstm1997 import LSTM1997

NO_NET = "a statement about sizes; the decision counts networks of the library"
NETS = "the decision tries networks"

# ---- section 3.1: bounds on the error flow

n, q = Symbol("n", positive=True), Symbol("q", positive=True)
F = Symbol(r"F_{uv}(q)", real=True)
P, a_min, a_max, w_max = (
    Symbol(rf"{letter}_{{\mathrm{{{which}}}}}", nonnegative=True)
    for letter, which in (("P", "max"), ("a", "min"), ("a", "max"), ("w", "max"))
)
f_max, norm_W, norm_WT = (
    Symbol(text, nonnegative=True) for text in (r"{f'_{\mathrm{max}}}", r"{\|W\|_A}", r"{\|W^T\|_A}")
)
norm_out, norm_in = Symbol(r"{\|W_v\|_x}", nonnegative=True), Symbol(r"{\|W_{u^T}\|_x}", nonnegative=True)
lim_flow = Symbol(r"\lim_{q \to \infty} |{F_{uv}(q)}|")
lim_sum = Symbol(r"\lim_{q \to \infty} |{\sum_{u} F_{uv}(q)}|")

COLUMNS = (n, q, F, P, a_min, a_max, w_max, f_max, norm_W, norm_WT, norm_out, norm_in)
SIZES, LAGS = (1, 2, 3), (2, 3, 4)
NORMS = (1, 2, np.inf)
LONG = 850


def matrix_flow(weights: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """W F'(t-1) W F'(t-2) ... W F'(t-q): entry (u, v) is the factor from u to v; slopes (q, n)."""
    flow = np.eye(len(weights))
    for row in slopes:
        flow = flow @ (weights * row)
    return flow


@cache
def networks() -> Samples:
    """Random networks of logistic slopes in three norms, and in each cell (size, lag) some that attain the bounds."""
    draw, rows, cells = np.random.default_rng(1997), [], []
    for cell, (units, lag) in enumerate(product(SIZES, LAGS)):
        equal = [(np.full((units, units), scale), np.zeros((lag, units))) for scale in (1.0, 3.0, 6.0)]
        equal += [(3.0 * np.eye(units), np.zeros((lag, units)))]
        drawn = [(draw.normal(size=(units, units)) * 3, draw.normal(size=(lag, units))) for _ in range(30)]
        if units > 1:  # a row of ones, and paths that cancel
            equal += [(np.eye(1, units).T @ np.ones((1, units)), np.zeros((lag, units)))]
            signs = np.zeros((units, units))
            signs[:2, :2] = [[2, 2], [-2, -2]]
            drawn += [(4 * (signs + 1e-3), np.zeros((lag, units)))]
        for number, (weights, nets) in enumerate(equal + drawn):
            new = _of(weights, logistic.derivative(nets))
            rows += new
            cells += [cell if number < len(equal) else -1] * len(new)
    return Samples(COLUMNS, np.array(rows), cells)


def _of(weights: np.ndarray, slopes: np.ndarray) -> list[tuple[float, ...]]:
    links = np.abs([weights * row for row in slopes])
    flow, units, lag = matrix_flow(weights, slopes), len(weights), len(slopes)
    best = np.eye(units)
    for link in links:
        best = (best[:, :, None] * link).max(axis=1)
    return [
        (
            units, lag, flow[u, v], best[u, v], links.min(), links.max(), np.abs(weights).max(), slopes.max(),
            np.linalg.norm(weights, kind), np.linalg.norm(weights.T, kind), np.linalg.norm(weights[:, v], kind),
            np.linalg.norm(weights[u], kind),
        )
        for u in range(units) for v in range(units) for kind in NORMS
    ]  # fmt: skip


@cache
def limits() -> Samples:
    """Networks held at slope 1/4, and whether they have a flow in the limit; those of equal weights are cells."""
    draw, rows, cells = np.random.default_rng(4), [], []
    for units, reach in product((1, 2, 3, 4), (1.0, 2.0, 3.0, 3.9, 4.0, 5.0, 7.0, 9.0)):
        for weights in (np.full((units, units), reach / units), draw.uniform(-1, 1, (units, units)) * reach / units):
            late = np.linalg.matrix_power(weights / 4, LONG)
            grows = [float(value >= 1e-9) for value in (np.abs(late).max(), np.abs(late.sum(axis=0)).max())]
            rows.append([units, np.abs(weights).max(), *grows])
            cells.append(len(rows) // 2 if np.ptp(weights) == 0 else -1)
    return Samples((n, w_max, lim_flow, lim_sum), np.array(rows), cells)


# ---- one factor of a logistic unit

w, y, z = symbols("w y z", real=True)
slope = Symbol(r"f'(z)", real=True)


@cache
def largest_factors() -> Samples:
    """Where |f'(z) w| is largest, for several y and rests of z = w y + rest: w by search, y and z."""
    weights, rows = np.linspace(0, 60, 600_001)[1:], []
    for active, rest, sign in product((0.4, 1.0, -0.7), (0.0, 0.8, -1.3), (1, -1)):
        at = sign * weights
        best = at[np.argmax(logistic.derivative(at * active + rest) * weights)]
        rows.append([best, active, best * active + rest])
    return Samples((w, y, z), np.array(rows), rounding=(0.0, 1e-3))


@cache
def factors() -> Samples:
    """Weights, each a cell, with the slopes at many net inputs."""
    slopes, tried = logistic.derivative(np.linspace(-8, 8, 81)), np.round(np.linspace(-9, 9, 181), 6)
    rows = np.array([[at, steep] for at in tried for steep in slopes])
    return Samples((w, slope), rows, np.repeat(np.arange(len(tried)), len(slopes)))


def grown() -> str:
    """The flow of two units whose weights are all just below 4."""
    late = matrix_flow(np.full((2, 2), 3.9), np.full((20, 2), 0.25))[0, 0]
    return (
        f"Two logistic units, all weights $3.9$, held at slope $\\frac14$: the flow is {late:.3g} after 20 steps, and "
        "grows by the factor $1.95$ with each."
    )


def quarter(by_paths: Boolean, of_a_factor: Boolean, of_the_flow: Boolean) -> list[Step]:
    """Why weights below 4/n make the flow vanish, and weights below 4 do not."""
    return [
        Step(
            "Each factor is at most $w_{\\mathrm{max}} / 4$, and there are $n^{q-1}$ paths:",
            Le(Abs(F), n ** (q - 1) * (w_max / 4) ** q),
            lambda: networks().is_sharp(by_paths),
        ),
        Step(
            "So below $4/n$ the flow vanishes. At $4/n$ it need not: units of equal weights, held at slope $\\frac14$, "
            "have a constant flow.",
            None,
            lambda: limits().is_weakest(of_the_flow) and not limits().is_weakest(of_a_factor),
        ),
    ]


# ---- section 3.2: one unit that feeds back to itself

w_jj, g_jj = Symbol("w_{jj}", real=True, nonzero=True), Symbol(r"{f_j'}(t)", real=True)
now, later = (Symbol(rf"{{\vartheta_j}}({at})", real=True) for at in ("t", "t+1"))
x_j, c_j = Symbol("x", real=True), Symbol("{f_j(0)}", real=True)
f_j = sp.Function("f_j")


def holds_iff(formula: Iff) -> bool:
    """Whether two conditions on one unit hold together, and somewhere: of factors and errors in rational numbers."""
    values = [Rational(a, b) for a, b in ((-2, 1), (-1, 2), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1))]
    units = Samples((w_jj, g_jj, later, now), ((w, g, e, g * e * w) for w, g, e in product(values, repeat=3)))
    return units.holds(formula) and bool(units.truth(formula.args[0]).any())


def of_affine(formula: Boolean) -> bool:
    """Whether an equation for f holds of all affine functions of slope 1 / w."""
    slopes, constants = (Integer(1), Rational(-1, 2), Integer(3)), (Integer(0), Integer(1), Rational(-2, 3))
    cases = product(slopes, constants, map(Integer, (-2, 0, 5)))
    functions = Samples((f_j(x_j), w_jj, c_j, x_j), ((at / w + c, w, c, at) for w, c, at in cases))
    return functions.holds(formula)


# ---- A.1: counts

K, H, C, S, I = symbols("K H C S I", positive=True)
N = Symbol("N", positive=True)
W, STEPS_22, STEPS, STORED = (
    Symbol(text, positive=True) for text in ("W", r"n_{(22)}", r"n_{\mathrm{all}}", r"n_{\mathrm{stored}}")
)
W_lstm, W_plain = (Symbol(rf"W_{{\mathrm{{{kind}}}}}", positive=True) for kind in ("LSTM", "plain"))
W_TABLE = Symbol(r"W_{\mathrm{table}}", positive=True)
BIASES = Symbol(r"n_{\mathrm{bias}}", nonnegative=True)
GRID = tuple(product((1, 2), (1, 2), (1, 3), (1, 2, 4), (0, 3)))  # K, H, C, S, inputs


@cache
def counted(outputs: int, hidden: int, blocks: int, cells: int, inputs: int) -> dict[Symbol, int]:
    """Numbers of the library's network: weights, products of each equation of the backward pass, derivatives kept."""
    net = LSTM1997(inputs, blocks, cells, outputs, hidden=hidden)
    shapes = net.layout.shapes
    feed = shapes["w_cell"][-1]
    into_outputs = {name: outputs * (part.stop - part.start) for name, part in net.output_sources.items()}
    below = into_outputs["y_hid"] + into_outputs["y_cell"]
    steps = {
        19: outputs,
        20: into_outputs["y_hid"],
        21: into_outputs["y_cell"],
        22: below + hidden * feed + blocks * feed,
        23: into_outputs["y_cell"],
        **dict.fromkeys((25, 26, 27, 28), int(np.prod(shapes["w_cell"]))),
    }
    weights = below + sum(int(np.prod(shapes[f"w_{kind}"])) for kind in ("hid", "ig", "og", "cell"))
    found = {W: weights, STEPS_22: below, STEPS: sum(steps.values()), STORED: 2 * int(np.prod(shapes["w_cell"]))}
    return {K: outputs, H: hidden, C: blocks, S: cells, I: feed, **found}


@cache
def sizes() -> Samples:
    """The counts of all networks of the grid."""
    return Samples.of(counted(*net) for net in GRID)


OF_THE_NOTE = dict(zip((K, H, C, S, I), (cost.d_out, cost.d_hid, cost.d_cell, cost.n_cell, cost.d_in), strict=True))
"""Letters by which the chapter on cost decides an order; there, too, each of them grows by itself."""


def same_order(formula: SameOrder) -> bool:
    """Whether each of two sums is at most a multiple of the other, however the sizes grow."""
    return cost.is_true(formula.xreplace(OF_THE_NOTE))


def same(mutant: SameOrder, formula: SameOrder) -> bool:
    """Whether a mutant names sums of the same order."""
    return cost.same(mutant.xreplace(OF_THE_NOTE), formula.xreplace(OF_THE_NOTE))


@cache
def small_nets() -> Samples:
    """Numbers of weights of nets with blocks of one cell for each hidden unit, and of conventional ones."""
    sizes = product((1, 2, 3, 5), (0, 1, 4), (0, 1, 2))
    rows = ((3 * h * (3 * h + inputs) + out * h, h * (h + inputs) + out * h) for h, inputs, out in sizes)
    return Samples((W_lstm, W_plain), rows)


# ---- delayed XOR

ONE, NONE, BOTH = (
    Symbol(rf"\varepsilon_{{\mathrm{{{known}}}}}", nonnegative=True) for known in ("one", "none", "both")
)
