"""Activations against the standard library's functions, their derivatives against the complex step."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.arrays.activations import ACTIVATIONS, ActivationFunction, logistic, tanh_half

REFERENCE = {
    "identity": lambda z: z,
    "logistic": lambda z: 1 / (1 + math.exp(-z)),
    "tanh": math.tanh,
    "tanh_half": lambda z: math.tanh(z / 2),
    "twice_tanh_half": lambda z: 2 * math.tanh(z / 2),  # 4 logistic(z) - 2, as LSTM 1997 writes it
}

every_activation = pytest.mark.parametrize("f", ACTIVATIONS.values(), ids=ACTIVATIONS)
moderate = st.floats(-700.0, 700.0)


def test_the_catalogue_is_complete_and_named():
    assert ACTIVATIONS.keys() == REFERENCE.keys()
    assert all(f.name == name for name, f in ACTIVATIONS.items())


@every_activation
@given(moderate)
def test_value(f, z):
    assert f(z) == pytest.approx(REFERENCE[f.name](z), rel=1e-15, abs=0.0)


@every_activation
@given(moderate)
def test_derivative_is_the_complex_step_to_the_last_digits_even_where_f_saturates(f, z):
    h = 1e-10  # h^2 is below rounding, and f'(700) h still a normal number
    by_step = f(complex(z, h)).imag / h
    assert f.derivative(z) == pytest.approx(by_step, rel=1e-14, abs=1e-290)


@every_activation
@given(st.floats(-5.0, 5.0), st.floats(-0.5, 0.5))
def test_f_is_the_analytic_function_near_the_real_axis(f, re, im):
    z = complex(re, im)
    reference = {
        "identity": z,
        "logistic": 1 / (1 + cmath.exp(-z)),
        "tanh": cmath.tanh(z),
        "tanh_half": cmath.tanh(z / 2),
        "twice_tanh_half": 2 * cmath.tanh(z / 2),
    }[f.name]
    assert f(z) == pytest.approx(reference, rel=1e-13, abs=1e-300)


@every_activation
def test_bounds_and_largest_slope(f):
    z = np.linspace(-50.0, 50.0, 2001)
    low, high = f.bounds
    assert (f(z) >= low).all()
    assert (f(z) <= high).all()
    if np.isfinite(high):
        assert f(z[[0, -1]]).tolist() == pytest.approx([low, high], abs=1e-15)
    assert f.derivative(0.0) == f.max_slope == f.derivative(z).max()


@every_activation
def test_arrays_keep_their_shape_and_kind(f):
    z = np.linspace(-3.0, 3.0, 12).reshape(3, 4)
    for function in (f, f.derivative):
        values = function(z)
        assert values.shape == (3, 4)
        assert values.dtype == np.float64
        assert values[1, 2] == function(z[1, 2])
        assert np.array_equal(function(z.T), values.T)
        assert np.ndim(function(0.5)) == 0
        assert function(z + 0.1j).dtype == np.complex128
        assert function(np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("z", "error", "message"),
    [
        (np.nan, ValueError, "z: expected finite numbers, got nan"),
        ([True], TypeError, "z: expected real or complex numbers, got dtype bool"),
    ],
)
def test_what_is_no_finite_number_is_refused(z, error, message):
    for function in (tanh_half, tanh_half.derivative):
        with pytest.raises(error, match=message):
            function(z)


def test_an_activation_outside_the_catalogue_is_refused():
    with pytest.raises(ValueError, match="name: expected one of"):
        ActivationFunction("sine", (-1.0, 1.0), 1.0)


@pytest.mark.parametrize("f", ACTIVATIONS.values(), ids=ACTIVATIONS)
@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_each_derivative_is_the_slope_of_the_one_before(f, order):
    z = np.array([-30.0, -3.0, -0.4, 0.0, 1.7, 25.0])
    step = f.derivative(z + 1e-30j, order).imag / 1e-30
    np.testing.assert_allclose(f.derivative(z, order + 1), step, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("order", [-1, 1.5, "2", None])
def test_order_of_a_derivative_is_a_whole_number(order):
    with pytest.raises(ValueError, match=r"order: expected an integer >= 0, got"):
        logistic.derivative(0.3, order)
