"""What torch.nn.LSTM and torch.nn.LSTMCell are by themselves: two biases for one, and no peepholes."""

import numpy as np
import pytest
import torch
from throughtime.checks import relative_error

TOLERANCE = 1e-12


def test_one_of_the_two_biases_is_redundant():
    torch.manual_seed(0)
    layer = torch.nn.LSTM(2, 3, dtype=torch.float64)
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
