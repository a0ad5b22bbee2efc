"""The GRU of the chapter on gated cells is `torch.nn.GRU` with the second bias of the candidate at 0."""

import numpy as np
import pytest
from book.beyond.gated_cells import experiment as training

UNITS, INPUTS, T = 3, 2, 6


@pytest.mark.parametrize(("name", "same"), [("GRU, reset after", True), ("GRU, reset before", False)])
def test_the_reset_gate_of_torch_stands_after_the_product(name, same, plain, kept):
    training.network.cache_clear()
    net, random = training.network(name, UNITS, INPUTS), np.random.default_rng(2)
    theta, x, target = net.init(random, scale=1.0), random.normal(size=(T, INPUTS)), random.normal(size=1)
    goals, last = np.zeros((T, 1)), np.zeros(T)
    goals[-1], last[-1] = target, 1.0
    found = net.gradient(theta, x, goals, last)
    views = net.layout.views(theta)
    theirs = kept("gru_torch.gradients", views, x, target, whole=True)
    gradient = net.layout.flatten({of: theirs[of] for of in views})
    assert np.isclose(found.loss, theirs["loss"], rtol=1e-13) == same
    assert np.allclose(found.gradient, gradient, rtol=1e-11, atol=1e-14) == same
