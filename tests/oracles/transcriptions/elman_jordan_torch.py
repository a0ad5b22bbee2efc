"""Elman and Jordan networks in PyTorch, in float64; the truncation is ``detach`` of the context."""

import numpy as np
import torch
from throughtime.textbook.simple_recurrent import Jordan

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: torch.tanh(z / 2),
    "twice_tanh_half": lambda z: 4 * torch.sigmoid(z) - 2,
}


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


def gradients(model, theta, x, targets, mask, truncated):
    """Loss and gradient."""
    leaf = torch.tensor(theta, requires_grad=True)
    loss = loss_of(model, leaf, *(torch.tensor(values) for values in (x, targets, mask)), truncated)
    loss.backward()
    return {"loss": loss.item(), "gradient": leaf.grad.numpy()}


def layer(v, w, x, targets, mask):
    """torch.nn.RNN with a linear read-out: outputs, and the gradients in the shapes of v and w."""
    n_in, hidden = x.shape[-1], v.shape[1]
    rnn = torch.nn.RNN(n_in, hidden, batch_first=True, dtype=torch.float64)
    read_out = torch.nn.Linear(hidden, w.shape[1], dtype=torch.float64)
    with torch.no_grad():
        rnn.bias_ih_l0[:] = torch.tensor(v[0])
        rnn.bias_hh_l0[:] = 0.0
        rnn.weight_ih_l0[:] = torch.tensor(v[1 : 1 + n_in].T)
        rnn.weight_hh_l0[:] = torch.tensor(v[1 + n_in :].T)
        read_out.bias[:] = torch.tensor(w[0])
        read_out.weight[:] = torch.tensor(w[1:].T)
    g = read_out(rnn(torch.tensor(x))[0])
    (torch.tensor(mask) * (g - torch.tensor(targets)) ** 2).sum().div(2).backward()
    by_v = np.vstack([rnn.bias_hh_l0.grad, rnn.weight_ih_l0.grad.T, rnn.weight_hh_l0.grad.T])
    by_w = np.vstack([read_out.bias.grad, read_out.weight.grad.T])
    return {"outputs": g.detach().numpy(), "gradient": np.concatenate([by_v.ravel(), by_w.ravel()])}
