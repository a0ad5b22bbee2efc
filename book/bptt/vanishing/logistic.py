"""The range of the logistic function and its largest slope: bptt-17 and lstm97-25."""

from __future__ import annotations

import sympy as sp
from sympy import Derivative, Eq, Rational, exp, oo
from throughtime.derivation import Statement, Step, claim, identity
from throughtime_book.bptt.vanishing import claims as judge
from throughtime_book.bptt.vanishing.claims import HIGHEST, LOWEST, PEAK, sigma, slope, x

logistic_curve = 1 / (1 + exp(-x))
SLOPES = {sp.Integer(0): Rational(1, 4), sp.log(2): Rational(2, 9), -sp.log(3): Rational(3, 16)}
"""The slope at some places, in rational numbers."""
facts = [
    Eq(sigma(x), 1 / (1 + exp(-x))),
    Eq(slope(x), exp(-x) / (1 + exp(-x)) ** 2),
    Eq(slope(x), sigma(x) * (1 - sigma(x))),
    Eq(LOWEST, 0),
    Eq(HIGHEST, 1),
    Eq(PEAK, Rational(1, 4)),
]
slope_facts = [
    identity(
        r"The derivative of $\sigma(x) = 1/(1 + e^{-x})$.", Derivative(logistic_curve, x), exp(-x) / (1 + exp(-x)) ** 2
    ),
    identity(
        r"The same in terms of $\sigma$ itself.", Derivative(logistic_curve, x), logistic_curve * (1 - logistic_curve)
    ),
    identity(
        r"A square tells where it is largest: only where $\sigma = \frac12$, at $x = 0$.",
        logistic_curve * (1 - logistic_curve),
        Rational(1, 4) - (logistic_curve - Rational(1, 2)) ** 2,
    ),
    Step(
        r"The range: $\sigma$ rises from its limit 0 to its limit 1 and reaches neither.",
        None,
        lambda: (
            sp.limit(logistic_curve, x, -oo) == 0
            and sp.limit(logistic_curve, x, oo) == 1
            and judge.logistic_facts(facts[1])
        ),
    ),
]


def largest_slope(id: str, also: str) -> Statement:
    """The facts as the notes have them, with exact slopes at three places."""
    return claim(
        id,
        facts,
        also=also,
        verdict="holds",
        decide=judge.logistic_facts,
        proof=slope_facts,
        instance=lambda: all(
            (logistic_curve * (1 - logistic_curve)).subs(x, place) == exact for place, exact in SLOPES.items()
        ),
        numeric=lambda: all(map(judge.logistic_facts, facts)),
        assumptions=[r"The LSTM note's \"for all $x$, $\max \sigma'(x)$\" is read as the maximum over all $x$."],
    )
