"""The LFMN's loss and gradients against both modes of JAX, by a scan (transcriptions/lfmn_jax.py)."""

import numpy as np
import pytest
from throughtime.arrays.activations import ACTIVATIONS, tanh_half
from throughtime.textbook.lfmn import LFMN

TOLERANCE = 1e-12


PROBLEMS = [
    ((1, (1, 0, 0), (1, 0, 0)), tanh_half, 3),
    ((1, (0, 1, 0), (1, 0, 0)), tanh_half, 8),
    ((1, (0, 0, 1), (1, 0, 0)), tanh_half, 8),
    ((2, (0, 0, 0), (0, 1, 1)), tanh_half, 1),
    *(((2, (3, 2, 1), (1, 2, 3)), activation, 12) for activation in ACTIVATIONS.values()),
    ((4, (0, 5, 4), (3, 2, 2)), tanh_half, 40),
]


@pytest.mark.parametrize(
    ("architecture", "activation", "length"), PROBLEMS, ids=lambda value: getattr(value, "name", str(value))
)
def test_gradients_are_those_of_jax(architecture, activation, length, kept):
    model = LFMN(*architecture, activation)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        theta, x = model.init(rng, 1.2), rng.normal(size=(length, model.n_in))
        targets = rng.normal(size=(length, model.output.total))
        mask = rng.integers(0, 2, length).astype(float)
        mask[-1] = 1.0
        theirs = kept("lfmn_jax.gradients", model, theta, x, targets, mask)
        result = model.gradient(theta, x, targets, mask)
        assert theirs.error("loss", result.loss) <= TOLERANCE
        assert theirs.error("reverse", result.gradient) <= TOLERANCE
        assert theirs.error("forward", result.gradient) <= TOLERANCE
