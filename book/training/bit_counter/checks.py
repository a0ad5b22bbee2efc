"""Checks of the bit counter: does a rule descend, and what becomes of the derivatives in long sequences."""

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from book.shared.samples import Samples
from book.training.counter import gradient, loss
from sympy import Basic, Equality, Integer, Rational, Symbol, lambdify, nan, oo, zoo
from sympy.logic.boolalg import Boolean
from throughtime.checks import complex_step

TEX = r"v_%s^\text{new}", "v_%s", r"\alpha_%s", r"\frac{\partial E}{\partial v_%s}"
RULES = {name: tuple(Symbol(tex % name, real=True) for tex in TEX) for name in ("x", "f")}
"""For each weight: its new value, the old one, its rate, its component of the gradient."""


def descends(rule: Equality) -> bool:
    """Whether an update rule leaves a weight for rate 0, and lowers E at the rate of its squared derivative."""
    name, (new, old, rate, slope) = next((name, group) for name, group in RULES.items() if rule.has(group[0], group[1]))
    if rule.lhs != new:
        return False
    bits = np.array([[1.0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    own, update = np.array([*RULES]) == name, lambdify((old, rate, slope), rule.rhs, "numpy")
    for weights in np.array([(0.75, -1.25), (0.5, 0.5), (1.5, 1.125)]):
        (g,) = gradient(*weights, bits)[own]

        def moved(alpha: complex, weights=weights, g=g) -> np.ndarray:
            return np.where(own, update(weights, alpha, g), weights)

        fall = complex_step(lambda alpha, m=moved: complex(loss(*m(alpha[0]), bits)), np.zeros(1))[0]
        if not np.array_equal(moved(0.0), weights) or abs(fall + g * g) > 1e-10 * g * g:
            return False
    return True


v = Symbol("v_f", real=True)
lim_signed = Symbol(r"\lim_{T \to \infty} \partial E / \partial f_1")
lim_error = Symbol(r"\lim_{T \to \infty} |\mathrm d E / \mathrm d f_1|")
lim_answer = Symbol(r"\lim_{T \to \infty} |\mathrm d \hat y / \mathrm d f_1|")
LONG = 200


def derivative_of_first(v_x: Fraction, v_f: Fraction, bits: tuple[int, ...]) -> tuple[Fraction, Fraction]:
    """(dE/df(1), dyhat/df(1)) of one sequence in rational numbers, by running the net and one beside it."""
    state, tangent = v_x * bits[0], Fraction(1)
    for bit in bits[1:]:
        state, tangent = v_f * state + v_x * bit, v_f * tangent
    return (state - sum(bits)) * tangent, tangent


KINDS = (
    lambda t: int(t == 1),  # a one and then zeros
    lambda t: 1,
    lambda t: int(t % 3 > 0),  # two ones and a zero in turn
    lambda t: 0,
)


@cache
def long_runs() -> Samples:
    """Feedback weights of both signs, below, at and above 1 in modulus, each a cell: on all kinds of long sequences."""
    weights, lengths, rows, cells = (-10, -6, -5, -4, -3, -2, 0, 2, 3, 4, 5, 6, 10), (LONG, LONG + 1, 2 * LONG), [], []
    for (cell, quarters), kind, v_x in product(enumerate(weights), KINDS, (1, 2)):
        sequences = (tuple(map(kind, range(1, length + 1))) for length in lengths)
        found = [derivative_of_first(Fraction(v_x), Fraction(quarters, 4), bits) for bits in sequences]
        signed, answers = zip(*found, strict=True)
        of_signed = limit(signed)
        limits = zoo if of_signed is nan else of_signed, limit(map(abs, signed)), limit(map(abs, answers))
        rows.append([Rational(quarters, 4), *limits])  # zoo is equal to no number
        cells.append(cell)
    return Samples((v, lim_signed, lim_error, lim_answer), rows, cells)


def limit(late: Any) -> Basic:
    """The limit of a sequence, estimated from late elements: 0, an infinity, their common value, or nan."""
    values = tuple(late)
    if all(abs(value) < Fraction(1, 10**9) for value in values):
        return Integer(0)
    if len(set(values)) == 1:
        return Rational(values[0].numerator, values[0].denominator)
    growing = abs(values[0]) >= 100 and abs(values[-1]) > Fraction(3, 2) * abs(values[0])
    return (oo if values[0] > 0 else -oo) if growing and len({value > 0 for value in values}) == 1 else nan


def long_sequences(formula: Boolean) -> bool:
    """Whether a formula in v_f and the limits holds of every net on every kind of sequence, and says all that holds.

    That is: its premise is met by every weight for which its conclusion holds on all kinds of sequence, and by some.
    """
    return long_runs().is_weakest(formula) and bool(long_runs().truth(formula.args[0]).any())
