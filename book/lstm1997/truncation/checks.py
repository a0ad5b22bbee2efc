"""Truncated derivatives of the LSTM of 1997, on networks so small that many formulas can be tried."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product

import throughtime as tt
from book.lstm1997 import example
from book.lstm1997.bench import make_bench
from book.shared.samples import Samples
from book.shared.words import printed
from sympy import Basic, Equality, Expr, Integer, Symbol
from throughtime.checks import trace_by_parameter
from throughtime.systems import lstm1997 as s

t = s.t
CUTS = s.cuts()
GATES_AND_CELLS = tt.cut_set("open", *(item for item in CUTS if item.into != s.net_hid))
NETS = (s.net_hid[s.i_hid, t + 1], s.net_ig[s.i, t + 1], s.net_og[s.i, t + 1], s.net_cell[s.k, s.i, t + 1])
READ = s.r[s.q, t + 1]
"""An input of the units at time t + 1: an entry of the concatenation of time t."""


def cut(target: Expr, wrt: tt.Ref) -> tt.Truncated:
    """A derivative with all paths of lstm97-44 cut."""
    return tt.Truncated(target, wrt, *CUTS)


@cache
def small(length: int = 3) -> tt.Bench:
    """The bench of these chapters on two networks so small that many formulas can be tried."""
    one = dict.fromkeys((s.d_in, s.d_hid, s.d_cell, s.n_cell, s.d_out), 1)
    return replace(make_bench(), sizes=[{**one, s.d_hid: 2, s.n_cell: 2}, {**one, s.d_cell: 2}], length=length)


@cache
def is_true(equation: Basic) -> bool:
    """Whether an equation between derivatives holds of the small networks."""
    return isinstance(equation, Equality) and tt.holds_on(small(4).witnesses, [equation.args]).passed is True


def in_numbers(equation: Equality) -> bool:
    """Whether it holds of the network in numbers."""
    return small(4).on_model([equation.args]).passed is True


def is_zero(equation: Equality) -> bool:
    """Whether both sides vanish, as proved in general."""
    return equation.rhs == 0 and small(4).reducer.equal(*equation.args)


# ---- lstm97-47

WEIGHT = s.w_hid[s.p_hid, s.m]


def omission() -> str:
    """Numbers of the worked example at which the printed sum of lstm97-47 is not the derivative."""
    run = example.trace()
    slopes = trace_by_parameter(example.NET, example.THETA, example.X, example.NET.layout.index("w_hid", 0, 0))
    whole = slopes["y_cell"][3, 0, 0]
    missing = float(run.y_og[3, 0] * example.NET.h.derivative(run.s[3, 0, 0]) * slopes["s"][2, 0, 0])
    return (
        "In the worked example of the chapter on the cell the derivative of $y^{\\mathrm{cell}}_1(3)$ with respect to "
        f"the weight from the input to the hidden unit is {whole:.4g}. The printed sum is {whole - missing:.4g}: it "
        f"lacks {missing:.4g}, which comes through $s_1(2)$."
    )


# ---- lstm97-48

a, b = (Symbol(letter, integer=True) for letter in "ab")
delta = printed("delta", r"\delta_{%s %s}")  # the symbol, with its places below as everywhere


def is_kronecker(formula: Basic) -> bool:
    """Whether a formula agrees with the engine's Kronecker delta on numbers."""
    places = product(map(Integer, range(-2, 4)), repeat=2)
    return Samples((delta(a, b), a, b), ((tt.Delta(*pair), *pair) for pair in places)).holds(formula)


# ---- proofs


def general(words: str, left: Expr, right: Expr) -> tt.Step:
    """A step that says left = right, proved for all sizes and times."""
    shown = tt.chains_tex([(left, right)], None)
    return tt.Step(words, shown, lambda: small(4).reducer.equal(left, right), exact=True)


def by_definition(words: str, target: tt.Ref, right: Expr) -> tt.Step:
    """The derivative of `target` by w_hid as the chain rule gives it from the definition of `target`."""

    def check() -> bool:
        return tt.equal(small(4).reducer.forward(WEIGHT, ()).step(target), right)

    return tt.Step(words, tt.chains_tex([(tt.d(target, WEIGHT), right)], None), check, exact=True)


def proof_47(through_sources: Callable[[tt.Ref], Expr]) -> list[tt.Step]:
    """Every path into a cell's output, those that the printed formula has and the one it lacks; why all are cut."""
    gate_in, gate_out, unit = s.y_ig[s.i, t + 1], s.y_og[s.i, t + 1], s.y_cell[s.k, s.i, t + 1]
    new, old, net = s.s[s.k, s.i, t + 1], s.s[s.k, s.i, t], s.net_cell[s.k, s.i, t + 1]
    h, g = s.h[s.k, s.i], s.g[s.k, s.i]
    enters = g(net) * tt.d(gate_in, WEIGHT) + gate_in * s.g.prime(net, s.k, s.i) * tt.d(net, WEIGHT)
    return [
        by_definition(
            "The output of a cell changes with its gate and with its state.",
            unit,
            h(new) * tt.d(gate_out, WEIGHT) + gate_out * s.h.prime(new, s.k, s.i) * tt.d(new, WEIGHT),
        ),
        by_definition(
            "The new state changes with what enters it, and with the old state.", new, tt.d(old, WEIGHT) + enters
        ),
        general(
            r"Gates and net inputs depend on $w^{\mathrm{hid}}$ through their sources and nothing else; these "
            "are the terms that the printed formula has. The input gate, for one:",
            tt.d(gate_in, WEIGHT),
            through_sources(gate_in),
        ),
        general(
            "The sources are cut. Without them the state has nothing to pass on, from the first step on:",
            cut(old, WEIGHT),
            Integer(0),
        ),
        general("So nothing is left of any of the three.", cut(unit, WEIGHT), Integer(0)),
    ]
