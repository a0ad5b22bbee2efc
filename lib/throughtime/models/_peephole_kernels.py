"""The loops of the LSTM with forget gates and peepholes, compiled where Numba is at hand.

Units: forget gates, input gates, output gates, cells; cell c = k cells + i is cell i of block k. A ``source``
is [x(t); the activations at t-1 that are read; 1], and a row of weights has behind it, with peepholes, as many
columns as a block has cells: what a gate sees of the states of its own block. ``read`` is [x(t) if it is read;
cells at t; 1], what an output reads. Indices, from zero: u unit, k block, i cell of a block, c cell of all,
q column of a row, l activation that is read. Row t of an array holds time t.
"""

from typing import NamedTuple

import numpy as np

from ._jit import kernel
from ._lfmn_kernels import add_outer, multiply
from ._lstm1997_kernels import add_transposed
from ._recurrent_kernels import add_multiple, output_error
from .activations import activate, slope


class Architecture(NamedTuple):
    """Sizes, the index of the first unit of each kind, and the numbers of the activations."""

    n_in: int
    blocks: int
    cells: int  # of one block
    seen: int  # as many states does a gate see: those of its block, or none
    ig: int  # as many forget gates come before
    og: int
    cell: int
    units: int
    first_read: int  # the first unit that gates and cells read: 0, or the first cell
    out_n_in: int  # as many inputs are read by an output
    f: int
    g: int
    h: int
    f_out: int


# ---------------------------------------------------------------- forward


@kernel
def look(lstm, weights, s, first, end, net):
    """Add to the net inputs of the gates from ``first`` to ``end`` what they see of their block's states."""
    peephole = weights.shape[1] - lstm.seen
    for u in range(first, end):
        own = (u % lstm.blocks) * lstm.cells
        for i in range(lstm.seen):
            net[u] += weights[u, peephole + i] * s[own + i]


@kernel
def advance(lstm, weights, source, s_before, net, s, act):
    """net(t), s(t) and act(t) from source(t) and s(t-1); output gates after the states (peephole-1 to 4, 13, 14)."""
    multiply(weights[:, : len(source)], source, net)
    look(lstm, weights, s_before, 0, lstm.og, net)
    for u in range(lstm.og):
        act[u] = activate(lstm.f, net[u])
    for c in range(lstm.units - lstm.cell):
        k = c // lstm.cells
        s[c] = act[k] * s_before[c] + act[lstm.ig + k] * activate(lstm.g, net[lstm.cell + c])
    look(lstm, weights, s, lstm.og, lstm.cell, net)
    for u in range(lstm.og, lstm.cell):
        act[u] = activate(lstm.f, net[u])
    for c in range(lstm.units - lstm.cell):
        act[lstm.cell + c] = act[lstm.og + c // lstm.cells] * activate(lstm.h, s[c])


@kernel
def read_out(lstm, out_weights, x, act, read, net_out, y):
    """Outputs from the cells of the same step, and from its inputs where they are read (peephole-5)."""
    read[: lstm.out_n_in] = x[: lstm.out_n_in]
    read[lstm.out_n_in : len(read) - 1] = act[lstm.cell :]
    read[len(read) - 1] = 1.0
    multiply(out_weights, read, net_out)
    for i in range(len(y)):
        y[i] = activate(lstm.f_out, net_out[i])


@kernel
def forward(lstm, weights, out_weights, source, net, s, act, read, net_out, y):
    """Fill rows 1 to T of all arrays; ``source`` holds inputs and ones already."""
    for t in range(1, len(net)):
        source[t, lstm.n_in : source.shape[1] - 1] = act[t - 1, lstm.first_read :]
        advance(lstm, weights, source[t], s[t - 1], net[t], s[t], act[t])
        read_out(lstm, out_weights, source[t, : lstm.n_in], act[t], read[t], net_out[t], y[t])


# ---------------------------------------------------------------- backward through time


@kernel
def add_seen(lstm, weights, by_net, first, end, by_s):
    """Add to dL/ds what the gates from ``first`` to ``end`` say of the states that they see."""
    peephole = weights.shape[1] - lstm.seen
    for u in range(first, end):
        own = (u % lstm.blocks) * lstm.cells
        for i in range(lstm.seen):
            by_s[own + i] += weights[u, peephole + i] * by_net[u]


@kernel
def units_backward(lstm, weights, net, s_before, s, act, by_act, by_net, by_s, by_s_before):
    """dL/dnet(t) and what it says of s(t-1), from dL/dact(t) and what s(t+1) says of s(t)."""
    for u in range(lstm.cell):
        by_net[u] = by_act[u]
    for c in range(len(s)):
        og = lstm.og + c // lstm.cells
        by_s[c] += act[og] * slope(lstm.h, s[c]) * by_act[lstm.cell + c]
        by_net[og] += activate(lstm.h, s[c]) * by_act[lstm.cell + c]
    for u in range(lstm.og, lstm.cell):
        by_net[u] *= slope(lstm.f, net[u])
    add_seen(lstm, weights, by_net, lstm.og, lstm.cell, by_s)
    for c in range(len(s)):
        k, cell = c // lstm.cells, lstm.cell + c
        by_s_before[c] = act[k] * by_s[c]
        by_net[k] += s_before[c] * by_s[c]
        by_net[lstm.ig + k] += activate(lstm.g, net[cell]) * by_s[c]
        by_net[cell] = act[lstm.ig + k] * slope(lstm.g, net[cell]) * by_s[c]
    for u in range(lstm.og):
        by_net[u] *= slope(lstm.f, net[u])
    add_seen(lstm, weights, by_net, 0, lstm.og, by_s_before)


@kernel
def error_signals(lstm, weights, out_weights, net, s, act, net_out, error, by_net, by_s, by_net_out):
    """Fill the derivatives of the loss from the last step to the first; ``error`` is the immediate dL/dy(t).

    They come as zeros. ``weights`` are those over which a net input passes its error on: zero where it is cut.
    """
    by_act = np.zeros_like(net)
    for t in range(len(net) - 1, 0, -1):
        for i in range(error.shape[1]):
            by_net_out[t, i] = slope(lstm.f_out, net_out[t, i]) * error[t, i]
        add_transposed(out_weights[:, lstm.out_n_in :], by_net_out[t], by_act[t, lstm.cell :])
        units_backward(lstm, weights, net[t], s[t - 1], s[t], act[t], by_act[t], by_net[t], by_s[t], by_s[t - 1])
        add_transposed(weights[:, lstm.n_in :], by_net[t], by_act[t - 1, lstm.first_read :])


@kernel
def add_row(factor, row, result):
    """result += factor row; the result may be the longer one."""
    for q in range(len(row)):
        result[q] += factor * row[q]


@kernel
def add_seen_weights(lstm, delta, s, first, end, gradient):
    """Add delta_u s_i to the peepholes of the gates from ``first`` to ``end``."""
    peephole = gradient.shape[1] - lstm.seen
    for u in range(first, end):
        own = (u % lstm.blocks) * lstm.cells
        add_row(delta[u], s[own : own + lstm.seen], gradient[u, peephole:])


@kernel
def add_weight_gradient(lstm, by_net, source, s, by_net_out, read, gradient, out_gradient):
    """Add the sums over t of dL/dnet(t) times what was read, the states that were seen included."""
    columns = source.shape[1]
    for t in range(1, len(source)):
        add_outer(by_net[t], source[t], gradient[:, :columns])
        add_seen_weights(lstm, by_net[t], s[t - 1], 0, lstm.og, gradient)
        add_seen_weights(lstm, by_net[t], s[t], lstm.og, lstm.cell, gradient)
        add_outer(by_net_out[t], read[t], out_gradient)


# ---------------------------------------------------------------- forward recursions


@kernel
def output_gradient(lstm, out_weights, read, net_out, y, target, mask, out_gradient, by_cell):
    """Add to the gradient of the output weights, set dL/dy_cell of the step; return its loss."""
    error = np.zeros(len(y))
    loss = output_error(y, target, mask, error)
    for i in range(len(y)):
        error[i] *= slope(lstm.f_out, net_out[i])
    add_outer(error, read, out_gradient)
    by_cell[:] = 0.0
    add_transposed(out_weights[:, lstm.out_n_in :], error, by_cell)
    return loss


@kernel
def write_row(lstm, source, s, k, row):
    """What a gate of block k reads: the source and the states of its block."""
    row[: len(source)] = source
    row[len(source) :] = s[k * lstm.cells : k * lstm.cells + lstm.seen]


@kernel
def advance_truncated(lstm, source, s_before, net, act, p_fg, p_ig, p_cell):
    """ds_c(t)/dW of the rows of its forget gate, its input gate and itself, net inputs of the past held."""
    row = np.zeros(p_fg.shape[1])
    for c in range(len(s_before)):
        k, cell = c // lstm.cells, lstm.cell + c
        ig = lstm.ig + k
        write_row(lstm, source, s_before, k, row)
        by_fg = s_before[c] * slope(lstm.f, net[k])
        by_ig = activate(lstm.g, net[cell]) * slope(lstm.f, net[ig])
        by_cell = act[ig] * slope(lstm.g, net[cell])
        for q in range(len(row)):
            p_fg[c, q] = act[k] * p_fg[c, q] + by_fg * row[q]
            p_ig[c, q] = act[k] * p_ig[c, q] + by_ig * row[q]
        for q in range(len(source)):
            p_cell[c, q] = act[k] * p_cell[c, q] + by_cell * source[q]


@kernel
def add_truncated(lstm, by_cell, source, net, s, act, p_fg, p_ig, p_cell, gradient):
    """Add dL/dy_cell times the truncated derivatives of the cells, the state held where an output gate sees it."""
    row = np.zeros(p_fg.shape[1])
    for c in range(len(s)):
        k = c // lstm.cells
        og = lstm.og + k
        write_row(lstm, source, s, k, row)
        by_og = activate(lstm.h, s[c]) * slope(lstm.f, net[og]) * by_cell[c]
        by_s = act[og] * slope(lstm.h, s[c]) * by_cell[c]
        add_row(by_og, row, gradient[og])
        add_row(by_s, p_fg[c], gradient[k])
        add_row(by_s, p_ig[c], gradient[lstm.ig + k])
        add_row(by_s, p_cell[c], gradient[lstm.cell + c])


@kernel
def run_truncated(
    lstm, weights, out_weights, x, targets, mask, source, net, s, act, out, p_fg, p_ig, p_cell, gradient, out_gradient
):
    """Take a step on each row of x; add to the gradients and return the added loss.

    Kept between steps: ``source``, the ones in it, act, s, the output and the derivatives of s.
    """
    by_cell = np.zeros(len(s))
    read, net_out = np.zeros(out_weights.shape[1]), np.zeros(len(out))
    loss = 0.0
    for n in range(len(x)):
        s_before = s.copy()
        source[: lstm.n_in] = x[n]
        source[lstm.n_in : len(source) - 1] = act[lstm.first_read :]
        advance(lstm, weights, source, s_before, net, s, act)
        advance_truncated(lstm, source, s_before, net, act, p_fg, p_ig, p_cell)
        read_out(lstm, out_weights, x[n], act, read, net_out, out)
        loss += output_gradient(lstm, out_weights, read, net_out, out, targets[n], mask[n], out_gradient, by_cell)
        add_truncated(lstm, by_cell, source, net, s, act, p_fg, p_ig, p_cell, gradient)
    return loss


@kernel
def add_seen_sensitivities(lstm, weights, s, p_s, first, end, by_net):
    """Add what the peepholes of the gates from ``first`` to ``end`` say: their weights, and the states' past."""
    peephole = weights.shape[1] - lstm.seen
    for u in range(first, end):
        own = (u % lstm.blocks) * lstm.cells
        by_net[u, u, peephole:] += s[own : own + lstm.seen]
        for i in range(lstm.seen):
            add_multiple(weights[u, peephole + i], p_s[own + i], by_net[u])


@kernel
def advance_sensitivities(lstm, weights, source, net, s_before, s, act, p, p_s):
    """p[u] = dact_u/dW and p_s[c] = ds_c/dW, a row and a column for each weight, from t-1 to t."""
    by_net = np.zeros_like(p)
    for u in range(lstm.units):
        by_net[u, u, : len(source)] = source
        for l in range(lstm.units - lstm.first_read):
            add_multiple(weights[u, lstm.n_in + l], p[lstm.first_read + l], by_net[u])
    add_seen_sensitivities(lstm, weights, s_before, p_s, 0, lstm.og, by_net)
    p[:] = 0.0
    for u in range(lstm.og):
        add_multiple(slope(lstm.f, net[u]), by_net[u], p[u])
    for c in range(len(s)):
        k, cell = c // lstm.cells, lstm.cell + c
        p_s[c] *= act[k]
        add_multiple(s_before[c], p[k], p_s[c])
        add_multiple(activate(lstm.g, net[cell]), p[lstm.ig + k], p_s[c])
        add_multiple(act[lstm.ig + k] * slope(lstm.g, net[cell]), by_net[cell], p_s[c])
    add_seen_sensitivities(lstm, weights, s, p_s, lstm.og, lstm.cell, by_net)
    for u in range(lstm.og, lstm.cell):
        add_multiple(slope(lstm.f, net[u]), by_net[u], p[u])
    for c in range(len(s)):
        og, cell = lstm.og + c // lstm.cells, lstm.cell + c
        add_multiple(activate(lstm.h, s[c]), p[og], p[cell])
        add_multiple(act[og] * slope(lstm.h, s[c]), p_s[c], p[cell])


@kernel
def run_online(lstm, weights, out_weights, x, targets, mask, source, net, s, act, out, p, p_s, gradient, out_gradient):
    """The same with the exact derivatives of all activations by all weights."""
    by_cell = np.zeros(len(s))
    read, net_out = np.zeros(out_weights.shape[1]), np.zeros(len(out))
    loss = 0.0
    for n in range(len(x)):
        s_before = s.copy()
        source[: lstm.n_in] = x[n]
        source[lstm.n_in : len(source) - 1] = act[lstm.first_read :]
        advance(lstm, weights, source, s_before, net, s, act)
        advance_sensitivities(lstm, weights, source, net, s_before, s, act, p, p_s)
        read_out(lstm, out_weights, x[n], act, read, net_out, out)
        loss += output_gradient(lstm, out_weights, read, net_out, out, targets[n], mask[n], out_gradient, by_cell)
        for c in range(len(s)):
            add_multiple(by_cell[c], p[lstm.cell + c], gradient)
    return loss
