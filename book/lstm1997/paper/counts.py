"""The paper's counts: weights, steps of one update, stored derivatives, Table 10, and what section 6 says of sizes."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from sympy import Eq, Expr, Le, Poly, Rational, Symbol, lambdify, symbols
from sympy.core.basic import Basic
from throughtime.models.lstm1997 import LSTM1997
from throughtime_book.lstm1997.complexity.checks import SameOrder

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

PRINTED_W = Eq(W, K * H + K * C * S + C * S * I + 2 * C * I + H * I, evaluate=False)
PRINTED_STEPS = (
    Eq(STEPS_22, K * (H + C), evaluate=False),
    Eq(STEPS, K + 2 * K * H + K * C + 2 * K * S * C + H * I + C * I + 4 * C * S * I, evaluate=False),
)
CORRECTED_STEPS = (
    Eq(STEPS_22, K * (H + S * C), evaluate=False),
    Eq(STEPS, K + 2 * K * H + 3 * K * S * C + H * I + C * I + 4 * C * S * I, evaluate=False),
)
PRINTED_STORED = Eq(STORED, 2 * C * S * I, evaluate=False)
NINE = Le(W_lstm, 9 * W_plain)
TABLE = Eq(W_TABLE, C * (2 + S) * (N + C * (2 + S)) + K * C * S + BIASES, evaluate=False)
LETTERS = (
    "$K$ outputs, $H$ hidden units outside of the cells, $C$ blocks of $S$ cells; $I$ is the number of units "
    "that feed a "
    "cell: inputs, hidden units, gates and cells. Outputs have hidden units and cells as inputs, and there are "
    "no biases.",
)


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


def decide(formula: Basic) -> bool:
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


def plain(units: int, inputs: int, outputs: int) -> int:
    """Weights of a recurrent network of conventional hidden units."""
    return units * (units + inputs) + outputs * units


def nine(formula: Basic) -> bool:
    """Whether a bound on the weights holds for blocks of one cell, at most one for a hidden unit, and is attained."""
    ratio = []
    for units, inputs, outputs in product((1, 2, 3, 5), (0, 1, 4), (0, 1, 2)):
        lstm = 3 * units * (3 * units + inputs) + outputs * units
        values = {W_lstm: lstm, W_plain: plain(units, inputs, outputs)}
        if not formula.subs(values):
            return False
        ratio.append(float((formula.lhs - formula.rhs).subs(values)))
    return max(ratio) == 0


# Table 10: task, b, S, in, out, W; the column 12 in words as the number of biases
TABLE_10 = (
    ("1-1", 4, 1, 7, 7, 264), ("1-2", 3, 2, 7, 7, 276), ("2c-1", 2, 1, 54, 2, 364), ("2c-2", 2, 1, 104, 2, 664),
    ("2c-3", 2, 1, 204, 2, 1264), ("2c-4", 2, 1, 504, 2, 3064), ("2c-5", 2, 1, 1004, 2, 6064),
    ("3a", 3, 1, 1, 1, 102), ("4-1", 2, 2, 2, 1, 93), ("6a", 2, 2, 8, 4, 156), ("6b", 3, 2, 8, 8, 308),
)  # fmt: skip


def biases(task: str, b: int, cells: int, outputs: int) -> int:
    """The biases that column 12 of Table 10 names: gates in 1, none in 2, hidden units in 3, all units in 4 to 6."""
    gates, hidden = 2 * b, b * (2 + cells)
    return {"1": gates, "2": 0, "3": hidden}.get(task[0], hidden + outputs)


def table_10(formula: Basic) -> bool:
    """Whether a formula gives all rows of Table 10 with connectivity "F"."""
    rows = (
        {C: b, S: cells, N: inputs, K: outputs, W_TABLE: weights, BIASES: biases(task, b, cells, outputs)}
        for task, b, cells, inputs, outputs, weights in TABLE_10
    )
    return isinstance(formula, Eq) and all(formula.lhs.subs(row) == formula.rhs.subs(row) for row in rows)


# ---- delayed XOR

ONE, NONE, BOTH = (
    Symbol(rf"\varepsilon_{{\mathrm{{{known}}}}}", nonnegative=True) for known in ("one", "none", "both")
)
XOR = (Eq(ONE, NONE, evaluate=False), Eq(BOTH, 0, evaluate=False))


def expected_error(known: tuple[int, ...]) -> Expr:
    """The least expected squared error of a guess at a XOR b from the inputs known, each a fair bit."""
    cases = [((a, b), a ^ b) for a in (0, 1) for b in (0, 1)]
    total = Rational(0)
    for given in {tuple(bits[place] for place in known) for bits, _ in cases}:
        targets = [target for bits, target in cases if tuple(bits[place] for place in known) == given]
        mean = Rational(sum(targets), len(targets))
        total += sum(((target - mean) ** 2 for target in targets), Rational(0)) / len(cases)
    return total


def xor(formula: Basic) -> bool:
    """Whether an equation holds of the least expected errors that know no, one or both inputs."""
    values = {NONE: expected_error(()), ONE: expected_error((0,)), BOTH: expected_error((0, 1))}
    return isinstance(formula, Eq) and formula.lhs.subs(values) == formula.rhs.subs(values)
