"""The median of a column of looks, with its interval."""

import numpy as np
from throughtime_book.peephole.error_flow.counting import middle


def test_a_median_is_shown_with_its_interval_if_there_is_one():
    assert middle(np.ones(5)) == "-"
    assert middle(np.arange(6.0)) == "2.50 (0.00 to 5.00)"
