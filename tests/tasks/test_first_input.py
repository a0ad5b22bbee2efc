import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.tasks.first_input import binary_code, first_input


@given(st.integers(2, 9), st.integers(1, 15), st.integers(1, 4), st.floats(0, 2), st.integers(0, 2**32))
def test_only_the_first_input_tells_the_class(classes, length, copies, noise, seed):
    x, labels = first_input(classes, length, copies, noise, seed)
    assert x.shape == (classes * copies, length, classes)
    assert np.array_equal(np.bincount(labels), np.full(classes, copies))
    assert np.array_equal(x[:, 0].argmax(axis=1), labels)
    assert np.array_equal(np.sort(x[:, 0], axis=1)[:, :-1], np.zeros((classes * copies, classes - 1)))
    assert np.all(np.abs(x[:, 1:]) <= noise)


def test_the_noise_fills_its_range_and_differs_between_classes_by_chance_only():
    x, labels = first_input(3, 40, 200, 0.5, seed=1)
    tail = x[:, 1:]
    assert 0.49 < np.abs(tail).max() <= 0.5
    for k in range(3):
        assert abs(tail[labels == k].mean()) < 0.01


def test_a_seed_repeats_the_draw_and_a_generator_goes_on():
    first, again = first_input(2, 5, 2, 1.0, 7), first_input(2, 5, 2, 1.0, 7)
    assert np.array_equal(first.x, again.x)
    random = np.random.default_rng(7)
    assert np.array_equal(first_input(2, 5, 2, 1.0, random).x, first.x)
    assert not np.array_equal(first_input(2, 5, 2, 1.0, random).x, first.x)


@given(st.integers(2, 64))
def test_the_code_gives_each_class_its_own_signs_and_no_digit_too_many(classes):
    code = binary_code(classes)
    assert len(np.unique(code, axis=0)) == classes
    assert set(np.unique(code)) == {-1.0, 1.0}
    assert 2 ** code.shape[1] >= classes > 2 ** (code.shape[1] - 1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, 5, 1, 0.1, 0), ValueError, "classes: expected at least 2, got 1"),
        ((2, 0, 1, 0.1, 0), ValueError, "length: expected at least 1"),
        ((2, 5, 0, 0.1, 0), ValueError, "copies: expected at least 1"),
        ((2, 5, 1, -0.1, 0), ValueError, r"noise: expected a number in \[0, 8e307\], got -0.1"),
        ((2, 5, 1, 0.1, None), TypeError, "seed: expected an integer, got None"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        first_input(*arguments)
