"""Derivatives by the complex step, exact to rounding, and the distance between two gradients.

For an analytic f that is real on the real axis, Im f(x + ih) / h = f'(x) + O(h^2). No difference is taken,
so h may be so small that the error term vanishes beside rounding. It checks a gradient by nothing but the
forward pass.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

STEP = 1e-30  # h^2 is far below rounding; derivatives down to 1e-278 keep full precision


class Trace(Protocol):
    """What a model's ``forward`` returns: named arrays."""

    def items(self) -> Iterator[tuple[str, np.ndarray]]: ...


class Model(Protocol):
    """A model whose ``forward`` takes complex parameters and inputs."""

    def forward(self, theta: np.ndarray, x: Any) -> Trace: ...


def complex_step(function: Callable[[np.ndarray], complex], point: np.ndarray, h: float = STEP) -> np.ndarray:
    """The gradient of ``function`` at ``point``, a real array of any shape; the result has that shape.

    One call for each component. TypeError if ``point`` is not real or ``function`` loses the imaginary part,
    ValueError for NaN or infinity in ``point`` and for h that is not positive.

    >>> complex_step(lambda z: z[0] ** 2 * z[1], np.array([3.0, 2.0])).tolist()
    [12.0, 9.0]
    """
    point = _real(point)
    gradient = np.empty(point.shape)
    for index in np.ndindex(point.shape):
        value = function(_moved(point, index, h))
        if not isinstance(value, complex):  # np.complex128 is one, a float is a sign of a lost imaginary part
            raise TypeError(
                f"function: expected a complex value at a complex point, got {type(value).__name__}"
            )
        gradient[index] = value.imag / h
    return gradient


def trace_by_parameter(
    model: Model, theta: np.ndarray, x: Any, index: int, h: float = STEP
) -> dict[str, np.ndarray]:
    """d q / d theta[index] of every array q of the trace, by name: total derivatives, through all of the past.

    Raises IndexError if theta has no such component, else as ``complex_step``.
    """
    theta = _real(theta)
    return _imaginary_parts(model.forward(_moved(theta, (index,), h), x), h)


def trace_by_input(
    model: Model, theta: np.ndarray, x: Any, time: int, k: int, h: float = STEP
) -> dict[str, np.ndarray]:
    """d q / d x_k(time) of every array q of the trace, by name; times count from 1, inputs k from 0.

    Raises IndexError if x has no such entry, else as ``complex_step``.
    """
    x = _real(x)
    if time < 1:
        raise IndexError(f"time: expected at least 1, got {time}")
    return _imaginary_parts(model.forward(theta, _moved(x, (time - 1, k), h)), h)


def relative_error(a: Any, b: Any) -> float:
    """|a - b| / max(|a|, |b|) in the Euclidean norm over all entries; 0 if both are zero.

    ValueError for different shapes, NaN or infinity.
    """
    return _relative(a, b, lambda array: float(np.linalg.norm(array)))


def max_relative_error(a: Any, b: Any) -> float:
    """max|a - b| / max(max|a|, max|b|), the same in the maximum norm."""
    return _relative(a, b, lambda array: float(np.abs(array).max(initial=0.0)))


def _relative(a: Any, b: Any, norm: Callable[[np.ndarray], float]) -> float:
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        raise ValueError(f"b: expected the shape of a, {a.shape}, got {b.shape}")
    for name, array in (("a", a), ("b", b)):
        if not np.isfinite(array).all():
            raise ValueError(f"{name}: expected finite numbers, got {array[~np.isfinite(array)][0]}")
    scale = max(norm(a.ravel()), norm(b.ravel()))
    return norm((a - b).ravel()) / scale if scale > 0.0 else 0.0


def _real(point: Any) -> np.ndarray:
    point = np.asarray(point)
    if point.dtype.kind not in "iuf":
        raise TypeError(f"point: expected real numbers, got dtype {point.dtype}")
    if not np.isfinite(point).all():
        raise ValueError(f"point: expected finite numbers, got {point[~np.isfinite(point)][0]}")
    return point.astype(np.float64)


def _moved(point: np.ndarray, index: tuple[int, ...], h: float) -> np.ndarray:
    if not 0.0 < h < np.inf:
        raise ValueError(f"h: expected a positive finite number, got {h}")
    moved = point.astype(np.complex128)
    moved[index] += 1j * h
    return moved


def _imaginary_parts(trace: Trace, h: float) -> dict[str, np.ndarray]:
    return {name: values.imag / h for name, values in trace.items()}
