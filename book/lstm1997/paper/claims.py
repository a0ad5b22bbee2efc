"""Sections 4 to 6 and the counts of A.1: what the paper claims of cost, sizes, runs, and delayed XOR."""

from __future__ import annotations

import sympy as sp
from sympy import Eq, Ge, Min, Symbol
from throughtime.derivation import Statement, Step, claim, identity
from throughtime_book.lstm1997.cell import squashing
from throughtime_book.lstm1997.complexity import checks as cost
from throughtime_book.lstm1997.complexity.checks import ONE, SPACE, TIME, NotWithin, SameOrder, T, W, Within
from throughtime_book.lstm1997.complexity.experiment import agrees, count
from throughtime_book.lstm1997.paper import counts
from throughtime_book.lstm1997.paper.judged import NO_NET, judged
from throughtime_book.lstm1997.training import experiment
from throughtime_book.lstm1997.training.experiment import Drift

# ---- sections 4 and 5


def locality() -> Statement:
    """The cost of a step and of the memory, by the operations that its programs take."""
    forms = (
        Within(TIME["truncated"], W), Within(TIME["bptt"], W), NotWithin(Within(TIME["rtrl"], W)),
        Within(SPACE["truncated"], ONE, (T,)), NotWithin(Within(SPACE["bptt"], ONE, (T,))),
    )  # fmt: skip
    return judged(
        "paper97-locality",
        (forms,),
        cost.decide,
        [
            Step("Truncated, each weight takes at most 19 operations for a step:", sp.Le(TIME["truncated"], 19 * W),
                 lambda: cost.factor(TIME["truncated"], W) == 19, exact=True),
            Step("by BPTT at most 13:", sp.Le(TIME["bptt"], 13 * W),
                 lambda: cost.factor(TIME["bptt"], W) == 13, exact=True),
            Step("The other three lines are those of lstm97-locality.", None, lambda: all(map(cost.decide, forms))),
        ],
        same=cost.same,
        numeric=lambda: all(agrees(method, (1, 1, 1, 2, 2)) for method in cost.METHODS),
        assumptions=("Counted are the operations of the programs in the chapter on cost, forward pass included.",),
    )  # fmt: skip


def solved(bias: float) -> list[bool]:
    """For each stored seed whether it solved the drift task with this bias of the input gate."""
    name = Drift(1.0, 1.0, bias).name
    return [row["solved"] == "1" for row in experiment.RUNS.read() if row["setup"] == name]


def drift() -> Statement:
    """Any of several negative biases will do."""
    biases = (-1.0, -2.0, -3.0, -4.0)
    seeds = {Symbol(rf"N_{{{bias:.0f}}}", positive=True): sum(solved(bias)) for bias in biases}
    least, runs, without = min(seeds.values()), len(solved(-1.0)), sum(solved(0.0))

    def decide(formula: sp.Basic) -> bool:
        if not isinstance(formula, Ge):
            return False
        sharper = formula.func(formula.lhs, formula.rhs + 1)
        return bool(formula.subs(seeds)) and not bool(sharper.subs(seeds))

    return claim(
        "paper97-drift",
        Ge(Min(*seeds), least, evaluate=False),
        decide=decide,
        verdict="supported",
        general="a measurement",
        instance="counts have no rational instance",
        numeric=lambda: without < least,
        assumptions=(
            f"$N_b$: how many of {runs} seeds solve the drift task of the chapter on training if $b$ is added to "
            f"the bias of the "
            f"input gate; {least} is the largest number for which the line is true. Without a bias {without} do.",
        ),
    )


def table_10() -> Statement:
    """The ranges in the caption."""
    x, g, h = squashing.x, squashing.g, squashing.h
    small, large = sp.Interval(-1, 1), sp.Interval(-2, 2)
    forms = tuple(
        tuple(
            sp.Contains(function(x), interval, evaluate=False) for function, interval in zip((h, g), pair, strict=True)
        )
        for pair in ((large, small), (small, large))
    )
    return judged(
        "paper97-table-10",
        forms,
        squashing.decide,
        squashing.proof(),
        "$g(3) = 4 / (1 + e^{-3}) - 2 = 1.81$ is not in $[-1, 1]$.",
        numeric=lambda: all(map(squashing.decide, forms[1])),
        assumptions=("An interval is taken as the smallest closed one that holds all values.",),
    )


def ranges() -> Statement:
    """(3), (4), (5)."""
    x, g, h, f = squashing.x, squashing.g, squashing.h, squashing.sigma
    forms = (
        Eq(f(x), 1 / (1 + sp.exp(-x)), evaluate=False), sp.Contains(f(x), sp.Interval(0, 1), evaluate=False),
        Eq(h(x), 2 / (1 + sp.exp(-x)) - 1, evaluate=False), sp.Contains(h(x), sp.Interval(-1, 1), evaluate=False),
        Eq(g(x), 4 / (1 + sp.exp(-x)) - 2, evaluate=False), sp.Contains(g(x), sp.Interval(-2, 2), evaluate=False),
    )  # fmt: skip
    return judged(
        "paper97-3",
        (forms,),
        squashing.decide,
        squashing.proof(),
        numeric=lambda: all(map(squashing.decide, forms)),
        assumptions=(
            "The paper writes $f$ for the gate's $\\sigma$.",
            "An interval is taken as the smallest closed one.",
        ),
    )


def weights() -> Statement:
    """The eleven rows of Table 10 with connectivity F."""
    return judged(
        "paper97-weights",
        (counts.TABLE,),
        counts.table_10,
        [
            Step(
                "Hidden units, two gates and $S$ cells in each of $C$ blocks, are connected to all inputs and to "
                "one another; "
                "outputs to all cells. Biases are those of column 12.",
                None,
                lambda: counts.table_10(counts.TABLE),
            )
        ],
        instance=lambda: counts.table_10(counts.TABLE),
        numeric=NO_NET,
        assumptions=(
            'The rows with connectivity "F", each size once (11 rows); the formula is ours.',
            "$C$ blocks of $S$ cells, $N$ inputs, $K$ outputs.",
        ),
    )


# ---- A.1: counts


def order() -> Statement:
    """(29)."""
    K, H, C, S, I = counts.K, counts.H, counts.C, counts.S, counts.I
    left = K * H + K * C * S + H * I + C * S * I
    return judged(
        "paper97-29",
        (SameOrder(left, counts.PRINTED_W.rhs),),
        counts.same_order,
        [
            Step(
                "The left sum lacks $2CI$, which is at most $2CSI$: so it is at most $W$, and $W$ at most three "
                "times it.",
                r"2 C I \le 2 C S I",
                lambda: sp.expand(counts.PRINTED_W.rhs - left) == 2 * C * I,
                exact=True,
            )
        ],
        same=counts.same,
        instance=NO_NET,
        numeric=NO_NET,
        assumptions=(*counts.LETTERS, "The right side is $W$, written out (paper97-W)."),
    )


def number_of_weights() -> Statement:
    """W of A.1."""
    K, H, C, S, I = counts.K, counts.H, counts.C, counts.S, counts.I
    return judged(
        "paper97-W",
        (counts.PRINTED_W,),
        counts.decide,
        [
            identity(
                "Outputs have $H + CS$ sources; $H$ hidden units, $C$ gates of each kind and $CS$ cells have $I$.",
                K * (H + C * S) + (H + 2 * C + C * S) * I,
                counts.PRINTED_W.rhs,
            )
        ],
        instance=lambda: counts.decide(counts.PRINTED_W),
        numeric=NO_NET,
        assumptions=counts.LETTERS,
    )


def steps() -> Statement:
    """The steps of (22), and all."""
    K, H, C, S, I = counts.K, counts.H, counts.C, counts.S, counts.I
    one, whole = counts.CORRECTED_STEPS
    parts = (K, K * H, K * S * C, one.rhs, H * I, C * I, K * C * S, 4 * C * S * I)
    return judged(
        "paper97-steps",
        (counts.PRINTED_STEPS, counts.CORRECTED_STEPS),
        counts.decide,
        [
            Step(
                "(22) takes one product for each weight to an output; these lead from $H$ hidden units and $SC$ "
                "cells, as the "
                "paper's $W$ has it.",
                one,
                lambda: counts.decide(one),
            ),
            identity("With that, (19) to (28) add up to", sum(parts), whole.rhs),
        ],
        "Experiment 6a has $K = 4$, $H = 0$, $C = 2$, $S = 2$: $K(H + C) = 8$, but there are 16 weights to outputs.",
        instance=lambda: all(map(counts.decide, counts.CORRECTED_STEPS)),
        numeric=NO_NET,
        assumptions=(
            *counts.LETTERS,
            "A step is a product with a weight's source or with a weight, as the paper counts.",
        ),
    )


def storage() -> Statement:
    """2CSI."""
    return judged(
        "paper97-storage",
        (counts.PRINTED_STORED,),
        counts.decide,
        [
            Step(
                "Each of the $CS$ states has a derivative with respect to the $I$ weights of its own cell and "
                "the $I$ weights "
                "of its input gate; all others are 0 ((14), and the table of the chapter on derivatives).",
                counts.PRINTED_STORED,
                lambda: counts.decide(counts.PRINTED_STORED),
            )
        ],
        instance=lambda: counts.decide(counts.PRINTED_STORED),
        numeric=NO_NET,
        assumptions=counts.LETTERS,
    )


# ---- section 6


def factor_nine() -> Statement:
    """At most nine times the weights."""
    units, inputs, outputs = sp.symbols("h N K", nonnegative=True)
    conventional, lstm = units * (units + inputs) + outputs * units, 3 * units * (3 * units + inputs) + outputs * units
    return judged(
        "paper97-factor-nine",
        (counts.NINE,),
        counts.nine,
        [
            identity(
                "A conventional net of $h$ hidden units, $N$ inputs and $K$ outputs has $h(h + N) + Kh$ weights. "
                "With a cell "
                "and two gates for each hidden unit:",
                9 * conventional - lstm,
                6 * units * inputs + 8 * outputs * units,
            )
        ],
        instance=lambda: counts.nine(counts.NINE),
        numeric=NO_NET,
        assumptions=("Blocks of one cell; outputs have cells as inputs, and no gates.",),
    )


def full_gradient() -> Statement:
    """RTRL costs more, BPTT does not."""
    printed = tuple(NotWithin(Within(TIME[method], W)) for method in ("bptt", "rtrl"))
    sizes = (2, 0, 2, 2, 1)  # the net of the adding problem
    taken = {method: count(method, sizes).total for method in ("bptt", "truncated")}
    return judged(
        "paper97-full-gradient",
        (printed, printed[1]),
        cost.decide,
        [
            Step(
                "By BPTT the exact gradient takes at most 13 operations for each weight and step.",
                sp.Le(TIME["bptt"], 13 * W),
                lambda: cost.factor(TIME["bptt"], W) == 13,
                exact=True,
            ),
            Step(
                "By RTRL each weight takes as many as the square of the number of units.",
                printed[1],
                lambda: cost.decide(printed[1]),
            ),
        ],
        f"The net of the adding problem, wired as in the note (95 weights): {taken['bptt']} operations for a step "
        f"of the exact gradient by BPTT, "
        f"{taken['truncated']} for one of the truncated gradient. What grows with BPTT is the memory.",
        same=cost.same,
        numeric=lambda: taken["bptt"] < taken["truncated"],
        assumptions=(
            "Complexity: the order of the operations of one step, as in (29). The full gradient can be computed "
            "in two ways, "
            "and the sentence excepts neither.",
        ),
    )


def xor() -> Statement:
    """One of two inputs says nothing of their XOR."""
    return judged(
        "paper97-xor",
        (counts.XOR,),
        counts.xor,
        [
            Step(
                "Given one fair bit, the XOR of both is a fair bit again. The best guess stays $\\frac12$, its "
                "expected squared "
                "error $\\frac14$.",
                r"\varepsilon_{\mathrm{none}} = \varepsilon_{\mathrm{one}} = \tfrac14",
                lambda: counts.expected_error(()) == counts.expected_error((1,)) == sp.Rational(1, 4),
                exact=True,
            )
        ],
        instance=lambda: all(map(counts.xor, counts.XOR)),
        numeric="a statement about fair bits, without a network",
        assumptions=(
            "$\\varepsilon$: least expected squared error of an output that knows none, one, or both of two "
            "independent fair bits.",
            "That a gradient cannot find the solution does not follow from it and is not judged here.",
        ),
    )
