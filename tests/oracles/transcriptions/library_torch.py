"""Layers of torch.nn and torch.nn.LSTMCell with given weights, and the programs of tests/oracles/snippets."""

import types

import torch


def _filled(module, weights):
    """A module with these weights, by the names of a layer or of a cell."""
    with torch.no_grad():
        for name, weight in module.named_parameters():
            weight.copy_(torch.tensor(weights[name if name in weights else f"{name}_l0"]))
    return module


def _gradients(module):
    return {name: weight.grad.numpy() for name, weight in module.named_parameters()}


def layer(kind, weights, read, x, targets):
    """Loss, outputs and state of torch.nn.LSTM or another layer, and the exact gradient by each of its weights."""
    net = _filled(getattr(torch.nn, kind)(x.shape[1], weights["weight_hh_l0"].shape[1], dtype=torch.float64), weights)
    outputs, state = net(torch.tensor(x))
    loss = ((outputs @ torch.tensor(read).T - torch.tensor(targets)) ** 2).sum() / 2
    loss.backward()
    found = {"loss": loss.item(), "outputs": outputs.detach().numpy()} | _gradients(net)
    return found | ({"c": state[1][0].detach().numpy()} if kind == "LSTM" else {})


def program(text):
    """What a snippet of this text defines."""
    module = types.ModuleType("snippet")
    exec(text, module.__dict__)
    return module


def truncated_loss(snippet, weights, read, x, targets):
    """The gradients by the weights of a cell and of the readout under the snippet's loss."""
    units, n_in = weights["weight_hh_l0"].shape[1], x.shape[1]
    cell = _filled(torch.nn.LSTMCell(n_in, units, dtype=torch.float64), weights)
    readout = _filled(torch.nn.Linear(units, len(read), bias=False, dtype=torch.float64), {"weight": read})
    program(snippet).truncated_loss(cell, readout, torch.tensor(x), torch.tensor(targets)).backward()
    return _gradients(cell) | {"readout": readout.weight.grad.numpy()}


def peephole_cell(snippet, rows, bias, peepholes, x, truncate):
    """Outputs of the snippet's cell, and the gradients of half the sum of their squares."""
    units, n_in = peepholes.shape[1], x.shape[1]
    cell = program(snippet).PeepholeLSTMCell(n_in, units).double()
    _filled(cell, {"read.weight": rows, "read.bias": bias, "u": peepholes})
    h = c = torch.zeros(units, dtype=torch.float64)
    outputs = []
    for x_t in torch.tensor(x):
        h, c = cell(x_t, (h, c), truncate=truncate)
        outputs.append(h)
    outputs = torch.stack(outputs)
    (outputs**2).sum().div(2).backward()
    return {"outputs": outputs.detach().numpy()} | _gradients(cell)
