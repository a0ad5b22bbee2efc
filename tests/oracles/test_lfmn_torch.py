"""The LFMN's loss and gradients against PyTorch's autograd of a forward pass written for it, in float64."""

import numpy as np
import pytest
import torch
from throughtime.checks import relative_error
from throughtime.models.activations import ACTIVATIONS
from throughtime.models.lfmn import LFMN, METHODS

TOLERANCE = 1e-12

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: torch.tanh(z / 2),
    "twice_tanh_half": lambda z: 4 * torch.sigmoid(z) - 2,
}

ARCHITECTURES = [
    (1, (1, 0, 0), (1, 0, 0)),
    (1, (0, 1, 0), (1, 0, 0)),
    (1, (0, 0, 1), (1, 0, 0)),
    (2, (0, 0, 0), (0, 1, 0)),
    (2, (0, 0, 0), (0, 0, 1)),
    (3, (2, 0, 3), (2, 1, 0)),
    (2, (3, 2, 1), (1, 2, 3)),
    (4, (0, 5, 4), (3, 2, 2)),
]


def layer(f, current, u, v, net, act):
    """One step of one layer: each kind of unit as a vector of its own."""
    static, by_net, by_act = torch.split(current, [len(current) - len(u) - len(v), len(u), len(v)])
    new_net = u * net + by_net
    new_act = f(v * act + by_act)
    return torch.cat([f(static), f(new_net), new_act]), new_net, new_act


def loss_of(model, theta, x, targets, mask):
    f = FUNCTIONS[model.activation.name]
    shapes = model.layout.shapes
    parts = torch.split(theta, [int(np.prod(shape)) for shape in shapes.values()])
    w_hid, u_hid, v_hid, w_out, W_out, u_out, v_out = (
        part.reshape(shape) for part, shape in zip(parts, shapes.values(), strict=True)
    )
    net_h, act_h, net_y, act_y = (torch.zeros(len(w), dtype=theta.dtype) for w in (u_hid, v_hid, u_out, v_out))
    loss = torch.zeros((), dtype=theta.dtype)
    for x_t, target, sigma in zip(x, targets, mask, strict=True):
        h, net_h, act_h = layer(f, w_hid @ x_t, u_hid, v_hid, net_h, act_h)
        current = torch.cat([w_out @ h, W_out @ x_t])
        y, net_y, act_y = layer(f, current, u_out, v_out, net_y, act_y)
        loss = loss + sigma * torch.sum((y - target) ** 2)
    return loss


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=str)
@pytest.mark.parametrize("length", [1, 2, 17])
def test_gradients_are_those_of_autograd(architecture, activation, length):
    model = LFMN(*architecture, activation)
    rng = np.random.default_rng(length)
    theta, x = model.init(rng, 1.2), rng.normal(size=(length, model.n_in))
    targets, mask = rng.normal(size=(length, model.output.total)), rng.integers(0, 2, length)
    mask[-1] = 1
    leaf = torch.tensor(theta, requires_grad=True)
    loss = loss_of(model, leaf, *(torch.tensor(array) for array in (x, targets, mask)))
    loss.backward()
    for method in METHODS:
        result = model.gradient(theta, x, targets, mask, method=method)
        assert relative_error(result.loss, loss.item()) <= TOLERANCE
        assert relative_error(result.gradient, leaf.grad.numpy()) <= TOLERANCE
