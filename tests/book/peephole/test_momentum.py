"""How far momentum carries a weight on a constant slope, as the figure draws it."""

import numpy as np
import pytest
from book.peephole.momentum.figures import MOMENTA, moved


@pytest.mark.parametrize("momentum", MOMENTA)
def test_distance_is_the_sum_of_the_geometric_moves(momentum: float) -> None:
    steps = np.arange(301)
    rest, lag = steps / (1 - momentum), momentum * (1 - momentum**steps) / (1 - momentum) ** 2
    np.testing.assert_allclose(moved(momentum, 300), rest - lag, rtol=1e-6, atol=1e-9)
