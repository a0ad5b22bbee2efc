"""Cost of the LSTM of 1997: bounds that no slip tries, counted operations, the note's list, the measurements."""

import itertools

import numpy as np
import pytest
from book.lstm1997.complexity import checks as cost
from book.lstm1997.complexity import experiment, figures
from book.lstm1997.complexity.checks import SIZES, SPACE, TIME, SameOrder, T, W, Within
from sympy import Integer, Not, Symbol
from throughtime.textbook.lstm1997 import LSTM1997

PAGE = "lstm1997/complexity-in-print"
d_in, d_hid, d_cell, n_cell, d_out = SIZES
dim_hid, dim_og, dim_ig, dim_cell, dim_out = cost.BY_KIND
SHORT = dim_hid + dim_og + dim_ig + n_cell * (dim_cell + dim_ig) + dim_out

FALSE = {
    "units": Within(TIME["truncated"], d_in + d_hid + d_cell + d_cell * n_cell + d_out),
    "the states alone": Within(SPACE["truncated"], d_in + d_hid + (2 + n_cell) * d_cell + d_out),
    "rtrl, one more size": Within(TIME["rtrl"], W * (d_hid + d_cell * n_cell)),
    "a bound that can be 0": Within(SPACE["rtrl"], d_hid),
    "not the same": SameOrder(SHORT, dim_hid + dim_out),
}


@pytest.mark.parametrize("formula", FALSE.values(), ids=FALSE)
def test_false_bounds_are_refused(formula):
    assert not cost.is_true(formula)


def test_equal_means_equal_order_and_nothing_else():
    bound = Within(TIME["truncated"], SHORT)
    assert cost.is_true(bound)
    assert cost.is_true(Within(SPACE["truncated"], Integer(3), (T,)))  # a bound without a symbol
    assert not cost.is_true(Not(bound))
    assert cost.same(Within(TIME["truncated"], 7 * SHORT), bound)
    assert not cost.same(Within(TIME["truncated"], SHORT**2), bound)
    assert not cost.same(Within(TIME["truncated"], SHORT - 2 * dim_out), bound)
    assert not cost.same(Within(TIME["rtrl"], SHORT), Within(TIME["truncated"], SHORT))
    assert not cost.same(bound, Not(bound))


def test_formulas_of_another_kind_are_refused():
    with pytest.raises(TypeError, match="expected a bound"):
        cost.is_true(Symbol("x") > 0)
    with pytest.raises(TypeError, match="expected sizes"):
        cost.is_true(Within(TIME["rtrl"], Symbol("unknown")))


@pytest.mark.parametrize("place", range(3))
def test_a_wrong_polynomial_is_found_by_a_net_of_other_sizes(place, monkeypatch):
    parts = list(cost.STEP["truncated"])
    parts[place] += d_cell * n_cell - 1
    monkeypatch.setitem(cost.STEP, "truncated", tuple(parts))
    assert experiment.agrees("truncated", (1, 1, 1, 1, 1))
    assert not experiment.agrees("truncated", (1, 1, 1, 2, 1))


def test_the_bounds_by_coefficients_are_sharp_and_hold_in_numbers():
    known = {(TIME["truncated"], W): 19, (TIME["bptt"], W): 13, (SPACE["truncated"], W): 5, (SHORT, W): 2}
    assert {pair: cost.factor(*pair) for pair in known} == known
    assert cost.factor(TIME["rtrl"], W) is None
    for (quantity, bound), c in known.items():
        for sizes in itertools.product((0, 3), (0, 5), (1, 4), (1, 7), (1, 2)):
            assert cost.value(quantity, sizes) <= c * cost.value(bound, sizes)


@pytest.mark.parametrize("sizes", [(3, 2, 2, 3, 2), (1, 0, 1, 1, 1), (0, 2, 3, 1, 2), (2, 1, 1, 4, 3)])
def test_the_list_put_right_computes_the_truncated_gradient_within_its_bounds(sizes, run_page):
    printed = run_page("= SIZES\n", "LINES = {")["LINES"]
    inputs, hidden, blocks, cells, outputs = sizes
    net = LSTM1997(inputs, blocks, cells, outputs, hidden=hidden)
    random = np.random.default_rng(1)
    theta, x = net.init(random, 1.0), random.normal(size=(5, inputs))
    lines, update = experiment.carried_out(net, theta, x)
    library = net.gradient(theta, x, net.forward(theta, x).y[1:] - 1, method="truncated").gradient
    np.testing.assert_allclose(update, library, rtol=1e-12, atol=1e-16)
    for number, (_, bound) in printed.items():
        found = lines.pop(number).total() if number in lines else 0
        more = 2 * blocks * cells if number in (9, 16) else 0  # the corrected factor
        assert found <= cost.value(bound, sizes) + more
    assert lines.keys() == {experiment.UPDATE}
    assert lines[experiment.UPDATE].total() == net.layout.size


def test_stored_counts_are_those_of_today():
    for row in figures.MEASURED.read():
        sizes = (int(row["inputs"]), 0, int(row["blocks"]), int(row["cells"]), int(row["outputs"]))
        length = int(row["length"])
        assert int(row["operations"]) == length * cost.value(cost.operations(row["method"]), sizes)
        assert int(row["kept"]) == cost.value(cost.KEPT[row["method"]], sizes, length)
        assert int(row["rounds"]) == 8
        if row["method"] != "bptt":
            assert 8 * int(row["kept"]) <= int(row["peak_bytes"]) <= 24 * int(row["kept"]) + 20000
