"""The page on remedies: its rate, and the regularizer."""

import numpy as np
import pytest
from book.training.counter import curvature
from book.training.remedies import experiment
from book.training.remedies.experiment import LENGTH, RATE


def test_the_rate_is_stable_at_the_minimum():
    assert 0.5 < RATE * np.linalg.eigvalsh(curvature(LENGTH))[-1] / 2 < 1


SMALL = "uniform on [-0.1, 0.1]"


def numeric_omega(W, slopes, errors):
    """Omega of each net with slopes and later errors held constant, as a function of W."""
    total = np.zeros(len(W))
    for slope, after in zip(slopes, errors[1:], strict=True):
        before = np.einsum("ni,nij->nj", after, W) * slope
        total += (np.linalg.norm(before, axis=-1) / np.linalg.norm(after, axis=-1) - 1) ** 2
    return total


def test_the_gradient_of_omega_is_the_immediate_one():
    W, u, last = experiment.problem("Gaussian, variance 1/32", nets=3)
    slopes, errors = experiment.backward(W, u, last)
    found = experiment.omega_gradient(slopes, errors)
    for place in ((0, 0), (3, 5), (31, 2)):
        step = np.zeros_like(W)
        step[:, *place] = 1e-6
        ends = (numeric_omega(W + sign * step, slopes, errors) for sign in (1, -1))
        up, down = ends
        assert found[:, *place] == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-8)


def test_the_typed_omega_is_that_of_the_chapter(run_cell):
    names = run_cell("def omega_and_gradient")
    W, u, last = experiment.problem("orthogonal", nets=2)
    slopes, errors = experiment.backward(W, u, last)
    totals = numeric_omega(W, slopes, errors)
    for net in range(2):
        total, gradient = names["omega_and_gradient"](W[net], slopes[:, net], errors[:, net])
        assert total == pytest.approx(totals[net], rel=1e-12)
        assert gradient == pytest.approx(experiment.omega_gradient(slopes, errors)[net], rel=1e-10)


def test_omega_is_0_where_the_present_error_keeps_its_length_whatever_becomes_of_others(run_cell):
    omega = run_cell("def omega_and_gradient")["omega_and_gradient"]
    turn, forgets = np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 0.0]])
    for W, last, expected in ((turn, [1.0, 2.0], 0), (forgets, [1.0, 0.0], 0), (2 * turn, [1.0, 2.0], 5)):
        errors = np.array([last @ np.linalg.matrix_power(W, lag) for lag in range(6)])
        assert omega(W, np.ones((5, 2)), errors)[0] == pytest.approx(expected, abs=1e-20)


def test_along_omega_some_other_error_grows_in_all_nets():
    assert experiment.regularized(SMALL)[1].min() > 1


def test_omega_of_one_unit_is_least_at_a_carousel():
    def omega(w, x):
        return sum((abs(w) * (1 - np.tanh(value) ** 2) - 1) ** 2 for value in x)

    assert omega(1.0, np.zeros(5)) == omega(-1.0, np.zeros(5)) == 0
    x, w = np.array([0.1, -0.4, 0.7]), -0.6
    slopes = 1 - np.tanh(x) ** 2
    assert 2 * np.sign(w) * (slopes * (abs(w) * slopes - 1)).sum() == pytest.approx(
        (omega(w + 1e-6, x) - omega(w - 1e-6, x)) / 2e-6, rel=1e-6
    )
