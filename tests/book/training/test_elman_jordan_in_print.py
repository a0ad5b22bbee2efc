"""The judge of matrix formulas: the time of a context, which no shape tells, and the order of a product."""

import pytest
from book.training.elman_jordan import checks
from book.training.elman_jordan.checks import In, Matrix, Row, Stacked, Transposed, Vector, sequences, t

WIDTHS = {False: checks.K, True: checks.J}
CONTEXT = {False: checks.F, True: checks.G}


def extended(jordan, *blocks):
    return In(
        Matrix(checks.X_BAR),
        Row(*blocks),
        Stacked(Transposed(Vector(r"\overline{x}"))),
        sequences,
        checks.N + 1 + WIDTHS[jordan],
    )


ones, inputs = Matrix(checks.ONES), Matrix(checks.X)


@pytest.mark.parametrize("jordan", [False, True], ids=["Elman", "Jordan"])
def test_the_context_is_of_the_step_before(jordan):
    name = CONTEXT[jordan]
    assert checks.matrix_formula(extended(jordan, ones, inputs, Matrix(name, t - 1)), jordan=jordan)
    wrong = {
        "the present": Matrix(name),
        "the product with t - 1": (t - 1) * Matrix(name),
        "two steps before": Matrix(name, t - 2),
        "the other net's": Matrix(CONTEXT[not jordan], t - 1),
    }
    for words, block in wrong.items():
        assert not checks.matrix_formula(extended(jordan, ones, inputs, block), jordan=jordan), words
    swapped = extended(jordan, Matrix(name, t - 1), ones, inputs)
    assert checks.conforms(swapped, checks.shapes(jordan=jordan))
    assert not checks.in_numbers(swapped, jordan=jordan)


@pytest.mark.parametrize("jordan", [False, True], ids=["Elman", "Jordan"])
def test_weights_stand_to_the_right(jordan):
    x_bar, v = Matrix(checks.X_BAR), Matrix(checks.V)
    assert checks.matrix_formula(In(Matrix(checks.X_BARS), x_bar * v, sequences, checks.K), jordan=jordan)
    assert not checks.matrix_formula(In(Matrix(checks.X_BARS), v * x_bar, sequences, checks.K), jordan=jordan)
    assert not checks.matrix_formula(In(Matrix(checks.X_BARS), x_bar * v, sequences, checks.N), jordan=jordan)
