"""Checks of update rules for Rprop (rnn-29 to rnn-31), on a table of numbers."""

from __future__ import annotations

from itertools import product

import numpy as np
from book.training.counter import gradient
from sympy import Equality, Float, Symbol
from throughtime.learning.optimizers import PrintedRprop, RpropMinus


def _letters(weight: str) -> dict[str, Symbol]:
    """The letters of the rule for v_x or v_f: weight, derivative, the one before, step size, and the new values."""
    slope = rf"\frac{{\partial E}}{{\partial v_{weight}}}"
    names = {
        "v": f"v_{weight}",
        "v_new": rf"v_{weight}^{{\mathrm{{new}}}}",
        "g": slope,
        "p": rf"\left({slope}\right)_{{\mathrm{{previous}}}}",
        "D": rf"\Delta_{weight}",
        "D_new": rf"\Delta_{weight}^{{\mathrm{{new}}}}",
    }
    return {key: Symbol(name, real=True) for key, name in names.items()}


LETTERS = {weight: _letters(weight) for weight in "xf"}
GROW, SHRINK = Symbol("eta_p", positive=True), Symbol("eta_n", positive=True)
CONSTANTS = {GROW: 1.2, SHRINK: 0.5}


# Weight, derivative, the one before, step size.
SAMPLES = [*product((-1.5, 0.0, 2.0), (-3.0, -1e-9, 0.0, 0.25), (-0.25, 0.0, 3.0), (0.015, 0.125, 2.0))]


def is_published(formula: Equality) -> bool:
    """Whether a formula for the new weight, or for the new step size, is that of the papers on all samples.

    The library's Rprop- runs them, without bounds. The new weight is asked for with the step size already adapted.
    """
    at = next(at for at in LETTERS.values() if formula.lhs in (at["v_new"], at["D_new"]))
    moves = formula.lhs == at["v_new"]
    for v, g, p, size in SAMPLES:
        rprop = RpropMinus(1, size, grow=1.2, shrink=0.5, smallest=0.0, largest=np.inf)
        rprop.step(np.zeros(1), np.array([p]))
        moved, adapted = rprop.step(np.array([v]), np.array([g]))[0], rprop.steps[0]
        given = {at["v"]: v, at["g"]: g, at["p"]: p, at["D"]: adapted if moves else size} | CONSTANTS
        new = formula.rhs.xreplace({letter: Float(number) for letter, number in given.items()})
        if not new.is_number or abs(float(new) - (moved if moves else adapted)) > 1e-12:
            return False
    return True


def step_without_ones(passes: int = 50, first: float = 0.001) -> float:
    """The step size of v_x by the printed rule after passes on sequences without a one, where the derivative is 0."""
    rprop, theta = PrintedRprop(2, first), np.array([0.5, 0.5])
    for _ in range(passes):
        slope = gradient(*theta, np.zeros((3, 8)))
        if slope[0] != 0:
            raise ArithmeticError(f"the derivative with respect to v_x is {slope[0]}, expected 0")
        theta = rprop.step(theta, slope)
    return float(rprop.steps[0])
