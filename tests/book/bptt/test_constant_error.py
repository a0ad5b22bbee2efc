"""The chapter on constant error flow: its statements, and judges that accept true formulas and refuse wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from sympy import Eq, Integral, S, latex
from throughtime.derivation import CheckError, chain, d, parameter, slips, sum_over, to_latex
from throughtime.models.activations import identity, logistic
from throughtime.systems import recurrent as full
from throughtime_book.bptt.constant_error import claims as judge
from throughtime_book.bptt.constant_error import prints
from throughtime_book.bptt.constant_error import system as s
from throughtime_book.bptt.constant_error.claims import f, net, slope, t, theta, w, y, z
from throughtime_book.bptt.forward import prints as p
from throughtime_book.shared.words import Iff

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "constant-error.ipynb"

i, j = s.i, s.j


def test_what_both_notes_print_stands_in_one_box(judged):
    pairs = {name: item.box for name, item in judged.items() if item.box != name}
    assert pairs == {f"lstm97-{number + 8}": f"bptt-{number}" for number in range(21, 27)}


# ---- one unit


def test_error_one_step_back_needs_weight_and_slope():
    setting = judge.setting()
    factor = s.w[j, j] * s.f.prime(s.net[j, s.t - 1], j)
    left, later = d(s.cost[s.t], s.net[j, s.t - 1]), d(s.cost[s.t], s.net[j, s.t])
    assert setting.equation("right", chain(left, factor * later)).verdict == "holds"
    late = s.w[j, j] * s.f.prime(s.net[j, s.t], j)
    for wrong in (s.w[j, j] * later, late * later, -factor * later):
        with pytest.raises(CheckError, match="is wrong as printed"):
            setting.equation("wrong", chain(left, wrong))


def test_output_of_an_affine_unit_drifts():
    setting = judge.affine_setting()
    right = chain(s.y[j, s.t], s.y[j, s.t - 1] + s.constant[j] / s.w[j, j])
    assert setting.equation("right", right, numeric="none").verdict == "holds"
    with pytest.raises(CheckError, match="is wrong as printed"):
        setting.equation("wrong", chain(s.y[j, s.t], s.y[j, s.t - 1]), numeric="none")


REQUIRED = Iff(Eq(w * slope(net(t - 1)), 1), Eq(theta(t, t - 1), theta(t, t)))


@pytest.mark.parametrize("runs", [judge.exact_runs, judge.library_runs])
def test_requirement_is_decided_by_runs(runs):
    assert judge.of_units(REQUIRED, runs())
    assert not judge.of_units(Iff(Eq(slope(net(t - 1)), 1), Eq(theta(t, t - 1), theta(t, t))), runs())
    assert not judge.of_units(Eq(w * slope(net(t - 1)), 1), runs())  # not every unit is a carousel


def test_no_slip_in_the_requirement_passes():
    assert not [mutant for mutant in slips(REQUIRED) if judge.of_units(mutant.expr)]


def test_runs_cover_units_with_and_without_the_requirement():
    found = {run.true_at(Eq(w * slope(net(t - 1)), 1), now) for run in judge.exact_runs() for now in (2, 3, 4)}
    assert found == {True, False}
    mixed = [{run.true_at(Eq(w * slope(net(t)), 1), now) for now in (1, 2, 3)} for run in judge.exact_runs()]
    assert {True, False} in mixed  # at some of its net inputs only


def test_formula_that_cannot_be_read_is_not_true():
    assert not judge.of_units(Eq(y(t + 10), y(t)))


def test_error_signals_of_a_run_are_products_of_links():
    run = judge.library_run(logistic, 4.0, 0.3)
    for now in range(2, judge.STEPS + 1):
        factor = 4.0 * logistic.derivative(run.nets[now - 2])
        assert run.signals(now, now - 1) == pytest.approx(factor * run.signals(now, now), rel=1e-12)


# ---- activations


PREMISE = Eq(Integral(w * slope(z), z), Integral(1, z))


@pytest.mark.parametrize(
    ("conclusion", "true"),
    [
        (Eq(w * f(z), z), False),
        (Eq(w * f(z), z + w * f(0)), True),
        (Eq(w * f(z), z + f(0)), False),
        (Eq(f(z), z / w + f(0)), True),
        (Eq(f(z), z / w), False),
    ],
)
def test_activation_that_the_requirement_forces(conclusion, true):
    assert judge.of_activations(Iff(PREMISE, conclusion)) is true


def test_carousel_keeps_its_output_and_others_do_not():
    still = Eq(y(t), y(t - 1))
    assert judge.of_carousels(still)
    assert judge.of_units(still, [judge.library_run(identity, 1.0, 0.4)])
    assert not judge.of_units(still, [judge.library_run(identity, 0.9, 0.4)])
    assert not judge.of_units(still)
    assert judge.same_on_carousels(Eq(y(t), y(t - 3)), still)
    assert not judge.same_on_carousels(Eq(y(t), -y(t - 1)), still)
    assert not judge.same_on_carousels(Eq(y(t), net(t)), still)


def test_iff_keeps_the_order_of_its_sides():
    assert latex(Iff(Eq(z, 1), Eq(w, 2))).startswith(r"z_{j} = 1 \iff w_{j,j}")
    assert Iff(S.true, S.true) == Iff(S.false, S.false) == S.true
    assert Iff(S.true, S.false) == Iff(S.false, S.true) == S.false


# ---- forward equations


def of(*terms):
    return p.equals(prints.net[j, p.t], sum(terms))


i_x, i_u, i_y = prints.i_x, prints.i_u, prints.i_y
COLUMNS, FIRST, OWN, AT, now = prints.columns, prints.outputs_first, prints.own, p.at_position, p.t
BY_NUMBER = parameter("W", full.U, p.NUMBERS)  # the matrix over [x; y], with the number of a unit as its column
INPUTS = sum_over(i_x, COLUMNS[j, i_x] * p.x[i_x, now - 1])
PRINTED = {
    "bptt-26": (prints.with_input, True),
    "bptt-27": (prints.many_outputs_first, False),
    "lstm97-35, first line": (prints.many, False),
    "lstm97-35, second line": (prints.many_activated, False),
}
OTHER_PLACES = {
    "own weight in the column of an input": (of(BY_NUMBER[j, j] * p.y[j, now - 1], INPUTS), True),
    "input weight in the column of a unit": (
        of(OWN[j, j] * p.y[j, now - 1], sum_over(i_x, COLUMNS[j, full.d_out + i_x] * p.x[i_x, now - 1])),
        True,
    ),
    "a unit that others feed": (prints.with_input, False),
    "inputs first, taken for outputs first": (
        of(
            sum_over(i_u, BY_NUMBER[j, i_u] * p.y[i_u, now - 1]),
            sum_over(i_x, COLUMNS[j, full.d_out + i_x] * p.x[i_x, now - 1]),
        ),
        False,
    ),
    "outputs first, shifted by the inputs": (
        of(
            sum_over(i_u, OWN[j, i_u] * p.y[i_u, now - 1]), sum_over(i_x, FIRST[j, full.d_in + i_x] * p.x[i_x, now - 1])
        ),
        False,
    ),
    "transposed": (of(sum_over(i_u, OWN[i_u, j] * p.y[i_u, now - 1]), INPUTS), False),
    "an output one position on": (of(INPUTS, sum_over(i_y, COLUMNS[j, i_y] * AT[i_y + 1, now - 1])), False),
    "the position taken for the number": (of(INPUTS, sum_over(i_y, COLUMNS[j, i_y] * p.y[i_y, now - 1])), False),
    "the activation of another unit": (
        of(INPUTS, sum_over(i_y, COLUMNS[j, i_y] * full.f[j](prints.net_at[i_y, now - 1]))),
        False,
    ),
    "the net input of another unit": (
        of(INPUTS, sum_over(i_y, COLUMNS[j, i_y] * prints.f_at[i_y](prints.net[j, now - 1]))),
        False,
    ),
}
WITNESSES = pytest.mark.parametrize("how", [{"exact": False}, {"library": False}], ids=["library", "exact"])


@WITNESSES
@pytest.mark.parametrize(("equation", "alone"), PRINTED.values(), ids=PRINTED)
def test_net_inputs_hold_as_they_are_meant_and_no_slip_in_them_does(equation, alone, how):
    assert prints.forward(equation, alone=alone, **how)
    found = slips(equation)
    assert len(found) > 15
    assert not [str(slip) for slip in found if prints.forward(slip.expr, alone=alone, **how)]


@WITNESSES
@pytest.mark.parametrize(("equation", "alone"), OTHER_PLACES.values(), ids=OTHER_PLACES)
def test_another_place_is_refused(equation, alone, how):
    assert not prints.forward(equation, alone=alone, **how)


def test_both_orders_of_columns_are_one_net():
    by_position = of(sum_over(i_u, COLUMNS[j, full.d_in + i_u] * p.y[i_u, now - 1]), INPUTS)
    assert prints.forward(by_position, alone=False)
    assert prints.forward(of(COLUMNS[j, full.d_in + j] * p.y[j, now - 1], INPUTS), alone=True)


def test_a_column_that_is_a_sum_is_set_off_by_a_comma():
    assert to_latex(COLUMNS[j, full.d_in + j]) == r"w_{j, d_{\mathrm{in}} + j}"
    assert to_latex(COLUMNS[j, i_x]) == "w_{j i}"
