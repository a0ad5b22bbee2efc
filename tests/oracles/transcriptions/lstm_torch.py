"""Both LSTMs in PyTorch, in float64: forward passes written from their equations.

Truncation is ``detach``, applied to what gates, cells and hidden units read of the step before and to every state that
a gate sees.
"""

import numpy as np
import torch
from throughtime.textbook.lstm1997 import LSTM1997

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: 2 * torch.sigmoid(z) - 1,
    "twice_tanh_half": lambda z: 4 * torch.sigmoid(z) - 2,
}


def named(model, theta):
    """The parameters by name, as views of a tensor."""
    shapes = model.layout.shapes
    parts = theta.split([int(np.prod(shape)) for shape in shapes.values()])
    return {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def run_1997(model, theta, x, targets, mask, cut):
    """The loss, and by name the net inputs and states of all steps as lists; each keeps its gradient."""
    p = named(model, theta)
    f, g, h, f_hid, f_out = (FUNCTIONS[a.name] for a in (model.f, model.g, model.h, model.f_hid, model.f_out))

    def net(kind, read):
        return p[f"w_{kind}"] @ read + p.get(f"b_{kind}", 0.0)

    def zeros(*shape):
        return torch.zeros(shape, dtype=torch.float64)

    hid, ig, og, s = zeros(model.hidden), zeros(model.blocks), zeros(model.blocks), zeros(model.cells, model.blocks)
    cell, loss, signals = s, 0.0, {name: [] for name in ("net_hid", "net_ig", "net_og", "net_cell", "s", "net_out")}
    for x_t, target, m in zip(x, targets, mask, strict=True):
        act = torch.cat([hid, ig, og, cell.flatten()])
        read = torch.cat([x_t, act.detach() if cut else act])
        before = hid, cell
        nets = {f"net_{kind}": net(kind, read) for kind in ("hid", "ig", "og", "cell")}
        hid, ig, og = f_hid(nets["net_hid"]), f(nets["net_ig"]), f(nets["net_og"])
        s = s + ig * g(nets["net_cell"])
        cell = og * h(s)
        seen = before if model.timing == "previous" else (hid, cell)
        net_out = net("out", torch.cat([x_t, seen[0], seen[1].flatten()]))
        loss = loss + (m * (f_out(net_out) - target) ** 2).sum() / 2
        for name, value in (nets | {"s": s, "net_out": net_out}).items():
            value.retain_grad()
            signals[name].append(value)
    return loss, signals


def run_2002(model, theta, x, targets, mask, cut):
    """The same for the LSTM with forget gates and peepholes."""
    p = named(model, theta)
    f, g, h, f_out = (FUNCTIONS[a.name] for a in (model.f, model.g, model.h, model.f_out))

    def past(values):
        return values.detach() if cut else values

    def net(kind, read, s=None):
        total = p[f"w_{kind}"] @ read + p.get(f"b_{kind}", 0.0)
        return total + (p[f"u_{kind}"] * past(s)).sum(dim=1) if f"u_{kind}" in p else total

    fg = ig = og = torch.zeros(model.blocks, dtype=torch.float64)
    s = cell = torch.zeros((model.blocks, model.cells), dtype=torch.float64)
    names = ("net_fg", "net_ig", "net_og", "net_cell", "s", "net_out")
    loss, signals = 0.0, {name: [] for name in names}
    for x_t, target, m in zip(x, targets, mask, strict=True):
        gates = [fg, ig, og] if model.feedback == "all" else []
        read = torch.cat([x_t, past(torch.cat([*gates, cell.flatten()]))])
        net_fg, net_ig, net_cell = net("fg", read, s), net("ig", read, s), net("cell", read)
        fg, ig = f(net_fg), f(net_ig)
        s = fg[:, None] * s + ig[:, None] * g(net_cell)
        net_og = net("og", read, s)
        og = f(net_og)
        cell = og[:, None] * h(s)
        net_out = net("out", torch.cat([x_t, cell.flatten()]) if model.direct else cell.flatten())
        loss = loss + (m * (f_out(net_out) - target) ** 2).sum() / 2
        for name, value in zip(names, (net_fg, net_ig, net_og, net_cell, s, net_out), strict=True):
            value.retain_grad()
            signals[name].append(value)
    return loss, signals


def gradients(model, theta, x, targets, mask, cut):
    """Loss, gradient, and by name the derivatives with respect to net inputs and states of all steps."""
    leaf = torch.tensor(theta, requires_grad=True)
    run = run_1997 if isinstance(model, LSTM1997) else run_2002
    loss, signals = run(model, leaf, *(torch.tensor(array) for array in (x, targets, mask)), cut)
    loss.backward()
    found = {"loss": loss.item(), "gradient": leaf.grad.numpy()}
    for name, values in signals.items():
        grads = [torch.zeros_like(value) if value.grad is None else value.grad for value in values]
        found[name] = torch.stack(grads).numpy()
    return found
