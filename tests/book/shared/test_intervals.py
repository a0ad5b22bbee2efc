"""Intervals of counts and medians: coverage, and their ends."""

from math import comb

import pytest
from book.shared.intervals import median_interval, wilson
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_a_share_at_the_end_of_the_wilson_interval_is_just_compatible_with_the_count(case):
    """At an end p of the interval the count lies 1.96 standard deviations of p away: that is its definition."""
    count, of = case
    for end in wilson(count, of):
        assert 0 <= end <= 1
        if 1e-9 < end < 1 - 1e-9:
            assert abs(count / of - end) == pytest.approx(1.959964 * (end * (1 - end) / of) ** 0.5, rel=1e-6)


@pytest.mark.parametrize(("count", "of"), [(-1, 5), (6, 5), (0, 0)])
def test_counts_that_cannot_be_are_refused(count, of):
    with pytest.raises(ValueError, match="count: expected"):
        wilson(count, of)


@pytest.mark.parametrize("size", [6, 7, 55, 100])
def test_the_median_lies_between_the_order_statistics_with_95_percent_and_no_narrower_pair_does(size):
    low, high = median_interval(range(size))
    assert low + high == size - 1
    outside = [2 * sum(comb(size, k) for k in range(rank + 1)) / 2**size for rank in (low, low + 1)]
    assert outside[0] <= 0.05 < outside[1]


def test_of_few_values_there_is_no_interval():
    with pytest.raises(ValueError, match="values: expected at least 6 numbers, got 5"):
        median_interval([1.0] * 5)
