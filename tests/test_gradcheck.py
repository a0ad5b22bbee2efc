"""The complex step on functions with known derivatives, and the norms of a difference."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.gradcheck import (
    angle,
    complex_step,
    max_relative_error,
    relative_error,
    trace_by_input,
    trace_by_parameter,
)
from throughtime.models.activations import identity
from throughtime.models.lfmn import LFMN

numbers = st.floats(-3.0, 3.0)


@given(numbers, numbers)
def test_complex_step_of_a_product(a, b):
    gradient = complex_step(lambda z: z[0] ** 3 * np.exp(z[1]), np.array([a, b]))
    assert gradient == pytest.approx([3 * a**2 * math.exp(b), a**3 * math.exp(b)], rel=1e-14, abs=1e-50)


def test_complex_step_keeps_the_shape_and_the_point():
    point = np.arange(6.0).reshape(2, 3)
    gradient = complex_step(lambda z: (z * z).sum(), point)
    assert np.array_equal(gradient, 2 * point)
    assert np.array_equal(point, np.arange(6.0).reshape(2, 3))
    assert complex_step(lambda z: z * z, 3.0) == 6.0


def test_no_digit_is_lost_where_a_difference_loses_all():
    """d/dz of 1e20 + z^2 at 3: a difference quotient of any step gives 0 or noise."""
    assert complex_step(lambda z: 1e20 + z[0] ** 2, np.array([3.0]))[0] == 6.0


def test_the_step_may_be_chosen():
    exact, coarse = (complex_step(lambda z: z[0] ** 3, np.array([1.0]), h)[0] for h in (1e-30, 1e-3))
    assert exact == 3.0
    assert coarse == pytest.approx(3.0 - 1e-6, rel=1e-12)  # Im (1 + ih)^3 / h = 3 - h^2


@pytest.mark.parametrize(
    ("function", "point", "h", "error", "message"),
    [
        (lambda z: z[0], [1j], 1e-30, TypeError, "point: expected real numbers, got dtype complex128"),
        (lambda z: z[0], ["a"], 1e-30, TypeError, "point: expected real numbers"),
        (lambda z: z[0], [np.nan], 1e-30, ValueError, "point: expected finite numbers, got nan"),
        (lambda z: z[0], [1.0], 0.0, ValueError, "h: expected a positive finite number, got 0.0"),
        (lambda z: z[0], [1.0], -1.0, ValueError, "h: expected a positive finite number, got -1.0"),
        (lambda z: z[0], [1.0], np.nan, ValueError, "h: expected a positive finite number, got nan"),
        (lambda z: abs(z[0]), [1.0], 1e-30, TypeError, "function: expected a complex number"),
        (lambda z: z[0].real, [1.0], 1e-30, TypeError, "function: expected a complex number"),
        (lambda z: z, [1.0], 1e-30, TypeError, "function: expected a complex number"),
    ],
)
def test_complex_step_refuses(function, point, h, error, message):
    with pytest.raises(error, match=message):
        complex_step(function, point, h)


# ---------------------------------------------------------------- traces

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
        (lambda: trace_by_parameter(MODEL, THETA, X, -1), "index: expected 0 to 16, got -1"),
        (lambda: trace_by_parameter(MODEL, THETA, X, 0, h=0.0), "h: expected a positive finite number"),
        (lambda: trace_by_input(MODEL, THETA, X, 0, 0), "time: expected 1 to 5, got 0"),
        (lambda: trace_by_input(MODEL, THETA, X, 6, 0), "time: expected 1 to 5, got 6"),
        (lambda: trace_by_input(MODEL, THETA, X, 1, 2), "k: expected 0 to 1, got 2"),
        (lambda: trace_by_input(MODEL, THETA, X[0], 1, 0), r"x: expected shape \(T, inputs\), got \(2,\)"),
        (lambda: trace_by_input(MODEL, THETA, X * np.inf, 1, 0), "x: expected finite numbers"),
    ],
)
def test_traces_refuse_what_they_have_not(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---------------------------------------------------------------- norms


def test_relative_errors_by_hand():
    a, b = [3.0, 4.0], [3.0, 3.0]
    assert relative_error(a, b) == relative_error(b, a) == 1 / 5
    assert max_relative_error(a, b) == max_relative_error(b, a) == 1 / 4
    assert relative_error([[1e-200]], [[0.0]]) == 1.0
    assert relative_error([2.0, 0.0], [-2.0, 0.0]) == 2.0


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_relative_errors_do_not_depend_on_the_scale(scale):
    """Squares of such numbers underflow or overflow."""
    a, b = np.array([3.0, 4.0]), np.array([3.0, 3.0])
    assert relative_error(scale * a, scale * b) == pytest.approx(1 / 5, rel=1e-14)
    assert max_relative_error(scale * a, scale * b) == pytest.approx(1 / 4, rel=1e-14)


@pytest.mark.parametrize("degrees", [0.0, 1e-7, 30.0, 90.0, 135.0, 180.0 - 1e-7, 180.0])
@pytest.mark.parametrize("scale", [1e-280, 1.0, 1e280])
def test_the_angle_between_two_gradients_keeps_its_digits_at_both_ends(degrees, scale):
    turned = [[math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]]
    if degrees > 90.0:  # near 180 the sine of the radians has lost the digits, that of what is left to 180 has not
        turned = [[-math.cos(math.radians(180.0 - degrees)), math.sin(math.radians(180.0 - degrees))]]
    assert angle([[scale, 0.0]], turned) == pytest.approx(degrees, rel=1e-14)
    assert 180.0 - angle([[-scale, 0.0]], turned) == pytest.approx(degrees, rel=1e-14, abs=1e-13)


def test_a_zero_gradient_has_no_angle():
    with pytest.raises(ValueError, match="expected gradients that are not zero"):
        angle([1.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize("error", [relative_error, max_relative_error])
def test_nothing_differs_from_nothing(error):
    assert error([0.0, 0.0], [0.0, 0.0]) == 0.0
    assert error([], []) == 0.0
    assert error(np.ones((2, 3)), np.ones((2, 3))) == 0.0


@pytest.mark.parametrize("error", [relative_error, max_relative_error])
def test_relative_errors_refuse_to_broadcast_and_to_pass_nan(error):
    with pytest.raises(ValueError, match=r"b: expected the shape of a, \(2,\), got \(1,\)"):
        error([1.0, 1.0], [1.0])
    with pytest.raises(ValueError, match="a: expected finite numbers, got nan"):
        error([np.nan], [1.0])
    with pytest.raises(ValueError, match="b: expected finite numbers, got inf"):
        error([1.0], [np.inf])
