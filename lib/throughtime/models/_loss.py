"""What the models with half a squared error for a loss share: targets and mask, and the sum."""

from typing import Any

import numpy as np

from . import validate


def goal(targets: Any, mask: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Targets and mask of ``shape``, (..., T, units), checked; the mask may be (T,), or None for all ones."""
    return validate.array("targets", targets, shape), validate.mask(mask, shape)


def half_square(difference: np.ndarray, mask: np.ndarray) -> float | complex:
    """Half the sum of mask difference^2, analytic; FloatingPointError on overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        loss = 0.5 * (mask * difference * difference).sum()
    validate.refuse_overflow(loss=loss)
    return loss.item()
