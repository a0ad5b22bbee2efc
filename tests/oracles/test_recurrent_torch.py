"""The fully recurrent network against PyTorch's autograd of a forward pass written for it, in float64.

Truncation is ``detach``: the loss of each step runs a graph of its own from a detached state of the past.
"""

import numpy as np
import pytest
import torch
from throughtime.checks import relative_error
from throughtime.models.activations import ACTIVATIONS, tanh
from throughtime.models.recurrent import FullyRecurrent

TOLERANCE = 1e-12

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: torch.tanh(z / 2),
    "twice_tanh_half": lambda z: 4 * torch.sigmoid(z) - 2,
}

MODELS = [
    *(FullyRecurrent(1, 1, f) for f in ACTIVATIONS.values()),
    *(FullyRecurrent(2, 3, f) for f in ACTIVATIONS.values()),
    FullyRecurrent(0, 2, list(ACTIVATIONS.values())[1:3]),
    FullyRecurrent(4, 5, list(ACTIVATIONS.values())),
]
ids = [f"{m.n_in}-{m.n_out}-{'-'.join(dict.fromkeys(f.name for f in m.activation))}" for m in MODELS]
every_model = pytest.mark.parametrize("model", MODELS, ids=ids)
every_length = pytest.mark.parametrize("length", [1, 2, 17])


def problem(model, length):
    rng = np.random.default_rng(length)
    theta, x = model.init(rng, 0.9), rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.n_out))
    mask = rng.integers(0, 2, (length, model.n_out))
    mask[-1, 0] = 1
    return theta, x, targets, mask


def activate(model, z):
    return torch.stack([FUNCTIONS[f.name](z_i) for f, z_i in zip(model.activation, z.unbind(), strict=True)])


def run(model, theta, x, y):
    """Net inputs and activations of all steps from the state y on, as lists; each keeps its gradient."""
    w_in, w_rec = theta.reshape(model.n_out, -1).split([model.n_in, model.n_out], dim=1)
    zs, ys = [], []
    for x_t in x:
        z = w_in @ x_t + w_rec @ y
        y = activate(model, z)
        zs.append(z)
        ys.append(y)
        for quantity in (z, y):
            quantity.retain_grad()
    return zs, ys


def loss_of(ys, targets, mask):
    return sum((m * (y - d) ** 2).sum() / 2 for y, d, m in zip(ys, targets, mask, strict=True))


@every_model
@every_length
def test_exact_gradients_and_error_signals_are_those_of_autograd(model, length):
    theta, x, targets, mask = problem(model, length)
    leaf = torch.tensor(theta, requires_grad=True)
    start = torch.zeros(model.n_out, dtype=torch.float64, requires_grad=True)
    zs, ys = run(model, leaf, torch.tensor(x), start)
    loss = loss_of(ys, torch.tensor(targets), torch.tensor(mask))
    loss.backward()
    for method in ("bptt", "rtrl"):
        result = model.gradient(theta, x, targets, mask, method=method)
        assert relative_error(result.loss, loss.item()) <= TOLERANCE
        assert relative_error(result.gradient, leaf.grad.numpy()) <= TOLERANCE
    signals = model.error_signals(theta, x, targets, mask)
    by_z = torch.stack([torch.zeros_like(start), *(z.grad for z in zs)])
    by_y = torch.stack([start.grad, *(y.grad for y in ys)])
    assert relative_error(signals.z, by_z.numpy()) <= TOLERANCE
    assert relative_error(signals.y, by_y.numpy()) <= TOLERANCE


@every_model
@every_length
@pytest.mark.parametrize("window", [0, 1, 4, 20])
def test_truncated_gradient_is_that_of_detached_states(model, length, window):
    theta, x, targets, mask = problem(model, length)
    leaf = torch.tensor(theta, requires_grad=True)
    inputs, goal, counts = torch.tensor(x), torch.tensor(targets), torch.tensor(mask)
    zero = torch.zeros(model.n_out, dtype=torch.float64)
    states = [zero, *(y.detach() for y in run(model, leaf, inputs, zero)[1])]
    total = 0.0
    for t in range(1, length + 1):
        start = max(0, t - window - 1)
        ys = run(model, leaf, inputs[start:t], states[start])[1]
        loss = loss_of(ys[-1:], goal[t - 1 : t], counts[t - 1 : t])
        loss.backward()
        total += loss.item()
    result = model.gradient(theta, x, targets, mask, method="truncated", window=window)
    assert relative_error(result.loss, total) <= TOLERANCE
    assert relative_error(result.gradient, leaf.grad.numpy()) <= TOLERANCE


def test_error_flow_is_the_jacobian_of_autograd():
    model = FullyRecurrent(2, 3, [tanh, *list(ACTIVATIONS.values())[:2]])
    theta, x, _, _ = problem(model, 9)
    zero = torch.zeros(model.n_out, dtype=torch.float64)
    zs, _ = run(model, torch.tensor(theta, requires_grad=True), torch.tensor(x), zero)
    for t in range(1, 10):
        for s in range(1, t + 1):
            rows = [torch.autograd.grad(z, zs[s - 1], retain_graph=True)[0] for z in zs[t - 1]]
            assert relative_error(model.error_flow(theta, x, t, s), torch.stack(rows).numpy()) <= TOLERANCE
