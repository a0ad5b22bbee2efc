"""The loops of Elman and Jordan networks over a batch, compiled where Numba is at hand.

Indices, from zero: n sequence, k hidden unit, j output unit, c context unit, r row of a weight matrix. A row of
``source`` is [1; x(t); context(t)] and one of ``hidden`` is [1; f(t)], of one sequence at one time; the context
of time t is f(t-1), or g(t-1) if ``jordan``. Row t of an array holds time t; nothing but the first context is
read from row 0.
"""

import numpy as np

from ._jit import kernel
from ._lfmn_kernels import add_outer, multiply
from .activations import activate, slope

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


@kernel
def forward_batch(codes, jordan, v, w, source, net_f, hidden, net_g, g):
    """``forward`` for each sequence."""
    for n in range(len(source)):
        forward(codes, jordan, v, w, source[n], net_f[n], hidden[n], net_g[n], g[n])


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


@kernel
def backward_batch(codes, jordan, truncated, v, w, source, net_f, hidden, net_g, error, gradient_v, gradient_w):
    """``backward`` for each sequence."""
    for n in range(len(source)):
        backward(
            codes, jordan, truncated, v, w, source[n], net_f[n], hidden[n], net_g[n], error[n], gradient_v, gradient_w
        )


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
def online(codes, jordan, v, w, source, net_f, hidden, net_g, error, gradient):
    """Add one sequence's gradient by all parameters, v row by row and then w, without going back in time."""
    by_f, by_g = np.zeros((net_f.shape[1], len(gradient))), np.zeros((net_g.shape[1], len(gradient)))
    context = np.zeros_like(by_g if jordan else by_f)
    for t in range(1, len(source)):
        sensitivities(codes[0], v, len(v) - len(context), 0, context, source[t], net_f[t], by_f)
        sensitivities(codes[1], w, 1, v.size, by_f, hidden[t], net_g[t], by_g)
        context[:] = by_g if jordan else by_f
        for j in range(len(by_g)):
            for p in range(len(gradient)):
                gradient[p] += error[t, j] * by_g[j, p]


@kernel
def online_batch(codes, jordan, v, w, source, net_f, hidden, net_g, error, gradient):
    """``online`` for each sequence."""
    for n in range(len(source)):
        online(codes, jordan, v, w, source[n], net_f[n], hidden[n], net_g[n], error[n], gradient)
