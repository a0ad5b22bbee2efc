"""The judge of matrix formulas accepts true and refuses wrong ones."""

import pytest
from book.training import bench as part
from book.training.elman_jordan import checks
from book.training.elman_jordan.checks import In, Matrix, Row, Stacked, Transposed, Vector, sequences, t
from sympy import Eq, exp
from throughtime.derivation import CheckError, chain, close, d, holds_on
from throughtime.systems import elman_jordan as s

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


def test_the_logistic_function_and_not_another():
    nets = Matrix(checks.X_BARS)
    for right, true in (((1 + exp(-nets)) ** -1, True), ((1 + exp(nets)) ** -1, False), (1 + exp(-nets), False)):
        assert checks.matrix_formula(In(Matrix(checks.F), right, sequences, checks.K), jordan=False) is true


def test_temporal_xor():
    right = (0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0)
    assert checks.is_temporal_xor(Eq(checks.table(0, 1, 1, 0), checks.bits(*right)))
    assert not checks.is_temporal_xor(Eq(checks.table(0, 1, 1, 1), checks.bits(*right)))
    for place in range(12):
        flipped = [bit ^ (place == n) for n, bit in enumerate(right)]
        assert not checks.is_temporal_xor(Eq(checks.table(0, 1, 1, 0), checks.bits(*flipped), evaluate=False))


def test_a_transposed_weight_fails():
    bench = part.elman_jordan(jordan=False)
    right = bench.derive_backward(s.loss[()], s.net_f[s.i, s.k, s.t]).result
    assert holds_on(bench.witnesses, [chain(d(s.loss[()], s.net_f[s.i, s.k, s.t]), right)]).passed
    with pytest.raises(CheckError):
        bench.equation("transposed", chain(s.net_g[s.i, s.j, s.t], s.w_0[s.j]))
    assert holds_on([bench.model], [chain(s.net_g[s.i, s.j, s.t], s.w_0[s.j])], close).passed is False
