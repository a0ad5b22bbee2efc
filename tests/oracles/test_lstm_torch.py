"""Both LSTMs against PyTorch's autograd of forward passes written for them, in float64.

Truncation is ``detach``, applied to what gates, cells and hidden units read of the step before and to every state that
a gate sees.
"""

import numpy as np
import pytest
import torch
from throughtime.checks import relative_error
from throughtime.models.activations import ACTIVATIONS, identity, tanh
from throughtime.models.lstm import METHODS
from throughtime.models.lstm1997 import LSTM1997, TIMINGS
from throughtime.models.peephole import FEEDBACK, PeepholeLSTM

TOLERANCE = 1e-12

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: 2 * torch.sigmoid(z) - 1,
    "twice_tanh_half": lambda z: 4 * torch.sigmoid(z) - 2,
}

MODELS = [LSTM1997(1, 1, 1, 1, timing=timing, bias=bias) for timing in TIMINGS for bias in (False, True, ["ig", "og"])]
MODELS += [LSTM1997(2, 3, 2, 2, 2, timing=timing, bias=True) for timing in TIMINGS]
MODELS += [LSTM1997(0, 2, 1, 2, 1, timing=timing, bias=["cell"]) for timing in TIMINGS]
MODELS += [
    LSTM1997(3, 2, 3, 2, 2, timing=timing, bias=["hid", "out"], g=tanh, h=f, f_hid=tanh, f_out=identity)
    for timing in TIMINGS
    for f in ACTIVATIONS.values()
]

PEEPHOLES = (True, False, ["og"], ["fg", "ig"])
MODELS += [PeepholeLSTM(1, 1, 1, 1, feedback=feedback, peepholes=p) for feedback in FEEDBACK for p in PEEPHOLES]
MODELS += [PeepholeLSTM(2, 3, 2, 2, feedback=feedback, bias=True) for feedback in FEEDBACK]
MODELS += [PeepholeLSTM(0, 2, 1, 2, feedback=feedback, bias=["cell"]) for feedback in FEEDBACK]
MODELS += [PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity)]  # the experiments' net
MODELS += [
    PeepholeLSTM(3, 2, 3, 2, feedback=feedback, direct=False, bias=["fg", "out"], g=tanh, h=f, f_out=identity)
    for feedback in FEEDBACK
    for f in ACTIVATIONS.values()
]
every_model = pytest.mark.parametrize("model", MODELS, ids=range(len(MODELS)))


def problem(model, length):
    rng = np.random.default_rng(length)
    theta, x = model.layout.uniform(rng, 0.9), rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.n_out))
    mask = rng.integers(0, 2, (length, model.n_out))
    mask[-1, 0] = 1
    return theta, x, targets, mask


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


@every_model
@pytest.mark.parametrize("cut", [False, True], ids=["exact", "truncated"])
@pytest.mark.parametrize("length", [1, 2, 17])
def test_gradients_and_error_signals_are_those_of_autograd(model, cut, length):
    theta, x, targets, mask = problem(model, length)
    leaf = torch.tensor(theta, requires_grad=True)
    run = run_1997 if isinstance(model, LSTM1997) else run_2002
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


DIFFERENT = [LSTM1997(2, 2, 2, 2, 2, timing=timing) for timing in TIMINGS]
DIFFERENT += [PeepholeLSTM(2, 2, 2, 2, feedback=feedback) for feedback in FEEDBACK]


@pytest.mark.parametrize("model", DIFFERENT, ids=[*TIMINGS, *FEEDBACK])
def test_truncated_and_exact_differ_where_there_is_something_to_cut(model):
    theta, x, targets, mask = problem(model, 17)
    truncated, exact = (model.gradient(theta, x, targets, mask, method=method).gradient for method in METHODS[:2])
    assert relative_error(truncated, exact) > 1e-3
