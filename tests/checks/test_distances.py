"""Relative errors and the angle between two gradients."""

import math

import numpy as np
import pytest
from throughtime.checks import angle, max_relative_error, relative_error


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


@pytest.mark.parametrize("error", [relative_error, max_relative_error])
@pytest.mark.parametrize("size", [1.7e308, 1.0, 1e-300])
def test_complex_numbers_whose_modulus_overflows_are_measured(error, size):
    assert error(size * (1 + 1j), 0.0) == 1.0
    assert error([size + 0j], [size * 1j]) == pytest.approx(math.sqrt(2), rel=1e-15)


def test_a_distance_is_that_of_numbers():
    with pytest.raises(TypeError, match="a: expected real or complex numbers, got dtype <U1"):
        relative_error(["1"], [1.0])
    with pytest.raises(TypeError, match="b: expected real or complex numbers, got dtype bool"):
        angle([1.0], [True])


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
    with pytest.raises(ValueError, match=r"b: expected shape \(2,\), got \(1,\)"):
        error([1.0, 1.0], [1.0])
    with pytest.raises(ValueError, match="a: expected finite numbers, got nan"):
        error([np.nan], [1.0])
    with pytest.raises(ValueError, match="b: expected finite numbers, got inf"):
        error([1.0], [np.inf])
