"""The chapter on the two derivatives: its programs, its proof, and the numbers in its prose."""

from pathlib import Path

import numpy as np
import pytest
from book.bptt.bench import make_bench
from book.bptt.two_derivatives import figures
from throughtime.arrays.activations import logistic
from throughtime.checks import complex_step, max_relative_error
from throughtime.derivation import (
    Index,
    chain,
    d,
    holds_in_general,
    holds_on,
    sum_over,
)
from throughtime.systems import recurrent as s
from throughtime.textbook.recurrent import FullyRecurrent

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "two-derivatives.ipynb"
i, j, k, t = s.i, s.j, s.k, s.t
l = Index("l", s.U)
loss, z, y, w = s.loss[()], s.net, s.y, s.w


@pytest.fixture(scope="module")
def bench():
    return make_bench(masked=False)


def error(unit, when):
    return y[unit, when] - s.target[unit, when]


def slope(unit, when):
    return s.f.prime(z[unit, when], unit)


# --- the code in the text


@pytest.fixture(scope="module")
def typed(run_page):
    """The names of the visible cells up to both functions, as a reader types them."""
    return run_page("def rtrl(")


def test_the_system_of_the_page_is_that_of_the_part(typed, bench):
    assert [(a.left, a.right) for a in typed["system"].all_definitions()] == [
        (a.left, a.right) for a in bench.system.all_definitions()
    ]


@pytest.mark.parametrize("way", ["bptt", "rtrl"])
@pytest.mark.parametrize(("inputs", "units", "steps"), [(1, 1, 1), (0, 3, 6), (2, 4, 9)])
def test_the_typed_functions_are_the_gradient(typed, way, inputs, units, steps):
    draw = np.random.default_rng(units)
    W, x, target = (
        draw.normal(size=(units, inputs + units)),
        draw.normal(size=(steps, inputs)),
        draw.normal(size=(steps, units)),
    )
    net = FullyRecurrent(n_in=inputs, n_out=units, activation=logistic)
    by_steps = complex_step(lambda theta: complex(net.loss(theta, x, target)), W.ravel())
    assert max_relative_error(typed[way](W, x, target).ravel(), by_steps) < 1e-12


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
        assert bench.on_model([chain(meeting, own + flow)]).passed is right
        if right:
            assert holds_in_general(bench.reducer, [chain(meeting, own + flow)]).passed


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


def test_the_weight_of_the_first_exercise_is_where_the_signs_part():
    """One logistic unit with y(0) = 1: total and immediate derivative of z(2) with respect to w."""

    def total(w):
        y = logistic(w)
        return y + w * logistic.derivative(w)

    assert total(-1.278) > 0 > total(-1.279)
    assert all(logistic(w) > 0 for w in (-3.0, -1.278))  # the immediate one
