"""The loops of Elman and Jordan networks, compiled where Numba is at hand.

Indices, from zero: k hidden unit, j output unit, c context unit, r row of a weight matrix. A row of
``source`` is [1; x(t); context(t)] and one of ``hidden`` is [1; f(t)], at one time; the context of time t
is f(t-1), or g(t-1) if ``jordan``. Row t of an array holds time t; nothing but the first context is
read from row 0.
"""

from math import nan

import numpy as np

from throughtime.models._activate import activate, slope
from throughtime.models._jit import kernel
from throughtime.models._linalg import add_outer, finite, multiply, output_error

# ---------------------------------------------------------------- forward


@kernel
def forward(codes, jordan, v, w, source, net_f, hidden, net_g, g):
    """Fill the rows 1 to T of one sequence; ``source`` holds ones and inputs already, ``hidden`` its ones."""
    first = len(v) - (g if jordan else net_f).shape[1]
    for t in range(1, len(source)):
        for c in range(len(v) - first):
            source[t, first + c] = g[t - 1, c] if jordan else hidden[t - 1, 1 + c]  # rnn-2, rnn-9
        multiply(v.T, source[t], net_f[t])  # rnn-3, rnn-10
        for k in range(net_f.shape[1]):
            hidden[t, 1 + k] = activate(codes[0], net_f[t, k])  # rnn-4, rnn-11
        multiply(w.T, hidden[t], net_g[t])  # rnn-6, rnn-13
        for j in range(g.shape[1]):
            g[t, j] = activate(codes[1], net_g[t, j])  # rnn-7, rnn-14


# ---------------------------------------------------------------- backward through time


@kernel
def backward(codes, jordan, truncated, v, w, source, net_f, hidden, net_g, error, gradient_v, gradient_w):
    """Add one sequence's dL/dv and dL/dw. ``error`` is the immediate dL/dg(t).

    ``truncated`` stops the error where it would enter the context: the context then counts as an input.
    """
    inner, outer = net_f.shape[1], net_g.shape[1]
    context = outer if jordan else inner
    first = len(v) - context
    fed = np.zeros(context)  # dL/dcontext(t+1), what later steps say of this step's context
    by_net_g, by_hidden = np.zeros(outer), np.zeros(1 + inner)
    by_net_f, by_source = np.zeros(inner), np.zeros(len(v))
    for t in range(len(source) - 1, 0, -1):
        for j in range(outer):
            by_g = error[t, j] + (fed[j] if jordan else 0.0)
            by_net_g[j] = slope(codes[1], net_g[t, j]) * by_g
        add_outer(hidden[t], by_net_g, gradient_w)
        multiply(w, by_net_g, by_hidden)
        for k in range(inner):
            by_f = by_hidden[1 + k] + (0.0 if jordan else fed[k])
            by_net_f[k] = slope(codes[0], net_f[t, k]) * by_f
        add_outer(source[t], by_net_f, gradient_v)
        if not truncated:
            multiply(v, by_net_f, by_source)
            fed[:] = by_source[first:]


# ---------------------------------------------------------------- forward recursion: real-time recurrent learning


@kernel
def sensitivities(code, weights, first, offset, before, source, net, now):
    """now[i, p] = d activation_i / d theta_p, from before[c, p] of what the rows ``first`` on of ``weights`` read.

    offset is where ``weights`` begins in theta; its rows before ``first`` read what depends on no parameter.
    """
    units = weights.shape[1]
    for i in range(units):
        now[i] = 0.0
        for c in range(len(weights) - first):
            for p in range(now.shape[1]):
                now[i, p] += weights[first + c, i] * before[c, p]
        for r in range(len(weights)):
            now[i, offset + r * units + i] += source[r]
        now[i] *= slope(code, net[i])


@kernel
def online(codes, jordan, v, w, source, net_f, hidden, net_g, error, context, gradient):
    """Add one sequence's gradient with respect to all parameters, v row by row and then w, without going back in time.

    ``context`` holds the derivatives of the first context, and then those of the context after the last step.
    """
    by_f, by_g = np.zeros((net_f.shape[1], len(gradient))), np.zeros((net_g.shape[1], len(gradient)))
    for t in range(1, len(source)):
        sensitivities(codes[0], v, len(v) - len(context), 0, context, source[t], net_f[t], by_f)
        sensitivities(codes[1], w, 1, v.size, by_f, hidden[t], net_g[t], by_g)
        context[:] = by_g if jordan else by_f
        for j in range(len(by_g)):
            for p in range(len(gradient)):
                gradient[p] += error[t, j] * by_g[j, p]


@kernel
def run_online(codes, jordan, v, w, x, targets, mask, source, net_f, hidden, net_g, g, context, gradient):
    """Take a step on each row of x; add to ``gradient`` and return the added loss, NaN where a net input overflows.

    The states have two rows, the previous step and the present one. An empty ``context`` makes the context an input.
    """
    by_v, by_w = gradient[: v.size].reshape(v.shape), gradient[v.size :].reshape(w.shape)
    error = np.zeros_like(g)
    loss = 0.0
    for n in range(len(x)):
        source[1, 1 : 1 + x.shape[1]] = x[n]
        forward(codes, jordan, v, w, source, net_f, hidden, net_g, g)
        if not (finite(net_f[1]) and finite(net_g[1])):
            return nan
        loss += output_error(g[1], targets[n], mask[n], error[1])
        if len(context) > 0:
            online(codes, jordan, v, w, source, net_f, hidden, net_g, error, context, gradient)
        else:
            backward(codes, jordan, True, v, w, source, net_f, hidden, net_g, error, by_v, by_w)
        hidden[0], g[0] = hidden[1], g[1]
    return loss
