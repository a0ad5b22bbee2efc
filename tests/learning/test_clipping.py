"""Clipping: by norm, by block, by value, at the edges of float64."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from throughtime.arrays.parameters import Layout
from throughtime.learning.clipping import clip_by_block, clip_by_norm, clip_by_value, norm

VECTORS = arrays(np.float64, st.integers(1, 6), elements=st.floats(-1e6, 1e6))
LAYOUT = Layout({"v": (2, 2), "u": (), "w": (3,)})


@given(VECTORS, st.floats(1e-3, 1e3))
def test_by_norm_is_the_printed_rule(g, threshold):
    size = np.sqrt(sum(x * x for x in g.tolist()))
    expected = threshold * g / size if size > threshold else g
    clipped = clip_by_norm(g, threshold)
    assert np.allclose(clipped, expected, rtol=1e-12, atol=1e-307)  # subnormal numbers have fewer digits
    assert norm(clipped) <= threshold * (1 + 1e-12)
    assert not np.shares_memory(clipped, g)


def test_a_gradient_at_the_threshold_or_below_is_left_as_it_is():
    g = np.array([3.0, 4.0])
    assert clip_by_norm(g, 5.0).tolist() == [3.0, 4.0]
    assert clip_by_norm(g, np.nextafter(5.0, 0.0)).tolist() != [3.0, 4.0]
    assert clip_by_norm(np.zeros(2), 1.0).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1.0, 1e200, 1.7e308])
def test_norm_neither_overflows_nor_underflows_before_it_must(scale):
    g = scale * np.array([0.6, -0.8])
    assert norm(g) == pytest.approx(scale, rel=1e-3)
    clipped = clip_by_norm(g, 1e-300)
    expected = g if scale < 1e-300 else 1e-300 * np.array([0.6, -0.8])
    assert np.allclose(clipped, expected, rtol=1e-12, atol=0.0)


def test_a_norm_beyond_float64_is_clipped_too():
    g = np.full(4, 1.5e308)
    assert norm(g) == np.inf
    assert norm(np.array([1.0, -np.inf])) == np.inf
    assert np.allclose(clip_by_norm(g, 1.0), 0.5)


def test_by_block_clips_each_array_by_its_own_norm():
    g = np.array([3.0, 0.0, 4.0, 0.0, -2.0, 0.1, 0.0, 0.0])
    assert np.allclose(clip_by_block(g, LAYOUT, 1.0), [0.6, 0.0, 0.8, 0.0, -1.0, 0.1, 0.0, 0.0])
    each = clip_by_block(g, LAYOUT, {"v": 10.0, "u": 0.5, "w": 0.05})
    assert np.allclose(each, [3.0, 0.0, 4.0, 0.0, -0.5, 0.05, 0.0, 0.0])
    assert g[0] == 3.0


def test_by_value_cuts_each_component_and_may_turn_the_direction():
    clipped = clip_by_value(np.array([0.5, -7.0, 2.0]), 2.0)
    assert clipped.tolist() == [0.5, -2.0, 2.0]


CALLS = [
    lambda g: clip_by_norm(g, 1.0),
    lambda g: clip_by_block(g, LAYOUT, 1.0),
    lambda g: clip_by_value(g, 1.0),
]


@pytest.mark.parametrize("call", CALLS)
def test_what_is_not_finite_is_refused(call):
    with pytest.raises(ValueError, match=r"gradient: expected finite numbers, got nan at index \(3,\)"):
        call(np.where(np.arange(8) == 3, np.nan, 1.0))


REFUSED = [
    (lambda: clip_by_norm(np.ones(2), 0.0), ValueError, r"threshold: expected a number in \(0, inf\), got 0.0"),
    (lambda: clip_by_value(np.ones(2), [1.0, 2.0]), TypeError, "threshold: expected a number"),
    (lambda: clip_by_norm(np.ones(2, int), 1.0), TypeError, "gradient: .* got dtype int64"),
    (lambda: clip_by_block(np.ones(8), {"v": (8,)}, 1.0), TypeError, "layout: expected a Layout, got dict"),
    (lambda: clip_by_block(np.ones(7), LAYOUT, 1.0), ValueError, r"gradient: expected shape \(8,\)"),
    (lambda: clip_by_block(np.ones(8), LAYOUT, {"v": 1.0}), ValueError, "threshold: expected the names"),
    (lambda: clip_by_block(np.ones(8), LAYOUT, {"v": 1.0, "u": -1.0, "w": 1.0}), ValueError, r"threshold\['u'\]"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_norm_is_that_of_an_array_of_real_numbers():
    assert norm([3, 4]) == 5.0
    assert norm(np.array([[3.0], [4.0]])) == 5.0
    for wrong in ("ab", [1j], [True], None):
        with pytest.raises(TypeError, match="gradient: expected an array of real numbers, got dtype"):
            norm(wrong)
