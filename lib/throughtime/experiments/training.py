"""Full-batch training for the small experiments: iRprop-, which looks at the signs of the gradient only.

Signs suit networks whose gradients vanish: a weight learns at the same pace however small its gradient is.
"""

from collections.abc import Callable

import numpy as np

from throughtime.models.parameters import LossGradient

GROW, SHRINK = 1.2, 0.5
FIRST_STEP, SMALLEST_STEP, LARGEST_STEP = 0.1, 1e-4, 1.0


def train(gradient: Callable[[np.ndarray], LossGradient], theta: np.ndarray, epochs: int) -> np.ndarray:
    """Parameters after that many steps of iRprop- (Igel and Huesken 2003) from a copy of ``theta``."""
    theta, step, before = theta.copy(), np.full_like(theta, FIRST_STEP), np.zeros_like(theta)
    for _ in range(epochs):
        g = gradient(theta).gradient
        agreement = g * before
        step = np.where(agreement > 0, step * GROW, np.where(agreement < 0, step * SHRINK, step))
        step = np.clip(step, SMALLEST_STEP, LARGEST_STEP)
        before = np.where(agreement < 0, 0.0, g)  # after a change of sign rest for one step
        theta -= np.sign(before) * step
    return theta
