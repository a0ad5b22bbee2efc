"""Claim on a clipping rule, rnn-clip: the new gradient points where the old one did and is as long as it, or as the
threshold, whichever is less.
"""

from collections.abc import Sequence

import numpy as np
from book.shared.samples import Samples
from sympy import Basic, Equality, Expr, Piecewise, Rational, Symbol, simplify
from throughtime.learning.clipping import clip_by_norm

clipped = Symbol(r"\left(\frac{\partial E}{\partial V}\right)^{\text{new}}", real=True)
slope = Symbol(r"{\dfrac{\partial E}{\partial V}}", real=True)  # in braces it prints behind its factor
length = Symbol(r"\left\|\dfrac{\partial E}{\partial V}\right\|", positive=True)
threshold = Symbol("eta", positive=True)

EXACT = (((3, 4), 5), ((-3, 4), 5), ((2, -3, 6), 7), ((1, 4, 8), 9), ((Rational(3, 5), Rational(-4, 5)), 1))
"""Vectors with rational lengths."""
THRESHOLDS = (Rational(1, 2), 1, 5, 7, 20)  # below, at and above some of the lengths


def rule(*cases: tuple[Expr, Basic | bool]) -> Equality:
    """new = the first formula whose condition is met."""
    return Equality(clipped, Piecewise(*cases, evaluate=False), evaluate=False)


def apply(formula: Equality, vector: Sequence[Expr], size: Expr, at: Expr) -> list[Expr]:
    """The rule for each component of a vector of a known length."""
    return [formula.rhs.subs({slope: item, length: size, threshold: at}) for item in vector]


LETTERS = slope, length, threshold, clipped
CASES = ((old, size, at) for vector, size in EXACT for at in THRESHOLDS for old in vector)
clips_by_norm = Samples(LETTERS, ((*case, min(1, Rational(case[2]) / case[1]) * case[0]) for case in CASES)).holds


def is_the_librarys(formula: Equality) -> bool:
    """Whether the rule agrees with the library's `clip_by_norm` on random vectors of several sizes."""
    draw, rows = np.random.default_rng(5), []
    for vector in (draw.normal(size=size) for size in (1, 3, 40)):
        long = float(np.linalg.norm(vector))
        for at in (0.3 * long, long, 2.0 * long):
            rows += [[old, long, at, new] for old, new in zip(vector, clip_by_norm(vector, at), strict=True)]
    return Samples(LETTERS, np.array(rows), rounding=(1e-12, 0.0)).holds(formula)


def same_rule(mutant: Equality, formula: Equality) -> bool:
    """Whether two rules clip alike, though one of them counts a gradient as long as the threshold as too long."""
    try:
        mine, theirs = (side.rhs.subs(length, threshold) for side in (mutant, formula))
    except TypeError:
        return False
    return clips_by_norm(mutant) and simplify(mine - theirs) == 0
