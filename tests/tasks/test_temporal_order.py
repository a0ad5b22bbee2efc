import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.tasks.temporal_order import SYMBOLS, THREE, TWO, temporal_order


def letters(sequence, length):
    """The symbols of one sequence as a word."""
    assert np.all(np.sort(sequence[:length], axis=1) == [0] * 7 + [1])  # one line is 1
    assert not sequence[length:].any()
    return "".join(SYMBOLS[k] for k in sequence[:length].argmax(axis=1))


@given(st.sampled_from([TWO, THREE, ((1, 2), (4, 4)), ((3, 3),)]), st.integers(1, 5), st.integers(0, 2**32))
def test_the_class_is_the_word_of_the_relevant_symbols(windows, copies, seed):
    shortest = windows[-1][-1] + 30
    x, lengths, targets = temporal_order(windows, (shortest, shortest + 4), copies, seed)
    for sequence, length, target in zip(x, lengths, targets, strict=True):
        word = letters(sequence, length)
        assert (word[0], word[-1]) == ("E", "B")
        places = [place for place, letter in enumerate(word) if letter in "XY"]
        assert all(first <= place <= last for place, (first, last) in zip(places, windows, strict=True))
        assert set(word[1:-1]) <= set("abcdXY")
        kept = "".join(word[place] for place in places)
        assert target.sum() == 1.0
        assert target[int(kept.replace("X", "0").replace("Y", "1"), 2)] == 1.0
        assert target.shape == (2 ** len(windows),)


def test_times_lengths_and_classes_fill_their_ranges():
    x, lengths, targets = temporal_order(TWO, (100, 110), 3000, seed=2)
    assert sorted(set(lengths)) == list(range(100, 111))
    relevant = x[:, :, SYMBOLS.index("X") :].any(axis=(0, 2))
    assert np.flatnonzero(relevant).tolist() == [*range(10, 21), *range(50, 61)]
    assert np.all(np.abs(targets.mean(axis=0) - 0.25) < 0.03)


FIT = "windows: expected disjoint windows in order within 10 steps"
REFUSED = [
    *((windows, (10, 11), ValueError, FIT) for windows in ((), ((0, 3),), ((5, 3),), ((2, 4), (4, 6)), ((2, 9),))),
    (((2, 3),), (10, 9), ValueError, "lengths: expected the shortest and the longest"),
    (((2.5, 3),), (10, 12), TypeError, r"windows: expected an integer, got 2\.5"),
    (((2, 3),), (10,), ValueError, "lengths: expected the first and the last"),
    ((3, 4), (10, 12), ValueError, "windows: expected the first and the last of each, got 3"),
    (3, (10, 12), TypeError, "windows: expected a sequence of pairs, got 3"),
    (((2, 3),), 10, ValueError, "lengths: expected the first and the last of each, got 10"),
]


@pytest.mark.parametrize(("windows", "lengths", "error", "message"), REFUSED)
def test_windows_and_lengths_have_to_fit(windows, lengths, error, message):
    with pytest.raises(error, match=message):
        temporal_order(windows, lengths, 1, 0)
