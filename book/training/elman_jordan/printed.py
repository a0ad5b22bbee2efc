"""The matrix formulas of the source as statements: what is common to rnn-1 to rnn-14."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sympy import Expr, Integer
from sympy.logic.boolalg import Boolean
from throughtime.derivation import Statement, Step, claim
from throughtime_book.training.elman_jordan import claims as judge
from throughtime_book.training.elman_jordan.claims import ONES
from throughtime_book.training.elman_jordan.matrices import In, Matrix, Repeated, Stacked, Transposed, Vector, sequences

ones = In(Matrix(ONES), Repeated(Integer(1)), sequences, Integer(1))
BEFORE = (
    r"$(t-1)$ before a matrix is read as the time at which it is taken: $(t-1)F$ and $(t-1)G$ are $F$ and $G$ of the "
    r"previous step. The note gives neither a time to its other matrices, which are those of time $t$, nor a value at "
    r"time 0; we take 0."
)


def rows_of(name: str, *factors: Expr) -> Stacked:
    """One row for each sequence: its transposed vector, perhaps multiplied from the right."""
    row = Transposed(Vector(name))
    for factor in factors:
        row = row * factor
    return Stacked(row)


def matrices(
    id: str, printed: Boolean | list[Boolean], *steps: Step, jordan: bool = False, assumptions: Sequence[str] = ()
) -> Statement:
    """Judge matrix formulas: shapes for all sizes, values in the library, what they say of one element."""
    printed = printed if isinstance(printed, list) else [printed]
    fits = Step(
        "The shapes of all parts fit, and give the printed one, for every $I$, $N$, $K$ and $J$.",
        None,
        lambda: all(judge.conforms(formula, judge.shapes(jordan=jordan)) for formula in printed),
    )
    return claim(
        id,
        printed,
        decide=partial(judge.matrix_formula, jordan=jordan),
        verdict="holds",
        proof=[fits, *steps],
        instance="the matrices are compared with the library's, batch against single sequences"
        if not steps
        else "what the formula says of one element is put to exact instances in the proof",
        numeric=lambda: all(judge.in_library(formula, jordan=jordan) for formula in printed),
        assumptions=assumptions,
    )
