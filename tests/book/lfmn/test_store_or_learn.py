"""The chapter on storing and learning: what gradient descent learns through a latch, and a unit near its bound."""

import numpy as np
import pytest
from book.lfmn import one_unit as lt
from book.lfmn.latching import experiment as learning
from throughtime.checks import complex_step, relative_error


@pytest.mark.parametrize(("v", "w"), [(1.2, 0.0), (2.1, 0.4), (4.0, -1.0)])
def test_the_gradients_are_those_of_the_complex_step(v, w):
    noise = np.random.default_rng(1).uniform(-0.3, 0.3, (6, 10))
    goal = learning.GOAL * learning.signs(10)

    def loss(at):
        return complex(((np.tanh(learning.last_state(at[:1], at[1:], noise) / 2) - goal) ** 2).mean())

    exact = complex_step(loss, np.array([v, w]))
    found = np.concatenate(learning.gradients(np.array([v]), np.array([w]), noise))
    assert relative_error(found, exact) < 1e-12


def test_over_8_steps_all_learn_from_the_onset_on():
    held, trained = (learning.learnt(8, free).stored for free in (False, True))
    assert held == (0,) * 4 + (100,) * 5
    assert trained == (73,) + (100,) * 8


def test_half_of_the_gradient_is_left_after_100_steps_three_parts_in_100000_below_the_bound():
    bound = float(lt.largest_disturbance(4.0))
    states = lt.trajectory(4.0, 6.0, np.full(20000, -bound * (1 - 3.2e-5)))
    assert lt.slope(4.0, states[-1]) ** 100 == pytest.approx(0.5, abs=0.01)
