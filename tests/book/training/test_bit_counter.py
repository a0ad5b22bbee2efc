"""The chapter on the bit counter: the numbers of its surface."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from book.training.counter import curvature, mean_error
from throughtime.checks import complex_step


def test_the_curvature_is_the_derivative_of_the_gradient():
    step = 1e-5
    for length in (2, 8):

        def slope(weights, length=length):
            return complex_step(lambda p: mean_error(*p, length), weights)

        rows = [(slope(1 + step * side) - slope(1 - step * side)) / (2 * step) for side in np.eye(2)]
        assert np.allclose(rows, curvature(length), rtol=1e-6)


def test_numbers_of_the_surface():
    plain = mean_error(1.0, np.linspace(-0.95, 0.5, 300), 32)
    assert plain.max() < 1.125 * plain.min()
    assert 8.5e8 < mean_error(1.0, 1.5, 32) / plain.max() < mean_error(1.0, 1.5, 32) / plain.min() < 9.7e8
    rates = [2 / np.linalg.eigvalsh(curvature(length))[1] for length in (16, 64)]
    assert rates[0] / rates[1] == pytest.approx(261, abs=0.5)


def test_beyond_minus_one_the_error_falls_towards_its_limit():
    for length in (2, 3, 8):
        least = []
        for feedback in (-Fraction(9, 8), -Fraction(3, 2), -2, -3, -10, -1000, -(10**6)):
            one, zero, other = (mean_error(Fraction(v_x), Fraction(feedback), length) for v_x in (1, 0, -1))
            bent, slope = (one + other) / 2 - zero, (one - other) / 2  # the error is a square in v_x
            least.append(zero - slope**2 / (4 * bent))
        assert all(later < earlier for earlier, later in pairwise(least))
        assert float(least[-1]) == pytest.approx((length**2 - 1) / 16, rel=1e-5)
