"""An Elman network with a linear read-out is torch.nn.RNN, whose two biases count as one."""

import numpy as np
from throughtime.arrays.activations import identity, tanh
from throughtime.textbook.simple_recurrent import Elman

TOLERANCE = 1e-12


def test_elman_is_torch_nn_rnn_with_a_linear_read_out(kept):
    model, rng, shape = Elman(2, 4, 3, tanh, identity), np.random.default_rng(9), (3, 9, 3)
    theta, x = model.init(rng, 0.9), rng.normal(size=(3, 9, 2))
    targets, mask = rng.normal(size=shape), rng.integers(0, 2, shape)
    v, w = model.layout.views(theta).values()
    theirs = kept("elman_torch.layer", v, w, x, targets, mask)
    assert theirs.error("outputs", model.forward(theta, x).g[:, 1:]) <= TOLERANCE
    assert theirs.error("gradient", model.gradient(theta, x, targets, mask).gradient) <= TOLERANCE
