"""Training by iRprop-: one step size per weight, from the signs of the gradient only."""

import numpy as np
import pytest
from throughtime.models.parameters import LossGradient
from throughtime_book.lfmn.examples.experiment import FIRST_STEP, GROW, LARGEST_STEP, SHRINK, SMALLEST_STEP, train


def told(*gradients):
    """A gradient function with given values, one row per epoch, and the list of parameters of its calls."""
    rows, asked = iter(gradients), []

    def gradient(theta):
        asked.append(theta.copy())
        return LossGradient(0.0, np.array(next(rows), dtype=float), "told")

    return gradient, asked


def moves(*gradients):
    """The change of the parameters in each epoch, one row per epoch."""
    gradient, asked = told(*gradients)
    start = np.zeros(len(gradients[0]))
    end = train(gradient, start, len(gradients))
    return np.diff([*asked, end], axis=0)


def test_no_epochs_give_a_copy_and_ask_for_no_gradient():
    start = np.array([1.0, 2.0])
    gradient, asked = told()
    end = train(gradient, start, 0)
    np.testing.assert_array_equal(end, start)
    assert not np.shares_memory(end, start)
    assert asked == []


def test_the_first_step_goes_against_the_sign():
    np.testing.assert_array_equal(moves([3.0, -1e-9, 0.0]), [[-FIRST_STEP, FIRST_STEP, 0.0]])


def test_steps_grow_while_the_sign_stays():
    expected = -FIRST_STEP * GROW ** np.arange(4)
    np.testing.assert_allclose(moves(*[[1.0]] * 4)[:, 0], expected, rtol=1e-12)


def test_after_a_change_of_sign_a_weight_rests_and_goes_on_with_half_the_step():
    expected = [-FIRST_STEP, 0.0, FIRST_STEP * SHRINK, FIRST_STEP * SHRINK * GROW]
    np.testing.assert_allclose(moves([1.0], [-1.0], [-1.0], [-1.0])[:, 0], expected, rtol=1e-12)


def test_each_weight_has_its_own_step():
    both = moves([1.0, 1.0], [1.0, -1.0], [1.0, -1.0])
    np.testing.assert_array_equal(both[:, :1], moves([1.0], [1.0], [1.0]))
    np.testing.assert_array_equal(both[:, 1:], moves([1.0], [-1.0], [-1.0]))


@pytest.mark.parametrize(
    ("signs", "extreme", "bound"), [([1, 1], max, LARGEST_STEP), ([1, -1, -1], min, SMALLEST_STEP)]
)
def test_steps_reach_their_bounds_and_go_no_further(signs, extreme, bound):
    sizes = np.abs(moves(*[[sign] for sign in signs * 60])[:, 0])
    assert extreme(size for size in sizes if size > 0) == pytest.approx(bound, rel=1e-9)
