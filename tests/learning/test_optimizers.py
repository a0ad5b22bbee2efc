"""Optimizers against the published tables, written out for one weight at a time."""

import math

import numpy as np
import pytest
from descents import PUBLISHED, SETTINGS, positions, told
from throughtime.learning.optimizers import Adam, GradientDescent, PrintedRprop, RpropMinus


def sign(number):
    return float(number > 0) - float(number < 0)


def by_the_table(variant, gradients, losses, step=0.1, grow=1.2, shrink=0.5, smallest=0.01, largest=0.2):
    """The positions of one weight from 0 on, branch by branch as the papers print them."""
    position, before, move, last_loss = 0.0, 0.0, 0.0, np.inf
    for g, loss in zip(gradients, losses, strict=True):
        product = sign(g) * sign(before)
        if product > 0:
            step = min(step * grow, largest)
        elif product < 0:
            step = max(step * shrink, smallest)
        if product >= 0 or variant == "RpropMinus":
            move = -sign(g) * step
            position += move
            before = g
        elif variant == "RpropPlus":
            position -= move
            before = 0.0
        elif variant == "IRpropPlus":
            position -= move if loss > last_loss else 0.0
            before = 0.0
        elif variant == "IRpropMinus":
            before = 0.0
        last_loss = loss
        yield position


@pytest.mark.parametrize("variant", PUBLISHED)
@pytest.mark.parametrize("seed", range(20))
def test_published_variants_follow_their_tables(variant, seed):
    gradients, losses = told(seed)
    walked = np.array(list(positions(variant(4, 0.1, **SETTINGS), gradients, losses)))
    expected = np.array([list(by_the_table(variant.__name__, column, losses)) for column in gradients.T]).T
    assert np.allclose(walked, expected, rtol=1e-12, atol=1e-12)


def test_the_variants_differ():
    gradients, losses = told(0)
    ends = {list(positions(v(4, 0.1, **SETTINGS), gradients, losses))[-1].tobytes() for v in PUBLISHED}
    assert len(ends) == 4


def test_gradient_descent_takes_a_rate_for_each_weight():
    theta, g = np.array([1.0, 2.0]), np.array([4.0, -8.0])
    assert GradientDescent(2, 0.5).step(theta, g).tolist() == [-1.0, 6.0]
    assert GradientDescent(2, [0.25, 0.5]).step(theta, g).tolist() == [0.0, 6.0]


def adam_by_the_book(gradients, rate, beta1, beta2, epsilon):
    """Algorithm 1 of Kingma and Ba 2015, line by line, for one weight that starts at 0."""
    theta, m, v = 0.0, 0.0, 0.0
    for t, g in enumerate(gradients, 1):
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g * g
        m_hat = m / (1 - beta1**t)
        v_hat = v / (1 - beta2**t)
        theta = theta - rate * m_hat / (math.sqrt(v_hat) + epsilon)
        yield theta


@pytest.mark.parametrize("settings", [(0.001, 0.9, 0.999, 1e-8), (0.5, 0.0, 0.9, 1e-3), (0.1, 0.8, 0.0, 1.0)])
def test_adam_is_algorithm_1(settings):
    gradients = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 1e-6, 1e6]
    rate, beta1, beta2, epsilon = settings
    adam = Adam(3, rate, beta1=beta1, beta2=beta2, epsilon=epsilon)
    walked = np.array(list(positions(adam, gradients, np.zeros(50))))
    expected = np.array([list(adam_by_the_book(column, *settings)) for column in gradients.T]).T
    assert np.allclose(walked, expected, rtol=1e-13, atol=0.0)


def walk(optimizer, *gradients):
    return list(np.diff([0.0, *(float(p[0]) for p in positions(optimizer, np.array(gradients)[:, None], gradients))]))


def test_printed_rule_in_its_two_cases():
    assert walk(PrintedRprop(1, 1.0, start=1), 1.0, 2.0, -3.0) == pytest.approx([-1.2, -1.44, 0.72])
    assert walk(PrintedRprop(1, 1.0, start=1, move_first=True), 1.0, 2.0, -3.0) == pytest.approx([-1.0, -1.2, 1.44])


def test_printed_rule_leaves_the_first_step_open():
    assert [walk(PrintedRprop(1, 1.0, start=s), 1.0)[0] for s in (2.5, 0, -1)] == [-1.2, -0.5, -0.5]
    assert walk(RpropMinus(1, 1.0), 1.0) == [-1.0]


def test_printed_rule_grows_without_any_knowledge_where_rprop_waits():
    printed, rprop = PrintedRprop(1, 0.001), RpropMinus(1, 0.001)
    gradients = [0.0] * 50 + [1.0]
    assert walk(printed, *gradients)[-1] == pytest.approx(-0.001 * 1.2**50 * 0.5)
    assert walk(rprop, *gradients)[-1] == -0.001
    with pytest.raises(FloatingPointError, match=r"steps\[0\] overflows"):
        walk(PrintedRprop(1, 0.001), *[0.0] * 4000)


def test_printed_rule_is_rprop_minus_without_bounds_where_no_derivative_is_zero():
    rng = np.random.default_rng(5)
    gradients = rng.choice([-1.0, 1.0, 1.0], (40, 3))
    printed = PrintedRprop(3, 0.1, start=1)
    printed.before = -np.sign(gradients[0]) * 2  # neither sign: a first step that neither grows nor shrinks
    printed.steps = printed.steps / 0.5
    bare = RpropMinus(3, 0.1, smallest=0.0, largest=np.inf)
    losses = np.zeros(40)
    assert np.allclose(list(positions(printed, gradients, losses)), list(positions(bare, gradients, losses)))
