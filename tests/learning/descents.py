"""Descents on gradients told in advance, for the tests of the optimizers."""

import numpy as np
from throughtime.learning.optimizers import IRpropMinus, IRpropPlus, RpropMinus, RpropPlus

PUBLISHED = [RpropPlus, RpropMinus, IRpropPlus, IRpropMinus]
SETTINGS = {"grow": 1.2, "shrink": 0.5, "smallest": 0.01, "largest": 0.2}


def told(seed, length=60, size=4):
    """Gradients and losses told in advance: runs of one sign, changes, zeros in all places; losses that stay."""
    rng = np.random.default_rng(seed)
    gradients = rng.choice([-2.0, -1e-200, 0.0, 0.5, 3.0], (length, size), p=[0.2, 0.1, 0.15, 0.15, 0.4])
    return gradients, rng.normal(size=length).round()


def positions(optimizer, gradients, losses):
    """The position after each step from 0."""
    theta = np.zeros(gradients.shape[1])
    for g, loss in zip(gradients, losses, strict=True):
        theta = optimizer.step(theta, g, loss)
        yield theta
