"""Full-batch training for the small experiments: iRprop-, which looks at the signs of the gradient only.

Signs suit networks whose gradients vanish: a weight learns at the same pace however small its gradient is.
"""

from collections.abc import Callable

import numpy as np

from throughtime.models.parameters import LossGradient
from throughtime.optimizers import IRpropMinus

GROW, SHRINK = 1.2, 0.5
FIRST_STEP, SMALLEST_STEP, LARGEST_STEP = 0.1, 1e-4, 1.0


def train(gradient: Callable[[np.ndarray], LossGradient], theta: np.ndarray, epochs: int) -> np.ndarray:
    """Parameters after that many steps of iRprop- (Igel and Huesken 2003) from a copy of ``theta``."""
    theta = theta.copy()
    optimizer = IRpropMinus(
        theta.size, FIRST_STEP, grow=GROW, shrink=SHRINK, smallest=SMALLEST_STEP, largest=LARGEST_STEP
    )
    for _ in range(epochs):
        theta = optimizer.step(theta, gradient(theta).gradient)
    return theta
