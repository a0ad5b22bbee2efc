"""torch.optim and the clipping of torch.nn.utils, on gradients that are given as arrays of float64."""

import numpy as np
import torch


def _run(kind, options, start, curvature, lowest, noise):
    """The parameters after each step of a torch.optim optimizer, and its state at the end."""
    leaf = torch.tensor(start, requires_grad=True)
    optimizer, path = getattr(torch.optim, kind)([leaf], **options), []
    for more in noise:
        theta = leaf.detach().numpy().copy()
        leaf.grad = torch.tensor((curvature * (theta - lowest)).sum(axis=1) + more)
        optimizer.step()
        path.append(leaf.detach().numpy().copy())
    return np.stack(path), optimizer.state[leaf]


def path(kind, options, start, curvature, lowest, noise, every):
    """Each ``every``-th of the parameters that an optimizer passes, from the last one back."""
    return {"path": _run(kind, options, start, curvature, lowest, noise)[0][::-1][::every]}


def rprop_state(options, start, curvature, lowest, noise):
    """Step sizes and gradient that Rprop has stored at the end."""
    state = _run("Rprop", options, start, curvature, lowest, noise)[1]
    return {name: state[name].numpy() for name in ("step_size", "prev")}


def vanishing(dtype, tiny, steps):
    """The parameter and its step size after equal gradients from 0 on, in a precision of torch."""
    leaf = torch.zeros(1, dtype=getattr(torch, dtype), requires_grad=True)
    optimizer = torch.optim.Rprop([leaf], lr=0.01)
    for _ in range(steps):
        leaf.grad = torch.full_like(leaf, tiny)
        optimizer.step()
    return {"parameter": leaf.item(), "step_size": optimizer.state[leaf]["step_size"].item()}


def _leaf(gradient):
    leaf = torch.zeros(np.shape(gradient), dtype=torch.float64, requires_grad=True)
    leaf.grad = torch.tensor(gradient)
    return leaf


def clipped(gradient, threshold):
    """A gradient under clip_grad_norm_."""
    leaf = _leaf(gradient)
    torch.nn.utils.clip_grad_norm_([leaf], threshold)
    return {"gradient": leaf.grad.numpy()}


def clipped_by_block(blocks, threshold, largest):
    """The gradients of several parameters, flat: each under clip_grad_norm_, then all under clip_grad_value_."""
    leaves = [_leaf(block) for block in blocks]
    for leaf in leaves:
        torch.nn.utils.clip_grad_norm_([leaf], threshold)
    by_norm = np.concatenate([leaf.grad.numpy().ravel() for leaf in leaves])
    torch.nn.utils.clip_grad_value_(leaves, largest)
    return {"by_norm": by_norm, "by_value": np.concatenate([leaf.grad.numpy().ravel() for leaf in leaves])}
