"""The statements of the chapter on temporal XOR about its nets hold for the stored nets."""

from pathlib import Path

import numpy as np
import pytest
from book.training.temporal_xor import experiment as xor
from book.training.temporal_xor.checks import least_error
from throughtime.tasks.temporal_xor import temporal_xor

PAGE = Path(__file__).parents[3] / "book" / "training" / "temporal-xor.ipynb"


def test_standard_errors_are_as_small_as_the_page_says():
    assert len(xor.fresh_string()) == 200_001
    assert max(r["excess"][1] for r in xor.stored()) < 0.0009


def test_the_listing_of_the_page_computes_the_least_errors(run_cell):
    names = run_cell("def errors_from(")
    for m in range(6):
        assert tuple(names["errors_from"](m)) == least_error(m)


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
