"""lstm97-drift: what the note says of internal state drift, judged by limits and by the stored runs."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import Eq, Ge, Limit, Min, oo
from sympy.core.basic import Basic
from throughtime.derivation import Statement, Step, claim, identity, prove
from throughtime.derivation.judging.proofs import Proof
from throughtime.models.activations import logistic, tanh_half
from throughtime_book.lstm1997.training import experiment
from throughtime_book.lstm1997.training.experiment import Drift

s, b, z = sp.symbols("s b z", real=True)
a = sp.Symbol("a", positive=True)
y_og = sp.Symbol(r"y^{\mathrm{og}}", positive=True)
f, h_slope, y_cell = sp.Function("f"), sp.Function("h'"), sp.Function(r"y^{\mathrm{cell}}")
h = 2 / (1 + sp.exp(-s)) - 1
slope = 2 * sp.exp(-a) / (1 + sp.exp(-a)) ** 2
MEANING = {
    f: lambda u: 1 / (1 + sp.exp(-u)),
    h_slope: lambda u: h.diff(s).subs(s, u),
    y_cell: lambda u: y_og * u,
}
TUNED = {sp.Symbol(rf"N_{{{bias}}}", positive=True): float(bias) for bias in (-1, -2, -3, -4)}
PRINTED = (
    Eq(Limit(h_slope(a), a, oo), 0, evaluate=False),
    Eq(Limit(y_cell(s), s, oo), oo, evaluate=False),
    Eq(Limit(f(b), b, -oo), 0, evaluate=False),
    Ge(Min(*TUNED), 15, evaluate=False),
)
ASSUMED = (
    r"$a = |s|$, $h$ the paper's, $f$ logistic; in the second line $h(s) = s$, so $y^{\mathrm{cell}} = "
    r"y^{\mathrm{og}}\, s$ with $y^{\mathrm{og}} > 0$",
    r"The last line of the note renders the paper's sentence on *fine tuning* the initial bias, which the line before "
    r"has introduced: any of several negative biases will do. $N_b$: how many of 20 seeds solve the drift task of this "
    r"page within 20 000 sequences when $b$ is added to the bias of the input gate. Fifteen is the largest number "
    r"for which the line is true.",
)


def seeds(bias: float) -> int:
    """How many of the stored seeds solve the drift task with a bias of the input gate."""
    name = Drift(1.0, 1.0, bias).name
    return sum(row["solved"] == "1" for row in experiment.RUNS.read() if row["setup"] == name)


def spelled_out(side: Basic) -> Basic:
    """With the functions that their names stand for."""
    for function, meaning in MEANING.items():
        side = side.replace(function, meaning)
    return side.doit()


def decide(formula: Basic) -> bool:
    """Limits and functions by SymPy; a line on seeds by the file of runs: true, and false with one seed more."""
    if formula.free_symbols & TUNED.keys():
        counts = {symbol: seeds(bias) for symbol, bias in TUNED.items()}
        sharper = formula.func(formula.lhs, formula.rhs + 1)
        return bool(formula.subs(counts)) and not bool(sharper.subs(counts))
    left, right = spelled_out(formula.lhs), spelled_out(formula.rhs)
    return left == right or ((left - right).is_finite is not False and sp.simplify((left - right).rewrite(sp.exp)) == 0)


def first_run_again() -> bool:
    """One seed without and one with a bias, for so many sequences as the better one needs, end as in the file."""
    again = {bias: Drift(1.0, 1.0, bias).run(0, 6000).solved for bias in (0.0, -2.0)}
    return again == {0.0: False, -2.0: True}


def judged() -> Statement:
    """The box of lstm97-drift."""
    return claim(
        "lstm97-drift",
        PRINTED,
        decide=decide,
        verdict="supported",
        general="the last line is a measurement; the limits before it are decided exactly",
        instance="counts have no rational instance",
        numeric=first_run_again,
        assumptions=ASSUMED,
    )


def rates() -> Proof:
    """How fast the limits are reached, and what a bias changes of a gate."""
    return prove(
        identity("The slope of $h$ closes at a known rate:", Limit(slope * sp.exp(a), a, oo), 2),
        identity(
            r"A gate with a strongly negative bias is scaled by $e^b$, its slope as well, so that drift and "
            r"stored signal shrink alike:",
            Limit(sp.diff(1 / (1 + sp.exp(-b - z)), z) * sp.exp(-b), b, -oo),
            sp.exp(z),
        ),
        identity("Its range over all net inputs stays the same, from", Limit(1 / (1 + sp.exp(2 - z)), z, -oo), 0),
        identity("to", Limit(1 / (1 + sp.exp(2 - z)), z, oo), 1),
        Step(
            "In numbers, as the library has both functions:",
            r"h'(40)\, e^{40} \approx 2, \qquad f(-40 + \tfrac12)\, e^{40} \approx e^{1/2}",
            lambda: bool(
                abs(tanh_half.derivative(40.0) * np.exp(40.0) - 2) < 1e-12
                and abs(logistic(-40.0 + 0.5) * np.exp(40.0) - np.exp(0.5)) < 1e-12
                and tanh_half.derivative(1e3) == 0.0
            ),
        ),
    )
