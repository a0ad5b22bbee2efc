"""Temporal XOR: the string and its predictions."""

import numpy as np
import pytest
from throughtime.tasks.temporal_xor import as_prediction, predicted_positions, temporal_xor


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


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="triples: expected at least 1, got 0"):
        temporal_xor(0, seed=0)


def test_what_is_no_string_of_bits_is_refused():
    for wrong, words in (
        (np.ones((2, 2)), r"bits: expected shape \(T,\)"),
        (np.ones(1), "length of bits: .* at least 2"),
    ):
        with pytest.raises(ValueError, match=words):
            as_prediction(wrong)
    with pytest.raises(ValueError, match="length: expected at least 1, got -1"):
        predicted_positions(-1)
