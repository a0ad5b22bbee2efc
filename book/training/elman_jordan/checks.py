"""Checks of matrix formulas as a source prints them: their shapes for all sizes, their values in nets.

Products are matrix products in the printed order. Sums with a number, exp and powers act on each entry, the only
reading of (1 + exp(-X))^(-1) for a matrix X that is not square. The matrices are read off the run of a program over a
whole batch; the vectors x^(i), f^(i) and so on off runs over one sequence at a time. A matrix formula is true if its
shapes fit for all sizes and both readings agree.
"""

from contextlib import suppress
from functools import cache, cached_property, reduce
from itertools import product
from typing import Any

import numpy as np
from book.training.bench import LENGTH, SEED, SIZES, forward
from sympy import Add, Expr, Function, Mul, Pow, Symbol, exp, sympify
from sympy.logic.boolalg import Boolean
from throughtime.evidence.trace import Arrays, ModelTrace
from throughtime.systems import elman_jordan as system

t = Symbol("t", integer=True)
LETTERS = sequences, N, K, J = tuple(Symbol(name, integer=True, positive=True) for name in "INKJ")


class NotThere(LookupError):
    """A matrix is needed at a time outside 0, ..., T."""


class _Entry(Expr):
    """Part of a formula; a name is the LaTeX of one."""

    is_commutative = False
    tex = ""

    def __new__(cls, *args: Any) -> "_Entry":
        return Expr.__new__(cls, *(Symbol(arg) if isinstance(arg, str) else sympify(arg) for arg in args))

    def _latex(self, printer, exp=None) -> str:
        return self.tex % printer._print(self.args[0])


class Matrix(_Entry):
    """A matrix with a name, at time t or at another time ``when``."""

    def __new__(cls, name: str | Symbol, when: Expr = t) -> "Matrix":
        return super().__new__(cls, name, when)

    def _latex(self, printer, exp=None) -> str:
        name, when = self.args
        return name.name if when == t else rf"\left({printer._print(when)}\right) {name.name}"

    def _sympystr(self, printer) -> str:
        name, when = self.args
        return name.name if when == t else f"({when}){name.name}"


class Vector(_Entry):
    """The column vector of sequence i, with a name."""

    def _latex(self, printer, exp=None) -> str:
        return rf"{self.args[0].name}^{{(i)}}"

    def _sympystr(self, printer) -> str:
        return f"{self.args[0].name}^(i)"


class Transposed(_Entry):
    """The transpose of a column or matrix."""

    tex = r"\left(%s\right)^{T}"


class Row(_Entry):
    """A block row: matrices with equal numbers of rows, side by side."""

    def _latex(self, printer, exp=None) -> str:
        return rf"\begin{{bmatrix}} {' & '.join(map(printer._print, self.args))} \end{{bmatrix}}"


class Stacked(_Entry):
    """The matrix of a row expression for sequences i = 1, ..., I, one row per sequence."""

    def _latex(self, printer, exp=None) -> str:
        body = printer._print(self.args[0])
        first, last = body.replace("(i)", "(1)"), body.replace("(i)", "(I)")
        return rf"\begin{{bmatrix}} {first} \\ \vdots \\ {last} \end{{bmatrix}}"


class Repeated(_Entry):
    """A column with I equal entries, one per sequence."""

    tex = r"\begin{bmatrix} %s, \dots, %s \end{bmatrix}^{T}"

    def _latex(self, printer, exp=None) -> str:
        return self.tex % (2 * (printer._print(self.args[0]),))


class In(Boolean):
    """A = B = ... in R^(rows x columns): equal members, then rows and columns, as arguments."""

    def __new__(cls, *args: Any) -> "In":
        return super().__new__(cls, *map(sympify, args))

    def _latex(self, printer) -> str:
        *members, rows, columns = map(printer._print, self.args)
        width = columns if len(columns) == 1 else f"({columns})"
        return rf"{' = '.join(members)} \in \mathbb{{R}}^{{{rows} \times {width}}}"

    def _sympystr(self, printer) -> str:
        *members, rows, columns = self.args
        return f"{' = '.join(map(printer._print, members))} in R^({rows} x {columns})"


# ---- values


def value(expr: Expr, world: "World", when: int, sequence: int = 0) -> Any:
    """The value of ``expr`` at the time ``when``, for ``sequence`` if it has vectors: a number or a 2-d array.

    NotThere if a matrix is needed outside the times 0, ..., T; ValueError if the shapes of parts do not match.
    """
    if isinstance(expr, Matrix):
        return world.matrix(expr.args[0].name, int(expr.args[1].subs(t, when)))
    if isinstance(expr, Vector):
        return world.matrix(ROWS[expr.args[0].name], when, sequence).T
    if expr.is_Rational or expr == t:
        return float(expr.subs(t, when))
    every = range(1, world.sizes[sequences] + 1)
    if isinstance(expr, Stacked):
        return np.vstack([value(expr.args[0], world, when, row) for row in every])
    of = [value(arg, world, when, sequence) for arg in expr.args]
    if isinstance(expr, Repeated):
        return np.array([of for _ in every])
    if isinstance(expr, Transposed):
        return of[0].T
    if isinstance(expr, Row):
        return np.hstack(of)
    if isinstance(expr, exp):
        return np.exp(of[0])
    if isinstance(expr, Pow):
        return of[0] ** float(of[1])
    if isinstance(expr, Add):
        if len({np.shape(item) for item in of if np.ndim(item)}) > 1:
            raise ValueError(f"{expr}: entries of different shapes")
        return sum(of)
    if isinstance(expr, Mul):
        return reduce(lambda left, right: left @ right if np.ndim(left) and np.ndim(right) else left * right, of)
    raise TypeError(f"formula: expected matrices, vectors, sums, products and powers, got {expr}")


def members(formula: In, world: "World", when: int) -> list[np.ndarray]:
    """The values of all members. Raises NotThere as ``value`` does, and ValueError for one that has another shape."""
    *parts, rows, columns = formula.args
    found = [value(part, world, when, world.sizes[sequences]) for part in parts]
    if {*map(np.shape, found)} != {(rows.subs(world.sizes), columns.subs(world.sizes))}:
        raise ValueError(f"{formula}: a member of another shape")
    return found


# ---- the matrices of the source

ONES, X, X_BAR, X_BARS = r"\mathcal{I}", "X", r"\overline{X}", r"\overline{\overline{X}}"
F, F_BAR, F_BARS, G, V, W = "F", r"\overline{F}", r"\overline{\overline{F}}", "G", "v", r"\omega"
ROWS = {"x": X, r"\overline{x}": X_BAR, "f": F, r"\overline{f}": F_BAR, "g": G}
"""The vector of one sequence, and the matrix whose row it is."""
OWN = {X_BAR: "x_bar", X_BARS: "xx", F: "f", F_BAR: "f_bar", F_BARS: "ff", G: "g", V: "v", W: "w"}
"""The arrays of a run. The ones and the inputs are columns of the extended inputs."""


class World:
    """A net of some sizes in numbers: a batch for the matrices, single sequences for the vectors."""

    def __init__(self, sizes: tuple[int, ...], jordan: bool) -> None:
        self.sizes = dict(zip(LETTERS, sizes, strict=True))
        made = dict(zip(SIZES, sizes, strict=True))
        self.model = ModelTrace.drawn(system.build(jordan=jordan), made, LENGTH, forward, {}, SEED)

    @cached_property
    def runs(self) -> list[Arrays]:
        """The whole batch, then each sequence alone."""
        weights, given = self.model.parameters, self.model.inputs
        batches = (slice(None), *(slice(row, row + 1) for row in range(self.sizes[sequences])))
        return [forward(weights, {name: array[:, batch] for name, array in given.items()}) for batch in batches]

    def matrix(self, name: str, when: int, run: int = 0) -> np.ndarray:
        """A matrix of the source, of the batch or of a single sequence; rows are sequences."""
        if not 0 <= when <= LENGTH:
            raise NotThere(f"{name} at {when}")
        if name in (V, W):
            return self.runs[run][OWN[name]]
        columns = {ONES: slice(1), X: slice(1, 1 + self.sizes[N])}
        return self.runs[run][OWN.get(name, "x_bar")][when][:, columns.get(name, slice(None))]


world = cache(World)


def at_all_times(formula: In, sizes: tuple[int, ...], jordan: bool) -> list[list[np.ndarray]]:
    """The values of all members at each time 1, ..., T at which all are there. ValueError as ``members``."""
    found = []
    for when in range(1, LENGTH + 1):
        with suppress(NotThere):
            found.append(members(formula, world(sizes, jordan), when))
    return found


def conforms(formula: In, *, jordan: bool) -> bool:
    """Whether all members have the printed shape, in nets of several sizes; False if shapes do not match."""
    try:
        for sizes in ((2, 3, 5, 7), (7, 5, 3, 2), (4, 9, 6, 13)):  # no two, and none and another plus one, are equal
            at_all_times(formula, sizes, jordan)
    except ValueError:
        return False
    return True


def in_numbers(formula: In, *, jordan: bool) -> bool:
    """Whether all members are equal in the net of the bench, at every time with values for all, and at one."""
    try:
        found = at_all_times(formula, tuple(SIZES.values()), jordan)
    except ValueError:
        return False
    return bool(found) and all(np.allclose(other, first, 1e-12, 1e-12) for first, *others in found for other in others)


def matrix_formula(formula: In, *, jordan: bool) -> bool:
    """Whether the shapes of a matrix formula fit for all sizes, and its values in numbers."""
    return conforms(formula, jordan=jordan) and in_numbers(formula, jordan=jordan)


# ---- the temporal XOR sequence

INPUTS = tuple(product((0, 1), repeat=2))


class bits(Function):
    """Bits in a row."""

    def _latex(self, printer, exp=None) -> str:
        return r"\;".join(printer._print(bit) for bit in self.args)


class table(Function):
    """A truth table of two inputs: the output bit for 00, 01, 10, 11."""

    nargs = 4

    def _latex(self, printer, exp=None) -> str:
        rows = [rf"{a} & {b} & {printer._print(out)} \\" for (a, b), out in zip(INPUTS, self.args, strict=True)]
        return rf"\begin{{array}}{{cc|c}} {' '.join(rows)} \end{{array}}"


def is_temporal_xor(formula: Boolean) -> bool:
    """Whether the table is that of exclusive or, and the bits are its rows one after the other."""
    outputs, row = formula.args
    words = [[a, b, (a + b) % 2] for a, b in INPUTS]
    right_table = [int(bit) for bit in outputs.args] == [word[2] for word in words]
    return right_table and [int(bit) for bit in row.args] == [bit for word in words for bit in word]
