"""The PyTorch code that the book's page on libraries includes: it runs, and computes what the page says."""

import contextlib
import importlib.util
import io
from pathlib import Path

import numpy as np
import pytest
import torch
from throughtime.checks import relative_error
from throughtime.models.activations import identity, tanh
from throughtime.models.peephole import GATES, PeepholeLSTM
from throughtime_book.peephole.libraries.numbers import ORDER, library_lstm, to_library

SNIPPETS = Path(__file__).parent / "snippets"
TOLERANCE = 1e-12


def snippet(name):
    """A file of the snippets as a module, and what it prints."""
    spec = importlib.util.spec_from_file_location(name, SNIPPETS / f"{name}.py")
    module, said = importlib.util.module_from_spec(spec), io.StringIO()
    with contextlib.redirect_stdout(said):
        spec.loader.exec_module(module)
    return module, said.getvalue()


def test_the_stored_answer_is_what_the_installed_library_says():
    module, said = snippet("ask_for_peepholes")
    assert said == (SNIPPETS / "ask_for_peepholes.txt").read_text(encoding="utf-8")
    assert said.endswith("as without peepholes: True\n")
    assert torch.equal(module.of_c, torch.diag(torch.diag(module.of_c)))


def test_the_truncated_loss_has_the_truncated_gradient_of_the_library():
    model = library_lstm(3, 4, n_out=2)
    theta = model.init(0, scale=0.8, gate_biases={})
    arrays, rng = to_library(model, theta), np.random.default_rng(0)
    cell = torch.nn.LSTMCell(3, 4, dtype=torch.float64)
    readout = torch.nn.Linear(4, 2, bias=False, dtype=torch.float64)
    with torch.no_grad():
        for name, weight in cell.named_parameters():
            weight.copy_(torch.tensor(arrays[f"{name}_l0"]))
        readout.weight.copy_(torch.tensor(model.layout.views(theta)["w_out"]))
    x, targets = rng.normal(size=(20, 3)), rng.normal(size=(20, 2))
    module, _ = snippet("truncated_gradient")
    module.truncated_loss(cell, readout, torch.tensor(x), torch.tensor(targets)).backward()
    found = {method: model.gradient(theta, x, targets, method=method).gradient for method in ("truncated", "bptt")}
    for name in ("weight_ih", "weight_hh", "bias_ih"):
        theirs = getattr(cell, name).grad.numpy()
        assert relative_error(to_library(model, found["truncated"])[f"{name}_l0"], theirs) <= TOLERANCE
        assert relative_error(to_library(model, found["bptt"])[f"{name}_l0"], theirs) > 1e-3
    assert relative_error(model.layout.views(found["bptt"])["w_out"], readout.weight.grad.numpy()) <= TOLERANCE


@pytest.mark.parametrize(("truncate", "method"), [(False, "bptt"), (True, "truncated")])
def test_the_cell_with_peepholes_is_that_of_2002_with_its_squashing_function(truncate, method):
    kinds = {"feedback": "cells", "direct": False, "bias": ("fg", "ig", "og", "cell"), "peepholes": GATES}
    model = PeepholeLSTM(2, 3, 1, 3, **kinds, g=tanh, h=tanh, f_out=identity)
    theta = model.init(1, scale=0.8, gate_biases={})
    parts = model.layout.views(theta)
    parts["w_out"][:] = np.eye(3)
    module, _ = snippet("peephole_cell")
    cell = module.PeepholeLSTMCell(2, 3).double()
    with torch.no_grad():
        cell.read.weight.copy_(torch.tensor(np.concatenate([parts[f"w_{kind}"].reshape(3, -1) for kind in ORDER])))
        cell.read.bias.copy_(torch.tensor(np.concatenate([parts[f"b_{kind}"].ravel() for kind in ORDER])))
        cell.u.copy_(torch.tensor(np.stack([parts[f"u_{gate}"].ravel() for gate in ("ig", "fg", "og")])))
    x = np.random.default_rng(1).normal(size=(15, 2))
    h = c = torch.zeros(3, dtype=torch.float64)
    outputs = []
    for x_t in torch.tensor(x):
        h, c = cell(x_t, (h, c), truncate=truncate)
        outputs.append(h)
    outputs = torch.stack(outputs)
    assert relative_error(model.forward(theta, x).y_cell[1:, :, 0], outputs.detach().numpy()) <= TOLERANCE
    (outputs**2).sum().div(2).backward()
    ours = model.layout.views(model.gradient(theta, x, np.zeros((15, 3)), method=method).gradient)
    seen = np.stack([ours[f"u_{gate}"].ravel() for gate in ("ig", "fg", "og")])
    assert relative_error(seen, cell.u.grad.numpy()) <= TOLERANCE
    read = np.concatenate([ours[f"w_{kind}"].reshape(3, -1) for kind in ORDER])
    assert relative_error(read, cell.read.weight.grad.numpy()) <= TOLERANCE


@pytest.mark.parametrize("layers", [1, 2])
def test_the_forget_gates_start_at_the_bias_that_is_asked_for(layers):
    module, _ = snippet("open_forget_gate")
    layer = torch.nn.LSTM(2, 5, num_layers=layers)
    before = {name: weight.clone() for name, weight in layer.named_parameters()}
    module.open_forget_gates(layer, 1.0)
    for number in range(layers):
        total = getattr(layer, f"bias_ih_l{number}") + getattr(layer, f"bias_hh_l{number}")
        assert torch.equal(total[5:10], torch.ones(5))
        assert torch.equal(total[:5], before[f"bias_ih_l{number}"][:5] + before[f"bias_hh_l{number}"][:5])
