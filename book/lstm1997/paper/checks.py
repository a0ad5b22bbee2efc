"""Checks of what the paper claims of error flow, sizes, runs and delayed XOR, by networks and by counting.

No check uses a proof. An inequality counts as true if no sampled network breaks it and, in every cell of sizes and
lags, some network attains it, so that a weaker one fails as well. A condition for vanishing has to be the weakest one:
among networks whose weights are all equal it separates those whose flow vanishes from the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np
import sympy as sp
from book.lstm1997.complexity.checks import SameOrder
from book.lstm1997.training import experiment
from book.lstm1997.training.experiment import Drift
from book.shared.words import Iff
from sympy import Abs, Eq, Expr, Ge, Implies, Integer, Le, Poly, Rational, Symbol, lambdify, symbols
from sympy.core.basic import Basic
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
def _rows() -> tuple[np.ndarray, np.ndarray]:
    """Rows of COLUMNS and their cell (size, lag), -1 for random networks; logistic slopes, three norms."""
    draw, rows, cells = np.random.default_rng(1997), [], []
    for cell, (units, lag) in enumerate((units, lag) for units in SIZES for lag in LAGS):
        equal = [(np.full((units, units), scale), np.zeros((lag, units))) for scale in (1.0, 3.0, 6.0)]
        equal += [(3.0 * np.eye(units), np.zeros((lag, units)))]
        drawn = [(draw.normal(size=(units, units)) * 3, draw.normal(size=(lag, units))) for _ in range(30)]
        if units > 1:  # a row of ones, and paths that cancel
            equal += [(np.eye(1, units).T @ np.ones((1, units)) + 0.0, np.zeros((lag, units)))]
            signs = np.zeros((units, units))
            signs[:2, :2] = [[2, 2], [-2, -2]]
            drawn += [(4 * (signs + 1e-3), np.zeros((lag, units)))]
        for number, (weights, nets) in enumerate(equal + drawn):
            new = _of(weights, logistic.derivative(nets))
            rows += new
            cells += [cell if number < len(equal) else -1] * len(new)
    return np.array(rows), np.array(cells)


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


def bound(formula: Boolean) -> bool:
    """Whether an inequality in COLUMNS holds in every row and is attained in every cell."""
    rows, cells = _rows()
    with np.errstate(all="ignore"):
        left, right = (np.broadcast_to(lambdify(COLUMNS, side, "numpy")(*rows.T), len(rows)) for side in formula.args)
    slack = 1e-9 * (np.maximum(np.abs(left), np.abs(right)) + 1e-30)
    holds = left <= right + slack if formula.rel_op in ("<=", "<") else left >= right - slack
    attained = cells[(np.abs(left - right) <= slack) & (np.abs(left) > 1e-12)]
    return bool(np.all(holds)) and set(attained) >= set(range(cells.max() + 1))


@cache
def _limits() -> tuple[dict, ...]:
    """Networks of logistic units held at slope 1/4: size, largest weight, limits; the first ones have equal weights."""
    draw, found = np.random.default_rng(4), []
    for units in (1, 2, 3, 4):
        for reach in (1.0, 2.0, 3.0, 3.9, 4.0, 5.0, 7.0, 9.0):
            for weights in (
                np.full((units, units), reach / units),
                draw.uniform(-1, 1, (units, units)) * reach / units,
            ):
                late = np.linalg.matrix_power(weights / 4, LONG)
                limits = (np.abs(late).max(), np.abs(late.sum(axis=0)).max())
                equal = bool(np.ptp(weights) == 0)
                zero = [0 if value < 1e-9 else 1 for value in limits]
                found.append({n: units, w_max: np.abs(weights).max(), lim_flow: zero[0], lim_sum: zero[1], "": equal})
    return tuple(found)


def limit(formula: Boolean) -> bool:
    """Whether a condition on weights implies a limit, and is implied by it where all weights are equal."""
    if not isinstance(formula, Implies):
        return False
    for net in _limits():
        values = {symbol: value for symbol, value in net.items() if symbol != ""}
        premise, conclusion = (bool(part.subs(values) == True) for part in formula.args)  # noqa: E712
        if (premise and not conclusion) or (net[""] and conclusion and not premise):
            return False
    return True


# ---- one factor of a logistic unit

w, y, z = symbols("w y z", real=True)
slope = Symbol(r"f'(z)", real=True)


def largest(formula: Basic) -> bool:
    """Whether an equation in w, y and z = w y + rest holds where |f'(z) w| is largest, for several y and rests."""
    if not isinstance(formula, Eq):
        return False
    weights = np.linspace(0, 60, 600_001)[1:]
    for active in (0.4, 1.0, -0.7):
        for rest in (0.0, 0.8, -1.3):
            for sign in (1, -1):
                at = sign * weights
                best = float(at[np.argmax(logistic.derivative(at * active + rest) * weights)])
                left, right = (side.subs({w: best, y: active, z: best * active + rest}) for side in formula.args)
                if not abs(float(left - right)) < 1e-3:
                    return False
    return True


def below_four(formula: Boolean) -> bool:
    """Whether "if |w| < 4 then |f'(z) w| < 1" holds at all z, and for no larger set of weights."""
    premise, conclusion = (lambdify((w, slope), side, "numpy") for side in formula.args)
    slopes = logistic.derivative(np.linspace(-8, 8, 81))
    tried = np.round(np.linspace(-9, 9, 181), 6)
    return all(bool(np.all(premise(at, slopes))) == bool(np.all(conclusion(at, slopes))) for at in tried)


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
            lambda: bound(by_paths),
        ),
        Step(
            "So below $4/n$ the flow vanishes. At $4/n$ it need not: units of equal weights, held at slope $\\frac14$, "
            "have a constant flow.",
            None,
            lambda: limit(of_the_flow) and not limit(of_a_factor),
        ),
    ]


# ---- section 3.2: one unit that feeds back to itself

w_jj, g_jj = Symbol("w_{jj}", real=True, nonzero=True), Symbol(r"{f_j'}(t)", real=True)
now, later = (Symbol(rf"{{\vartheta_j}}({at})", real=True) for at in ("t", "t+1"))
x_j, c_j = Symbol("x", real=True), Symbol("{f_j(0)}", real=True)
f_j = sp.Function("f_j")


def holds_iff(formula: Basic) -> bool:
    """Whether two conditions on one unit hold together: of factors and errors that are rational numbers."""
    if not isinstance(formula, Iff):
        return False
    left, right = formula.args
    values = [Rational(a, b) for a, b in ((-2, 1), (-1, 2), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1))]
    met = 0
    for w in values:
        for g in values:
            for error in values:
                at = {w_jj: w, g_jj: g, later: error, now: g * error * w}
                one, two = (bool(side.subs(at)) for side in (left, right))
                met += one
                if one != two:
                    return False
    return met > 0


def of_affine(formula: Basic) -> bool:
    """Whether an equation for f holds of all affine functions of slope 1 / w."""
    if not isinstance(formula, Eq):
        return False
    for w in (Integer(1), Rational(-1, 2), Integer(3)):
        for constant in (Integer(0), Integer(1), Rational(-2, 3)):
            side = [part.replace(f_j, lambda at: at / w + constant) for part in formula.args]  # noqa: B023
            for point in (Integer(-2), Integer(0), Integer(5)):
                left, right = (part.subs({x_j: point, w_jj: w, c_j: constant}) for part in side)
                if left != right:
                    return False
    return True


# ---- section 4: drift


def solved(bias: float) -> list[bool]:
    """For each stored seed whether it solved the drift task with this bias of the input gate."""
    name = Drift(1.0, 1.0, bias).name
    return [row["solved"] == "1" for row in experiment.RUNS.read() if row["setup"] == name]


def is_sharp(formula: Basic, values: dict[Symbol, int]) -> bool:
    """Whether a bound from below holds of these numbers, and no larger whole number would."""
    if not isinstance(formula, Ge):
        return False
    return bool(formula.subs(values)) and not bool(formula.func(formula.lhs, formula.rhs + 1).subs(values))


# ---- A.1: counts

K, H, C, S, I = symbols("K H C S I", positive=True)
N = Symbol("N", positive=True)
W, STEPS_22, STEPS, STORED = (
    Symbol(text, positive=True) for text in ("W", r"n_{(22)}", r"n_{\mathrm{all}}", r"n_{\mathrm{stored}}")
)
W_lstm, W_plain = (Symbol(rf"W_{{\mathrm{{{kind}}}}}", positive=True) for kind in ("LSTM", "plain"))
W_TABLE = Symbol(r"W_{\mathrm{table}}", positive=True)
BIASES = Symbol(r"n_{\mathrm{bias}}", nonnegative=True)
RAYS = tuple(product(range(3), repeat=5))
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


def counts(formula: Basic) -> bool:
    """Whether an equation between counts holds of all networks of the grid."""
    return isinstance(formula, Eq) and all(
        formula.lhs.subs(counted(*net)) == formula.rhs.subs(counted(*net)) for net in GRID
    )


def same_order(formula: Basic) -> bool:
    """Whether each of two sums is at most a multiple of the other, however the sizes grow."""
    if not isinstance(formula, SameOrder):
        return False
    sides = [lambdify((K, H, C, S, I), side, "math") for side in formula.args]
    for powers in RAYS:
        (left, right), (later_left, later_right) = (
            [side(*(scale**power for power in powers)) for side in sides] for scale in (2**20, 2**40)
        )
        if min(left, right, later_left, later_right) <= 0:
            return False
        if later_left * right > 2 * later_right * left or later_right * left > 2 * later_left * right:
            return False
    return True


def same(mutant: Basic, formula: Basic) -> bool:
    """Whether a mutant has the same sums but for positive factors and for terms that divide another term."""
    return isinstance(mutant, SameOrder) and all(
        _leading(one) == _leading(other) for one, other in zip(mutant.args, formula.args, strict=True)
    )


def _leading(side: Expr) -> set[tuple[int, ...]]:
    """Exponents of the terms of a sum that divide no other; the empty set if a coefficient is negative."""
    terms = Poly(side, K, H, C, S, I).as_dict()
    if any(number < 0 for number in terms.values()):
        return set()
    return {
        term for term in terms
        if not any(other != term and all(a <= b for a, b in zip(term, other, strict=True)) for other in terms)
    }  # fmt: skip


def nine(formula: Basic) -> bool:
    """Whether a bound on the weights holds for blocks of one cell, at most one for a hidden unit, and is attained."""
    ratio = []
    for units, inputs, outputs in product((1, 2, 3, 5), (0, 1, 4), (0, 1, 2)):
        lstm = 3 * units * (3 * units + inputs) + outputs * units
        values = {W_lstm: lstm, W_plain: units * (units + inputs) + outputs * units}
        if not formula.subs(values):
            return False
        ratio.append(float((formula.lhs - formula.rhs).subs(values)))
    return max(ratio) == 0


def table(formula: Basic, rows: Sequence[dict[Symbol, int]]) -> bool:
    """Whether a formula gives the number of weights in every row."""
    return isinstance(formula, Eq) and all(formula.lhs.subs(row) == formula.rhs.subs(row) for row in rows)


# ---- delayed XOR

ONE, NONE, BOTH = (
    Symbol(rf"\varepsilon_{{\mathrm{{{known}}}}}", nonnegative=True) for known in ("one", "none", "both")
)
