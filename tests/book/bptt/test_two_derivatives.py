"""The chapter on the two derivatives: its verdicts, the terms missing in printed formulas, the numbers in its prose."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from throughtime.checks import complex_step, max_relative_error
from throughtime.derivation import (
    CheckError,
    Index,
    chain,
    close,
    d,
    holds_in_general,
    holds_on,
    partial,
    sum_over,
    time,
)
from throughtime.models.activations import identity, logistic, tanh
from throughtime.models.recurrent import FullyRecurrent
from throughtime.systems import recurrent as s
from throughtime_book.bptt.setting import setting
from throughtime_book.bptt.two_derivatives import figures
from throughtime_book.reference.ledger import read_notebook

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "bptt" / "two-derivatives.ipynb"
HOLD = {f"lstm97-{number}" for number in (*range(5, 13), 14)}
WRONG = {"bptt-3", "bptt-net", "bptt-output-back", "bptt-net-back", "bptt-weight", "lstm97-13"}
i, j, k, t, T = s.i, s.j, s.k, s.t, s.T
l = Index("l", s.U)
loss, E, z, y, w = s.loss[()], s.cost, s.net, s.y, s.w


@pytest.fixture(scope="module")
def bench():
    return setting(masked=False)


def error(unit, when):
    return y[unit, when] - s.target[unit, when]


def slope(unit, when):
    return s.f.prime(z[unit, when], unit)


def test_verdicts_of_the_page():
    records = {judged.id: judged.record for judged in read_notebook(PAGE, BOOK)}
    assert records.keys() == HOLD | WRONG
    for id, record in records.items():
        assert record["verdict"] == ("corrected" if id in WRONG else "holds")
        checks = {kind: check["passed"] for kind, check in record["checks"].items()}
        assert checks["general"] is True
        assert checks["numeric"] is (None if id == "lstm97-5" else True)
        assert checks["instance"] is (None if id == "lstm97-14" else True)
        assert record["mutants"]["survivors"] == []
        assert bool(record["counterexample"]) == (id in WRONG)


# --- the terms missing in each printed formula


PRINTS = {
    "later errors (bptt-3)": (d(loss, y[i, t]), error(i, t)),
    "later errors (bptt-net)": (d(loss, z[i, t]), slope(i, t) * error(i, t)),
    "the error of its own time (bptt-output-back)": (d(loss, y[j, t]), sum_over(i, d(loss, z[i, t + 1]) * w[i, j])),
    "its own error (bptt-net-back)": (d(loss, z[j, t]), slope(j, t) * sum_over(i, w[i, j] * d(loss, z[i, t + 1]))),
    "errors after the next (bptt-net-back)": (
        d(loss, z[j, t]),
        slope(j, t) * (error(j, t) + sum_over(i, w[i, j] * d(E[t + 1], z[i, t + 1]))),
    ),
    "the past (lstm97-13)": (d(E[t + 1], w[i, j]), slope(i, t + 1) * error(i, t + 1) * y[j, t]),
    "all other times (bptt-weight)": (d(loss, w[i, j]), d(loss, z[i, t]) * partial(z[i, t], w[i, j])),
}


@pytest.mark.parametrize(("left", "right"), PRINTS.values(), ids=PRINTS)
def test_a_print_fails_on_the_instances_and_in_general(bench, left, right):
    assert holds_on(bench.witnesses, [chain(left, right)]).passed is False
    assert not holds_in_general(bench.reducer, [chain(left, right)]).passed
    with pytest.raises(CheckError, match="no correction is given"):
        bench.equation("a print", chain(left, right))


def test_the_second_line_of_bptt_3_is_still_true(bench):
    r = time("s")
    line = chain(d(loss, y[i, t + 1]), sum_over((r, 0, T - 1), d(E[r + 1], y[i, t + 1])))
    assert holds_on(bench.witnesses, [line]).passed


def test_the_slope_belongs_to_the_unit_that_the_weight_leads_to(bench):
    """For a weight that is used only once, so that only the slope can be wrong."""
    used_once = d(E[t + 1], z[i, t + 1]) * partial(z[i, t + 1], w[i, j])
    right, printed = (slope(unit, t + 1) * error(i, t + 1) * y[j, t] for unit in (i, j))
    assert holds_on(bench.witnesses, [chain(used_once, right)]).passed
    assert holds_on(bench.witnesses, [chain(used_once, printed)]).passed is False


def test_the_third_form_of_bptt_weight_begins_well(bench):
    through = sum_over(k, d(E[t + 1], y[k, t]) * d(y[k, t], w[i, j]))
    first = chain(d(E[t + 1], w[i, j]), d(E[t + 1], z[i, t + 1]) * partial(z[i, t + 1], w[i, j]) + through)
    assert bench.equation("first line", first).verdict == "holds"


def test_the_print_of_lstm97_13_is_the_window_of_no_step():
    draw = np.random.default_rng(0)
    net, steps = FullyRecurrent(n_in=2, n_out=3, activation=tanh), 5
    theta, x, targets = net.init(draw, scale=1.0), draw.normal(size=(steps, 2)), draw.normal(size=(steps, 3))
    trace, last = net.forward(theta, x), np.eye(1, steps, steps - 1)[0]
    signal = (trace.y[steps] - targets[-1]) * tanh.derivative(trace.z[steps])
    printed = np.outer(signal, np.concatenate([trace.x[steps - 1], trace.y[steps - 1]])).ravel()
    cut = net.gradient(theta, x, targets, last, method="truncated", window=0).gradient
    np.testing.assert_allclose(cut, printed, rtol=1e-12, atol=1e-15)
    assert max_relative_error(net.gradient(theta, x, targets, last).gradient, printed) > 0.1


# --- both ways give the same gradient


def test_the_flow_must_be_transposed(bench):
    def signal(unit, when):
        return d(loss, z[unit, when])

    def sensitivity(unit, when):
        return d(z[unit, when], w[i, j])

    meeting = sum_over(k, signal(k, t) * sensitivity(k, t))
    own = sum_over(k, slope(k, t) * error(k, t) * sensitivity(k, t))
    for weight, right in ((w[k, l], True), (w[l, k], False)):
        flow = sum_over(k, l, signal(k, t + 1) * weight * slope(l, t) * sensitivity(l, t))
        assert holds_on(bench.witnesses, [chain(meeting, own + flow)]).passed is right
        assert holds_on([bench.model], [chain(meeting, own + flow)], close).passed is right
        assert holds_in_general(bench.reducer, [chain(meeting, own + flow)]).passed is right


@settings(max_examples=25)
@given(n_in=st.integers(0, 3), n_out=st.integers(1, 4), steps=st.integers(1, 7), seed=st.integers(0, 2**16))
def test_backwards_forwards_and_the_complex_step_agree(n_in, n_out, steps, seed):
    draw = np.random.default_rng(seed)
    functions = [(logistic, tanh, identity)[number] for number in draw.integers(0, 3, n_out)]
    net = FullyRecurrent(n_in=n_in, n_out=n_out, activation=functions)
    data = (draw.normal(size=(steps, n_in)), draw.normal(size=(steps, n_out)), draw.integers(0, 2, steps).astype(float))
    theta = net.init(draw, scale=1.0)
    backwards, forwards = (net.gradient(theta, *data, method=method).gradient for method in ("bptt", "rtrl"))
    by_steps = complex_step(lambda point: complex(net.loss(point, *data)), theta)
    assert max_relative_error(backwards, forwards) < 1e-12
    assert max_relative_error(backwards, by_steps) < 1e-12


# --- the figures


def test_the_printed_slope_points_uphill():
    total, printed = figures.slopes(figures.W)
    by_steps = (figures.error(figures.W + 1e-5) - figures.error(figures.W - 1e-5)) / 2e-5
    assert total == pytest.approx(by_steps, rel=1e-6)
    assert total < 0 < printed


def test_the_numbers_in_the_text_beside_the_picture():
    down, up = (figures.descent(figures.W, which) for which in (0, 1))
    assert [round(float(value), 2) for value in (down[0], down[-1], up[-1])] == [0.19, 0.07, 0.22]
    assert (np.diff(down) < 0).all()
    assert (np.diff(up) > 0).all()
