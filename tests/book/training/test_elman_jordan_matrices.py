"""Matrix formulas: matching and other shapes, values in a small world, and printed forms."""

from types import MappingProxyType

import numpy as np
import pytest
from book.shared.words import Where
from book.training.elman_jordan.checks import (
    In,
    Matrix,
    NotThere,
    Repeated,
    Row,
    ShapeError,
    Stacked,
    Transposed,
    Vector,
    conforms,
    holds_in,
    sequences,
    shape,
    t,
    value,
)
from sympy import Integer, Symbol, exp, latex

N = Symbol("N", integer=True, positive=True)
A, M, x = Matrix("A"), Matrix("M"), Vector("x")
SHAPES = {"A": (sequences, N), "M": (N, Integer(1)), "x": (N, Integer(1))}


class World:
    """Two sequences, three inputs; A(t) has the rows (t, 2t, 3t) and (-t, 0, t)."""

    sizes = MappingProxyType({sequences: 2, N: 3})
    length = 3

    def matrix(self, name, when):
        return np.array([[1.0], [10.0], [100.0]]) if name == "M" else when * np.array([[1.0, 2, 3], [-1, 0, 1]])

    def vector(self, name, sequence, when):
        return self.matrix("A", when)[sequence - 1][:, None]


def test_a_stack_of_rows_is_the_matrix():
    assert holds_in(In(A, Stacked(Transposed(x)), sequences, N), World())
    assert not holds_in(In(A, Stacked(Transposed(x)), N, sequences), World())
    assert not holds_in(In(A, Stacked(2 * Transposed(x)), sequences, N), World())


def test_products_keep_their_order():
    assert value(A * M, World(), 1).ravel().tolist() == [321.0, 99.0]
    assert shape(A * M, SHAPES) == (sequences, 1)
    with pytest.raises(ShapeError, match="columns meet"):
        shape(M * A, SHAPES)


def test_functions_go_entry_by_entry():
    half = value((1 + exp(-Matrix("A"))) ** -1, World(), 2)
    assert np.allclose(half, 1 / (1 + np.exp(-2 * np.array([[1, 2, 3], [-1, 0, 1]]))))
    assert shape((1 + exp(-A)) ** -1, SHAPES) == (sequences, N)


@pytest.mark.parametrize(
    ("formula", "fits"),
    [
        (In(Row(A, Repeated(1)), sequences, N + 1), True),
        (In(Row(A, Repeated(1)), sequences, N), False),
        (In(Row(A, M), sequences, N + 1), False),
        (In(A + A * M, sequences, N), False),
        (In(Stacked(x), sequences, N), False),
        (Where(In(A, sequences, N), In(x, N, Integer(1))), True),
        (Where(In(A, sequences, N), In(x, N, Integer(2))), False),
    ],
)
def test_shapes_for_all_sizes(formula, fits):
    assert conforms(formula, SHAPES) is fits


def test_another_time_is_another_matrix():
    assert holds_in(In(Matrix("A", t - 1) + value_of_one_step(), A, sequences, N), World()) is True
    assert not holds_in(In(Matrix("A", t - 1), A, sequences, N), World())
    assert not holds_in(In(Matrix("A", t - 9), A, sequences, N), World())  # no time at which it has a value
    with pytest.raises(NotThere):
        value(Matrix("A", t - 2), World(), 1)


def value_of_one_step():
    """A(1), which is A(t) - A(t - 1) here."""
    return Matrix("A", Integer(1))


def test_a_time_other_than_now_prints_as_the_source_has_it():
    assert latex(Matrix("F", t - 1)) == r"\left(t - 1\right) F"
    assert latex(Stacked(Transposed(x))).count("x^{(I)}") == 1
    assert latex(In(A, sequences, N + 1)).endswith(r"\mathbb{R}^{I \times (N + 1)}")
