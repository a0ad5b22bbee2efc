"""The least errors of a predictor of temporal XOR, in closed form and against a long string."""

from fractions import Fraction

import numpy as np
import pytest
from throughtime.tasks.temporal_xor import temporal_xor
from throughtime_book.training.temporal_xor.bounds import least_error


def test_least_errors_in_closed_form():
    quarter = Fraction(1, 4)
    assert least_error(0) == least_error(1) == (quarter, quarter, quarter)
    assert least_error(2) == (Fraction(5, 18), Fraction(5, 18), Fraction(1, 9))
    assert least_error(2, knows_position=True) == (quarter, quarter, 0)
    means = [sum(least_error(m)) / 3 for m in range(8)]
    assert means == sorted(means, reverse=True)
    assert means[-1] > Fraction(1, 6)


@pytest.mark.parametrize("memory", [1, 2, 4])
def test_least_error_is_that_of_the_frequencies_in_a_long_string(memory):
    """Fitting one answer to each word of that many bits is the regression that no predictor of them can beat."""
    bits = temporal_xor(60_000, seed=2).astype(int)
    words = sum(bits[lag : len(bits) - memory + lag] << lag for lag in range(memory))
    following = bits[memory:]
    answer = np.array([following[words == word].mean() for word in range(2**memory)])
    squares = (answer[words] - following) ** 2
    position = np.arange(memory, len(bits)) % 3
    measured = [squares[position == p].mean() for p in range(3)]
    assert np.allclose(measured, [float(e) for e in least_error(memory)], atol=0.005)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="memory: expected at least 0"):
        least_error(-1)
    with pytest.raises(TypeError, match="knows_position: expected True or False, got 'no'"):
        least_error(1, "no")
