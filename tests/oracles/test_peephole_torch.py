"""The LSTM with forget gates and peepholes against PyTorch's autograd of a forward pass written for it, in float64.

Truncation is ``detach``, applied to what gates and cells read of the step before and to every state that a gate
sees.
"""

import numpy as np
import pytest
import torch
from throughtime.gradcheck import relative_error
from throughtime.models.activations import ACTIVATIONS, identity, tanh
from throughtime.models.peephole import METHODS, SOURCES, PeepholeLSTM

TOLERANCE = 1e-12

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: 2 * torch.sigmoid(z) - 1,
    "twice_tanh_half": lambda z: 4 * torch.sigmoid(z) - 2,
}

PEEPHOLES = (True, False, ["og"], ["fg", "ig"])
MODELS = [PeepholeLSTM(1, 1, 1, 1, sources=sources, peepholes=p) for sources in SOURCES for p in PEEPHOLES]
MODELS += [PeepholeLSTM(2, 3, 2, 2, sources=sources, bias=True) for sources in SOURCES]
MODELS += [PeepholeLSTM(0, 2, 1, 2, sources=sources, bias=["cell"]) for sources in SOURCES]
MODELS += [PeepholeLSTM(1, 1, 1, 1, sources="cells", direct=False, bias=True, g=identity)]  # the experiments' net
MODELS += [
    PeepholeLSTM(3, 2, 3, 2, sources=sources, direct=False, bias=["fg", "out"], g=tanh, h=f, f_out=identity)
    for sources in SOURCES
    for f in ACTIVATIONS.values()
]
every_model = pytest.mark.parametrize("model", MODELS, ids=range(len(MODELS)))


def problem(model, length):
    rng = np.random.default_rng(length)
    theta, x = model.init(rng, 0.9, gate_biases={}), rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.n_out))
    mask = rng.integers(0, 2, (length, model.n_out))
    mask[-1, 0] = 1
    return theta, x, targets, mask


def run(model, theta, x, targets, mask, cut):
    """The loss, and by name the net inputs and states of all steps as lists; each keeps its gradient."""
    shapes = model.layout.shapes
    parts = theta.split([int(np.prod(shape)) for shape in shapes.values()])
    p = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
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
        gates = [fg, ig, og] if model.sources == "all" else []
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


@every_model
@pytest.mark.parametrize("cut", [False, True], ids=["exact", "truncated"])
@pytest.mark.parametrize("length", [1, 2, 17])
def test_gradients_and_error_signals_are_those_of_autograd(model, cut, length):
    theta, x, targets, mask = problem(model, length)
    leaf = torch.tensor(theta, requires_grad=True)
    loss, signals = run(model, leaf, *(torch.tensor(array) for array in (x, targets, mask)), cut)
    loss.backward()
    for method in METHODS:
        if (method == "truncated") == cut:
            result = model.gradient(theta, x, targets, mask, method=method)
            assert relative_error(result.loss, loss.item()) <= TOLERANCE
            assert relative_error(result.gradient, leaf.grad.numpy()) <= TOLERANCE
    ours = model.error_signals(theta, x, targets, mask, method="truncated" if cut else "bptt")
    for name, values in signals.items():
        grads = [torch.zeros_like(value) if value.grad is None else value.grad for value in values]
        assert relative_error(getattr(ours, name)[1:], torch.stack(grads).numpy()) <= TOLERANCE, name


@pytest.mark.parametrize("sources", SOURCES)
def test_truncated_and_exact_differ_where_there_is_something_to_cut(sources):
    model = PeepholeLSTM(2, 2, 2, 2, sources=sources)
    theta, x, targets, mask = problem(model, 17)
    truncated, exact = (model.gradient(theta, x, targets, mask, method=method).gradient for method in METHODS[:2])
    assert relative_error(truncated, exact) > 1e-3
