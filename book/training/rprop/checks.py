"""Checks of update rules for Rprop (rnn-29 to rnn-31), on a table of numbers."""

from functools import cache
from itertools import product

import numpy as np
from book.shared.samples import Samples
from book.training.counter import gradient
from sympy import Equality, Symbol
from throughtime.learning.optimizers import PrintedRprop, RpropMinus

TEX = {
    "v": "v_%s",
    "v_new": r"v_%s^{\mathrm{new}}",
    "g": r"\frac{\partial E}{\partial v_%s}",
    "p": r"\left(\frac{\partial E}{\partial v_%s}\right)_{\mathrm{previous}}",
    "D": r"\Delta_%s",
    "D_new": r"\Delta_%s^{\mathrm{new}}",
}
LETTERS = {weight: {key: Symbol(tex % weight, real=True) for key, tex in TEX.items()} for weight in "xf"}
"""The letters of the rule for v_x or v_f: weight, derivative, the one before, step size, and the new values."""
GROW, SHRINK = Symbol("eta_p", positive=True), Symbol("eta_n", positive=True)


@cache
def published() -> np.ndarray:
    """Weight, derivative, the one before and step size, then the new weight and step size by the library's Rprop-.

    It runs without bounds, which the papers add to the rule.
    """
    rows = []
    for v, g, p, size in product((-1.5, 0.0, 2.0), (-3.0, -1e-9, 0.0, 0.25), (-0.25, 0.0, 3.0), (0.015, 0.125, 2.0)):
        rprop = RpropMinus(1, size, grow=1.2, shrink=0.5, smallest=0.0, largest=np.inf)
        rprop.step(np.zeros(1), np.array([p]))
        rows.append([v, g, p, size, rprop.step(np.array([v]), np.array([g]))[0], rprop.steps[0]])
    return np.array(rows)


def is_published(formula: Equality) -> bool:
    """Whether a formula for the new weight, or for the new step size, is that of the papers.

    The new weight is asked for with the step size already adapted.
    """
    at = next(at for at in LETTERS.values() if formula.lhs in at.values())
    v, g, p, size, moved, adapted = published().T
    given = {at["v"]: v, at["g"]: g, at["p"]: p, at["D"]: adapted if formula.lhs == at["v_new"] else size}
    given |= {at["v_new"]: moved, at["D_new"]: adapted, GROW: np.full_like(v, 1.2), SHRINK: np.full_like(v, 0.5)}
    return Samples(given, np.column_stack([*given.values()])).holds(formula)


def step_without_ones(passes: int = 50, first: float = 0.001) -> float:
    """The step size of v_x by the printed rule after passes on sequences without a one, where the derivative is 0."""
    rprop, theta = PrintedRprop(2, first), np.array([0.5, 0.5])
    for _ in range(passes):
        slope = gradient(*theta, np.zeros((3, 8)))
        if slope[0] != 0:
            raise ArithmeticError(f"the derivative with respect to v_x is {slope[0]}, expected 0")
        theta = rprop.step(theta, slope)
    return float(rprop.steps[0])
