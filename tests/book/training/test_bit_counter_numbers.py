"""The bit counter: both gradients against the complex step and closed forms of small cases, and planted mistakes."""

import inspect
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.checks import complex_step, relative_error
from throughtime_book.training.bit_counter import numbers as bit_counter
from throughtime_book.training.bit_counter.numbers import METHODS, BitCounter

TOLERANCE = 1e-12
MODEL = BitCounter()


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = rng.integers(0, 2, (draw(st.integers(1, 5)), draw(st.integers(1, 12)))).astype(float)
    theta = rng.uniform(-1.3, 1.3, 2)
    return theta, x, draw(st.none() | st.just(rng.normal(size=len(x))))


def test_ones_are_counted_by_unit_weights_and_by_no_others():
    x = np.random.default_rng(0).integers(0, 2, (20, 8))
    assert np.array_equal(MODEL.forward(np.ones(2), x).answer, x.sum(axis=1))
    assert MODEL.loss(np.ones(2), x) == 0.0
    assert all(MODEL.loss(np.array(w), x) > 0 for w in [(1.0, 0.99), (0.99, 1.0), (2.0, 0.5)])


def test_states_by_hand():
    trace = MODEL.forward(np.array([2.0, 0.5]), [[1, 0, 1]])
    assert trace.f.tolist() == [[0.0, 2.0, 1.0, 2.5]]
    assert trace.x.tolist() == [[0.0, 1.0, 0.0, 1.0]]
    assert MODEL.gradient(np.array([2.0, 0.5]), [[1, 0, 1]]).gradient.tolist() == [0.5 * 1.25, 0.5 * 2.0]


def agrees(module, theta, x, targets):
    model = module.BitCounter()
    expected = complex_step(lambda z: MODEL.loss(z, x, targets), theta)
    return all(
        relative_error(model.gradient(theta, x, targets, method=method).gradient, expected) <= TOLERANCE
        for method in METHODS
    )


@given(problems())
def test_both_gradients_are_exact(problem):
    assert agrees(bit_counter, *problem)


MISTAKES = [
    ("np.arange(trace.x.shape[1] - 2, -1, -1)", "np.arange(trace.x.shape[1] - 1, 0, -1)"),
    ("np.arange(trace.x.shape[1] - 2, -1, -1)", "np.arange(trace.x.shape[1] - 1)"),
    ("error @ trace.f[:, :-1]", "error @ trace.f[:, 1:]"),
    ("factors @ np.where(factors == 0.0, 0.0, powers)", "factors @ np.where(factors == 0.0, 0.0, powers**2)"),
    ("theta[1] * by_v_f + trace.f[:, t - 1]", "theta[1] * by_v_f + trace.f[:, t]"),
    ("theta[1] * by_v_f + trace.f[:, t - 1]", "trace.f[:, t - 1]"),
    ("theta[1] * by_v_x + trace.x[:, t]", "theta[0] * by_v_x + trace.x[:, t]"),
]


@pytest.mark.parametrize(("right", "wrong"), MISTAKES)
def test_a_planted_mistake_is_noticed(right, wrong):
    source = inspect.getsource(bit_counter)
    assert source.count(right) == 1
    mutant = types.ModuleType("throughtime_book.training.bit_counter.numbers")
    mutant.__package__ = "throughtime"
    problem = np.array([0.7, 0.8]), np.array([[1.0, 0, 1, 1], [0, 1, 1, 0]]), None
    assert agrees(bit_counter, *problem)
    exec(compile(source.replace(right, wrong), "<mutant>", "exec"), vars(mutant))
    assert not agrees(mutant, *problem)


REFUSED = [
    (lambda: MODEL.forward(np.ones(3), [[1]]), ValueError, r"theta: expected shape \(2,\)"),
    (lambda: MODEL.forward(np.ones(2), [1, 0]), ValueError, r"x: expected shape \(I, T\)"),
    (lambda: MODEL.forward(np.ones(2), np.ones((2, 0))), ValueError, "T >= 1"),
    (lambda: MODEL.loss(np.ones(2), [[1]], [1, 2]), ValueError, "targets: expected shape"),
    (lambda: MODEL.gradient(np.ones(2), [[1]], method="sweep"), ValueError, "method: expected one of"),
    (lambda: MODEL.forward(np.array([1.0, 1e200]), np.ones((1, 9))), FloatingPointError, "f.* overflows"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_power_that_overflows_counts_only_where_it_has_a_factor():
    """The power 1e200^4 of the first step has the factor 0; with a one there the state itself overflows."""
    problem = np.array([1.0, 1e200]), np.array([[0.0, 0.0, 0.0, 0.0, 1.0]]), np.array([3.0])
    for method in METHODS:
        assert MODEL.gradient(*problem, method=method).gradient.tolist() == [-2.0, 0.0]
    assert agrees(bit_counter, np.array([0.5, 0.0]), np.array([[1.0, 0.0, 1.0]]), None)
