"""Compiled cells beside PyTorch's automatic differentiation."""

import numpy as np
import pytest
from cell_systems import CELLS, T, compiled


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("name", CELLS)
def test_gradients_are_those_of_automatic_differentiation(name, kept):
    net, random = compiled(CELLS[name]), np.random.default_rng(3)
    theta = net.init(random, 0.8) + 1.0 * (name == "slstm")  # a normalizer that starts above 0
    x, d = random.normal(size=(T, net.n_in)), random.normal(size=(T, net.n_out))
    views = net.layout.views(theta)
    theirs = kept("cells_torch.gradients", name, views, x, d, whole=True)
    wanted = net.layout.flatten({of: theirs[of] for of in views})
    for method in net.METHODS:
        found = net.gradient(theta, x, d, method=method)
        assert found.loss == pytest.approx(theirs["loss"], rel=1e-12)
        np.testing.assert_allclose(found.gradient, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())
