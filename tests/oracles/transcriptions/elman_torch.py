"""torch.nn.RNN with a linear read-out, in float64."""

import numpy as np
import torch


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
