"""The bit counter in numbers: states by hand, unit weights count, and gradients against the complex step."""

from itertools import product

import numpy as np
import pytest
from book.training.counter import NET, answers, gradient, loss, parameters
from throughtime.checks import complex_step, relative_error


def test_ones_are_counted_by_unit_weights_and_by_no_others():
    bits = np.random.default_rng(0).integers(0, 2, (20, 8)).astype(float)
    assert np.array_equal(answers(1.0, 1.0, bits), bits.sum(axis=1))
    assert loss(1.0, 1.0, bits) == 0.0
    assert all(loss(*weights, bits) > 0 for weights in [(1.0, 0.99), (0.99, 1.0), (2.0, 0.5)])


def test_states_by_hand():
    bits = np.array([[1.0, 0.0, 1.0]])
    assert NET.forward(parameters(2.0, 0.5), bits[:, :, None]).f[0, 1:, 0].tolist() == [2.0, 1.0, 2.5]
    assert answers(2.0, 0.5, bits).tolist() == [2.5]
    assert gradient(2.0, 0.5, bits).tolist() == [0.5 * 1.25, 0.5 * 2.0]


@pytest.mark.parametrize("method", ["bptt", "rtrl"])
def test_gradients_are_exact(method):
    bits = np.array(list(product((0.0, 1.0), repeat=5)))
    for weights in ((0.8, 1.5), (0.7, -0.8), (0.5, 0.0)):
        expected = complex_step(lambda point: loss(*point, bits), np.array(weights))
        assert relative_error(gradient(*weights, bits, method), expected) < 1e-12
