"""Constant error flow in print: its statements, and checks that accept true formulas and refuse wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from book.bptt.constant_error import checks
from book.bptt.constant_error.checks import f, net, slope, t, theta, w, y, z
from book.bptt.forward import checks as forward
from book.shared.reading import equals
from book.shared.words import Iff
from sympy import Eq, Integral, S, latex
from throughtime.arrays.activations import identity, logistic
from throughtime.derivation import parameter, sum_over, to_latex
from throughtime.systems import recurrent as full

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "constant-error-in-print.ipynb"

i, j = full.i, full.j


def test_what_both_notes_print_stands_in_one_box(judged):
    pairs = {name: item.box for name, item in judged.items() if item.box != name}
    assert pairs == {f"lstm97-{number + 8}": f"bptt-{number}" for number in range(21, 27)}


# ---- one unit


REQUIRED = Iff(Eq(w * slope(net(t - 1)), 1), Eq(theta(t, t - 1), theta(t, t)))


@pytest.mark.parametrize("units", [checks.exact_units, checks.library_units])
def test_requirement_is_decided_by_runs(units):
    assert checks.holds_for_units(REQUIRED, units())
    assert not checks.holds_for_units(Iff(Eq(slope(net(t - 1)), 1), Eq(theta(t, t - 1), theta(t, t))), units())
    assert not checks.holds_for_units(Eq(w * slope(net(t - 1)), 1), units())  # not every unit is a carousel


def test_runs_cover_units_with_and_without_the_requirement():
    found = {unit.satisfies(Eq(w * slope(net(t - 1)), 1), now) for unit in checks.exact_units() for now in (2, 3, 4)}
    assert found == {True, False}
    mixed = [{unit.satisfies(Eq(w * slope(net(t)), 1), now) for now in (1, 2, 3)} for unit in checks.exact_units()]
    assert {True, False} in mixed  # at some of its net inputs only


def test_formula_that_cannot_be_read_is_not_true():
    assert not checks.holds_for_units(Eq(y(t + 10), y(t)))


def test_error_signals_of_a_run_are_products_of_links():
    values = checks.library_unit(logistic, 4.0, 0.3).values
    for now in range(2, checks.STEPS + 1):
        factor = 4.0 * logistic.derivative(values[net][now - 1,])
        assert values[theta][now, now - 1] == pytest.approx(factor * values[theta][now, now], rel=1e-12)


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
    assert checks.holds_for_activations(Iff(PREMISE, conclusion)) is true


def test_carousel_keeps_its_output_and_others_do_not():
    still = Eq(y(t), y(t - 1))
    assert checks.holds_for_carousels(still)
    assert checks.holds_for_units(still, [checks.library_unit(identity, 1.0, 0.4)])
    assert not checks.holds_for_units(still, [checks.library_unit(identity, 0.9, 0.4)])
    assert not checks.holds_for_units(still)
    assert checks.same_for_carousels(Eq(y(t), y(t - 3)), still)
    assert not checks.same_for_carousels(Eq(y(t), -y(t - 1)), still)
    assert not checks.same_for_carousels(Eq(y(t), net(t)), still)


def test_iff_keeps_the_order_of_its_sides():
    assert latex(Iff(Eq(z, 1), Eq(w, 2))).startswith(r"z_{j} = 1 \iff w_{j,j}")
    assert Iff(S.true, S.true) == Iff(S.false, S.false) == S.true
    assert Iff(S.true, S.false) == Iff(S.false, S.true) == S.false


# ---- forward equations


i_x, i_u, i_y = full.q, full.i, forward.column.within(forward.COLUMNS_OF_Y)
COLUMNS, OUTPUTS_FIRST, OWN, now = forward.w, forward.w_outputs_first, forward.w_own, forward.t
BY_NUMBER = parameter("W", full.U, forward.NUMBERS)  # the matrix over [x; y], with the number of a unit as its column
READS = {**forward.ELEMENTS, BY_NUMBER: forward.ELEMENTS[forward.w]}


def net_is(*terms):
    return equals(forward.net[j, now], sum(terms))


def sent(weight, output):
    return sum_over(i_y, COLUMNS[j, weight] * output)


INPUTS = sum_over(i_x, COLUMNS[j, i_x] * forward.x[i_x, now - 1])
WITH_INPUT = net_is(OWN[j, j] * forward.y[j, now - 1], INPUTS)
OTHER_PLACES = {
    "own weight in the column of an input": (net_is(BY_NUMBER[j, j] * forward.y[j, now - 1], INPUTS), True),
    "input weight in the column of a unit": (
        net_is(
            OWN[j, j] * forward.y[j, now - 1],
            sum_over(i_x, COLUMNS[j, full.d_out + i_x] * forward.x[i_x, now - 1]),
        ),
        True,
    ),
    "a unit that others feed": (WITH_INPUT, False),
    "inputs first, taken for outputs first": (
        net_is(
            sum_over(i_u, BY_NUMBER[j, i_u] * forward.y[i_u, now - 1]),
            sum_over(i_x, COLUMNS[j, full.d_out + i_x] * forward.x[i_x, now - 1]),
        ),
        False,
    ),
    "outputs first, shifted by the inputs": (
        net_is(
            sum_over(i_u, OWN[j, i_u] * forward.y[i_u, now - 1]),
            sum_over(i_x, OUTPUTS_FIRST[j, full.d_in + i_x] * forward.x[i_x, now - 1]),
        ),
        False,
    ),
    "transposed": (net_is(sum_over(i_u, OWN[i_u, j] * forward.y[i_u, now - 1]), INPUTS), False),
    "an output one position on": (net_is(INPUTS, sent(i_y, forward.y_at[i_y + 1, now - 1])), False),
    "the position taken for the number": (net_is(INPUTS, sent(i_y, forward.y[i_y, now - 1])), False),
    "the activation of another unit": (
        net_is(INPUTS, sent(i_y, full.f[j](forward.net_at[i_y, now - 1]))),
        False,
    ),
    "the net input of another unit": (net_is(INPUTS, sent(i_y, forward.f_at[i_y](forward.net[j, now - 1]))), False),
}


def holds(equation, alone, library):
    """Whether an equation holds for exact networks, or for the library's; `alone`: of self-connected units."""
    if alone:
        *exact, model = checks.self_connected()
        return checks.holds_for_self_connected(equation, [model] if library else exact)
    return (forward.holds_in_library if library else forward.holds_exactly)(equation)


@pytest.mark.parametrize("library", [True, False], ids=["library", "exact"])
@pytest.mark.parametrize(("equation", "alone"), OTHER_PLACES.values(), ids=OTHER_PLACES)
def test_another_place_is_refused(equation, alone, library, monkeypatch):
    monkeypatch.setattr(forward, "ELEMENTS", READS)
    assert not holds(equation, alone, library)


@pytest.mark.parametrize("library", [True, False], ids=["library", "exact"])
def test_both_orders_of_columns_are_one_net(library):
    by_position = sum_over(i_u, COLUMNS[j, full.d_in + i_u] * forward.y[i_u, now - 1])
    assert holds(net_is(by_position, INPUTS), False, library)
    assert holds(net_is(COLUMNS[j, full.d_in + j] * forward.y[j, now - 1], INPUTS), True, library)


def test_a_column_that_is_a_sum_is_set_off_by_a_comma():
    assert to_latex(COLUMNS[j, full.d_in + j]) == r"w_{j, d_{\mathrm{in}} + j}"
    assert to_latex(COLUMNS[j, i_x]) == "w_{j q}"
