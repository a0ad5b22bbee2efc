"""A GRU of PyTorch whose last step is read."""

import torch


def gradients(weights, x, target):
    """Loss and gradient by name, of the last step of `torch.nn.GRU`, whose z keeps the state as the chapter's does."""
    units, inputs = weights["W_r"].shape
    layer = torch.nn.GRU(inputs, units, dtype=torch.float64)
    given = {name: torch.tensor(value, requires_grad=True) for name, value in weights.items()}
    own = {
        "weight_ih_l0": torch.cat([given[f"W_{gate}"] for gate in "rza"]),
        "weight_hh_l0": torch.cat([given[f"V_{gate}"] for gate in "rza"]),
        "bias_ih_l0": torch.cat([given[f"b_{gate}"] for gate in "rza"]),
        "bias_hh_l0": torch.zeros(3 * units, dtype=torch.float64),
    }
    outputs, _ = torch.func.functional_call(layer, own, torch.tensor(x))
    missed = given["W_out"] @ outputs[-1] + given["b_out"] - torch.tensor(target)
    loss = (missed**2).sum() / 2
    loss.backward()
    return {"loss": loss.item()} | {name: one.grad.numpy() for name, one in given.items()}
