"""Elman and Jordan networks against PyTorch's autograd, in float64; the truncation is ``detach`` of the context.

An Elman network's hidden layer is torch.nn.RNN, whose two biases count as one.
"""

import numpy as np
import pytest
import torch
from throughtime.checks import relative_error
from throughtime.models.activations import ACTIVATIONS, logistic, tanh
from throughtime.models.simple_recurrent import Elman, Jordan

TOLERANCE = 1e-12

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: torch.tanh(z / 2),
    "twice_tanh_half": lambda z: 4 * torch.sigmoid(z) - 2,
}

MODELS = [
    *(cls(1, 1, 1, f, f) for cls in (Elman, Jordan) for f in ACTIVATIONS.values()),
    *(cls(2, 4, 3, tanh, logistic, start) for cls in (Elman, Jordan) for start in (0.0, 0.5)),
    Elman(0, 3, 2),
    Jordan(0, 3, 2),
]
ids = [f"{type(m).__name__}-{m.n_in}-{m.hidden}-{m.n_out}-{m.f_hid.name}-{m.start}" for m in MODELS]


def problem(model, length):
    rng = np.random.default_rng(length)
    theta, x = model.init(rng, 0.9), rng.normal(size=(3, length, model.n_in))
    shape = (3, length, model.n_out)
    return theta, x, rng.normal(size=shape), rng.integers(0, 2, shape)


def loss_of(model, theta, x, targets, mask, truncated):
    parts = [model.layout.slice(name) for name in ("v", "w")]
    v, w = (theta[part].reshape(model.layout.shapes[name]) for part, name in zip(parts, ("v", "w"), strict=True))
    one = torch.ones(len(x), 1, dtype=torch.float64)
    context = torch.full((len(x), model.n_context), model.start, dtype=torch.float64)
    loss = 0.0
    for t in range(x.shape[1]):
        f = FUNCTIONS[model.f_hid.name](torch.cat([one, x[:, t], context], dim=1) @ v)
        g = FUNCTIONS[model.f_out.name](torch.cat([one, f], dim=1) @ w)
        loss = loss + (mask[:, t] * (g - targets[:, t]) ** 2).sum() / 2
        context = g if isinstance(model, Jordan) else f
        context = context.detach() if truncated else context
    return loss


@pytest.mark.parametrize("model", MODELS, ids=ids)
@pytest.mark.parametrize("length", [1, 2, 15])
def test_gradients_are_those_of_autograd(model, length):
    given = problem(model, length)
    tensors = [torch.tensor(values) for values in given[1:]]
    for method in ("bptt", "rtrl", "truncated"):
        leaf = torch.tensor(given[0], requires_grad=True)
        loss = loss_of(model, leaf, *tensors, truncated=method == "truncated")
        loss.backward()
        result = model.gradient(*given, method=method)
        assert relative_error(result.loss, loss.item()) <= TOLERANCE
        assert relative_error(result.gradient, leaf.grad.numpy()) <= TOLERANCE


def test_elman_is_torch_nn_rnn_with_a_linear_read_out():
    model = Elman(2, 4, 3, tanh, ACTIVATIONS["identity"])
    theta, x, targets, mask = problem(model, 9)
    v, w = model.layout.views(theta).values()
    rnn = torch.nn.RNN(2, 4, batch_first=True, dtype=torch.float64)
    read_out = torch.nn.Linear(4, 3, dtype=torch.float64)
    with torch.no_grad():
        rnn.bias_ih_l0[:] = torch.tensor(v[0])
        rnn.bias_hh_l0[:] = 0.0
        rnn.weight_ih_l0[:] = torch.tensor(v[1:3].T)
        rnn.weight_hh_l0[:] = torch.tensor(v[3:].T)
        read_out.bias[:] = torch.tensor(w[0])
        read_out.weight[:] = torch.tensor(w[1:].T)
    g = read_out(rnn(torch.tensor(x))[0])
    (torch.tensor(mask) * (g - torch.tensor(targets)) ** 2).sum().div(2).backward()
    expected = model.layout.flatten(
        {
            "v": np.vstack([rnn.bias_hh_l0.grad, rnn.weight_ih_l0.grad.T, rnn.weight_hh_l0.grad.T]),
            "w": np.vstack([read_out.bias.grad, read_out.weight.grad.T]),
        }
    )
    assert relative_error(model.forward(theta, x).g[:, 1:], g.detach().numpy()) <= TOLERANCE
    assert relative_error(model.gradient(theta, x, targets, mask).gradient, expected) <= TOLERANCE
