"""A table of samples decides a formula: a column for each of its letters, a row for each case that was tried."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from book.shared.words import Throughout
from sympy import And, Basic, Equality, Expr, GreaterThan, Implies, LessThan, Symbol, Unequality, lambdify, true
from sympy.logic.boolalg import Boolean

Truth = np.ndarray  # of bool, one for each row


class Samples:
    """Values for the letters of formulas, of which a formula is true, or sharp, or not.

    columns     letters, and whatever else a formula may hold that a row has a value for: f(x), a fact in words
    rows        an array of floats, compared up to rounding; or lists of SymPy values, put in exactly
    cells       the cell of each row, numbers from 0, or -1 for none; if left out, all rows are one cell
    rounding    how far apart floats may be that count as equal: relative to the larger, and absolute

    >>> from sympy import Le
    >>> a, b = map(Symbol, "ab")
    >>> powers = Samples((a, b), np.array([[1.0, 1.0], [-2.0, 4.0], [3.0, 9.0]]))
    >>> powers.holds(Equality(b, a**2)), powers.is_sharp(Le(a, b)), powers.is_sharp(Le(a, b + 1))
    (True, True, False)
    """

    def __init__(
        self,
        columns: Iterable[Basic],
        rows: np.ndarray | Iterable[Sequence[Any]],
        cells: Sequence[int] | np.ndarray | None = None,
        rounding: tuple[float, float] = (1e-9, 0.0),
    ) -> None:
        self.columns, self.relative, self.absolute = tuple(columns), *rounding
        self.rows = rows if isinstance(rows, np.ndarray) else [*rows]
        self.cells = np.zeros(len(self.rows), int) if cells is None else np.asarray(cells)

    @classmethod
    def of(cls, cases: Iterable[Mapping[Basic, Any]]) -> "Samples":
        """The exact samples of some cases, each a value for the same letters. IndexError if there are none."""
        cases = [*cases]
        return cls(cases[0], [[*case.values()] for case in cases])

    def truth(self, formula: Boolean) -> Truth:
        """For each row whether a formula is true; what stays open is not. `Throughout` is said of the row's cell."""
        if not isinstance(self.rows, np.ndarray):
            return np.array([*self._exact(formula)])
        if isinstance(formula, Implies):
            premise, conclusion = map(self.truth, formula.args)
            return ~premise | conclusion
        if isinstance(formula, And):
            return np.logical_and.reduce([*map(self.truth, formula.args)])
        if isinstance(formula, Throughout):
            fails = np.bincount(self.cells, ~self.truth(formula.body) & self.truth(formula.condition))
            return fails[self.cells] == 0
        if not isinstance(formula, Equality | Unequality | LessThan | GreaterThan):
            return self.values(formula).astype(bool)
        left, right = map(self.values, formula.args)
        with np.errstate(invalid="ignore"):
            slack = self.relative * np.maximum(np.abs(left), np.abs(right)) + self.absolute
            below, above = left <= right + slack, left >= right - slack
        if isinstance(formula, Unequality):
            return ~(below & above)
        return below & above if isinstance(formula, Equality) else below if isinstance(formula, LessThan) else above

    def _exact(self, formula: Boolean) -> Iterator[bool]:
        for row in self.rows:
            yield formula.subs(dict(zip(self.columns, row, strict=True))).doit() == True  # noqa: E712

    def values(self, expr: Expr | Boolean) -> np.ndarray:
        """For each row of floats the value of an expression."""
        letters = [Symbol(f"c_{number}") for number in range(len(self.columns))]
        plain = expr.xreplace(dict(zip(self.columns, letters, strict=True)))
        with np.errstate(all="ignore"):
            return np.broadcast_to(lambdify(letters, plain, "numpy")(*self.rows.T), len(self.rows))

    def holds(self, formula: Boolean) -> bool:
        """Whether a formula is true in every row; exact rows are asked up to the first in which it is not."""
        return bool(self.truth(formula).all()) if isinstance(self.rows, np.ndarray) else all(self._exact(formula))

    def is_sharp(self, formula: Boolean) -> bool:
        """Whether an inequality, perhaps under a condition, holds, and in every cell is an equation not of zeros."""
        condition, inequality = formula.args if isinstance(formula, Implies) else (true, formula)
        equal = Equality(*inequality.args, evaluate=False), Unequality(inequality.args[0], 0, evaluate=False)
        met = np.logical_and.reduce([self.truth(part) for part in (condition, *equal)])
        return self.holds(formula) and {*self.cells[met]} >= {*range(self.cells.max() + 1)}

    def is_weakest(self, formula: Implies) -> bool:
        """Whether an implication is true in every row, and its premise in a cell where the conclusion always is."""
        premise, conclusion = map(self.truth, formula.args)
        cells = [self.cells == cell for cell in {*self.cells} - {-1}]
        return self.holds(formula) and all(premise[cell].all() for cell in cells if conclusion[cell].all())
