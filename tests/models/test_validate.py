"""Checks of arguments: what fits comes back in one form, what does not is refused by name."""

import re

import numpy as np
import pytest
from throughtime.models import _validate as check


def test_counts_are_integers_of_any_kind_from_the_minimum_on():
    assert check.count("n", 0) == 0
    given = check.count("n", np.int32(3), minimum=3)
    assert (given, type(given)) == (3, int)
    with pytest.raises(ValueError, match=r"^n: expected at least 3, got 2$"):
        check.count("n", 2, minimum=3)
    for wrong in (True, 2.0, "2", None):
        with pytest.raises(TypeError, match=r"^n: expected an integer, got "):
            check.count("n", wrong)


def test_options_are_matched_whole():
    assert check.one_of("method", "bptt", ["bptt", "rtrl"]) == "bptt"
    for wrong in ("b", "BPTT", 1, None):
        with pytest.raises(ValueError, match=re.escape(f"method: expected one of 'bptt', 'rtrl', got {wrong!r}")):
            check.one_of("method", wrong, iter(["bptt", "rtrl"]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_become_writable_rows_of_floats(order):
    frozen = np.array([[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]], order=order)
    frozen.flags.writeable = False
    made = check.array("x", frozen, (2, "T"))
    assert made.flags.c_contiguous
    assert made.flags.writeable
    np.testing.assert_array_equal(made, frozen)
    made[:] = -1
    assert frozen[0, 1] == 2
    assert check.array("x", [[1, 2], [3, 4]], (2, "T")).dtype == np.float64


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([1.0, 2.0], ValueError, "x: expected shape (T, 2) with T >= 1, got (2,)"),
        (np.ones((3, 1)), ValueError, "x: expected shape (T, 2) with T >= 1, got (3, 1)"),
        (np.ones((0, 2)), ValueError, "x: expected shape (T, 2) with T >= 1, got (0, 2)"),
        ([[0, 1], [2, np.nan]], ValueError, "x: expected finite numbers, got nan at index (1, 1)"),
        ([[0, -np.inf]], ValueError, "x: expected finite numbers, got -inf at index (0, 1)"),
        ([[1, 2], [3]], TypeError, "x: expected numbers of shape (T, 2), got "),
        ([["a", "b"]], TypeError, "x: expected real numbers, got dtype <U1"),
        ([[True, False]], TypeError, "x: expected real numbers, got dtype bool"),
        ([[1j, 0]], TypeError, "x: expected real numbers, got dtype complex128"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(value, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        check.array("x", value, ("T", 2))


def test_complex_numbers_pass_where_they_are_allowed():
    assert check.array("x", [1j, 2], (2,), allow_complex=True).dtype == np.complex128
    assert check.array("x", [1, 2], (2,), allow_complex=True).dtype == np.float64
    step = np.array([1.0, 1e-30j])
    assert check.flat_vector("theta", step, 2, allow_complex=True) is step
    with pytest.raises(
        TypeError, match=r"^theta: expected a NumPy vector of 2 numbers, float64, got dtype complex128$"
    ):
        check.flat_vector("theta", step, 2)


def test_a_flat_vector_is_never_copied_or_converted():
    theta = np.zeros(6)[::2]
    assert check.flat_vector("theta", theta, 3) is theta
    for wrong in ([0.0, 0.0, 0.0], np.zeros(3, dtype=np.float32), np.zeros(3, dtype=int)):
        with pytest.raises(TypeError, match=r"^theta: expected a NumPy vector of 3 numbers, float64, got "):
            check.flat_vector("theta", wrong, 3)
    for wrong in (np.zeros(2), np.zeros((3, 1))):
        with pytest.raises(ValueError, match=r"^theta: expected shape \(3,\), got "):
            check.flat_vector("theta", wrong, 3)
    with pytest.raises(ValueError, match=r"^theta: expected finite numbers, got inf at index \(2,\)$"):
        check.flat_vector("theta", np.array([0.0, 0.0, np.inf]), 3)


def test_a_mask_is_zeros_and_ones():
    np.testing.assert_array_equal(check.binary("mask", None, 3), np.ones(3))
    for given in ([True, False, True], [1, 0, 1], np.array([1.0, 0.0, 1.0])):
        made = check.binary("mask", given, 3)
        assert made.dtype == np.float64
        np.testing.assert_array_equal(made, [1, 0, 1])
    with pytest.raises(ValueError, match=r"^mask: expected zeros and ones, got 0.5 at index 1$"):
        check.binary("mask", [1, 0.5, 2], 3)
    with pytest.raises(ValueError, match=r"^mask: expected shape \(3,\), got \(2,\)$"):
        check.binary("mask", [True, False], 3)
