"""The fully recurrent network against PyTorch's autograd of a forward pass (transcriptions/recurrent_torch.py)."""

import numpy as np
import pytest
from throughtime.arrays.activations import ACTIVATIONS, tanh
from throughtime.textbook.recurrent import FullyRecurrent

TOLERANCE = 1e-12


MODELS = [
    *(FullyRecurrent(1, 1, f) for f in ACTIVATIONS.values()),
    *(FullyRecurrent(2, 3, f) for f in ACTIVATIONS.values()),
    FullyRecurrent(0, 2, list(ACTIVATIONS.values())[1:3]),
    FullyRecurrent(4, 5, list(ACTIVATIONS.values())),
]
ids = [f"{m.n_in}-{m.n_out}-{'-'.join(dict.fromkeys(f.name for f in m.activation))}" for m in MODELS]


def problem(model, length):
    rng = np.random.default_rng(length)
    theta, x = model.init(rng, 0.9), rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.n_out))
    mask = rng.integers(0, 2, (length, model.n_out))
    mask[-1, 0] = 1
    return theta, x, targets, mask


@pytest.mark.parametrize("model", MODELS, ids=ids)
@pytest.mark.parametrize("length", [1, 2, 17])
def test_exact_gradients_and_error_signals_are_those_of_autograd(model, length, kept):
    theta, x, targets, mask = problem(model, length)
    theirs = kept("recurrent_torch.exact", model, theta, x, targets, mask)
    result = model.gradient(theta, x, targets, mask)
    assert theirs.error("loss", result.loss) <= TOLERANCE
    assert theirs.error("gradient", result.gradient) <= TOLERANCE
    signals = model.error_signals(theta, x, targets, mask)
    assert theirs.error("z", signals.z) <= TOLERANCE
    assert theirs.error("y", signals.y) <= TOLERANCE


def test_error_flow_is_the_jacobian_of_autograd(kept):
    model = FullyRecurrent(2, 3, [tanh, *list(ACTIVATIONS.values())[:2]])
    theta, x, _, _ = problem(model, 9)
    theirs = kept("recurrent_torch.error_flow", model, theta, x)
    for t in range(1, 10):
        for s in range(1, t + 1):
            assert theirs.error(f"{t}, {s}", model.error_flow(theta, x, t, s)) <= TOLERANCE
