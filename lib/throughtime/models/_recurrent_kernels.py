"""The loops of the fully recurrent network, compiled where Numba is at hand.

A row of ``source`` is [x(t); y(t)], the inputs of all units at time t; ``net`` is z and ``act`` is y. Indices,
from zero: k and i unit, l unit one step earlier, j component of the source. Row t of an array holds time t
unless the rows form a ring, where time t lives in row t % rows.
"""

from math import nan

import numpy as np

from throughtime.models._activate import activate, slope
from throughtime.models._jit import kernel
from throughtime.models._linalg import add_multiple, add_outer, finite, multiply, output_error

# ---------------------------------------------------------------- forward


@kernel
def advance(codes, weights, source, net, act):
    """One step: z(t+1) = W . source(t), y(t+1) = f(z(t+1)) (bptt-forward)."""
    multiply(weights, source, net)
    for i in range(len(codes)):
        act[i] = activate(codes[i], net[i])


@kernel
def forward(codes, weights, source, net):
    """Fill rows 1 to T of ``net`` and of the outputs in ``source``, which holds the inputs already."""
    n_in = source.shape[1] - len(codes)
    for t in range(len(source) - 1):
        advance(codes, weights, source[t], net[t + 1], source[t + 1, n_in:])


# ---------------------------------------------------------------- backward through time


@kernel
def error_signals(codes, weights, net, error, by_net, by_act):
    """Fill dL/dz(t) and dL/dy(t) from the last step to the first; ``error`` is the immediate dL/dy(t).

    ``by_act`` comes as zeros. Its row t receives what later steps say of y(t) before row t is completed.
    """
    recurrent = weights[:, weights.shape[1] - len(codes) :]
    for t in range(len(net) - 1, 0, -1):
        for i in range(len(codes)):
            by_act[t, i] += error[t, i]
            by_net[t, i] = slope(codes[i], net[t, i]) * by_act[t, i]
        multiply(recurrent.T, by_net[t], by_act[t - 1])


@kernel
def add_weight_gradient(by_net, source, gradient):
    """Add the sum over t of dL/dz_i(t+1) source_j(t), that is dL/dW."""
    for t in range(len(source) - 1):
        add_outer(by_net[t + 1], source[t], gradient)


# ---------------------------------------------------------------- forward recursion: real-time recurrent learning


@kernel
def advance_sensitivities(codes, weights, source, net, before, now):
    """now[k, i, j] = dy_k(t+1)/dW_ij from before[l, i, j] = dy_l(t)/dW_ij; ``net`` is z(t+1).

    dy_k(t+1)/dW_ij = f'(z_k(t+1)) (sum over l of W_kl dy_l(t)/dW_ij + [k = i] source_j(t))
    """
    n_in = len(source) - len(codes)
    for k in range(len(codes)):
        now[k] = 0.0
        now[k, k] = source
        for l in range(len(codes)):
            add_multiple(weights[k, n_in + l], before[l], now[k])
        now[k] *= slope(codes[k], net[k])


# ---------------------------------------------------------------- both ways while the network runs


@kernel
def go_back(codes, weights, t, window, source, net, error, gradient):
    """Add the gradient of the loss of step t+1 through its last ``window`` + 1 net inputs; ``error`` is overwritten."""
    rows, recurrent = len(source), weights[:, weights.shape[1] - len(codes) :]
    delta = np.zeros(len(codes))
    for lag in range(min(window, t) + 1):
        earlier, later = (t - lag) % rows, (t - lag + 1) % rows
        for i in range(len(codes)):
            delta[i] = slope(codes[i], net[later, i]) * error[i]
        add_outer(delta, source[earlier], gradient)
        multiply(recurrent.T, delta, error)


@kernel
def run_online(codes, weights, x, targets, mask, time, source, net, p, gradient):
    """Take steps time+1, time+2, ... on the rows of x; add to ``gradient``, return the added loss, NaN on overflow.

    ``source``, ``net`` and p are rings of a few rows, so the memory is the same however long the sequence. p holds
    dy_k/dW_ij. If it is empty, the error of each step goes back instead, through all rows: the step, the window, and
    what the earliest net input was made of.
    """
    n_in, rows = x.shape[1], len(source)
    error = np.zeros(len(codes))
    loss = 0.0
    for n in range(len(x)):
        t = time + n
        before, now = t % rows, (t + 1) % rows
        source[before, :n_in] = x[n]
        advance(codes, weights, source[before], net[now], source[now, n_in:])
        if not finite(net[now]):
            return nan
        loss += output_error(source[now, n_in:], targets[n], mask[n], error)
        if len(p) > 0:
            advance_sensitivities(codes, weights, source[before], net[now], p[before], p[now])
            for k in range(len(codes)):
                if mask[n, k] == 1.0:
                    add_multiple(error[k], p[now, k], gradient)
        elif mask[n].any():
            go_back(codes, weights, t, rows - 2, source, net, error, gradient)
    return loss
