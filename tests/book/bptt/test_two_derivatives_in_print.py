"""The two derivatives in print: the terms missing in printed formulas, and what their checks refuse."""

import numpy as np
import pytest
from book.bptt.bench import make_bench
from book.bptt.two_derivatives import checks
from book.shared.reading import equals
from throughtime.derivation import (
    CheckError,
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

i, j, t, T = s.i, s.j, s.t, s.T
loss, E, z, y, w = s.loss[()], s.cost, s.net, s.y, s.w


@pytest.fixture(scope="module")
def bench():
    return make_bench(masked=False)


def error(unit, when):
    return y[unit, when] - s.target[unit, when]


def slope(unit, when):
    return s.f.prime(z[unit, when], unit)


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
