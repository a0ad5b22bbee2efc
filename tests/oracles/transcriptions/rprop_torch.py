"""torch.optim and the clipping of torch.nn.utils, on gradients that are given as arrays of float64."""

import numpy as np
import torch


def path(kind, options, start, curvature, lowest, noise, every):
    """Each ``every``-th of the parameters that an optimizer passes, from the last one back; what Rprop has at the end.

    That is its step sizes and its stored gradient.
    """
    leaf = torch.tensor(start, requires_grad=True)
    optimizer, passed = getattr(torch.optim, kind)([leaf], **options), []
    for more in noise:
        theta = leaf.detach().numpy().copy()
        leaf.grad = torch.tensor((curvature * (theta - lowest)).sum(axis=1) + more)
        optimizer.step()
        passed.append(leaf.detach().numpy().copy())
    state = {name: optimizer.state[leaf][name].numpy() for name in ("step_size", "prev") if kind == "Rprop"}
    return {"path": np.stack(passed[::-1][::every])} | state


def vanishing(dtype, tiny, steps):
    """The parameter and its step size after equal gradients from 0 on, in a precision of torch."""
    leaf = torch.zeros(1, dtype=getattr(torch, dtype), requires_grad=True)
    optimizer = torch.optim.Rprop([leaf], lr=0.01)
    for _ in range(steps):
        leaf.grad = torch.full_like(leaf, tiny)
        optimizer.step()
    return {"parameter": leaf.item(), "step_size": optimizer.state[leaf]["step_size"].item()}


def clipped(gradient, threshold):
    """A gradient under clip_grad_norm_."""
    leaf = torch.zeros(len(gradient), dtype=torch.float64, requires_grad=True)
    leaf.grad = torch.tensor(gradient)
    torch.nn.utils.clip_grad_norm_([leaf], threshold)
    return {"gradient": leaf.grad.numpy()}
