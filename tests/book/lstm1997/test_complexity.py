"""Cost of the LSTM of 1997: bounds, counted operations, the note's list, locality, the measurements."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from book.lstm1997.complexity import checks as cost
from book.lstm1997.complexity import experiment, figures
from book.lstm1997.complexity.checks import (
    ONE,
    SEQUENCE,
    SIZES,
    SPACE,
    TIME,
    SameOrder,
    T,
    W,
    Within,
    d_cell,
    d_hid,
    d_in,
    d_out,
    dim_cell,
    dim_hid,
    dim_ig,
    dim_og,
    dim_out,
    n_cell,
)  # fmt: skip
from book.lstm1997.complexity.experiment import Counted, Operations, counted, counting
from book.reference.ledger import read_notebook
from sympy import Integer, Not, Poly, Symbol
from throughtime.textbook.lstm1997 import LSTM1997

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "complexity.ipynb"
SHORT = dim_hid + dim_og + dim_ig + n_cell * (dim_cell + dim_ig) + dim_out
EVERYTHING = (*SIZES, T)

FALSE = {
    "no output weights": Within(TIME["truncated"], SHORT - dim_out),
    "no hidden weights": Within(TIME["truncated"], SHORT - dim_hid),
    "one cell for all": Within(TIME["truncated"], dim_hid + dim_og + dim_cell + dim_ig + dim_out),
    "units": Within(TIME["truncated"], d_in + d_hid + d_cell + d_cell * n_cell + d_out),
    "no length": Within(SEQUENCE["truncated"], SHORT, EVERYTHING),
    "the states alone": Within(SPACE["truncated"], d_in + d_hid + (2 + n_cell) * d_cell + d_out),
    "rtrl, local in space": Within(TIME["rtrl"], W),
    "rtrl, one more size": Within(TIME["rtrl"], W * (d_hid + d_cell * n_cell)),
    "bptt, local in time": Within(SPACE["bptt"], ONE, (T,)),
    "a bound that can be 0": Within(SPACE["rtrl"], d_hid),
    "not the same": SameOrder(SHORT, dim_hid + dim_out),
}


@pytest.mark.parametrize("formula", FALSE.values(), ids=FALSE)
def test_false_bounds_are_refused(formula):
    assert not cost.is_true(formula)


def test_equal_means_equal_order_and_nothing_else():
    bound = Within(TIME["truncated"], SHORT)
    assert cost.is_true(bound)
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


def test_a_literal_bound_needs_no_symbol():
    assert cost.is_true(Within(SPACE["truncated"], Integer(3), (T,)))


# ---- counts


def test_every_operation_counts_once_whichever_side_the_array_is_on():
    three, two = counted([1.0, 2.0, 3.0]), np.array([2.0, 0.0, 1.0])
    for compute, expected in (
        (lambda: three * two, (3, 0)),
        (lambda: two * three, (3, 0)),
        (lambda: 1.0 - three, (0, 3)),
        (lambda: three + three, (0, 3)),
        (lambda: np.multiply.outer(two, three), (9, 0)),
        (lambda: np.eye(3) @ three, (9, 9)),
        (lambda: three.sum(), (0, 2)),
        (lambda: three[1:] * 2.0, (2, 0)),
    ):
        with counting() as tally:
            result = compute()
        assert (tally.multiplications, tally.additions, tally.functions) == (*expected, 0)
        assert isinstance(result, Counted)
    with pytest.raises(TypeError, match="expected products and sums, got exp"):
        np.exp(three)


def test_a_change_in_place_counts_and_an_error_ends_the_count():
    values, before = counted(np.ones((2, 2))), Counted.tally
    tally = Operations()
    with counting(tally):
        values[0] += 2.0
    with pytest.raises(ValueError, match="broadcast"), counting(tally):
        np.add(values, np.ones(3))
    assert values.tolist() == [[3.0, 3.0], [1.0, 1.0]]
    assert tally == Operations(additions=2)
    assert Counted.tally is before


@pytest.mark.parametrize("method", cost.METHODS)
@pytest.mark.parametrize("sizes", [(2, 0, 1, 1, 1), (1, 2, 2, 3, 2), (0, 1, 3, 2, 1)])
def test_the_counted_programs_compute_the_gradients_of_the_library(method, sizes):
    net, random = cost.network(sizes), np.random.default_rng(3)
    theta, x, targets = net.init(random, 1.0), random.normal(size=(5, sizes[0])), random.normal(size=(5, sizes[4]))
    program = experiment.PROGRAMS[method](net, theta)
    program.run(x, targets)
    library = net.gradient(theta, x, targets, method="bptt" if method == "rtrl" else method).gradient
    for found, expected in zip((program.dW, program.dV), experiment.matrices(net, library), strict=True):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("method", cost.METHODS)
def test_the_polynomials_are_the_counts_on_a_full_grid_and_a_sequence_costs_its_steps(method):
    assert experiment.agrees_on_grid(method)
    assert experiment.agrees(method, (1, 1, 1, 2, 1), 5)


@pytest.mark.parametrize("place", range(3))
def test_a_wrong_polynomial_is_found(place, monkeypatch):
    parts = list(cost.STEP["truncated"])
    parts[place] += d_cell * n_cell - 1
    monkeypatch.setitem(cost.STEP, "truncated", tuple(parts))
    assert experiment.agrees("truncated", (1, 1, 1, 1, 1))
    assert not experiment.agrees_on_grid.__wrapped__("truncated")


def test_the_bounds_by_coefficients_are_sharp_and_hold_in_numbers():
    known = {(TIME["truncated"], W): 19, (TIME["bptt"], W): 13, (SPACE["truncated"], W): 5, (SHORT, W): 2}
    assert {pair: cost.factor(*pair) for pair in known} == known
    assert cost.factor(TIME["rtrl"], W) is None
    for (quantity, bound), c in known.items():
        for sizes in itertools.product((0, 3), (0, 5), (1, 4), (1, 7), (1, 2)):
            assert cost.value(quantity, sizes) <= c * cost.value(bound, sizes)


def test_prose_on_truncation_and_bptt_is_what_the_polynomials_say():
    difference = Poly(cost.operations("truncated") - cost.operations("bptt"), *SIZES[:-1])
    square = difference.coeff_monomial(d_cell**2)
    by_cells = Poly(cost.operations("truncated") - cost.operations("bptt"), d_cell).coeff_monomial(d_cell**2)
    assert Poly(by_cells, n_cell) == Poly(6 * n_cell**2 + 4 * n_cell - 16, n_cell)
    assert square == -16
    assert [by_cells.subs(n_cell, cells) for cells in (1, 2)] == [-6, 16]
    one, two = (
        Poly(difference.as_expr().subs({d_hid: 0, n_cell: cells}), d_cell, d_in, d_out)
        for cells in (1, 2 + Symbol("more"))
    )
    assert one.coeff_monomial(d_cell * d_in) == 4  # fewer, in leading terms, for 2 d_in < 3 d_cell
    bound = Poly((difference.as_expr().subs({d_hid: 0, n_cell: 2 + Symbol("more")})).expand())
    assert all(number >= 0 for number in Poly(bound.as_expr().subs(d_cell, 1 + d_cell).expand()).coeffs())
    assert two.coeff_monomial(d_cell**2).subs(Symbol("more"), 0) == 16
    assert difference.coeff_monomial(d_hid**2) == -2
    fewer = [cost.value(difference.as_expr(), (2, 0, blocks, 1, 1)) < 0 for blocks in (1, 2, 4, 64)]
    assert fewer == [False, True, True, True]


def test_most_slips_in_the_bounds_leave_the_order():
    records = {item.id: item.record["mutants"] for item in read_notebook(PAGE, PAGE.parents[1])}
    assert (records["lstm97-74"]["equal"], records["lstm97-74"]["tried"]) == (102, 122)


def test_the_papers_steps_count_too_few_output_weights():
    """(22) needs K(H + SC) steps for output units: as many as they have weights from hidden units and cells."""
    for n_in, H, C, S, K in ((3, 2, 2, 3, 2), (2, 0, 2, 2, 1)):
        I = n_in + H + (2 + S) * C
        parts = (K, K * H, K * S * C, K * (H + C), H * I, C * I, K * C * S, *[C * S * I] * 4)
        assert sum(parts) == K + 2 * K * H + K * C + 2 * K * S * C + H * I + C * I + 4 * C * S * I
        net = LSTM1997(n_in, C, S, K, hidden=H)
        assert K * (H + S * C) == net.layout.views(net.init(0))["w_out"].size - K * n_in > K * (H + C)


# ---- the note's list


@pytest.mark.parametrize("sizes", [(3, 2, 2, 3, 2), (1, 0, 1, 1, 1), (0, 2, 3, 1, 2), (2, 1, 1, 4, 3)])
def test_the_list_put_right_computes_the_truncated_gradient_within_its_bounds(sizes, run_page):
    printed = run_page("LINES = {")["LINES"]
    inputs, hidden, blocks, cells, outputs = sizes
    net = LSTM1997(inputs, blocks, cells, outputs, hidden=hidden)
    random = np.random.default_rng(1)
    theta, x = net.init(random, 1.0), random.normal(size=(5, inputs))
    lines, update = experiment.carried_out(net, theta, x)
    library = net.gradient(theta, x, net.forward(theta, x).y[1:] - 1, method="truncated").gradient
    np.testing.assert_allclose(update, library, rtol=1e-12, atol=1e-16)
    for number, (_, bound) in printed.items():
        found = lines.pop(number).total if number in lines else 0
        more = 2 * blocks * cells if number in (9, 16) else 0  # the corrected factor
        assert found <= cost.value(bound, sizes) + more
    assert lines.keys() == {experiment.UPDATE}
    assert lines[experiment.UPDATE].total == net.layout.size


def test_the_list_is_for_the_network_of_the_note():
    with pytest.raises(ValueError, match="expected no biases"):
        experiment.carried_out(cost.network((1, 0, 1, 1, 1)), np.zeros(1), np.ones((2, 1)))


# ---- locality


def test_truncated_derivatives_go_on_by_themselves():
    found = figures.dependence((1, 0, 1, 2, 1), "truncated")
    np.testing.assert_array_equal(found, np.eye(len(found), dtype=bool))


def test_rtrl_mixes_the_derivatives_of_all_units_by_one_weight():
    found, units, states = figures.dependence((1, 0, 1, 2, 1), "rtrl"), 4, 2
    together = units + states
    blocks = np.kron(np.eye(len(found) // together), np.ones((together, together))) > 0
    assert not found[~blocks].any()
    assert found[blocks].reshape(-1, together, together)[:, :units, :units].all()


# ---- measurements


def test_stored_counts_are_those_of_today_and_the_exponents_are_those_expected():
    table = figures.MEASURED.read()
    for row in table:
        sizes = (int(row["inputs"]), 0, int(row["blocks"]), int(row["cells"]), int(row["outputs"]))
        length = int(row["length"])
        assert int(row["operations"]) == length * cost.value(cost.operations(row["method"]), sizes)
        assert int(row["kept"]) == cost.value(cost.KEPT[row["method"]], sizes, length)
        assert int(row["rounds"]) == 8
        if row["method"] != "bptt":
            assert 8 * int(row["kept"]) <= int(row["peak_bytes"]) <= 24 * int(row["kept"]) + 20000
    long = {method: [r for r in table if (r["series"], r["method"]) == ("length", method)] for method in cost.METHODS}
    growth = {method: float(rows[-1]["peak_bytes"]) / float(rows[0]["peak_bytes"]) for method, rows in long.items()}
    assert growth["bptt"] > 30
    assert max(growth["truncated"], growth["rtrl"]) < 1.5
    alike = [row for row in table if (row["series"], row["weights"]) == ("weights", "4323")]
    seconds = {row["method"]: float(row["seconds"]) / int(row["length"]) for row in alike}
    by_size = {
        (row["method"], int(row["weights"]), row["series"]): row for row in table if row["length"] in ("50", "1000")
    }
    for weights, series, faster in (
        (315, "length", "bptt"),
        *((w, "weights", "truncated") for w in (4323, 16835, 66435, 263939)),
    ):
        rows = {method: by_size[method, weights, series] for method in ("truncated", "bptt")}
        assert min(rows, key=lambda method: float(rows[method]["seconds"])) == faster
        more = int(rows["truncated"]["operations"]) / int(rows["bptt"]["operations"])
        assert 1.16 < more < 1.20
    million = [float(by_size[method, 1052163, "weights"]["seconds"]) for method in ("truncated", "bptt")]
    assert 0.95 < million[0] / million[1] < 1.05  # "the same time"
    assert seconds["rtrl"] > 100 * max(seconds["truncated"], seconds["bptt"])  # "hundreds of times"
