"""Checks of what is said of internal state drift: limits by SymPy, counts of seeds by the stored runs."""

import sympy as sp
from book.lstm1997.training import experiment
from book.lstm1997.training.experiment import Drift
from sympy import Basic

s, b = sp.symbols("s b", real=True)
a = sp.Symbol("a", positive=True)
y_og = sp.Symbol(r"y^{\mathrm{og}}", positive=True)
f, h_slope, y_cell = sp.Function("f"), sp.Function("h'"), sp.Function(r"y^{\mathrm{cell}}")
h = 2 / (1 + sp.exp(-s)) - 1
MEANING = {f: lambda u: 1 / (1 + sp.exp(-u)), h_slope: lambda u: h.diff(s).subs(s, u), y_cell: lambda u: y_og * u}
TUNED = {sp.Symbol(rf"N_{{{bias}}}", positive=True): float(bias) for bias in (-1, -2, -3, -4)}


def solved(bias: float) -> list[bool]:
    """For each stored seed whether it solved the drift task with this bias of the input gate."""
    name = Drift(1.0, 1.0, bias).name
    return [row["solved"] == "1" for row in experiment.RUNS.read() if row["setup"] == name]


def spelled_out(side: Basic) -> Basic:
    """With the functions that their names stand for."""
    for function, meaning in MEANING.items():
        side = side.replace(function, meaning)
    return side.doit()


def is_true(formula: Basic) -> bool:
    """Limits and functions by SymPy; a line on seeds by the file of runs: true, and false with one seed more."""
    if formula.free_symbols & TUNED.keys():
        counts = {symbol: sum(solved(bias)) for symbol, bias in TUNED.items()}
        sharper = formula.func(formula.lhs, formula.rhs + 1)
        return bool(formula.subs(counts)) and not bool(sharper.subs(counts))
    left, right = spelled_out(formula.lhs), spelled_out(formula.rhs)
    return left == right or ((left - right).is_finite is not False and sp.simplify((left - right).rewrite(sp.exp)) == 0)


def first_run_again() -> bool:
    """One seed without and one with a bias, for so many sequences as the better one needs, end as in the file."""
    again = {bias: Drift(1.0, 1.0, bias).run(0, 6000).solved for bias in (0.0, -2.0)}
    return again == {0.0: False, -2.0: True}
