"""Checks of arguments: what fits comes back in one form, what does not is refused by name."""

import re

import numpy as np
import pytest
from throughtime.arrays import validate as check


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


def test_masked_entries_are_refused_and_a_masked_array_without_any_is_not():
    masked = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    message = r"^x: expected a number in every entry, got a masked array with masked entries$"
    calls = (
        lambda values: check.array("x", values, (2,)),
        lambda values: check.flat_vector("x", values, 2),
        lambda values: check.binary("x", values, (2,)),
    )
    for call in calls:
        for given in (masked, np.ma.masked_all(2)):
            with pytest.raises(ValueError, match=message):
                call(given)
        assert call(np.ma.masked_array([1.0, 0.0])).tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match=r"^mask: expected a number in every entry"):
        check.mask(np.ma.masked_array([1, 1, 1], mask=[0, 1, 0]), (3, 2))


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(np.float64).max, reason="longdouble is float64 here")
def test_a_number_that_float64_cannot_hold_is_refused():
    with pytest.raises(ValueError, match=r"^x: expected finite numbers, got 1e\+4000 at index \(1,\)$"):
        check.array("x", np.array([0, np.longdouble("1e4000")]), (2,))
    with pytest.raises(ValueError, match=r"^rate: expected a number that float64 can hold, got one that is too large$"):
        check.number("rate", 10**400)


def test_sequences_come_alone_or_in_batches():
    assert check.sequences("x", [[1, 2]], 2).shape == (1, 2)
    assert check.sequences("x", [[[1, 2]], [[3, 4]]], 2).shape == (2, 1, 2)
    for wrong, shape in (
        (np.ones(2), r"\(T, 2\)"),
        (np.ones((2, 3, 1)), r"\(B, T, 2\)"),
        (np.ones((1, 1, 1, 2)), r"\(T, 2\)"),
    ):
        with pytest.raises(ValueError, match=f"^x: expected shape {shape}"):
            check.sequences("x", wrong, 2)


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


@pytest.mark.parametrize(
    ("interval", "inside", "outside"),
    [
        ("(-inf, inf)", (-1e300, 0, np.int64(3), np.float32(0.5)), (np.inf, np.nan)),
        ("(0, 1)", (0.5,), (0, 1)),
        ("[0, 1)", (0, 0.5), (-0.1, 1.0, -np.inf, np.nan)),
        ("(1, inf]", (1.5, np.inf), (1, -2, -np.inf)),
    ],
)
def test_numbers_lie_in_an_interval(interval, inside, outside):
    for given in inside:
        found = check.number("rate", given, interval)
        assert (found, type(found)) == (given, float)
    for given in outside:
        with pytest.raises(ValueError, match=f"^{re.escape(f'rate: expected a number in {interval}, got {given!r}')}$"):
            check.number("rate", given, interval)
    for given in (True, "0.5", None, 0.5j, np.array(0.5), [0.5]):
        with pytest.raises(TypeError, match=f"^{re.escape(f'rate: expected a number in {interval}, got ')}"):
            check.number("rate", given, interval)


def test_a_mask_counts_whole_steps_or_units():
    shape = (2, 3, 1)
    given = np.array([True, False, True])
    made = check.mask(given, shape)
    np.testing.assert_array_equal(made, [[[1], [0], [1]]] * 2)
    assert made.flags.c_contiguous
    assert made.flags.writeable
    np.testing.assert_array_equal(check.mask(None, shape), np.ones(shape))
    np.testing.assert_array_equal(check.mask(made.tolist(), shape), made)
    np.testing.assert_array_equal(check.mask([[1, 0, 1], [0, 1, 1]], shape), [[[1], [0], [1]], [[0], [1], [1]]])
    for wrong in (np.ones((3, 2)), np.ones(2), 1, np.ones((1, 3, 1))):
        with pytest.raises(ValueError, match=r"^mask: expected shape \(3,\) or \(2, 3\) or \(2, 3, 1\), got \("):
            check.mask(wrong, shape)


def test_what_is_not_finite_in_a_result_is_named():
    check.check_overflow(y=np.ones(2), loss=0.0)
    with pytest.raises(FloatingPointError, match=r"^y\[1, 0\] overflows float64"):
        check.check_overflow(x=np.ones(2), y=np.array([[1.0], [-np.inf]]))
    with pytest.raises(FloatingPointError, match=r"^loss overflows float64"):
        check.check_overflow(loss=np.nan)


def test_zeros_and_ones_come_as_numbers_or_booleans():
    np.testing.assert_array_equal(check.binary("mask", None, (2, 3)), np.ones((2, 3)))
    for given in ([True, False, True], [1, 0, 1], np.array([1.0, 0.0, 1.0])):
        made = check.binary("mask", given, (3,))
        assert made.dtype == np.float64
        np.testing.assert_array_equal(made, [1, 0, 1])
    with pytest.raises(ValueError, match=r"^mask: expected zeros and ones, got 0.5 at index \(1,\)$"):
        check.binary("mask", [1, 0.5, 2], (3,))
    with pytest.raises(ValueError, match=r"^mask: expected shape \(3,\), got \(2,\)$"):
        check.binary("mask", [True, False], (3,))
    with pytest.raises(TypeError, match=r"^mask: expected zeros and ones of shape \(3,\), got "):
        check.binary("mask", [[1], [1, 0]], (3,))
