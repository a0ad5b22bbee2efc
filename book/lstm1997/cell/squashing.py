"""g, h and the initial weights of the experiments of 1997 (lstm97-squashing), against the paper and the library."""

from __future__ import annotations

import numpy as np
from sympy import (
    Contains,
    Eq,
    Equality,
    Function,
    Interval,
    Piecewise,
    Rational,
    Symbol,
    exp,
    lambdify,
    limit,
    oo,
    tanh,
)
from sympy.core.basic import Basic
from throughtime.derivation import Step, identity
from throughtime.models.activations import logistic, tanh_half, twice_tanh_half

x = Symbol("x", real=True)
number = Symbol("n", integer=True, positive=True)  # of an experiment
sigma, g, h, scale = (Function(name) for name in ("sigma", "g", "h", "w_max"))
LIBRARY = {"sigma": logistic, "g": twice_tanh_half, "h": tanh_half}

INITIAL_WEIGHTS = {1: Rational(1, 5), 2: Rational(1, 5), **dict.fromkeys((3, 4, 5, 6), Rational(1, 10))}
"""Largest modulus of an initial weight in each experiment of the paper (Hochreiter and Schmidhuber 1997, section 5)."""

PRINTED = (
    Eq(h(x), 2 / (1 + exp(-x)) - 1, evaluate=False),
    Eq(h(x), 2 * sigma(x) - 1, evaluate=False),
    Contains(h(x), Interval(-1, 1), evaluate=False),
    Eq(g(x), 4 / (1 + exp(-x)) - 2, evaluate=False),
    Eq(g(x), 4 * sigma(x) - 2, evaluate=False),
    Contains(g(x), Interval(-2, 2), evaluate=False),
    Eq(scale(number), Piecewise((Rational(1, 5), number <= 2), (Rational(1, 10), True)), evaluate=False),
)
POINTS = np.linspace(-6.0, 6.0, 24)  # 0 is not among them: some slips have a pole there


def decide(formula: Basic) -> bool:
    """Whether an equation holds of the library's functions, a range is the smallest closed one, or weights start
    where the paper has them start.
    """
    if isinstance(formula, Contains):
        name, interval = formula.args[0].func.__name__, formula.args[1]
        return isinstance(interval, Interval) and (float(interval.inf), float(interval.sup)) == LIBRARY[name].bounds
    if not isinstance(formula, Equality):
        return False
    if formula.lhs.func == scale:
        return all(formula.rhs.subs(number, which) == largest for which, largest in INITIAL_WEIGHTS.items())
    left, right = (lambdify(x, side, [LIBRARY, "numpy"])(POINTS) for side in formula.args)
    return bool(np.all(np.abs(left - right) <= 1e-14))


def proof() -> list[Step]:
    """Both functions are hyperbolic tangents of half the net input, which gives their ranges."""
    logistic_of_x = 1 / (1 + exp(-x))
    return [
        identity(
            "$h$ is a hyperbolic tangent of half its argument, and lies between $-1$ and $1$.",
            2 * logistic_of_x - 1,
            tanh(x / 2),
        ),
        identity("$g$ is twice $h$, between $-2$ and $2$.", 4 * logistic_of_x - 2, 2 * tanh(x / 2)),
        Step(
            "Both ends are approached and never reached.",
            None,
            lambda: [limit(c * tanh(x / 2), x, end) for c in (1, 2) for end in (-oo, oo)] == [-1, 1, -2, 2],
            exact=True,
        ),
    ]
