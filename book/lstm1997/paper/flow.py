"""The claims of section 3 that are no equations: factors, weights, norms, and what they say of the error flow.

The judges use no proof. An inequality counts as true if no sampled network breaks it and, in every cell of sizes and
lags, some network attains it, so that a weaker one fails as well. A condition for vanishing has to be the weakest one:
among networks whose weights are all equal it separates those whose flow vanishes from the others.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from sympy import Abs, Eq, Ge, Implies, Le, Lt, Symbol, coth, lambdify, symbols
from sympy.core.basic import Basic
from sympy.logic.boolalg import Boolean
from throughtime.models.activations import logistic

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

EXPLODES = Ge(Abs(F), a_min**q), Ge(P, a_min**q)
VANISHES = Le(Abs(F), a_max**q), Le(Abs(F), n ** (q - 1) * a_max**q)
FOUR = Implies(w_max < 4, Eq(lim_flow, 0)), Implies(w_max < 4 / n, Eq(lim_flow, 0))
GLOBAL = tuple(formula.subs(lim_flow, lim_sum) for formula in FOUR)
ROW = Le(norm_in, norm_W), Le(norm_in, norm_WT)
FIRST = Le(Abs(F), n * f_max**q * norm_out * norm_in * norm_W ** (q - 2))
SECOND = (
    Le(FIRST.rhs, n * (f_max * norm_W) ** q),
    Le(FIRST.rhs, n * f_max**q * norm_W ** (q - 1) * norm_WT),
)
FACTOR = (
    r"$F_{uv}(q)$ is the factor $\partial\vartheta_v(t-q) / \partial\vartheta_u(t)$; $a_{\mathrm{min}}$ and "
    r"$a_{\mathrm{max}}$ are the least and the largest modulus of a factor $f' w$ on the way."
)
ANY_NORM = (
    r"$\|\cdot\|_x$ is any norm with $\max_i |x_i| \le \|x\|_x$, $\|\cdot\|_A$ the matrix norm that belongs to "
    r"it; tried "
    r"are the norms 1, 2 and $\infty$."
)


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
COTH = Eq(w, coth(z / 2) / y, evaluate=False)
BELOW_FOUR = Implies(Lt(Abs(w), 4), Lt(Abs(slope * w), 1))


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
