"""Checks of arguments: an error names the argument, what was given and what was expected."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

Shape = tuple[int | str, ...]  # a string stands for a free length of at least 1, such as "T"


def count(name: str, value: Any, minimum: int = 0) -> int:
    """``value`` as an int of at least ``minimum``. TypeError for no integer, ValueError below that."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: expected an integer, got {value!r} of type {type(value).__name__}")
    if value < minimum:
        raise ValueError(f"{name}: expected at least {minimum}, got {value}")
    return int(value)


def one_of(name: str, value: Any, options: Iterable[str]) -> str:
    """``value`` if it is among ``options``, else ValueError."""
    options = tuple(options)
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, options))}, got {value!r}")
    return value


def array(name: str, value: Any, shape: Shape, *, allow_complex: bool = False) -> np.ndarray:
    """``value`` as a C-contiguous, writable array of finite float64 (or complex128, if so given and allowed).

    TypeError for what is no array of numbers, ValueError for a wrong shape, an empty free axis, NaN or
    infinity.
    """
    try:
        given = np.asarray(value)
    except ValueError as error:
        raise TypeError(f"{name}: expected numbers of shape {_print(shape)}, got {error}") from None
    _require_numbers(name, given, allow_complex)
    _require_shape(name, given, shape)
    _require_finite(name, given)
    dtype = np.complex128 if given.dtype.kind == "c" else np.float64
    return np.require(given, dtype=dtype, requirements=["C", "W"])


def flat_vector(name: str, value: Any, size: int, *, allow_complex: bool = False) -> np.ndarray:
    """``value`` itself if it is a float64 vector of ``size`` finite numbers (or complex128, if allowed).

    Nothing is converted, so that views of the result are views of what was given.
    """
    dtypes = (np.float64, np.complex128) if allow_complex else (np.float64,)
    expected = f"a NumPy vector of {size} numbers, {' or '.join(np.dtype(dtype).name for dtype in dtypes)}"
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name}: expected {expected}, got {type(value).__name__}")
    if value.dtype not in dtypes:
        raise TypeError(f"{name}: expected {expected}, got dtype {value.dtype}")
    _require_shape(name, value, (size,))
    _require_finite(name, value)
    return value


def binary(name: str, value: Any, length: int) -> np.ndarray:
    """``value``, zeros and ones or booleans, as a float64 vector of ``length``; None stands for all ones."""
    if value is None:
        return np.ones(length)
    given = np.asarray(value)
    weights = array(name, given.astype(np.float64) if given.dtype.kind == "b" else value, (length,))
    wrong = np.flatnonzero((weights != 0.0) & (weights != 1.0))
    if wrong.size:
        raise ValueError(f"{name}: expected zeros and ones, got {weights[wrong[0]]} at index {wrong[0]}")
    return weights


def _require_numbers(name: str, given: np.ndarray, allow_complex: bool) -> None:
    kinds = "iufc" if allow_complex else "iuf"
    if given.dtype.kind not in kinds:
        expected = "real or complex numbers" if allow_complex else "real numbers"
        raise TypeError(f"{name}: expected {expected}, got dtype {given.dtype}")


def _require_shape(name: str, given: np.ndarray, shape: Shape) -> None:
    fits = given.ndim == len(shape) and all(
        length >= 1 if isinstance(wanted, str) else length == wanted
        for length, wanted in zip(given.shape, shape, strict=True)
    )
    if not fits:
        free = [wanted for wanted in shape if isinstance(wanted, str)]
        where = f" with {', '.join(free)} >= 1" if free else ""
        raise ValueError(f"{name}: expected shape {_print(shape)}{where}, got {_print(given.shape)}")


def _require_finite(name: str, given: np.ndarray) -> None:
    finite = np.isfinite(given)
    if not finite.all():
        index = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(f"{name}: expected finite numbers, got {given[index]} at index {_print(index)}")


def _print(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
