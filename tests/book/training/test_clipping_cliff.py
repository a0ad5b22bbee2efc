"""The chapter on the cliff: its gradient and its place, and the net of eight units."""

from functools import partial

import numpy as np
import pytest
from book.training.clipping import experiment as cliff
from throughtime.arrays.activations import logistic
from throughtime.checks import complex_step
from throughtime.learning.clipping import clip_by_norm


@pytest.mark.parametrize("place", [(5.2, -2.5), (4.0, -2.0), (6.5, -1.2)])
def test_the_gradient_of_the_cliff(place):
    assert np.allclose(cliff.gradient(*place), complex_step(lambda p: cliff.error(*p), np.array(place)), rtol=1e-11)


def test_clipping_holds_a_net_of_eight_units_and_rounding_does_not_tell():
    (errors, norms), (held, clipped) = cliff.train(), cliff.train(partial(clip_by_norm, threshold=0.5))
    assert norms[0] == clipped[0] > 15
    assert errors[-1] > 100 > 0.1 > held[-12:].max()
    assert np.allclose(cliff.train(nudge=1e-12)[1], norms, rtol=1e-3)


def test_the_wall_is_where_the_start_is_a_state_of_rest_that_repels():
    b, wall = -2.5, 3 / logistic(0.5)
    w = wall + np.linspace(-0.1, 0.1, 20001)
    assert np.abs(w[np.hypot(*cliff.gradient(w, b)) > 5] - wall).max() < 0.002
    assert wall * logistic.derivative(0.5) > 1 > 4 * logistic.derivative(0.5)
    assert cliff.error(w[0], b) > 0.3 > 0.03 > cliff.error(w[-1], b)
