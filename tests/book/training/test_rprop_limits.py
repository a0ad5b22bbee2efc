"""Where a sign is not enough: the goals that the exercise on small batches names."""

from math import comb

import numpy as np
import pytest


@pytest.mark.parametrize(("draws", "goal"), [(5, 0.0), (7, 10 / 7), (20, 1.0)])
def test_rprop_goes_to_the_median_of_the_mean_of_so_many_draws(draws, goal):
    """One draw of ten is 10, the others are 0."""
    chances = [comb(draws, k) * 0.1**k * 0.9 ** (draws - k) for k in range(draws + 1)]
    tens = int(np.searchsorted(np.cumsum(chances), 0.5))
    assert np.isclose(10 * tens / draws, goal)
