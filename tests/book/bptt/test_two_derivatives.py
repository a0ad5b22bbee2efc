"""The two derivatives, in the chapter and in print: the terms missing in printed formulas, the numbers in its prose."""

from pathlib import Path

import numpy as np
import pytest
from book.bptt.bench import make_bench
from book.bptt.two_derivatives import checks, figures
from book.shared.reading import equals
from throughtime.arrays.activations import logistic
from throughtime.checks import complex_step, max_relative_error
from throughtime.derivation import (
    CheckError,
    Index,
    Truncated,
    chain,
    cut,
    cut_set,
    d,
    holds_in_general,
    holds_on,
    partial,
    sum_over,
    time,
)
from throughtime.systems import recurrent as s
from throughtime.textbook.recurrent import FullyRecurrent

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "bptt" / "two-derivatives.ipynb"
i, j, k, t, T = s.i, s.j, s.k, s.t, s.T
l = Index("l", s.U)
loss, E, z, y, w = s.loss[()], s.cost, s.net, s.y, s.w


@pytest.fixture(scope="module")
def bench():
    return make_bench(masked=False)


def error(unit, when):
    return y[unit, when] - s.target[unit, when]


def slope(unit, when):
    return s.f.prime(z[unit, when], unit)


# --- the terms missing in each printed formula


PRINTS = {
    "later errors, in bptt-3 read as a total derivative": (d(loss, y[i, t]), error(i, t)),
    "later errors, in bptt-net read as a total derivative": (d(loss, z[i, t]), slope(i, t) * error(i, t)),
    "the error of its own time (bptt-output-back)": (d(loss, y[j, t]), sum_over(i, d(loss, z[i, t + 1]) * w[i, j])),
    "its own error (bptt-net-back)": (d(loss, z[j, t]), slope(j, t) * sum_over(i, w[i, j] * d(loss, z[i, t + 1]))),
    "errors after the next (bptt-net-back)": (
        d(loss, z[j, t]),
        slope(j, t) * (error(j, t) + sum_over(i, w[i, j] * d(E[t + 1], z[i, t + 1]))),
    ),
    "all other times (bptt-weight)": (d(loss, w[i, j]), d(loss, z[i, t]) * partial(z[i, t], w[i, j])),
}


@pytest.mark.parametrize(("left", "right"), PRINTS.values(), ids=PRINTS)
def test_a_print_fails_on_the_instances_and_in_general(bench, left, right):
    assert holds_on(bench.witnesses, [chain(left, right)]).passed is False
    assert not holds_in_general(bench.reducer, [chain(left, right)]).passed
    with pytest.raises(CheckError, match="no correction is given"):
        bench.equation("a print", chain(left, right))


def of_argument(target):
    """The derivative with respect to y_i(t+1), the other outputs held."""
    return Truncated(target, y[i, checks.t + 1], *cut_set("held", cut(y[j, t - 1], into=z)))


@pytest.mark.parametrize(
    ("slip", "true"),
    [
        (lambda right: right, True),
        (lambda right: 2 * right, False),
        (lambda right: right + y[i, checks.t], False),
        (lambda right: -right, False),
    ],
)
def test_the_derivative_with_respect_to_an_argument(bench, slip, true):
    right = slip(error(i, checks.t + 1))
    assert checks.holds_at_all_times(bench, equals(of_argument(loss), right)) is true


@pytest.mark.parametrize(("first", "last", "true"), [(0, T - 1, True), (-1, T - 1, False), (0, T, False)])
def test_no_error_has_the_time_0_or_one_after_the_last(bench, first, last, true):
    """The engine would count both as 0."""
    when = time("s")
    errors = sum_over((when, first, last), of_argument(E[when + 1]))
    assert checks.holds_at_all_times(bench, equals(of_argument(loss), errors)) is true


def test_a_rule_of_descent_gives_the_new_weight():
    right = checks.w_old - checks.rate * checks.slope
    assert checks.descends(equals(checks.w_new, right))
    assert not checks.descends(equals(checks.w_old, right))


def test_the_examples_have_a_gradient_that_is_not_the_immediate_one():
    for example in checks.examples():
        given = example.theta, example.x, example.targets, example.mask
        read = np.concatenate([example.x[-1], example.net.forward(*given[:2]).y[-2]])
        immediate = np.outer(example.net.error_signals(*given).z[-1], read).ravel()
        assert np.abs(example.gradient() - immediate).max() > 1e-4


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
