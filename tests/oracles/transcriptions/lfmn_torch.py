"""The LFMN in PyTorch, in float64: a forward pass written from its equations."""

import numpy as np
import torch

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: torch.tanh(z / 2),
    "twice_tanh_half": lambda z: 4 * torch.sigmoid(z) - 2,
}


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


def gradients(model, theta, x, targets, mask):
    """Loss and gradient."""
    leaf = torch.tensor(theta, requires_grad=True)
    loss = loss_of(model, leaf, *(torch.tensor(array) for array in (x, targets, mask)))
    loss.backward()
    return {"loss": loss.item(), "gradient": leaf.grad.numpy()}
