"""Checks of update rules for Rprop (rnn-29 to rnn-31), on numbers."""

from __future__ import annotations

from itertools import product

import numpy as np
from book.training.counter import gradient
from sympy import Basic, Float, Symbol
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


def moves_by_the_step(formula: Basic) -> bool:
    """Whether a formula for the new weight goes exactly one step size down, and nowhere if the derivative is zero."""
    letters = next(at for at in LETTERS.values() if at["v_new"] in formula.free_symbols | {formula.lhs})
    for v, g, size in product((-1.5, 0.0, 2.0), (-3.0, -1e-9, 0.0, 0.25), (0.125, 2.0)):
        new = float(formula.rhs.xreplace(_numbers({letters["v"]: v, letters["g"]: g, letters["D"]: size})))
        if abs(new - v) != (size if g else 0.0) or (new - v) * g > 0:
            return False
    return True


def adapts_as_published(formula: Basic) -> bool:
    """Whether a formula for the new step size is that of the papers, as the library's Rprop- runs it without bounds."""
    letters = next(at for at in LETTERS.values() if at["D_new"] == formula.lhs)
    for g, p, size in product((-2.0, 0.0, 0.5), (-0.25, 0.0, 3.0), (0.015, 0.1, 0.9)):
        rprop = RpropMinus(1, size, grow=1.2, shrink=0.5, smallest=0.0, largest=np.inf)
        rprop.step(np.zeros(1), np.array([p]))
        rprop.step(np.zeros(1), np.array([g]))
        given = {letters["g"]: g, letters["p"]: p, letters["D"]: size}
        new = formula.rhs.xreplace(_numbers(given | CONSTANTS))
        if not new.is_number or abs(float(new) - rprop.steps[0]) > 1e-12:
            return False
    return True


def _numbers(values: dict) -> dict:
    return {symbol: Float(number) for symbol, number in values.items()}


def step_without_ones(passes: int = 50, first: float = 0.001) -> float:
    """The step size of v_x by the printed rule after passes on sequences without a one, where the derivative is 0."""
    rprop, theta = PrintedRprop(2, first), np.array([0.5, 0.5])
    for _ in range(passes):
        slope = gradient(*theta, np.zeros((3, 8)))
        if slope[0] != 0:
            raise ArithmeticError(f"the derivative with respect to v_x is {slope[0]}, expected 0")
        theta = rprop.step(theta, slope)
    return float(rprop.steps[0])
