"""The complex step on functions with known derivatives, gradients block by block, and traces."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.checks import (
    complex_step,
    gradcheck,
    relative_error,
    trace_by_input,
    trace_by_parameter,
)
from throughtime.models.activations import identity
from throughtime.models.lfmn import LFMN
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.parameters import Layout
from throughtime.models.recurrent import FullyRecurrent

numbers = st.floats(-3.0, 3.0)
MODEL = LFMN(2, (1, 1, 1), (1, 1, 1))
THETA = MODEL.init(0, 1.5)
X = np.random.default_rng(1).normal(size=(5, 2))


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
        (lambda z: z[0], [1.0], 0.0, ValueError, "h: expected a number in \\(0, inf\\), got 0.0"),
        (lambda z: z[0], [1.0], -1.0, ValueError, "h: expected a number in \\(0, inf\\), got -1.0"),
        (lambda z: z[0], [1.0], np.nan, ValueError, "h: expected a number in \\(0, inf\\), got nan"),
        (lambda z: abs(z[0]), [1.0], 1e-30, TypeError, "function: expected a complex number"),
        (lambda z: z[0].real, [1.0], 1e-30, TypeError, "function: expected a complex number"),
        (lambda z: z, [1.0], 1e-30, TypeError, "function: expected a complex number"),
    ],
)
def test_complex_step_refuses(function, point, h, error, message):
    with pytest.raises(error, match=message):
        complex_step(function, point, h)


# ---------------------------------------------------------------- functions that are not analytic

W = np.array([0.5, -1.25, 2.0])
NOT_ANALYTIC = {
    "vdot": lambda w: np.vdot(w, w),
    "conj": lambda w: (w * w.conj()).sum(),
    "abs": lambda w: np.abs(w).sum() + 0j,
    "norm": lambda w: np.linalg.norm(w) + 0j,
    "real part": lambda w: (w.real**2).sum() + 0j,
    "imaginary part": lambda w: (w**2).sum() + 1j * w.imag @ w.real,
    "one conj among many": lambda w: (w**2).sum() + 1e-3 * np.vdot(w, w),
    "a derivative twice too large": lambda w: (w * w).sum() + 1j * (w * w).sum().imag,
}


@pytest.mark.parametrize("function", NOT_ANALYTIC.values(), ids=NOT_ANALYTIC)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_function_that_is_not_analytic_is_refused(function, scale):
    with pytest.raises(ValueError, match="function: expected to be analytic at the point, but along component"):
        complex_step(function, scale * W)


@pytest.mark.parametrize(
    "function",
    [
        lambda z: 1e6 * z[0] ** 2 + np.abs(z[1]),
        lambda z: (z**2).sum() + 1e-6 * np.vdot(z, z),
        lambda z: np.sin(z).sum() + 1e-6 * z.real.sum(),
    ],
    ids=["beside a component a million times larger", "a millionth of each component", "a real part among sines"],
)
def test_a_term_of_a_millionth_that_is_not_analytic_is_seen(function):
    with pytest.raises(ValueError, match="function: expected to be analytic at the point, but along component"):
        complex_step(function, [1.0, 1.0])
    with pytest.raises(ValueError, match="expected to be analytic"):  # and no gradient is called wrong by it
        gradcheck(function, np.ones(2), np.array([2e6, 1.0]), Layout({"z0": (), "z1": ()}))


def test_one_wrong_component_far_below_its_block_is_seen():
    weights = np.array([1.0, 1e-6, 1e-9])
    for place, error in ((1, 1e-5), (2, 1e-2)):
        wrong = weights * (1 + error * (np.arange(3) == place))
        check = gradcheck(lambda z: z @ weights, np.ones(3), wrong)
        assert not check
        assert check.blocks[0].relative_error < 1e-10
        assert f"WRONG, most in component {place}, by " in str(check)
    rounded = weights + 1e-16 * np.array([1.0, -1.0, 1.0])  # as sums that cancel leave it
    assert gradcheck(lambda z: z @ weights, np.ones(3), rounded)


def test_a_large_constant_hides_nothing():
    with pytest.raises(ValueError, match="expected to be analytic"):
        complex_step(lambda w: 1e6 + np.vdot(w, w), W)


def test_a_step_too_large_for_the_point_is_refused():
    with pytest.raises(ValueError, match=r"complex step gives .* and a central difference .*or h is too large"):
        complex_step(lambda z: z[0] ** 3, [1.0], h=0.1)


def test_derivatives_may_be_stopped_on_purpose():
    """The truncated derivative of w0 w1, with w1 held constant."""
    assert complex_step(lambda w: w[0] * w[1].real, W[:2], check=False).tolist() == [-1.25, 0.0]
    with pytest.raises(ValueError, match="expected to be analytic"):
        complex_step(lambda w: w[0] * w[1].real, W[:2])


ANALYTIC = {
    "a minimum": (lambda z: ((z - W) ** 2).sum(), np.zeros(3)),
    "a saddle of third order": (lambda z: ((z - W) ** 3).sum(), np.zeros(3)),
    "steep": (lambda z: np.exp(300.0 * z[0]) + 0 * z[1], [300.0 * np.exp(150.0), 0.0, 0.0]),
    "oscillating": (lambda z: np.sin(1e7 * z[0]), [1e7 * np.cos(5e6), 0.0, 0.0]),
    "saturated": (lambda z: (1.0 / (1.0 + np.exp(-90.0 * z[0])) - 0.75) ** 2, [0.5 * 90 * np.exp(-45.0), 0, 0]),
    "cancelling": (lambda z: (z[0] + 1e17) - 1e17, [1.0, 0.0, 0.0]),
    "constant": (lambda z: 7.0 + 0.0 * z[0], np.zeros(3)),
    "a maximum of complex numbers, compared by their real parts": (
        lambda z: np.maximum(z, 0.0).sum(),
        [1.0, 0.0, 1.0],
    ),
}


@pytest.mark.parametrize(("function", "gradient"), ANALYTIC.values(), ids=ANALYTIC)
def test_an_analytic_function_is_never_refused(function, gradient):
    assert complex_step(function, W) == pytest.approx(gradient, rel=1e-9, abs=1e-30)


@given(st.floats(-300, 0), st.floats(-140, 140))
def test_the_step_shrinks_with_the_point(weight, inputs):
    """Weights of 1e-150 may meet inputs of 1e150: a fixed step of 1e-30 would be 1e120 times the weight."""
    w, x = 10.0**weight * np.array([0.75, -1.5]), 10.0 ** min(-weight, 150.0) * np.array([0.5, 1.25])
    gradient = complex_step(lambda z: np.sin(z @ x), w)
    if weight > -150:
        assert gradient == pytest.approx(np.cos(w @ x) * x, rel=1e-14)
    scale = 10.0**inputs
    assert complex_step(lambda z: np.sin(z[0] * scale), [1.0 / scale]) == pytest.approx(np.cos(1.0) * scale, rel=1e-13)


def test_a_zero_takes_the_step_of_the_largest_component():
    x = 1e150
    gradient = complex_step(lambda z: np.sin(x * z[0]) * np.cos(x * z[1]), np.array([0.0, 1e-150]))
    assert gradient[0] == pytest.approx(np.cos(1.0) * x, rel=1e-14)


def test_the_same_digits_come_out_at_every_power_of_two():
    for function in (lambda z: np.sin(z[0]) * np.exp(z[1]), lambda z: z[0] / (1.0 + z[1] ** 2)):
        default = complex_step(function, np.array([0.3, 0.007]))
        assert np.array_equal(default, complex_step(function, np.array([0.3, 0.007]), 1e-30))


def test_derivatives_below_the_stated_bound_underflow():
    assert complex_step(lambda z: 1e-200 * z[0], [1.0])[0] == pytest.approx(1e-200, rel=1e-15)
    assert complex_step(lambda z: 1.0 + 1e-300 * z[0], [1.0])[0] == 0.0
    with pytest.raises(ValueError, match="or the derivative times h underflows"):
        complex_step(lambda z: 1e-300 * z[0], [1.0])
    assert complex_step(lambda z: 1e-300 * z[0], [1.0], h=1e-3)[0] == pytest.approx(1e-300, rel=1e-15)


# ---------------------------------------------------------------- gradients, block by block

LAYOUT = Layout({"W": (2, 2), "u": (), "b": (2,)})
AT = np.array([0.5, -1.0, 2.0, 0.25, 0.75, -0.5, 1.5])


def energy(theta):
    w, u, b = LAYOUT.views(theta).values()
    return (np.sin(w @ b) * u**2).sum() + (w**3).sum()


def energy_gradient():
    w, u, b = LAYOUT.views(AT).values()
    inner = u**2 * np.cos(w @ b)
    parts = {"W": np.outer(inner, b) + 3 * w**2, "u": 2 * u * np.sin(w @ b).sum(), "b": w.T @ inner}
    return LAYOUT.flatten(parts)


def test_a_right_gradient_has_no_wrong_block():
    check = gradcheck(energy, AT, energy_gradient(), LAYOUT)
    assert check.wrong == ()
    assert [block.name for block in check.blocks] == ["W", "u", "b"]
    assert all(block.relative_error < 1e-15 and block.angle < 1e-6 for block in check.blocks)
    assert gradcheck(energy, AT, energy_gradient()).blocks[0].name == "theta"


def test_a_wrong_block_is_named_with_its_error_and_angle():
    gradient = energy_gradient()
    gradient[LAYOUT.slice("b")] = 2.0 * gradient[LAYOUT.slice("b")]
    check = gradcheck(energy, AT, gradient, LAYOUT)
    assert check.wrong == ("b",)
    assert check.blocks[2].relative_error == pytest.approx(0.5)
    assert check.blocks[2].angle == pytest.approx(0.0, abs=1e-6)
    assert str(check).splitlines()[2].startswith("b: relative error 0.5, angle 0 degrees, WRONG, most in component ")
    assert str(check).endswith(", by 0.5")
    gradient = energy_gradient()
    gradient[LAYOUT.index("u")] *= -1.0
    assert gradcheck(energy, AT, gradient, LAYOUT).wrong == ("u",)
    assert gradcheck(energy, AT, gradient, LAYOUT).blocks[1][1:3] == (2.0, 180.0)


def test_a_small_block_is_measured_by_itself():
    """Beside a gradient 1e12 times larger, and with the angle that a zero has not."""

    def loss(theta):
        return 1e12 * theta[0] ** 2 + 1e-3 * theta[1]

    layout, point = Layout({"large": (), "small": ()}), np.array([1.0, 1.0])
    check = gradcheck(loss, point, np.array([2e12, 0.0]), layout)
    assert check.wrong == ("small",)
    assert math.isnan(check.blocks[1].angle)
    assert gradcheck(loss, point, np.array([2e12, 0.0]), layout, floor=0.01).wrong == ()
    assert gradcheck(loss, point, np.array([2e12, 1.0001e-3]), layout, tolerance=1e-3).wrong == ()


@pytest.mark.parametrize("model", [MODEL, FullyRecurrent(2, 3), LSTM1997(2, 1, 2, 2)], ids=lambda m: type(m).__name__)
def test_weights_of_1e_minus_150_meet_inputs_of_1e150(model):
    """A step of 1e-30 would be 1e120 times the weight, and the derivative up to 100 % wrong."""
    theta, x = 1e-150 * model.init(1, 1.0), 1e150 * X
    targets = np.zeros(model.forward(theta, x).y[1:].shape)
    gradient = model.gradient(theta, x, targets, method="bptt").gradient
    assert relative_error(complex_step(lambda z: model.loss(z, x, targets), theta), gradient) < 1e-14
    assert np.abs(gradient).max() > 1e100


def test_every_block_of_a_model_is_right():
    x, targets = X, np.zeros((5, 3))
    gradient = MODEL.gradient(THETA, x, targets).gradient
    assert gradcheck(lambda theta: MODEL.loss(theta, x, targets), THETA, gradient, MODEL.layout).wrong == ()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: gradcheck(energy, AT, energy_gradient(), "W"),
            TypeError,
            "layout: expected a Layout or None, got str",
        ),
        (lambda: gradcheck(energy, AT[:3], AT, LAYOUT), ValueError, r"theta: expected shape \(7,\), got \(3,\)"),
        (lambda: gradcheck(energy, AT, AT[:3]), ValueError, r"gradient: expected shape \(7,\), got \(3,\)"),
        (lambda: gradcheck(energy, AT, np.full(7, np.nan)), ValueError, "gradient: expected finite numbers, got nan"),
        (lambda: gradcheck(energy, AT, AT, tolerance=0.0), ValueError, "tolerance: expected a number in"),
        (lambda: gradcheck(energy, AT, AT, floor="0"), TypeError, "floor: expected a number in"),
        (lambda: gradcheck(lambda z: np.vdot(z, z), AT, 2 * AT), ValueError, "function: expected to be analytic"),
        (lambda: gradcheck(None, AT, AT), TypeError, "not callable"),
    ],
)
def test_gradcheck_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---------------------------------------------------------------- traces


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
        (lambda: complex_step(lambda z: z[0], [1.0], h="x"), r"h: expected a number in \(0, inf\), got 'x'"),
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
        trace_by_parameter(Conjugating(), W, None, 1)
