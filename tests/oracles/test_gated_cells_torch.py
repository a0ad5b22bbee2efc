"""The GRU of the chapter on gated cells is `torch.nn.GRU` with the second bias of the candidate at 0."""

import numpy as np
import pytest
import torch
from throughtime.programs import build
from throughtime_book.beyond.gated_cells import training

UNITS, INPUTS, T = 3, 2, 6


@pytest.fixture
def plain(monkeypatch):
    """Programs as plain Python."""
    monkeypatch.setattr(build, "COMPILED", False)
    monkeypatch.setattr(build, "CACHE", None)


def by_torch(weights, x, target):
    """Loss and gradient by name, of the last step of `torch.nn.GRU`, whose z keeps the state as the chapter's does."""
    layer = torch.nn.GRU(INPUTS, UNITS, dtype=torch.float64)
    given = {name: torch.tensor(value, requires_grad=True) for name, value in weights.items()}
    own = {
        "weight_ih_l0": torch.cat([given[f"W_{gate}"] for gate in "rza"]),
        "weight_hh_l0": torch.cat([given[f"V_{gate}"] for gate in "rza"]),
        "bias_ih_l0": torch.cat([given[f"b_{gate}"] for gate in "rza"]),
        "bias_hh_l0": torch.zeros(3 * UNITS, dtype=torch.float64),
    }
    outputs, _ = torch.func.functional_call(layer, own, torch.tensor(x))
    missed = given["W_out"] @ outputs[-1] + given["b_out"] - torch.tensor(target)
    loss = (missed**2).sum() / 2
    loss.backward()
    return loss.item(), {name: one.grad.numpy() for name, one in given.items()}


@pytest.mark.parametrize(("name", "same"), [("GRU, reset after", True), ("GRU, reset before", False)])
def test_the_reset_gate_of_torch_stands_after_the_product(name, same, plain):
    training.network.cache_clear()
    net, random = training.network(name, UNITS, INPUTS), np.random.default_rng(2)
    theta, x, target = net.init(random, scale=1.0), random.normal(size=(T, INPUTS)), random.normal(size=1)
    goals, last = np.zeros((T, 1)), np.zeros(T)
    goals[-1], last[-1] = target, 1.0
    found = net.gradient(theta, x, goals, last)
    loss, gradient = by_torch(net.layout.views(theta), x, target)
    assert np.isclose(found.loss, loss, rtol=1e-13) == same
    assert np.allclose(found.gradient, net.layout.flatten(gradient), rtol=1e-11, atol=1e-14) == same
