import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.tasks.adding import adding


@given(st.integers(6, 60), st.integers(1, 20), st.integers(0, 2**32))
def test_the_target_is_told_by_values_and_markers(shortest, copies, seed):
    x, lengths, targets = adding(shortest, copies, seed)
    assert x.shape == (copies, shortest + shortest // 10, 2)
    assert np.all((shortest <= lengths) & (lengths <= x.shape[1]))
    for (values, markers), length, target in zip(x.transpose(0, 2, 1), lengths, targets[:, 0], strict=True):
        assert markers[0] == markers[length - 1] == -1.0
        marked = np.flatnonzero(markers == 1.0)
        assert 1 <= len(marked) <= 2  # one if the first pair of all was drawn
        assert marked.max() < shortest // 2 - 1
        assert len(marked) == 1 or marked.min() < 10
        assert target == pytest.approx(0.5 + values[marked].sum() / 4, rel=1e-12, abs=1e-15)
        assert not np.any(x[0, lengths[0] :])
        assert np.all(np.abs(values) <= 1)
        assert np.count_nonzero(markers) == len(marked) + 2


def test_the_first_pair_is_drawn_and_counts_as_zero():
    x, _, targets = adding(20, 2000, seed=3)
    alone = (x[:, :, 1] == 1.0).sum(axis=1) == 1
    assert 0.15 < alone.mean() < 0.25  # the first mark hits it in 1/9 of all cases, the second in 1/9 of the others
    spread = targets[:, 0].std(), targets[alone, 0].std()
    assert spread[0] > 1.2 * spread[1]


def test_lengths_and_marks_fill_their_ranges():
    x, lengths, _ = adding(100, 3000, seed=0)
    assert sorted(set(lengths)) == list(range(100, 111))
    marks = (x[:, :, 1] == 1.0).any(axis=0)
    assert np.flatnonzero(marks).tolist() == list(range(1, 49))


def test_two_marks_have_to_fit():
    with pytest.raises(ValueError, match="shortest: expected at least 6, got 5"):
        adding(5, 1, 0)
    with pytest.raises(TypeError, match="seed"):
        adding(10, 1, None)


def test_an_error_counts_at_the_end_alone():
    task = adding(12, 7, 5)
    targets, mask = task.by_step()
    assert targets.shape == mask.shape == (7, 13, 1)
    assert mask.sum() == 7
    for n, length in enumerate(task.lengths):
        assert mask[n, length - 1] == 1.0
        assert np.array_equal(targets[n, length - 1], task.targets[n])
