"""Checks of matrix formulas as a source prints them: their shapes for all sizes, their values in nets.

Products are matrix products in the printed order. Sums with a number, exp and powers act on each entry, the only
reading of (1 + exp(-X))^(-1) for a matrix X that is not square. The matrices are read off the run of a program over a
whole batch; the vectors x^(i), f^(i) and so on off runs over one sequence at a time. A matrix formula is true if its
shapes fit for all sizes and both readings agree.
"""

from functools import cache, cached_property
from itertools import product
from typing import Any

import numpy as np
from book.training.bench import LENGTH, SIZES, elman_jordan, forward
from sympy import Add, Expr, Function, Mul, Pow, Symbol, exp, sympify
from sympy.logic.boolalg import Boolean
from throughtime.evidence.trace import Arrays
from throughtime.systems import elman_jordan as system

t = Symbol("t", integer=True)
LETTERS = sequences, N, K, J = tuple(Symbol(name, integer=True, positive=True) for name in "INKJ")


class ShapeError(ValueError):
    """The shapes of two parts of a formula do not match."""


class NotThere(LookupError):
    """A matrix is needed at a time outside 0, ..., T."""


class _Entry(Expr):
    is_commutative = False

    def __new__(cls, *args: Any) -> "_Entry":
        return Expr.__new__(cls, *map(sympify, args))


class Matrix(_Entry):
    """A matrix with a LaTeX name, at time t or at another time ``when``."""

    def __new__(cls, name: str | Symbol, when: Expr = t) -> "Matrix":
        return Expr.__new__(cls, Symbol(name) if isinstance(name, str) else name, sympify(when))

    def _latex(self, printer, exp=None) -> str:
        name, when = self.args
        return name.name if when == t else rf"\left({printer._print(when)}\right) {name.name}"

    def _sympystr(self, printer) -> str:
        name, when = self.args
        return name.name if when == t else f"({when}){name.name}"


class Vector(_Entry):
    """The column vector of sequence i, with a LaTeX name."""

    def __new__(cls, name: str | Symbol) -> "Vector":
        return Expr.__new__(cls, Symbol(name) if isinstance(name, str) else name)

    def _latex(self, printer, exp=None) -> str:
        return rf"{self.args[0].name}^{{(i)}}"

    def _sympystr(self, printer) -> str:
        return f"{self.args[0].name}^(i)"


class Transposed(_Entry):
    """The transpose of a column or matrix."""

    def _latex(self, printer, exp=None) -> str:
        return rf"\left({printer._print(self.args[0])}\right)^{{T}}"


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

    def _latex(self, printer, exp=None) -> str:
        number = printer._print(self.args[0])
        return rf"\begin{{bmatrix}} {number}, \dots, {number} \end{{bmatrix}}^{{T}}"


class In(Boolean):
    """A = B = ... in R^(rows x columns): equal members, then rows and columns, as arguments."""

    def __new__(cls, *args: Any) -> "In":
        return super().__new__(cls, *map(sympify, args))

    @property
    def members(self) -> tuple[Expr, ...]:
        """The members of the equation."""
        return self.args[:-2]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        """(rows, columns)."""
        return self.args[-2:]

    def _latex(self, printer) -> str:
        members, (rows, columns) = " = ".join(map(printer._print, self.members)), map(printer._print, self.shape)
        return rf"{members} \in \mathbb{{R}}^{{{rows} \times {columns if len(columns) == 1 else f'({columns})'}}}"

    def _sympystr(self, printer) -> str:
        return f"{' = '.join(map(printer._print, self.members))} in R^({self.shape[0]} x {self.shape[1]})"


# ---- values


def value(expr: Expr, world: "World", when: int, sequence: int = 0) -> Any:
    """The value of ``expr`` at the time ``when``, for ``sequence`` if it has vectors: a number or a 2-d array.

    NotThere if a matrix is needed outside the times 0, ..., T; ValueError if the shapes of parts do not match.
    """
    if isinstance(expr, Matrix):
        return world.matrix(expr.args[0].name, int(expr.args[1].subs(t, when)))
    if isinstance(expr, Vector):
        return world.vector(expr.args[0].name, sequence, when)
    if expr.is_Rational or expr == t:
        return float(expr.subs(t, when))
    if isinstance(expr, Stacked):
        rows = range(1, world.sizes[sequences] + 1)
        return np.vstack([value(expr.args[0], world, when, row) for row in rows])
    of = [value(arg, world, when, sequence) for arg in expr.args]
    if isinstance(expr, Repeated):
        return np.full((world.sizes[sequences], 1), of[0])
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
            raise ShapeError(f"{expr}: entries of different shapes")
        return sum(of[1:], of[0])
    if isinstance(expr, Mul):
        found = of[0]
        for item in of[1:]:
            found = found @ item if np.ndim(found) and np.ndim(item) else found * item
        return found
    raise TypeError(f"formula: expected matrices, vectors, sums, products and powers, got {expr}")


def members(formula: In, world: "World", when: int) -> list[np.ndarray]:
    """The values of all members. Raises NotThere as ``value`` does, and ValueError for one that has another shape."""
    found = [value(item, world, when, world.sizes[sequences]) for item in formula.members]
    printed = tuple(int(size.subs(world.sizes)) for size in formula.shape)
    if any(np.shape(item) != printed for item in found):
        raise ShapeError(f"{formula}: a member of another shape")
    return found


# ---- the matrices of the source

ONES, X, X_BAR, X_BARS = r"\mathcal{I}", "X", r"\overline{X}", r"\overline{\overline{X}}"
F, F_BAR, F_BARS, G, V, W = "F", r"\overline{F}", r"\overline{\overline{F}}", "G", "v", r"\omega"
ROWS = {"x": X, r"\overline{x}": X_BAR, "f": F, r"\overline{f}": F_BAR, "g": G}
"""The vector of one sequence, and the matrix whose row it is."""


class OfSizes:
    """A net of any sizes whose matrices hold ones at every time: for the shapes alone."""

    def __init__(self, sizes: tuple[int, ...], *, jordan: bool) -> None:
        self.sizes = dict(zip(LETTERS, sizes, strict=True))
        I, n, k, j = sizes
        width = n + 1 + (j if jordan else k)
        self.shapes = {
            ONES: (I, 1), X: (I, n), X_BAR: (I, width), X_BARS: (I, k), F: (I, k), F_BAR: (I, k + 1), F_BARS: (I, j),
            G: (I, j), V: (width, k), W: (k + 1, j),
        }  # fmt: skip

    def matrix(self, name: str, when: int) -> np.ndarray:
        """Ones."""
        return np.ones(self.shapes[name])

    def vector(self, name: str, sequence: int, when: int) -> np.ndarray:
        """A column of ones."""
        return np.ones((self.shapes[ROWS[name]][1], 1))


class InNumbers:
    """The net of the bench: a batch for the matrices, single sequences for the vectors."""

    def __init__(self, *, jordan: bool) -> None:
        self.model = elman_jordan(jordan=jordan).model
        self.sizes = dict(zip(LETTERS, SIZES.values(), strict=True))

    @cached_property
    def runs(self) -> list[Arrays]:
        """The whole batch, then each sequence alone."""
        weights, given = self.model.parameters, self.model.inputs
        batches = (slice(None), *(slice(row, row + 1) for row in range(self.sizes[sequences])))
        return [forward(weights, {name: array[:, batch] for name, array in given.items()}) for batch in batches]

    def matrix(self, name: str, when: int) -> np.ndarray:
        """A matrix of the source, rows being sequences."""
        if not 0 <= when <= LENGTH:
            raise NotThere(f"{name} at {when}")
        return self._at(self.runs[0], name, when)

    def vector(self, name: str, sequence: int, when: int) -> np.ndarray:
        """A column of one sequence."""
        return self._at(self.runs[sequence], ROWS[name], when).T

    @staticmethod
    def _at(trace: Arrays, name: str, when: int) -> np.ndarray:
        if name in (V, W):
            return trace[{V: "v", W: "w"}[name]]
        last = 1 + SIZES[system.N]
        columns = {ONES: ("x_bar", slice(1)), X: ("x_bar", slice(1, last))}
        own = {X_BAR: "x_bar", X_BARS: "xx", F: "f", F_BAR: "f_bar", F_BARS: "ff", G: "g"}
        array, part = columns.get(name) or (own[name], slice(None))
        return trace[array][when][:, part]


World = OfSizes | InNumbers
_numbers = cache(InNumbers)


def conforms(formula: In, *, jordan: bool) -> bool:
    """Whether all members have the printed shape, in nets of several sizes; False if shapes do not match."""
    try:
        for sizes in ((2, 3, 5, 7), (7, 5, 3, 2), (4, 9, 6, 13)):  # no two, and none and another plus one, are equal
            members(formula, OfSizes(sizes, jordan=jordan), 1)
    except ValueError:
        return False
    return True


def in_numbers(formula: In, *, jordan: bool, tolerance: float = 1e-12) -> bool:
    """Whether all members are equal in the net in numbers, at every time 1, ..., T with values for all, and at one.

    ``tolerance`` is relative and absolute.
    """
    compared = 0
    for when in range(1, LENGTH + 1):
        try:
            first, *others = members(formula, _numbers(jordan=jordan), when)
        except NotThere:
            continue
        except ValueError:
            return False
        if not all(np.allclose(other, first, tolerance, tolerance) for other in others):
            return False
        compared += 1
    return compared > 0


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
