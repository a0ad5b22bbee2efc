"""Elman and Jordan networks against both modes of JAX, by a scan (transcriptions/elman_jordan_jax.py)."""

import numpy as np
import pytest
from throughtime.arrays.activations import logistic, tanh
from throughtime.textbook.simple_recurrent import Elman, Jordan

TOLERANCE = 1e-12

MODELS = [
    *(cls(1, 1, 1, start=0.5) for cls in (Elman, Jordan)),
    *(cls(2, 4, 3, tanh, logistic) for cls in (Elman, Jordan)),
    *(cls(0, 3, 2, logistic, tanh) for cls in (Elman, Jordan)),
]
ids = [f"{type(m).__name__}-{m.n_in}-{m.hidden}-{m.n_out}" for m in MODELS]


@pytest.mark.parametrize("model", MODELS, ids=ids)
@pytest.mark.parametrize("length", [9])
def test_gradients_are_those_of_jax(model, length, kept):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        theta, x = model.init(rng, 0.9), rng.normal(size=(3, length, model.n_in))
        targets = rng.normal(size=(3, length, model.n_out))
        given = theta, x, targets, rng.integers(0, 2, targets.shape).astype(float)
        theirs = kept("elman_jordan_jax.gradients", model, *given)
        result = model.gradient(*given)
        assert theirs.error("loss", result.loss) <= TOLERANCE
        assert theirs.error("reverse", result.gradient) <= TOLERANCE
        assert theirs.error("forward", result.gradient) <= TOLERANCE
        cut = model.gradient(*given, method="truncated")
        assert theirs.error("truncated", cut.gradient) <= TOLERANCE
