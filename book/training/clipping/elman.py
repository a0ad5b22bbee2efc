"""Training of an Elman net of eight hidden units with and without clipping by norm: errors and gradient norms.

The net reads 20 random bits and says at the end how many of them are 1, scaled to between -1 and 1.
"""

from collections.abc import Callable

import numpy as np
from throughtime.textbook.simple_recurrent import Elman

SEQUENCES, STEPS, RATE, UPDATES = 20, 20, 0.3, 24
NET = Elman(n_in=1, hidden=8, n_out=1, f_hid="tanh", f_out="identity")


def train(clip: Callable[[np.ndarray], np.ndarray] = lambda g: g, nudge: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Mean error and norm of its gradient before clipping at each update, both (UPDATES,).

    nudge   relative change of all weights at the start
    """
    draw = np.random.default_rng(2)
    theta = 0.8 * draw.normal(size=NET.layout.size) * (1 + nudge)
    bits = draw.integers(0, 2, (SEQUENCES, STEPS, 1)).astype(float)
    target, mask = np.zeros(bits.shape), np.zeros(bits.shape[:2])
    target[:, -1], mask[:, -1] = 2 * bits.mean(axis=1) - 1, 1.0
    errors, norms = [], []
    for _ in range(UPDATES):
        found = NET.gradient(theta, bits, target, mask)
        slope = found.gradient / SEQUENCES
        errors.append(found.loss / SEQUENCES)
        norms.append(np.linalg.norm(slope))
        theta = theta - RATE * clip(slope)
    return np.array(errors), np.array(norms)
