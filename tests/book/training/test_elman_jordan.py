"""The chapter on Elman's and Jordan's nets: what no slip of a matrix formula tries, and the exercise of the trace."""

import numpy as np
import pytest
from book.training.elman_jordan import checks
from book.training.elman_jordan.checks import In, K, Matrix, N, Repeated, Row, Stacked, Transposed, Vector, sequences, t
from throughtime.checks import complex_step

ones, inputs, x_bar, v = map(Matrix, (checks.ONES, checks.X, checks.X_BAR, checks.V))


def extended(jordan, *blocks):
    rows = Stacked(Transposed(Vector(r"\overline{x}")))
    return In(x_bar, Row(*blocks), rows, sequences, N + 1 + (checks.J if jordan else K))


@pytest.mark.parametrize("jordan", [False, True], ids=["Elman", "Jordan"])
def test_the_context_is_of_the_step_before(jordan):
    name, other = (checks.G, checks.F) if jordan else (checks.F, checks.G)
    assert checks.matrix_formula(extended(jordan, ones, inputs, Matrix(name, t - 1)), jordan=jordan)
    wrong = {
        "the product with t - 1": (t - 1) * Matrix(name),
        "no time that there is": Matrix(name, t - 9),
        "the other net's": Matrix(other, t - 1),
    }
    for words, block in wrong.items():
        assert not checks.matrix_formula(extended(jordan, ones, inputs, block), jordan=jordan), words
    swapped = extended(jordan, Matrix(name, t - 1), ones, inputs)
    assert checks.conforms(swapped, jordan=jordan)
    assert not checks.in_numbers(swapped, jordan=jordan)


@pytest.mark.parametrize(
    ("formula", "fits"),
    [
        (In(x_bar * v, sequences, K), True),
        (In(v * x_bar, sequences, K), False),
        (In(x_bar * v, sequences, N), False),
        (In(Row(inputs, Repeated(1)), sequences, N + 1), True),
        (In(Row(inputs, Repeated(1)), sequences, N), False),
        (In(Row(inputs, v), sequences, N + K), False),
        (In(inputs + ones, sequences, N), False),
        (In(Stacked(Vector("x")), sequences, N), False),
        (In(Stacked(Transposed(Vector("x"))), N, sequences), False),
    ],
)
def test_shapes(formula, fits):
    assert checks.conforms(formula, jordan=False) is fits


def test_the_trace_of_the_exercise_changes_two_lines(page_cell):
    typed = page_cell("def gradient(v, w")
    trace = typed.replace("context = g if", "context = 0.7 * context + g if")
    trace = trace.replace("else v[1 +", "else 0.7 * back + v[1 +")
    assert sum(a != b for a, b in zip(typed.splitlines(), trace.splitlines(), strict=True)) == 2
    draw = np.random.default_rng(5)
    v, w, x, targets = (draw.normal(size=shape) for shape in ((5, 3), (4, 2), (6, 2), (6, 2)))

    def apart(source):
        names = {"np": np}
        exec(source, names)

        def loss(point):
            steps = names["forward"](point[: v.size].reshape(v.shape), point[v.size :].reshape(w.shape), x, True)
            return ((np.array([step[2] for step in steps]) - targets) ** 2).sum() / 2

        exact = complex_step(loss, np.concatenate([v.ravel(), w.ravel()]))
        mine = np.concatenate([part.ravel() for part in names["gradient"](v, w, x, targets, True)])
        return np.abs(mine - exact).max()

    assert apart(trace) < 1e-13
    assert apart(trace.replace("else 0.7 * back + v", "else v")) > 1e-3
