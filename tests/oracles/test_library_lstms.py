"""torch.nn.LSTM is the LSTM of 2000 with one cell in a block, weight for weight, and has no peepholes."""

import numpy as np
import pytest
import torch
from throughtime.checks import relative_error
from throughtime_book.peephole.libraries.numbers import from_library, library_lstm, to_library

TOLERANCE = 1e-12


def layer_and_model(n_in, units, seed):
    torch.manual_seed(seed)
    layer = torch.nn.LSTM(n_in, units, dtype=torch.float64)
    for weight in layer.parameters():
        torch.nn.init.normal_(weight, std=0.7)
    arrays = {name: weight.numpy() for name, weight in layer.state_dict().items()}
    model = library_lstm(n_in, units, n_out=2)
    return layer, model, from_library(model, arrays, np.random.default_rng(seed).normal(size=(2, units)))


@pytest.mark.parametrize(("n_in", "units"), [(1, 1), (3, 2), (2, 5)])
@pytest.mark.parametrize("length", [1, 2, 30])
def test_outputs_states_and_exact_gradients_are_those_of_the_layer(n_in, units, length):
    layer, model, theta = layer_and_model(n_in, units, seed=length)
    rng = np.random.default_rng(length)
    x, targets = rng.normal(size=(length, n_in)), rng.normal(size=(length, 2))
    read = torch.tensor(model.layout.views(theta)["w_out"])
    outputs, (h, c) = layer(torch.tensor(x))
    trace = model.forward(theta, x)
    assert relative_error(trace.y_cell[1:, :, 0], outputs.detach().numpy()) <= TOLERANCE
    assert relative_error(trace.y_cell[-1, :, 0], h[0].detach().numpy()) <= TOLERANCE
    assert relative_error(trace.s[-1, :, 0], c[0].detach().numpy()) <= TOLERANCE
    (((outputs @ read.T - torch.tensor(targets)) ** 2).sum() / 2).backward()
    for method in ("bptt", "rtrl"):
        mapped = to_library(model, model.gradient(theta, x, targets, method=method).gradient)
        for name, weight in layer.named_parameters():
            ours = mapped["bias_ih_l0" if name == "bias_hh_l0" else name]  # both biases are added: one derivative
            assert relative_error(ours, weight.grad.numpy()) <= TOLERANCE, (method, name)


@pytest.mark.parametrize("length", [1, 2, 30])
def test_a_cell_that_is_given_its_outputs_detached_has_the_truncated_gradient(length):
    _, model, theta = layer_and_model(3, 4, seed=length)
    cell = torch.nn.LSTMCell(3, 4, dtype=torch.float64)
    arrays = to_library(model, theta)
    with torch.no_grad():
        for name, weight in cell.named_parameters():
            weight.copy_(torch.tensor(arrays[f"{name}_l0"]))
    rng = np.random.default_rng(length)
    x, targets = rng.normal(size=(length, 3)), rng.normal(size=(length, 2))
    read = torch.tensor(model.layout.views(theta)["w_out"])
    h = c = torch.zeros(4, dtype=torch.float64)
    loss = 0.0
    for x_t, target in zip(torch.tensor(x), torch.tensor(targets), strict=True):
        h, c = cell(x_t, (h.detach(), c))
        loss = loss + ((read @ h - target) ** 2).sum() / 2
    loss.backward()
    ours, exact = (model.gradient(theta, x, targets, method=method).gradient for method in ("truncated", "bptt"))
    for name, weight in cell.named_parameters():
        mapped = to_library(model, ours)["bias_ih_l0" if name == "bias_hh" else f"{name}_l0"]
        assert relative_error(mapped, weight.grad.numpy()) <= TOLERANCE, name
    assert (relative_error(ours, exact) > 1e-3) == (length > 1)


def test_one_of_the_two_biases_is_redundant():
    layer, _, _ = layer_and_model(2, 3, seed=0)
    x = torch.tensor(np.random.default_rng(0).normal(size=(9, 2)))
    expected = layer(x)[0].detach().numpy()
    with torch.no_grad():
        layer.bias_ih_l0 += layer.bias_hh_l0
        layer.bias_hh_l0.zero_()
    assert relative_error(layer(x)[0].detach().numpy(), expected) <= TOLERANCE


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.LSTMCell])
def test_the_state_reaches_the_gates_through_the_cell_outputs_alone(kind):
    """With h(t-1) given, c(t-1) changes c(t) by the forget gate and nothing else: df/dc = di/dc = 0."""
    torch.manual_seed(1)
    cell = kind(2, 3, dtype=torch.float64)
    x, h = torch.randn(1, 2, dtype=torch.float64), torch.randn(1, 3, dtype=torch.float64)

    def state(c):
        if kind is torch.nn.LSTMCell:
            return cell(x, (h, c))[1][0]
        return cell(x, (h, c))[1][1][0]

    c = torch.randn(1, 3, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(state, c)[:, 0]
    w = {name.removesuffix("_l0"): weight for name, weight in cell.named_parameters()}
    net = w["weight_ih"] @ x[0] + w["weight_hh"] @ h[0] + w["bias_ih"] + w["bias_hh"]
    assert relative_error(jacobian.detach().numpy(), np.diag(torch.sigmoid(net[3:6]).detach().numpy())) <= TOLERANCE


@pytest.mark.parametrize("projected", [0, 2])
def test_no_weight_of_the_layer_is_a_peephole(projected):
    """Four gates of units read inputs and (projected) cell outputs; with a projection there is its matrix besides."""
    layer = torch.nn.LSTM(4, 3, proj_size=projected)
    read = projected or 3
    shapes = {"weight_ih_l0": (12, 4), "weight_hh_l0": (12, read), "bias_ih_l0": (12,), "bias_hh_l0": (12,)}
    shapes |= {"weight_hr_l0": (2, 3)} if projected else {}
    assert {name: tuple(weight.shape) for name, weight in layer.named_parameters()} == shapes
