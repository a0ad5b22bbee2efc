"""Traces: the derivatives of all that a model computes by one parameter or one input, against central differences."""

import numpy as np
import pytest
from throughtime.arrays.activations import identity
from throughtime.checks import trace_by_input, trace_by_parameter
from throughtime.textbook.lfmn import LFMN

MODEL = LFMN(2, (1, 1, 1), (1, 1, 1))
THETA = MODEL.init(0, 1.5)
X = np.random.default_rng(1).normal(size=(5, 2))


def differences(trace_at, step=1e-6):
    ahead, behind = (dict(trace_at(sign * step).items()) for sign in (1, -1))
    return {name: (ahead[name] - behind[name]) / (2 * step) for name in ahead}


@pytest.mark.parametrize("index", range(MODEL.layout.size))
def test_trace_by_parameter_is_what_central_differences_approach(index):
    unit = np.eye(MODEL.layout.size)[index]
    approximate = differences(lambda step: MODEL.forward(THETA + step * unit, X))
    exact = trace_by_parameter(MODEL, THETA, X, index)
    assert exact.keys() == {"x", "current_hid", "net_hid", "h", "current_out", "net_out", "y"}
    for name, values in exact.items():
        assert values.dtype == np.float64
        assert values == pytest.approx(approximate[name], abs=1e-8), name


@pytest.mark.parametrize(("time", "k"), [(1, 0), (3, 1), (5, 0)])
def test_trace_by_input_is_what_central_differences_approach(time, k):
    unit = np.zeros_like(X)
    unit[time - 1, k] = 1.0
    approximate = differences(lambda step: MODEL.forward(THETA, X + step * unit))
    exact = trace_by_input(MODEL, THETA, X, time, k)
    for name, values in exact.items():
        assert values == pytest.approx(approximate[name], abs=1e-8), name
        assert not values[:time].any(), name  # no effect before its cause
    assert np.array_equal(exact["x"][1:], unit)


@pytest.mark.parametrize("u", [0.5, -0.5, 1.25])
def test_a_net_input_unit_forgets_as_the_power_of_its_feedback(u):
    """lfmn-21: d net(t) / d x(t - q) = u^q w, here with powers of two, so to the last digit."""
    model = LFMN(1, (0, 0, 0), (0, 1, 0), identity)
    by_input = trace_by_input(model, np.array([2.0, u]), np.ones((20, 1)), time=4, k=0)
    assert by_input["net_out"][4:, 0].tolist() == [2.0 * u**q for q in range(17)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trace_by_parameter(MODEL, THETA, X, THETA.size), "index: expected 0 to 16, got 17"),
        (lambda: trace_by_parameter(MODEL, THETA, X, -1), "index: expected at least 0, got -1"),
        (lambda: trace_by_parameter(MODEL, THETA, X, 0, h=0.0), r"h: expected a number in \(0, inf\)"),
        (lambda: trace_by_input(MODEL, THETA, X, 0, 0), "time: expected at least 1, got 0"),
        (lambda: trace_by_input(MODEL, THETA, X, 6, 0), "time: expected 1 to 5, got 6"),
        (lambda: trace_by_input(MODEL, THETA, X, 1, 2), "k: expected 0 to 1, got 2"),
        (lambda: trace_by_input(MODEL, THETA, X[0], 1, 0), r"x: expected shape \(T, inputs\), got \(2,\)"),
        (lambda: trace_by_input(MODEL, THETA, X * np.inf, 1, 0), "x: expected finite numbers"),
    ],
)
def test_traces_refuse_what_they_have_not(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trace_by_parameter(MODEL, THETA, X, 0.0), "index: expected an integer, got 0.0"),
        (lambda: trace_by_parameter(MODEL, THETA, X, 0, h="x"), r"h: expected a number in \(0, inf\), got 'x'"),
        (lambda: trace_by_input(MODEL, THETA, X, 1.0, 0), "time: expected an integer, got 1.0"),
        (lambda: trace_by_input(MODEL, THETA, X, 1, "0"), "k: expected an integer, got '0'"),
    ],
)
def test_what_is_no_number_is_refused_by_its_name(call, message):
    with pytest.raises(TypeError, match=message):
        call()


class Conjugating:
    """A model one of whose arrays is not analytic."""

    def forward(self, theta, x):
        return {"fine": theta**2, "size": theta * np.conj(theta)}


def test_a_trace_that_is_not_analytic_is_refused_by_the_name_of_its_array():
    with pytest.raises(ValueError, match="size: expected to be analytic at the point"):
        trace_by_parameter(Conjugating(), np.array([0.5, -1.25]), None, 1)
