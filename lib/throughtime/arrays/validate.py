"""Checks of arguments: an error names the argument, what was given and what was expected."""

from collections.abc import Collection, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

Shape = tuple[int | str, ...]  # a string stands for a free length of at least 1, such as "T"
_REAL, _COMPLEX = np.dtype(np.float64), np.dtype(np.complex128)
# Texts are made where they are needed: the checks of a small network would cost more than its arithmetic.


def count(name: str, value: Any, minimum: int = 0) -> int:
    """``value`` as an int of at least ``minimum``. TypeError for no integer, ValueError below that."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: expected an integer, got {value!r} of type {type(value).__name__}")
    if value < minimum:
        raise ValueError(f"{name}: expected at least {minimum}, got {value}")
    return int(value)


def number(name: str, value: Any, interval: str = "(-inf, inf)") -> float:
    """``value`` as a float in ``interval``, such as "[0, 1)". TypeError for no real number, ValueError outside."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}: expected a number in {interval}, got {value!r} of type {type(value).__name__}")
    try:
        given = float(value)
    except OverflowError:
        raise ValueError(f"{name}: expected a number that float64 can hold, got one that is too large") from None
    low, high = map(float, interval[1:-1].split(","))
    on_an_end = (given == low and interval[0] == "[") or (given == high and interval[-1] == "]")
    if not (low < given < high or on_an_end):
        raise ValueError(f"{name}: expected a number in {interval}, got {value!r}")
    return given


def one_of(name: str, value: Any, options: Iterable[str]) -> str:
    """``value`` if it is among ``options``, else ValueError."""
    options = tuple(options)
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, options))}, got {value!r}")
    return value


def some_of(name: str, value: Any, options: Iterable[str]) -> tuple[str, ...]:
    """True for all ``options``, False for none, or some of them; as a tuple in their order.

    TypeError for another type, ValueError for a word that is no option.
    """
    options = tuple(options)
    if isinstance(value, bool):
        return options if value else ()
    if isinstance(value, str) or not isinstance(value, Collection):
        raise TypeError(f"{name}: expected True, False or a sequence of kinds, got {value!r}")
    for kind in value:
        one_of(name, kind, options)
    return tuple(kind for kind in options if kind in value)


def array(name: str, value: Any, shape: Shape, *, allow_complex: bool = False) -> np.ndarray:
    """``value`` as a C-contiguous, writable array of finite float64 (or complex128, if so given and allowed).

    Lists, integers and numbers of any precision are converted. TypeError for what is no array of numbers, ValueError
    for a wrong shape, an empty free axis, masked entries, NaN, infinity and what float64 cannot hold.
    """
    plain = type(value) is np.ndarray and value.dtype == _REAL and value.flags.carray and value.shape == shape
    if plain and np.isfinite(value).all():  # as nearly always in a loop
        return value
    given = _as_array(name, value, "numbers", shape)
    if given.dtype.kind not in ("iufc" if allow_complex else "iuf"):
        expected = "real or complex numbers" if allow_complex else "real numbers"
        raise TypeError(f"{name}: expected {expected}, got dtype {given.dtype}")
    if given.shape != shape:
        _check_shape(name, given, shape)
    converted, dtype = given, _COMPLEX if given.dtype.kind == "c" else _REAL
    if given.dtype != dtype or not given.flags.carray:
        with np.errstate(over="ignore"):
            converted = np.require(given, dtype, ["C", "W"])
    finite = np.isfinite(converted)
    if np.count_nonzero(finite) < finite.size:
        index = _first(~finite)
        raise ValueError(f"{name}: expected finite numbers, got {given[index]!s} at index {_print(index)}")
    return converted


def sequences(name: str, value: Any, width: int, *, allow_complex: bool = False) -> np.ndarray:
    """``value`` as ``array`` of shape (T, width), one sequence, or (B, T, width), a batch. Errors as for ``array``."""
    one = ("T", width)
    given = _as_array(name, value, "numbers", one)
    return array(name, given, ("B", *one) if given.ndim == 3 else one, allow_complex=allow_complex)


def real(name: str, value: Any) -> np.ndarray:
    """``value`` as a float64 array of finite numbers, of any shape. Errors as for ``array``."""
    return array(name, value, _as_array(name, value, "real numbers", ("...",)).shape)


def flat_vector(name: str, value: Any, size: int, *, allow_complex: bool = False) -> np.ndarray:
    """``value`` itself if it is a float64 vector of ``size`` finite numbers (or complex128, if allowed).

    Nothing is converted, so that views of the result are views of what was given.
    """
    dtypes = (_REAL, _COMPLEX) if allow_complex else (_REAL,)
    if not isinstance(value, np.ndarray) or value.dtype not in dtypes:
        got = f"dtype {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
        names = " or ".join(dtype.name for dtype in dtypes)
        raise TypeError(f"{name}: expected a NumPy vector of {size} numbers, {names}, got {got}")
    array(name, value, (size,), allow_complex=allow_complex)
    return value


def binary(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """``value``, zeros and ones or booleans, as a float64 array of that shape; None stands for all ones."""
    if value is None:
        return np.ones(shape)
    given = _as_array(name, value, "zeros and ones", shape)
    weights = array(name, given.astype(np.float64) if given.dtype.kind == "b" else given, shape)
    fits = (weights == 0.0) | (weights == 1.0)
    if not fits.all():
        index = _first(~fits)
        raise ValueError(f"{name}: expected zeros and ones, got {weights[index]} at index {_print(index)}")
    return weights


def mask(value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """``value`` as zeros and ones of ``shape``, (T, units) or (B, T, units); None stands for all ones.

    It may come without the units, for whole steps, and as (T,) for all sequences alike. Errors as for ``binary``.
    """
    if value is None:
        return np.ones(shape)
    accepted = dict.fromkeys((shape[-2:-1], shape[:-1], shape))
    given = _as_array("mask", value, "zeros and ones", *accepted)
    if given.shape not in accepted:
        raise ValueError(f"mask: expected shape {' or '.join(map(_print, accepted))}, got {_print(given.shape)}")
    weights = binary("mask", given, given.shape)
    return np.broadcast_to(weights if weights.shape == shape else weights[..., None], shape).copy()


def check_overflow(**arrays: np.ndarray | np.number | float) -> None:
    """FloatingPointError, naming the array and the index, for an entry that is not finite."""
    for name, values in arrays.items():
        finite = np.isfinite(values)
        if np.count_nonzero(finite) < finite.size:
            index = str(list(_first(~finite))) if np.ndim(values) else ""
            raise FloatingPointError(f"{name}{index} overflows float64: is a weight, an input or a step too large?")


def _as_array(name: str, value: Any, what: str, *shapes: Shape) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{name}: expected a number in every entry, got a masked array with masked entries")
    try:
        return np.asarray(value)
    except ValueError as error:
        raise TypeError(f"{name}: expected {what} of shape {' or '.join(map(_print, shapes))}, got {error}") from None


def _check_shape(name: str, given: np.ndarray, shape: Shape) -> None:
    pairs = zip(given.shape, shape, strict=False)
    fits = given.ndim == len(shape) and all(n >= 1 if isinstance(wanted, str) else n == wanted for n, wanted in pairs)
    if not fits:
        free = [wanted for wanted in shape if isinstance(wanted, str)]
        where = f" with {', '.join(free)} >= 1" if free else ""
        raise ValueError(f"{name}: expected shape {_print(shape)}{where}, got {_print(given.shape)}")


def _first(wrong: np.ndarray) -> tuple[int, ...]:
    return tuple(np.argwhere(wrong)[0].tolist())


def _print(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
