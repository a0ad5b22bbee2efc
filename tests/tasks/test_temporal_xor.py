"""Temporal XOR: the string, its predictions, and the least error, which is put to a long string."""

from fractions import Fraction

import numpy as np
import pytest
from throughtime.tasks.temporal_xor import as_prediction, least_error, predicted_positions, temporal_xor


def test_every_third_bit_is_the_exclusive_or_of_the_two_before():
    triples = temporal_xor(500, seed=0).reshape(-1, 3).astype(int)
    assert np.array_equal(triples[:, 0] ^ triples[:, 1], triples[:, 2])
    assert {tuple(row) for row in triples.tolist()} == {(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)}
    assert np.array_equal(temporal_xor(5, seed=3), temporal_xor(5, np.random.default_rng(3)))


def test_targets_are_the_next_bits_and_positions_theirs():
    bits = temporal_xor(4, seed=1)
    x, targets = as_prediction(bits)
    assert x.shape == targets.shape == (1, 11, 1)
    assert np.array_equal(x[0, 1:, 0], targets[0, :-1, 0])
    third = predicted_positions(12) == 3
    assert np.array_equal(targets[0, third, 0], bits[2::3])


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
    with pytest.raises(ValueError, match="triples: expected at least 1, got 0"):
        temporal_xor(0, seed=0)
    with pytest.raises(ValueError, match="memory: expected at least 0"):
        least_error(-1)
    with pytest.raises(TypeError, match="knows_position: expected True or False, got 'no'"):
        least_error(1, "no")


def test_what_is_no_string_of_bits_is_refused():
    for wrong, words in (
        (np.ones((2, 2)), r"bits: expected shape \(T,\)"),
        (np.ones(1), "length of bits: .* at least 2"),
    ):
        with pytest.raises(ValueError, match=words):
            as_prediction(wrong)
    with pytest.raises(ValueError, match="length: expected at least 1, got -1"):
        predicted_positions(-1)
