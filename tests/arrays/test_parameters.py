"""The flat parameter vector and its named views."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.arrays.parameters import LARGEST_SCALE, Layout, LossGradient

LAYOUT = Layout({"w": (2, 3), "empty": (0, 4), "u": (2,), "b": ()})

layouts = st.dictionaries(
    st.sampled_from(["w", "u", "v", "W_out", "bias"]),
    st.lists(st.integers(0, 3), max_size=3).map(tuple),
    max_size=5,
).map(Layout)


def test_order_sizes_and_places():
    assert LAYOUT.names == ("w", "empty", "u", "b")
    assert LAYOUT.shapes == {"w": (2, 3), "empty": (0, 4), "u": (2,), "b": ()}
    assert LAYOUT.size == 9
    assert [LAYOUT.slice(name) for name in LAYOUT.names] == [
        slice(0, 6),
        slice(6, 6),
        slice(6, 8),
        slice(8, 9),
    ]


@given(layouts, st.sampled_from([np.float64, np.complex128]))
def test_views_and_flatten_are_inverse(layout, dtype):
    theta = np.arange(layout.size).astype(dtype) * (1 + 1j if dtype is np.complex128 else 1)
    views = layout.views(theta)
    assert {name: view.shape for name, view in views.items()} == layout.shapes
    assert all(view.dtype == dtype for view in views.values())
    assert np.array_equal(layout.flatten(views), theta)
    assert layout.flatten(views) is not theta


@given(layouts)
def test_views_share_memory_with_the_vector(layout):
    theta = np.zeros(layout.size)
    for number, view in enumerate(layout.views(theta).values(), start=1):
        view[...] = number
    expected = [number for number, shape in enumerate(layout.shapes.values(), 1) for _ in np.ndindex(shape)]
    assert theta.tolist() == expected


def test_views_of_a_strided_vector_share_memory_too():
    wide = np.zeros(18)
    LAYOUT.views(wide[::2])["w"][1, 2] = 7.0
    assert wide[10] == 7.0


@given(layouts)
def test_index_and_labels_name_the_components_of_the_views(layout):
    theta = np.arange(float(layout.size))
    labels = []
    for name, view in layout.views(theta).items():
        for position in np.ndindex(view.shape):
            assert layout.index(name, *position) == view[position]
            labels.append(f"{name}{list(position)}" if position else name)
    assert layout.labels() == tuple(labels)


def test_equal_layouts_hash_and_pickle_alike_and_order_counts():
    same = Layout(dict(LAYOUT.arrays))
    assert same == LAYOUT
    assert hash(same) == hash(LAYOUT)
    assert pickle.loads(pickle.dumps(LAYOUT)) == LAYOUT
    assert Layout({"a": (1,), "b": (1,)}) != Layout({"b": (1,), "a": (1,)})


def test_a_layout_cannot_be_changed():
    with pytest.raises(AttributeError):
        LAYOUT.arrays = ()
    with pytest.raises(AttributeError):
        LossGradient(1.0, np.zeros(1), "bptt").loss = 2.0


@pytest.mark.parametrize(
    ("shapes", "error", "message"),
    [
        ({"w": (2, -1)}, ValueError, r"shapes\['w'\]: expected at least 0, got -1"),
        ({"w 1": (2,)}, ValueError, "shapes: expected names that are identifiers, got 'w 1'"),
        ({1: (2,)}, ValueError, "shapes: expected names that are identifiers, got 1"),
    ],
)
def test_an_impossible_layout_is_refused(shapes, error, message):
    with pytest.raises(error, match=message):
        Layout(shapes)


@pytest.mark.parametrize(
    ("theta", "error", "message"),
    [
        (np.zeros(8), ValueError, r"theta: expected shape \(9,\), got \(8,\)"),
        (np.zeros(9, np.float32), TypeError, "theta: expected .*float64 or complex128, got dtype float32"),
    ],
)
def test_a_vector_that_does_not_fit_is_refused(theta, error, message):
    with pytest.raises(error, match=message):
        LAYOUT.views(theta)


def test_arrays_that_do_not_fit_are_refused():
    arrays = LAYOUT.views(np.zeros(9))
    with pytest.raises(ValueError, match=r"arrays: expected the names \['w', .*, 'b'\], got \['w'\]"):
        LAYOUT.flatten({"w": arrays["w"]})
    with pytest.raises(ValueError, match=r"arrays: expected the names .*'more'"):
        LAYOUT.flatten({**arrays, "more": 1.0})
    with pytest.raises(ValueError, match=r"w: expected shape \(2, 3\), got \(3, 2\)"):
        LAYOUT.flatten({**arrays, "w": np.zeros((3, 2))})
    with pytest.raises(TypeError, match=r"w: expected real or complex numbers, got dtype bool"):
        LAYOUT.flatten({**arrays, "w": np.zeros((2, 3), bool)})


def test_an_unknown_name_is_refused():
    for call in (LAYOUT.slice, LAYOUT.index):
        with pytest.raises(ValueError, match="name: expected one of 'w', 'empty', 'u', 'b', got 'W'"):
            call("W")


@pytest.mark.parametrize("position", [(), (0,), (2, 0), (0, 3), (-1, 0), (0, 0, 0)])
def test_an_impossible_position_is_refused(position):
    with pytest.raises(ValueError, match=r"position: expected an index into w of shape \(2, 3\), got"):
        LAYOUT.index("w", *position)


def test_shapes_and_arrays_are_mappings():
    with pytest.raises(TypeError, match="shapes: expected a mapping from names to shapes, got list"):
        Layout(["w"])
    with pytest.raises(TypeError, match=r"shapes\['w'\]: expected a tuple of lengths, got 3"):
        Layout({"w": 3})
    with pytest.raises(TypeError, match="arrays: expected a mapping from names to arrays, got NoneType"):
        Layout({"w": (3,)}).flatten(None)


def test_a_scale_whose_double_overflows_is_refused():
    layout = Layout({"w": (3,)})
    assert np.isfinite(layout.uniform(0, LARGEST_SCALE)).all()
    for scale in (1e308, 9e307):
        with pytest.raises(
            ValueError, match=f"scale: expected at most .*, half the largest float64, got {scale}".replace("+", r"\+")
        ):
            layout.uniform(0, scale)
