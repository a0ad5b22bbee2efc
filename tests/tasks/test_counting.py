import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.tasks.counting import FOUR_ORDERS, last_occurrences, marked_noise

WORDS = st.lists(st.text("XYZ", min_size=1, max_size=4), min_size=2, max_size=4)


@given(WORDS, st.integers(0, 4), st.integers(0, 20), st.integers(0, 2**32))
def test_the_marks_spell_the_word_and_keep_their_distance(words, gap, spare, seed):
    length = max(len(w) + gap * (len(w) + 1) for w in words) + spare
    x, labels = marked_noise(words, length, gap, 3, 0.3, seed)
    letters = sorted(set("".join(words)))
    assert x.shape == (3 * len(words), length, len(letters) + 1)
    assert np.all(x[:, :, -1] == 1)
    for sequence, label in zip(x, labels, strict=True):
        marked = np.flatnonzero(np.any(sequence[:, :-1] == 1, axis=1))
        spelled = "".join(letters[sequence[t, :-1].argmax()] for t in marked)
        assert spelled == words[label]
        edges = np.concatenate([[-1], marked, [length]])
        assert np.all(np.diff(edges) > gap)
        assert np.all(np.sort(sequence[marked, :-1], axis=1)[:, :-1] == 0)
        unmarked = np.delete(sequence[:, :-1], marked, axis=0)
        assert np.all(np.abs(unmarked) <= 0.3)


def test_the_times_of_the_marks_use_all_the_room_there_is():
    x, _ = marked_noise(("X", "XX"), 12, 2, 400, 0.1, seed=0)
    times = np.argwhere(x[:400, :, 0] == 1)[:, 1]
    assert times.min() == 2
    assert times.max() == 9


def test_last_occurrences_part_the_words_of_the_temporal_order_tasks():
    three = ["".join(w) for w in itertools.product("XY", repeat=3)]
    assert len({last_occurrences(w) for w in FOUR_ORDERS}) == 4
    assert len({last_occurrences(w) for w in three}) == 4  # of the eight classes of LSTM's task 6b
    assert len({last_occurrences("X" * n) for n in range(1, 6)}) == 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((("X",), 9, 1, 1, 0.1, 0), ValueError, "number of words: expected at least 2"),
        ((("X", ""), 9, 1, 1, 0.1, 0), ValueError, "words: expected non-empty words"),
        ((("X", "XX"), 7, 2, 1, 0.1, 0), ValueError, "'XX' with gaps of 2 needs 8 of length = 7 steps"),
        ((("X", "XX"), 9, -1, 1, 0.1, 0), ValueError, "gap: expected at least 0"),
        ((("X", "XX"), 9, 1, 0, 0.1, 0), ValueError, "copies: expected at least 1"),
        ((("X", "XX"), 9, 1, 1, 1e308, 0), ValueError, r"noise: expected a number in \[0, 8e307\], got 1e\+308"),
        ((("X", "XX"), "9", 1, 1, 0.1, 0), TypeError, "length: expected an integer, got '9'"),
        (("XY", 9, 1, 1, 0.1, 0), TypeError, "words: expected a sequence of strings, got 'XY'"),
        (((1, 2), 9, 1, 1, 0.1, 0), TypeError, "words: expected a sequence of strings"),
        ((None, 9, 1, 1, 0.1, 0), TypeError, "words: expected a sequence of strings, got None"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        marked_noise(*arguments)


def test_a_word_is_a_string():
    with pytest.raises(TypeError, match=r"word: expected a string, got \['X'\]"):
        last_occurrences(["X"])
