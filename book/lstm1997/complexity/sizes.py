"""Symbols for the sizes and costs of the LSTM of 1997, and the LaTeX of bounds in the notes' order of terms."""

from __future__ import annotations

from sympy import Add, Expr, Mul, Symbol
from sympy.utilities.iterables import sift

METHODS = ("truncated", "bptt", "rtrl")


class Named(Symbol):
    """A symbol that prints in LaTeX as ``TEX[name]``."""

    def _latex(self, printer) -> str:
        return TEX[self.name]


TEX = {f"d_{kind}": rf"d_{{\mathrm{{{kind}}}}}" for kind in ("in", "hid", "cell", "out")}
TEX |= {"n_cell": r"n_{\mathrm{cell}}", "T": "T"}
TEX |= {f"dim_{kind}": rf"\dim(w^{{\mathrm{{{kind}}}}})" for kind in ("hid", "og", "ig", "out")}
TEX |= {"dim_cell": r"\dim(w^{\mathrm{cell}_1})", "weights": "W", "one": "1"}
TEX |= {f"time_{m}": rf"C_{{\mathrm{{{m}}}}}" for m in METHODS}
TEX |= {f"sequence_{m}": rf"C_{{\mathrm{{{m}}}}}^{{1..T}}" for m in METHODS}
TEX |= {f"space_{m}": rf"S_{{\mathrm{{{m}}}}}" for m in METHODS}

SIZES = d_in, d_hid, d_cell, n_cell, d_out = tuple(map(Named, ("d_in", "d_hid", "d_cell", "n_cell", "d_out")))
T = Named("T")
SMALLEST = {d_in: 0, d_hid: 0, d_cell: 1, n_cell: 1, d_out: 1, T: 1}
dim_hid, dim_og, dim_ig, dim_cell, dim_out = (Named(f"dim_{kind}") for kind in ("hid", "og", "ig", "cell", "out"))
W, ONE = Named("weights"), Named("one")
ORDER = (*SIZES, T, dim_hid, dim_og, dim_ig, dim_cell, dim_out, W, ONE)
TIME, SEQUENCE, SPACE = ({m: Named(f"{name}_{m}") for m in METHODS} for name in ("time", "sequence", "space"))


def order_tex(printer, bound: Expr, terms: int = 3) -> str:
    """LaTeX of O(bound); a sum of more than ``terms`` terms, alone or with factors in front, is broken into lines."""
    factors, sums = sift(Mul.make_args(bound), lambda part: isinstance(part, Add), binary=True)[::-1]
    if len(sums) != 1 or len(sums[0].args) <= terms:
        shown = " + ".join(_term(printer, term) for term in sorted(Add.make_args(bound), key=_place))
        return rf"O\left({shown}\right)"
    parts = [_term(printer, term) for term in sorted(sums[0].args, key=_place)]
    lines = [" + ".join(parts[start : start + terms]) for start in range(0, len(parts), terms)]
    body = r" \\ \quad {} + ".join(lines)
    return rf"O\Bigl({printer._print(Mul(*factors))}\,\bigl[{body}\bigr]\Bigr)" if factors else rf"O\Bigl({body}\Bigr)"


def _place(term: Expr) -> tuple:
    """Sort key of a term, as in the notes: sizes, then matrices; terms with n_cell after the others; outputs last."""
    named = [part for part in Mul.make_args(term) if isinstance(part, Named)]
    matrix = any(part.name.startswith("dim") for part in named)
    return (any(part in (d_out, dim_out) for part in named), matrix, n_cell in named, [*map(ORDER.index, named)])


def _term(printer, term: Expr) -> str:
    """Coefficient, then counts (T, n_cell), then sizes."""
    number, rest = term.as_coeff_Mul()
    named = sorted(Mul.make_args(rest), key=lambda part: (part != T, part != n_cell, str(part)))
    shown = [printer._print(part) for part in named if part != 1 or number == 1]
    return r"\,".join(shown if number == 1 else [printer._print(number), *shown])


def aligned(tex: str) -> str:
    """``tex`` in a left-aligned array if it has several lines, else unchanged."""
    return rf"\begin{{array}}{{l}} {tex} \end{{array}}" if r"\\" in tex else tex
