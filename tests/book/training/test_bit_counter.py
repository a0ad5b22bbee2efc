"""The chapter on the bit counter: the numbers of its surface, the sum over a batch, the judge of long sequences."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from book.shared.words import Iff
from book.training import counter as s
from book.training.bench import bit_counter
from book.training.bit_counter import checks
from book.training.bit_counter.checks import lim_answer, lim_error, v
from book.training.counter import curvature, mean_error
from sympy import Abs, Eq, Gt, Implies, nan, oo
from throughtime.checks import complex_step
from throughtime.derivation import Bench, chain, d, holds_on, sum_over


def test_the_curvature_is_the_derivative_of_the_gradient():
    step = 1e-5
    for length in (2, 8):

        def slope(weights, length=length):
            return complex_step(lambda p: mean_error(*p, length), weights)

        rows = [(slope(1 + step * side) - slope(1 - step * side)) / (2 * step) for side in np.eye(2)]
        assert np.allclose(rows, curvature(length), rtol=1e-6)


def test_beyond_minus_one_the_error_falls_towards_its_limit():
    for length in (2, 3, 8):
        least = []
        for feedback in (-Fraction(9, 8), -Fraction(3, 2), -2, -3, -10, -1000, -(10**6)):
            one, zero, other = (mean_error(Fraction(v_x), Fraction(feedback), length) for v_x in (1, 0, -1))
            bent, slope = (one + other) / 2 - zero, (one - other) / 2  # the error is a square in v_x
            least.append(zero - slope**2 / (4 * bent))
        assert all(later < earlier for earlier, later in pairwise(least))
        assert float(least[-1]) == pytest.approx((length**2 - 1) / 16, rel=1e-5)


i, k, t, T, f = s.i, s.k, s.t, s.T, s.f
E, v_f = s.error[()], s.v_f[()]
EVERYONE = sum_over(k, s.answer[k] - s.count[k])


def test_the_prints_are_true_of_a_single_sequence():
    """So the only slip is the sum over the batch."""
    single = Bench(bit_counter().system, [{s.batch: 1}], length=4).witnesses
    assert holds_on(single, [chain(d(E, f[i, t]), EVERYONE * v_f ** (T - t))]).passed is True


def test_the_check_of_long_sequences_wants_all_that_is_true():
    assert checks.long_sequences(Implies(Gt(Abs(v), 1), Eq(lim_answer, oo)))
    assert not checks.long_sequences(Implies(Gt(Abs(v), 1), Eq(lim_error, oo)))  # zeros: the error is 0
    assert not checks.long_sequences(Implies(Gt(Abs(v), 2), Eq(lim_answer, oo)))  # true, and not all that is true
    assert not checks.long_sequences(Implies(Gt(Abs(v), 100), Eq(lim_answer, 7)))  # of no weight that was run
    assert checks.long_sequences(Iff(Eq(Abs(v), 1), Eq(lim_answer, 1)))  # what the page says of the border


def test_reading_a_limit():
    assert checks.limit([0, 0, 0]) == 0
    assert checks.limit([5, 5, 5]) == 5
    assert checks.limit([200, 201, 400]) == oo
    assert checks.limit([-200, -201, -400]) == -oo
    assert checks.limit([200, -201, 400]) is nan
