"""Elman and Jordan networks against PyTorch's autograd (transcriptions/elman_jordan_torch.py).

An Elman network's hidden layer is torch.nn.RNN, whose two biases count as one.
"""

import numpy as np
import pytest
from throughtime.arrays.activations import ACTIVATIONS, logistic, tanh
from throughtime.textbook.simple_recurrent import Elman, Jordan

TOLERANCE = 1e-12


MODELS = [
    *(cls(1, 1, 1, f, f) for cls in (Elman, Jordan) for f in ACTIVATIONS.values()),
    *(cls(2, 4, 3, tanh, logistic, start) for cls in (Elman, Jordan) for start in (0.0, 0.5)),
    Elman(0, 3, 2),
    Jordan(0, 3, 2),
]
ids = [f"{type(m).__name__}-{m.n_in}-{m.hidden}-{m.n_out}-{m.f_hid.name}-{m.start}" for m in MODELS]


def problem(model, length):
    rng = np.random.default_rng(length)
    theta, x = model.init(rng, 0.9), rng.normal(size=(3, length, model.n_in))
    shape = (3, length, model.n_out)
    return theta, x, rng.normal(size=shape), rng.integers(0, 2, shape)


@pytest.mark.parametrize("model", MODELS, ids=ids)
@pytest.mark.parametrize("length", [1, 2, 15])
def test_gradients_are_those_of_autograd(model, length, kept):
    given = problem(model, length)
    for method in ("bptt", "truncated"):
        theirs = kept("elman_jordan_torch.gradients", model, *given, method == "truncated")
        result = model.gradient(*given, method=method)
        assert theirs.error("loss", result.loss) <= TOLERANCE
        assert theirs.error("gradient", result.gradient) <= TOLERANCE


def test_elman_is_torch_nn_rnn_with_a_linear_read_out(kept):
    model = Elman(2, 4, 3, tanh, ACTIVATIONS["identity"])
    theta, x, targets, mask = problem(model, 9)
    v, w = model.layout.views(theta).values()
    theirs = kept("elman_jordan_torch.layer", v, w, x, targets, mask)
    assert theirs.error("outputs", model.forward(theta, x).g[:, 1:]) <= TOLERANCE
    assert theirs.error("gradient", model.gradient(theta, x, targets, mask).gradient) <= TOLERANCE
