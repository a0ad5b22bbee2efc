"""Derivatives by the complex step, exact to rounding, and the distance between two gradients.

For an analytic f that is real on the real axis, Im f(x + ih) / h = f'(x) + O(h^2). No difference is taken,
so h may be so small that the error term vanishes beside rounding. It checks a gradient by nothing but the
forward pass.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

STEP = 1e-30  # h^2 is far below rounding, and h times a derivative above 1e-278 still a normal number


class Trace(Protocol):
    """What a model's ``forward`` returns: named arrays."""

    def items(self) -> Iterator[tuple[str, np.ndarray]]: ...


class Model(Protocol):
    """A model whose ``forward`` takes complex parameters and inputs."""

    def forward(self, theta: np.ndarray, x: Any) -> Trace: ...


def complex_step(function: Callable[[np.ndarray], complex], point: Any, h: float = STEP) -> np.ndarray:
    """The gradient of ``function`` at ``point``, a real array of any shape; the result has that shape.

    One call for each component. TypeError if ``point`` is not real or ``function`` loses the imaginary part,
    ValueError for NaN or infinity in ``point`` and for h that is not positive.

    >>> complex_step(lambda z: z[0] ** 2 * z[1], np.array([3.0, 2.0])).tolist()
    [12.0, 9.0]
    """
    point = _real("point", point)
    gradient = np.empty(point.shape)
    for index in np.ndindex(point.shape):
        value = function(_moved(point, index, h))
        if not isinstance(value, complex):
            raise TypeError(f"function: expected a complex number for a complex point, got {value!r}")
        gradient[index] = value.imag / h
    return gradient


def trace_by_parameter(model: Model, theta: np.ndarray, x: Any, index: int, h: float = STEP) -> dict[str, np.ndarray]:
    """dq / dtheta[index] of every array q of the trace, by name: the total derivative, through all the past.

    ValueError if theta has no such component (they count from 0), otherwise errors as for ``complex_step``.
    """
    theta = _real("theta", theta)
    _require_range("index", index, 0, theta.size - 1)
    return _imaginary_parts(model.forward(_moved(theta, (index,), h), x), h)


def trace_by_input(
    model: Model, theta: np.ndarray, x: Any, time: int, k: int, h: float = STEP
) -> dict[str, np.ndarray]:
    """dq / dx_k(time) of every array q of the trace, by name; times count from 1, inputs k from 0.

    ValueError if x, of shape (T, inputs), has no such entry, otherwise errors as for ``complex_step``.
    """
    x = _real("x", x)
    if x.ndim != 2:
        raise ValueError(f"x: expected shape (T, inputs), got {x.shape}")
    _require_range("time", time, 1, x.shape[0])
    _require_range("k", k, 0, x.shape[1] - 1)
    return _imaginary_parts(model.forward(theta, _moved(x, (time - 1, k), h)), h)


def relative_error(a: Any, b: Any) -> float:
    """|a - b| / max(|a|, |b|) in the Euclidean norm over all entries; 0 if both are zero.

    ValueError for different shapes, NaN or infinity.
    """
    a, b = _scaled(a, b)
    return _over(np.linalg.norm(a - b), max(np.linalg.norm(a), np.linalg.norm(b)))


def max_relative_error(a: Any, b: Any) -> float:
    """max|a - b| / max(max|a|, max|b|), the same in the maximum norm."""
    a, b = _scaled(a, b)
    return _over(np.abs(a - b).max(initial=0.0), max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)))


def angle(a: Any, b: Any) -> float:
    """The angle between two gradients over all entries, 0 to 180 degrees. ValueError as above, and for a zero one.

    >>> round(angle([1.0, 0.0], [1.0, 1.0]), 12)
    45.0
    """
    a, b = _scaled(a, b)
    if not (a.any() and b.any()):
        raise ValueError("a, b: expected gradients that are not zero, which have no direction, got a zero one")
    one, other = (v / np.linalg.norm(v) for v in (a / np.abs(a).max(), b / np.abs(b).max()))
    # Half angles: exact near 0 and 180 degrees, where the arc cosine is not.
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(one - other), np.linalg.norm(one + other))))


def _scaled(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both, flat, over their largest modulus: squares of tiny entries must not underflow to agreement."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        raise ValueError(f"b: expected the shape of a, {a.shape}, got {b.shape}")
    _require_finite("a", a)
    _require_finite("b", b)
    largest = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)) or 1.0
    return a.ravel() / largest, b.ravel() / largest


def _over(difference: float, size: float) -> float:
    return float(difference / size) if size > 0.0 else 0.0


def _real(name: str, value: Any) -> np.ndarray:
    point = np.asarray(value)
    if point.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected real numbers, got dtype {point.dtype}")
    _require_finite(name, point)
    return point.astype(np.float64)


def _require_finite(name: str, array: np.ndarray) -> None:
    wrong = array[~np.isfinite(array)]
    if wrong.size:
        raise ValueError(f"{name}: expected finite numbers, got {wrong[0]}")


def _require_range(name: str, value: int, first: int, last: int) -> None:
    if not first <= value <= last:
        raise ValueError(f"{name}: expected {first} to {last}, got {value}")


def _moved(point: np.ndarray, index: tuple[int, ...], h: float) -> np.ndarray:
    if not 0.0 < h < np.inf:
        raise ValueError(f"h: expected a positive finite number, got {h}")
    moved = point.astype(np.complex128)
    moved[index] += 1j * h
    return moved


def _imaginary_parts(trace: Trace, h: float) -> dict[str, np.ndarray]:
    return {name: values.imag / h for name, values in trace.items()}
