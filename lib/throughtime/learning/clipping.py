"""Gradient clipping: by the norm of the whole gradient, by the norm of each block of parameters, by value.

Clipping by norm keeps the direction, by block the direction within each block, by value the signs only. Each
function returns a new vector. A gradient with NaN or infinity has no direction: that is an error.

Source of clipping by norm: Pascanu, Mikolov and Bengio 2013; rnn-clip.
"""

from collections.abc import Mapping

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.parameters import Layout


def norm(gradient: np.ndarray) -> float:
    """The Euclidean norm over all entries, without overflow or underflow of the squares; inf or nan if one is.

    gradient    an array of real numbers, of any shape; TypeError if not
    """
    gradient = np.asarray(gradient)
    if gradient.dtype.kind not in "iuf":
        raise TypeError(f"gradient: expected an array of real numbers, got dtype {gradient.dtype}")
    gradient = gradient.astype(np.float64)  # half precision overflows in the sum, and -128 has no int8 opposite
    largest = float(np.abs(gradient).max(initial=0.0))
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    with np.errstate(over="ignore"):
        return float(largest * np.linalg.norm(gradient / largest))


def clip_by_norm(gradient: np.ndarray, threshold: float) -> np.ndarray:
    """threshold g / |g| if |g| > threshold, else g (rnn-clip; Pascanu, Mikolov and Bengio 2013).

    gradient    a float64 vector; ValueError if it holds NaN or infinity
    threshold   a positive finite number

    The denominator is |g| itself; torch.nn.utils.clip_grad_norm_ adds 1e-6 to it, so that its result is shorter
    than the threshold by a factor of about 1 - 1e-6 / |g|.

    >>> clip_by_norm(np.array([3.0, 4.0]), 1.0).tolist()
    [0.6, 0.8]
    >>> clip_by_norm(np.array([0.3, 0.4]), 1.0).tolist()
    [0.3, 0.4]
    """
    return _clipped(_gradient(gradient), validate.number("threshold", threshold, "(0, inf)"))


def clip_by_block(gradient: np.ndarray, layout: Layout, threshold: float | Mapping[str, float]) -> np.ndarray:
    """Each array of ``layout`` clipped by its own norm (rnn-clip, block by block).

    gradient    a float64 vector of ``layout.size`` numbers
    threshold   one positive number for all arrays, or a mapping with one for each name of the layout

    Errors as for ``clip_by_norm``; TypeError for a layout of another type, ValueError for other names or lengths.
    """
    if not isinstance(layout, Layout):
        raise TypeError(f"layout: expected a Layout, got {type(layout).__name__}")
    gradient = _gradient(gradient, layout.size)
    each = dict(threshold) if isinstance(threshold, Mapping) else dict.fromkeys(layout.names, threshold)
    if set(each) != set(layout.names):
        raise ValueError(f"threshold: expected the names {list(layout.names)}, got {list(each)}")
    for name, value in each.items():
        block = layout.slice(name)
        gradient[block] = _clipped(gradient[block], validate.number(f"threshold[{name!r}]", value, "(0, inf)"))
    return gradient


def clip_by_value(gradient: np.ndarray, threshold: float) -> np.ndarray:
    """Each entry of a vector clipped to [-threshold, threshold]. Arguments and errors as for ``clip_by_norm``."""
    gradient, threshold = _gradient(gradient), validate.number("threshold", threshold, "(0, inf)")
    return np.clip(gradient, -threshold, threshold)


def _clipped(gradient: np.ndarray, threshold: float) -> np.ndarray:
    if norm(gradient) <= threshold:
        return gradient.copy()
    direction = gradient / np.abs(gradient).max()  # the norm itself may overflow, this one does not
    return threshold * (direction / np.linalg.norm(direction))


def _gradient(gradient: np.ndarray, size: int | None = None) -> np.ndarray:
    """A copy of the gradient, checked."""
    return validate.flat_vector("gradient", gradient, np.size(gradient) if size is None else size).copy()
