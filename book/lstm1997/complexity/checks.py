"""The cost of a step of the LSTM of 1997: symbols, closed forms, and decisions for lstm97-74 to 76 and lstm97-locality.

The closed forms are exact polynomials in the sizes, with which ``experiment.agrees`` compares counted operations. The
judge of a bound evaluates ratios along growing sizes; the proofs compare coefficients.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from sympy import Add, Basic, Expr, Integer, Mul, Poly, Symbol, Tuple, ceiling, expand, lambdify
from sympy.logic.boolalg import Boolean, Not
from sympy.printing.latex import LatexPrinter
from sympy.utilities.iterables import sift
from throughtime.derivation.printing.lines import broken
from throughtime.textbook.lstm1997 import LSTM1997

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
BY_KIND = tuple(Named(f"dim_{kind}") for kind in ("hid", "og", "ig", "cell", "out"))
dim_hid, dim_og, dim_ig, dim_cell, dim_out = BY_KIND
W, ONE = Named("weights"), Named("one")
ORDER = (*SIZES, T, *BY_KIND, W, ONE)
TIME, SEQUENCE, SPACE = ({m: Named(f"{name}_{m}") for m in METHODS} for name in ("time", "sequence", "space"))

_C = n_cell * d_cell  # cells
_U = d_hid + 2 * d_cell + _C  # units that units read
_R = d_in + _U  # what a unit reads
_Q = d_in + d_hid + _C  # what an output reads
_M, _N = _R + 1, _Q + 1  # the same with the bias

DIMENSIONS = {
    dim_hid: d_hid * _R, dim_og: d_cell * _R, dim_ig: d_cell * _R, dim_cell: d_cell * _R, dim_out: d_out * _Q,
    W: _U * _R + d_out * _Q,
}  # fmt: skip

# multiplications, additions and function evaluations of one step, forward pass included
_OUT = 2 * d_out * _N + d_out * (d_hid + _C)  # forward, gradient, and the way back from the outputs
_LOCAL, _BACK = (_U + d_hid + 5 * _C) * _M + _OUT, 2 * _U * _M + _U**2 + _OUT
_FULL = _U * _M * ((_U + 1) ** 2 + 3 * _C) + _OUT
_SLOPES = 2 * d_hid + 4 * d_cell + 6 * _C + 2 * d_out
STEP = {
    "truncated": (_LOCAL + 8 * _C + 5 * d_out + d_hid, _LOCAL + _C + 2 * d_out + 1, _SLOPES - 2 * d_cell + 2 * _C),
    "bptt": (_BACK + 8 * _C + d_out + d_hid + 2 * d_cell, _BACK + 4 * _C, _SLOPES),
    "rtrl": (_FULL + 4 * _C + 5 * d_out, _FULL + _C + 2 * d_out + 1, _SLOPES),
}

# storage in numbers: weights, gradient, and states with their derivatives (online) or the trace of all steps (bptt)
_PARAMETERS = 2 * (_U * _M + d_out * _N)
KEPT = {
    "truncated": _PARAMETERS + 2 * _C * _M + _M + 2 * _U + _C,
    "bptt": _PARAMETERS + T * d_in + (T + 1) * (2 * d_hid + 4 * d_cell + 3 * _C + 2 * d_out),
    "rtrl": _PARAMETERS + (_U + _C) * _U * _M + _M + 2 * _U + _C,
}


def operations(method: str) -> Expr:
    """All operations of one step as a polynomial in the sizes."""
    return expand(sum(STEP[method]))


VALUES = DIMENSIONS | {TIME[m]: operations(m) for m in METHODS} | {SPACE[m]: KEPT[m] for m in METHODS}
VALUES |= {SEQUENCE[m]: T * operations(m) for m in METHODS} | {ONE: Integer(1)}


# ---- values


def network(sizes: Sequence[int]) -> LSTM1997:
    """The network with these sizes, in the order of ``SIZES``, and a bias for each unit."""
    inputs, hidden, blocks, cells, outputs = sizes
    return LSTM1997(inputs, blocks, cells, outputs, hidden=hidden, bias=True)


def value(formula: Expr, sizes: Sequence[int], length: int = 1) -> int:
    """The number that a formula in sizes, dimensions and costs stands for."""
    return int(_evaluated(formula, _completed(dict(zip(SIZES, sizes, strict=True)) | {T: length})))


# ---- bounds


def order_tex(printer, bound: Expr, room: int = 60) -> str:
    """LaTeX of O(bound); a sum of more glyphs than `room`, alone or behind factors, goes on in further lines."""
    factors, sums = sift(Mul.make_args(bound), lambda part: isinstance(part, Add), binary=True)[::-1]
    terms = sums[0].args if len(sums) == 1 else Add.make_args(bound)
    first, *further = broken(" + ".join(_term(printer, term) for term in sorted(terms, key=_place)), room)
    body = r" \\ \quad {}".join([first, *further])
    if len(sums) == 1 and factors:
        return rf"O\Bigl({printer._print(Mul(*factors))}\,\bigl[{body}\bigr]\Bigr)"
    return rf"O\Bigl({body}\Bigr)" if further else rf"O\left({body}\right)"


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


def bound_tex(bound: Expr) -> str:
    """O(bound) in one line, for tables."""
    return order_tex(LatexPrinter(), bound, room=1_000)


class Within(Boolean):
    """quantity = O(bound) as the sizes in ``growing`` grow, in any manner; the others keep any values they have."""

    def __new__(cls, quantity: Symbol, bound: Expr, growing: Sequence[Symbol] = SIZES) -> "Within":
        return super().__new__(cls, quantity, bound, Tuple(*growing))

    def _latex(self, printer, sign: str = "=") -> str:
        quantity, bound, growing = self.args
        shown = aligned(rf"{printer._print(quantity)} {sign} {order_tex(printer, bound)}")
        return shown + (r"\ \text{as}\ T \to \infty" if growing == Tuple(T) else "")

    def _sympystr(self, printer) -> str:
        quantity, bound, growing = self.args
        limit = " as T grows" if growing == Tuple(T) else ""
        return f"{printer._print(quantity)} = O({printer._print(bound)}){limit}"


class NotWithin(Not):
    """The same statement denied, with a struck equals sign."""

    def _latex(self, printer) -> str:
        return self.args[0]._latex(printer, sign=r"\ne")


class SameOrder(Boolean):
    """O(left) = O(right)."""

    def _latex(self, printer) -> str:
        left, right = (order_tex(printer, bound) for bound in self.args)
        return rf"{aligned(left)} = {aligned(right)}"

    def _sympystr(self, printer) -> str:
        left, right = map(printer._print, self.args)
        return f"O({left}) = O({right})"


_compiled = cache(lambdify)


def _evaluated(formula: Expr, values: Mapping[Symbol, Any]) -> Any:
    """The formula, made of sums, products and powers, on numbers, arrays or polynomials."""
    symbols = tuple(sorted(formula.free_symbols, key=str))
    if not values.keys() >= {*symbols}:
        raise TypeError(f"formula: expected sizes, dimensions and costs, got {formula}")
    return _compiled(symbols, formula, "math")(*map(values.get, symbols))


def _completed(sizes: Mapping[Symbol, Any]) -> dict[Symbol, Any]:
    """Dimensions and costs beside the sizes."""
    return dict(sizes) | {symbol: _evaluated(value, sizes) for symbol, value in VALUES.items()}


@cache
def _rays(growing: tuple[Symbol, ...]) -> dict[Symbol, Any]:
    """All symbols at two points of each ray, shape (2, rays): a size grows as a power 0 to 2 of one large number."""
    powers = np.array(list(product(*(range(3) if size in growing else (0,) for size in SMALLEST))), object)
    smallest = np.array(list(SMALLEST.values()), object)
    points = np.array([np.where(powers > 0, scale**powers, smallest) for scale in (2**20, 2**40)])
    return _completed({size: points[:, :, place] for place, size in enumerate(SMALLEST)})


def bounded(quantity: Expr, bound: Expr, growing: Sequence[Symbol] = SIZES) -> bool:
    """Whether quantity / bound stays bounded along all rays.

    From 2^20 to 2^40 a ratio that grows does so by 2^20 at least; one that is bounded hardly changes.
    """
    values = _rays(tuple(growing))
    rays = values[T].shape
    number, below = (np.broadcast_to(_evaluated(formula, values), rays) for formula in (quantity, bound))
    return bool(np.all(below > 0) and np.all(number[1] * below[0] <= 2 * number[0] * below[1]))


@cache
def is_true(formula: Basic) -> bool:
    """Whether a formula made of ``Within``, ``SameOrder`` and negation is true."""
    if isinstance(formula, Within):
        return bounded(*formula.args)
    if isinstance(formula, SameOrder):
        return bounded(*formula.args) and bounded(*reversed(formula.args))
    if isinstance(formula, Not):
        return not is_true(formula.args[0])
    raise TypeError(f"formula: expected a bound, got {formula}")


@cache
def _basis() -> dict[Symbol, Any]:
    """All symbols as polynomials in the sizes counted from their smallest values."""
    return _completed({size: Poly(size + least, *SMALLEST) for size, least in SMALLEST.items()})


@cache
def _coefficients(formula: Expr) -> dict[tuple[int, ...], int]:
    return (Poly(0, *SMALLEST) + _evaluated(formula, _basis())).as_dict()


def factor(quantity: Expr, bound: Expr) -> int | None:
    """The least whole number c with quantity <= c bound for all sizes, as far as coefficients show it, or None.

    In sizes counted from their smallest values all coefficients of c bound - quantity are at least 0.
    """
    lower, upper = _coefficients(quantity), _coefficients(bound)
    if any(number < 0 for number in upper.values()) or any(n > 0 and power not in upper for power, n in lower.items()):
        return None
    return max(1, *(ceiling(number / upper[power]) for power, number in lower.items() if number > 0))


def same_order(left: Expr, right: Expr) -> bool:
    """Whether each is at most a multiple of the other, for all sizes, by their coefficients."""
    return factor(left, right) is not None and factor(right, left) is not None


def same(mutant: Basic, formula: Basic) -> bool:
    """Whether a mutant names bounds of the same order, which makes it the same statement."""
    if type(mutant) is not type(formula) or isinstance(formula, Not):
        return False
    pairs = zip(mutant.args, formula.args, strict=True)
    return all(a == b or (isinstance(a, Expr) and same_order(a, b)) for a, b in pairs)
