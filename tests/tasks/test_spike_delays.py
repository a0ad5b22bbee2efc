"""Streams of spikes: they come when period and delay say, and the delay is what is asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.tasks.spike_delays import spike_delays


@given(st.integers(1, 12), st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(1, 9), st.integers(0, 99))
def test_the_times_between_spikes_tell_the_targets(period, delays, spikes, seed):
    x, targets, mask = spike_delays(period, delays, spikes, seed)
    assert x.shape == targets.shape == mask.shape
    times = np.flatnonzero(x[:, 0]) + 1
    assert len(times) == spikes
    assert times[-1] == len(x)
    late = np.diff(times, prepend=0) - period
    assert set(late) <= set(delays)
    assert np.array_equal(targets[times - 1, 0], late)
    assert np.array_equal(x, mask)
    assert not np.delete(targets, times - 1, axis=0).any()


def test_all_delays_are_drawn_alike_and_a_seed_draws_the_same_again():
    first, again, other = (spike_delays(5, [0, 1, 3], 900, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.x, again.x)
    assert len(first.x) != len(other.x)
    late = first.targets[first.x[:, 0] == 1, 0]
    assert all(250 < (late == delay).sum() < 350 for delay in (0, 1, 3))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, [0], 1, 0), ValueError, "period: expected at least 1, got 0"),
        ((1, [], 1, 0), ValueError, "number of delays: expected at least 1, got 0"),
        ((1, [-1], 1, 0), ValueError, "delays: expected at least 0, got -1"),
        ((1, [0], 0, 0), ValueError, "spikes: expected at least 1, got 0"),
        ((1, [0], 1, None), TypeError, "seed: expected an integer, got None"),
    ],
)
def test_an_impossible_stream_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        spike_delays(*arguments)
