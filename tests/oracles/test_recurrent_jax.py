"""The fully recurrent network against both modes of JAX, by scans (transcriptions/recurrent_jax.py)."""

import numpy as np
import pytest
from throughtime.arrays.activations import ACTIVATIONS, logistic, tanh
from throughtime.textbook.recurrent import FullyRecurrent

TOLERANCE = 1e-12


PROBLEMS = [
    (FullyRecurrent(1, 1, tanh), 1),
    (FullyRecurrent(1, 1, logistic), 8),
    (FullyRecurrent(0, 3, logistic), 8),
    *((FullyRecurrent(2, 3, f), 12) for f in ACTIVATIONS.values()),
    (FullyRecurrent(3, 5, list(ACTIVATIONS.values())), 25),
]
ids = [f"{m.n_in}-{m.n_out}-{'-'.join(dict.fromkeys(f.name for f in m.activation))}-{T}" for m, T in PROBLEMS]


def problems(model, length):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        theta, x = model.init(rng, 0.9), rng.normal(size=(length, model.n_in))
        mask = rng.integers(0, 2, (length, model.n_out)).astype(float)
        mask[-1, 0] = 1.0
        yield theta, x, rng.normal(size=(length, model.n_out)), mask


@pytest.mark.parametrize(("model", "length"), PROBLEMS, ids=ids)
def test_exact_gradients_are_those_of_jax(model, length, kept):
    for given in problems(model, length):
        theirs = kept("recurrent_jax.exact", model, *given)
        result = model.gradient(*given)
        assert theirs.error("loss", result.loss) <= TOLERANCE
        assert theirs.error("reverse", result.gradient) <= TOLERANCE
        assert theirs.error("forward", result.gradient) <= TOLERANCE


def test_error_signals_are_gradients_by_perturbations_of_net_inputs(kept):
    """dL/dz(t) is the gradient by a number added to z(t); one added to y(t) likewise."""
    model = FullyRecurrent(3, 5, list(ACTIVATIONS.values()))
    for given in problems(model, 10):
        signals, theirs = model.error_signals(*given), kept("recurrent_jax.error_signals", model, *given)
        assert theirs.error("z", signals.z) <= TOLERANCE
        assert theirs.error("y", signals.y) <= TOLERANCE
