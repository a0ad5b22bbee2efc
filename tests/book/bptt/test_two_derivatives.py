"""The chapter on the two derivatives: its programs, its examples, and the numbers in its prose."""

from pathlib import Path

import numpy as np
import pytest
from book.bptt.bench import make_bench
from book.bptt.two_derivatives import checks, figures
from throughtime.arrays.activations import logistic
from throughtime.checks import complex_step, max_relative_error
from throughtime.textbook.recurrent import FullyRecurrent

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "two-derivatives.ipynb"
# --- the code in the text


@pytest.fixture(scope="module")
def typed(run_page):
    """The names of the visible cells up to both functions, as a reader types them."""
    return run_page("def rtrl(")


def test_the_system_of_the_page_is_that_of_the_part(typed):
    assert [(a.left, a.right) for a in typed["system"].all_definitions()] == [
        (a.left, a.right) for a in make_bench(masked=False).system.all_definitions()
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


def test_the_examples_have_a_gradient_that_is_not_the_immediate_one():
    for example in checks.examples():
        given = example.theta, example.x, example.targets, example.mask
        read = np.concatenate([example.x[-1], example.net.forward(*given[:2]).y[-2]])
        immediate = np.outer(example.net.error_signals(*given).z[-1], read).ravel()
        assert np.abs(example.gradient() - immediate).max() > 1e-4
