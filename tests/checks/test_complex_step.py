"""The complex step on functions with known derivatives, and what it refuses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.arrays.parameters import Layout
from throughtime.checks import complex_step, gradcheck

# The cube of a smaller one, times the step, is below the range of numbers.
numbers = st.floats(-3.0, 3.0).filter(lambda number: number == 0.0 or abs(number) > 1e-60)


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
        (lambda z: z[0], [1.0], 0.0, ValueError, "h: expected a number in \\(0, inf\\), got 0.0"),
        (lambda z: abs(z[0]), [1.0], 1e-30, TypeError, "function: expected a complex number"),
        (lambda z: z[0].real, [1.0], 1e-30, TypeError, "function: expected a complex number"),
        (lambda z: z, [1.0], 1e-30, TypeError, "function: expected a complex number"),
    ],
)
def test_complex_step_refuses(function, point, h, error, message):
    with pytest.raises(error, match=message):
        complex_step(function, point, h)


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
