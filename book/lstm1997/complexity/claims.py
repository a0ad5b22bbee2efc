"""The cost of a step of the LSTM of 1997: counts, closed forms, and decisions for lstm97-74 to 76 and lstm97-locality.

The closed forms are exact polynomials in the sizes; ``agrees`` compares them with the operations of the library's
loops. The judge of a bound evaluates ratios along growing sizes; the proofs compare coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
from sympy import Add, Expr, Integer, Mul, Poly, Pow, Symbol, Tuple, ceiling, expand
from sympy.core.basic import Basic
from sympy.logic.boolalg import Boolean, Not
from sympy.printing.latex import LatexPrinter
from throughtime.models import lstm_kernels, lstm_online_kernels
from throughtime.models.lstm1997 import LSTM1997
from throughtime_book.lstm1997.complexity.numbers import Operations, counting
from throughtime_book.lstm1997.complexity.sizes import (
    METHODS,
    ONE,
    ORDER,
    SEQUENCE,
    SIZES,
    SMALLEST,
    SPACE,
    TIME,
    T,
    W,
    aligned,
    d_cell,
    d_hid,
    d_in,
    d_out,
    dim_cell,
    dim_hid,
    dim_ig,
    dim_og,
    dim_out,
    n_cell,
    order_tex,
)  # fmt: skip

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
STEP = {
    "truncated": (
        (_U + d_hid + 5 * _C) * _M + 2 * d_out * _N + d_out * (d_hid + _C) + 8 * _C + 5 * d_out + d_hid,
        (_U + d_hid + 5 * _C) * _M + 2 * d_out * _N + d_out * (d_hid + _C) + _C + 2 * d_out + 1,
        2 * d_hid + 2 * d_cell + 8 * _C + 2 * d_out,
    ),
    "bptt": (
        2 * _U * _M + 2 * d_out * _N + _U**2 + d_out * (d_hid + _C) + 8 * _C + d_out + d_hid + 2 * d_cell,
        2 * _U * _M + 2 * d_out * _N + _U**2 + d_out * (d_hid + _C) + 4 * _C,
        2 * d_hid + 4 * d_cell + 6 * _C + 2 * d_out,
    ),
    "rtrl": (
        _U * _M * ((_U + 1) ** 2 + 3 * _C) + 2 * d_out * _N + d_out * (d_hid + _C) + 4 * _C + 5 * d_out,
        _U * _M * ((_U + 1) ** 2 + 3 * _C) + 2 * d_out * _N + d_out * (d_hid + _C) + _C + 2 * d_out + 1,
        2 * d_hid + 4 * d_cell + 6 * _C + 2 * d_out,
    ),
}  # fmt: skip

# storage in numbers: weights, gradient, and states with their derivatives (online) or the trace of all steps (bptt)
_PARAMETERS = 2 * (_U * _M + d_out * _N)
KEPT = {
    "truncated": _PARAMETERS + 2 * _C * _M + 2 * _M + _U + _C + d_out,
    "bptt": _PARAMETERS + T * d_in + (T + 1) * (2 * d_hid + 4 * d_cell + 3 * _C + 2 * d_out),
    "rtrl": _PARAMETERS + (_U + _C) * _U * _M + _M + _U + _C + d_out,
}


def operations(method: str) -> Expr:
    """All operations of one step as a polynomial in the sizes."""
    return expand(sum(STEP[method]))


VALUES = DIMENSIONS | {TIME[m]: operations(m) for m in METHODS} | {SPACE[m]: KEPT[m] for m in METHODS}
VALUES |= {SEQUENCE[m]: T * operations(m) for m in METHODS} | {ONE: Integer(1)}


# ---- counting


def network(sizes: Sequence[int]) -> LSTM1997:
    """The network with these sizes, in the order of ``SIZES``, and a bias for each unit."""
    inputs, hidden, blocks, cells, outputs = sizes
    return LSTM1997(inputs, blocks, cells, outputs, hidden=hidden, bias=True)


@cache
def count(method: str, sizes: tuple[int, ...], length: int = 1) -> Operations:
    """Operations of one gradient of a sequence, as the library's loops carry them out."""
    model, random = network(sizes), np.random.default_rng(0)
    x, targets = random.normal(size=(length, model.n_in)), random.normal(size=(length, model.n_out))
    with counting(lstm_kernels if method == "bptt" else lstm_online_kernels) as tally:
        model.gradient(model.init(0), x, targets, method=method)
    return tally


@cache
def kept(method: str, sizes: tuple[int, ...], length: int = 1) -> int:
    """Numbers that the library keeps for one gradient of a sequence."""
    model = network(sizes)
    if method != "bptt":
        online = model.online(model.init(0), method)
        online.run(np.ones((length, model.n_in)), np.zeros((length, model.n_out)))
        return online.state_size
    trace = model.forward(model.init(0), np.ones((length, model.n_in)))
    return 2 * model.layout.size + sum(array.size for _, array in trace.items())


def value(formula: Expr, sizes: Sequence[int], length: int = 1) -> int:
    """The number that a formula in sizes, dimensions and costs stands for."""
    return int(_evaluated(formula, _completed(dict(zip(SIZES, sizes, strict=True)) | {T: length})))


@cache
def agrees_on_grid(method: str) -> bool:
    """Whether the polynomials equal the counts on 108 networks: one size more than the degree in each direction."""
    return all(agrees(method, sizes) for sizes in product((0, 1), (0, 1, 2), (1, 2, 3), (1, 2, 3), (1, 2)))


def agrees(method: str, sizes: tuple[int, ...], length: int = 1) -> bool:
    """Whether the polynomials equal the counts of operations and of stored numbers, one by one."""
    found = count(method, sizes, length)
    expected = [length * value(part, sizes) for part in STEP[method]]
    same = [found.multiplications, found.additions, found.functions] == expected
    return same and kept(method, sizes, length) == value(KEPT[method], sizes, length)


# ---- bounds


def bound_tex(bound: Expr) -> str:
    """O(bound) in one line, for tables."""
    return order_tex(LatexPrinter(), bound, terms=len(ORDER))


class Within(Boolean):
    """quantity = O(bound) as the sizes in ``growing`` grow, in any manner; the others keep any values they have."""

    def __new__(cls, quantity: Symbol, bound: Expr, growing: Sequence[Symbol] = SIZES) -> Within:
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

    def __new__(cls, left: Expr, right: Expr) -> SameOrder:
        return super().__new__(cls, left, right)

    def _latex(self, printer) -> str:
        left, right = (order_tex(printer, bound) for bound in self.args)
        return aligned(rf"{left} \\ = {right}")

    def _sympystr(self, printer) -> str:
        left, right = map(printer._print, self.args)
        return f"O({left}) = O({right})"


def _evaluated(formula: Expr, values: Mapping[Symbol, Any]) -> Any:
    """The formula, made of sums, products and powers, on numbers, arrays or polynomials."""
    if formula in values:
        return values[formula]
    if isinstance(formula, Integer):
        return int(formula)
    parts = [_evaluated(part, values) for part in formula.args]
    if isinstance(formula, Add):
        return sum(parts)
    if isinstance(formula, Mul):
        return prod(parts)
    if isinstance(formula, Pow):
        return parts[0] ** parts[1]
    raise TypeError(f"formula: expected sizes, dimensions and costs, got {formula}")


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
def decide(formula: Basic) -> bool:
    """Whether a formula made of ``Within``, ``SameOrder`` and negation is true."""
    if isinstance(formula, Within):
        return bounded(*formula.args)
    if isinstance(formula, SameOrder):
        return bounded(*formula.args) and bounded(*reversed(formula.args))
    if isinstance(formula, Not):
        return not decide(formula.args[0])
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


def sameorder_tex(left: Expr, right: Expr) -> bool:
    """Whether each is at most a multiple of the other, for all sizes, by their coefficients."""
    return factor(left, right) is not None and factor(right, left) is not None


def same(mutant: Basic, formula: Basic) -> bool:
    """Whether a mutant names bounds of the same order, which makes it the same statement."""
    if type(mutant) is not type(formula) or isinstance(formula, Not):
        return False
    pairs = zip(mutant.args, formula.args, strict=True)
    return all(a == b or (isinstance(a, Expr) and sameorder_tex(a, b)) for a, b in pairs)


# ---- the note's list of steps, as printed: (line, what it computes, bound)

_nw, _ni, _cells = n_cell * dim_cell, n_cell * dim_ig, n_cell * d_cell
TIME_LINES: tuple[tuple[int, Expr], ...] = (
    (3, d_hid + 2 * d_cell + _cells), (4, dim_hid), (5, dim_og), (6, dim_ig), (7, _nw), (9, _cells), (10, dim_og),
    (11, _ni), (12, _ni), (13, _nw), (14, _nw), (15, _cells), (16, _ni), (17, _ni), (18, _nw), (20, dim_ig), (21, _nw),
    (22, d_out), (23, dim_out), (25, dim_out), (26, dim_out), (27, dim_hid), (29, dim_og), (31, dim_ig), (33, _nw),
)  # fmt: skip
_state, _slopes = d_in + d_hid + 2 * d_cell + _cells, d_hid + 2 * d_cell + _cells
SPACE_LINES: tuple[tuple[int, Expr], ...] = (
    (1, dim_out + dim_hid + dim_og + dim_ig + _nw), (2, _state), (3, _ni + _nw), (4, _state), (5, _slopes),
    (6, dim_hid + dim_og + dim_ig + _nw), (7, d_cell), (8, dim_og), (9, _ni), (10, _ni), (11, _nw), (12, _nw),
    (13, _cells), (14, _ni), (15, dim_ig), (16, _nw), (17, dim_ig), (18, _nw), (19, d_out), (20, dim_out),
    (22, dim_out), (23, _slopes), (24, dim_hid), (26, dim_og), (28, dim_ig), (30, _nw),
)  # fmt: skip
PRINTED = {
    "time": d_hid + 2 * d_cell + 3 * _cells + 2 * dim_hid + 3 * dim_og + 3 * dim_ig + 6 * _nw + 4 * _ni + d_out
    + 3 * dim_out,
    "space": 3 * dim_out + 3 * dim_hid + 4 * dim_og + 5 * dim_ig + 8 * _nw + 2 * d_in + 4 * d_hid + 9 * d_cell
    + 5 * _cells + 4 * _ni + d_out,
    "short": dim_hid + dim_og + dim_ig + _nw + _ni + dim_out,
}  # fmt: skip
WORDS = {  # what the lines of the first list compute
    3: "slopes of all units below the outputs",
    4: "70d, slope of a hidden unit times what it read",
    5: "71d, the same for an output gate",
    6: "72e, for an input gate",
    7: "73e, for a cell",
    9: "71e, sum of $h$ over the cells of a block",
    10: "71f, that sum times 71d",
    11: "72g, $g$ of a cell times 72e",
    12: "72h, the kept derivative 72c moves on",
    13: "73g, input gate times 73e",
    14: "73h, the kept derivative 73c moves on",
    15: "slopes $h'$ of the cells",
    16: "72j, slope times 72h",
    17: "72k, sum over the cells of a block",
    18: "73j, slope times 73h",
    20: "72m, output gate times 72k",
    21: "73l, output gate times 73j",
    22: "slopes of the outputs",
    23: "69c, update of the output weights",
    25: "slopes times output weights",
    26: "their sums over the outputs",
    27: "70h, update of the hidden weights",
    29: "71j, update of the output gates",
    31: "72q, update of the input gates",
    33: "73p, update of the cells",
}
