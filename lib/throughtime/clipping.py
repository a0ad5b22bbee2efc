"""Gradient clipping: by the norm of the whole gradient, by that of each block of parameters, by value.

Clipping by norm keeps the direction, by block only within a block, by value only the signs. Each returns a new
vector. A gradient with NaN or infinity has no direction to keep: that is an error, unless the caller asks for
such a step to be left out (``nonfinite="zero"``).
"""

from collections.abc import Mapping

import numpy as np

from .models import validate
from .models.parameters import Layout

__all__ = ["clip_by_block", "clip_by_norm", "clip_by_value", "norm"]


def norm(gradient: np.ndarray) -> float:
    """The Euclidean norm, without overflow or underflow of the squares."""
    largest = float(np.abs(gradient).max(initial=0.0))
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    with np.errstate(over="ignore"):
        return float(largest * np.linalg.norm(gradient / largest))


def clip_by_norm(gradient: np.ndarray, threshold: float, *, nonfinite: str = "error") -> np.ndarray:
    """threshold g / |g| if |g| > threshold, else g (rnn-clip; Pascanu, Mikolov and Bengio 2013).

    gradient    a float64 vector
    threshold   a positive finite number
    nonfinite   "error" for a ValueError if the gradient holds NaN or infinity, "zero" for a gradient of zeros

    The denominator is |g| itself; torch.nn.utils.clip_grad_norm_ adds 1e-6 to it, so that what it returns is
    shorter than the threshold by a factor of 1 - 1e-6 / |g|, about.

    >>> clip_by_norm(np.array([3.0, 4.0]), 1.0).tolist()
    [0.6, 0.8]
    >>> clip_by_norm(np.array([0.3, 0.4]), 1.0).tolist()
    [0.3, 0.4]
    """
    return _clipped(_gradient(gradient, nonfinite), validate.number("threshold", threshold, "(0, inf)"))


def clip_by_block(
    gradient: np.ndarray, layout: Layout, threshold: float | Mapping[str, float], *, nonfinite: str = "error"
) -> np.ndarray:
    """Each array of ``layout`` clipped by its own norm, to one threshold or to one for each name.

    Errors as for ``clip_by_norm``; ValueError if the names are not those of the layout or the length is not its.
    """
    if not isinstance(layout, Layout):
        raise TypeError(f"layout: expected a Layout, got {type(layout).__name__}")
    gradient = _gradient(gradient, nonfinite, layout.size)
    each = dict(threshold) if isinstance(threshold, Mapping) else dict.fromkeys(layout.names, threshold)
    if set(each) != set(layout.names):
        raise ValueError(f"threshold: expected the names {list(layout.names)}, got {list(each)}")
    for name, value in each.items():
        block = layout.slice(name)
        gradient[block] = _clipped(gradient[block], validate.number(f"threshold[{name!r}]", value, "(0, inf)"))
    return gradient


def clip_by_value(gradient: np.ndarray, threshold: float, *, nonfinite: str = "error") -> np.ndarray:
    """Every component cut to the interval from -threshold to threshold. Errors as for ``clip_by_norm``."""
    gradient, threshold = _gradient(gradient, nonfinite), validate.number("threshold", threshold, "(0, inf)")
    return np.clip(gradient, -threshold, threshold)


def _clipped(gradient: np.ndarray, threshold: float) -> np.ndarray:
    if norm(gradient) <= threshold:
        return gradient.copy()
    direction = gradient / np.abs(gradient).max()  # the norm itself may overflow, this one does not
    return threshold * (direction / np.linalg.norm(direction))


def _gradient(gradient: np.ndarray, nonfinite: str, size: int | None = None) -> np.ndarray:
    """A copy of the gradient, checked."""
    validate.one_of("nonfinite", nonfinite, ("error", "zero"))
    length = np.size(gradient) if size is None else size
    is_numbers = isinstance(gradient, np.ndarray) and gradient.dtype == np.float64
    if nonfinite == "zero" and is_numbers and not np.isfinite(gradient).all():
        gradient = np.zeros_like(gradient)
    return validate.flat_vector("gradient", gradient, length).copy()
