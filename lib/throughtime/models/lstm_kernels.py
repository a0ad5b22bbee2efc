"""The loops of both LSTMs forward and backward through time, compiled where Numba is at hand.

The LSTM of 1997 has hidden units, if any, and keeps its states whole; the later one has forget gates and may have
peepholes. All else is one recursion. Units stand in the order hidden, forget gates, input gates, output gates, cells.
A ``row`` is [x; the activations at t; 1], with the input of the step from t to t+1. A ``source`` is what gates, cells
and hidden units read of it; a row of their weights has behind it, with peepholes, as many columns as a block has
cells: what a gate sees of the states of its own block. ``read`` is what an output reads: [x if it is read; hidden;
cells; 1]. The ones carry the biases. Indices, from zero: u unit, k block, i cell of a block or output, c cell of all,
q column of a row, l activation that is read. Row t of an array holds time t.
"""

from typing import NamedTuple

import numpy as np

from ._jit import kernel
from ._lfmn_kernels import add_outer, multiply
from .activations import activate, slope


class Architecture(NamedTuple):
    """Sizes, where the units of each kind begin, what reads what, and the numbers of the activations."""

    n_in: int
    blocks: int
    cells: int  # of one block
    block_step: int  # cell i of block k is cell block_step k + cell_step i of all
    cell_step: int
    seen: int  # as many states does a gate see: those of its block, or none; if some, there are no hidden units
    fg: int  # as many hidden units come before
    ig: int  # the same as fg if there are no forget gates
    og: int
    cell: int
    units: int
    first_read: int  # the first unit that other units read: 0, or the first cell
    out_n_in: int  # as many inputs are read by an output
    same: int  # 1 if an output reads the activations of its own step, 0 for those of the step before
    f: int
    g: int
    h: int
    f_hid: int
    f_out: int


# ---------------------------------------------------------------- forward


@kernel
def number(lstm, k, i):
    """Which cell of all is cell i of block k."""
    return lstm.block_step * k + lstm.cell_step * i


@kernel
def gather(lstm, row, source):
    """What gates, cells and hidden units read of a row."""
    for q in range(lstm.n_in):
        source[q] = row[q]
    for q in range(lstm.n_in, len(source)):
        source[q] = row[lstm.first_read + q]


@kernel
def look(lstm, weights, s, first, end, net):
    """Add to the net inputs of the gates from ``first`` to ``end`` what they see of their block's states."""
    peephole = weights.shape[1] - lstm.seen
    for i in range(lstm.seen):
        for u in range(first, end):
            net[u] += weights[u, peephole + i] * s[(u % lstm.blocks) * lstm.cells + i]


@kernel
def kept(lstm, act, k, value):
    """What a step leaves of a state of block k, or of a derivative of it."""
    return act[lstm.fg + k] * value if lstm.fg < lstm.ig else value


@kernel
def advance(lstm, weights, source, s_before, net, s, act):
    """net(t), s(t) and act(t) from what is read and s(t-1) (lstm97-36 to 41, 43; peephole-1 to 4, 13, 14)."""
    multiply(weights, source, net)
    look(lstm, weights, s_before, lstm.fg, lstm.og, net)
    for u in range(lstm.fg):
        act[u] = activate(lstm.f_hid, net[u])
    for u in range(lstm.fg, lstm.og):
        act[u] = activate(lstm.f, net[u])
    for k in range(lstm.blocks):
        for i in range(lstm.cells):
            c = number(lstm, k, i)
            s[c] = kept(lstm, act, k, s_before[c]) + act[lstm.ig + k] * activate(lstm.g, net[lstm.cell + c])
    look(lstm, weights, s, lstm.og, lstm.cell, net)  # output gates come after the states
    for u in range(lstm.og, lstm.cell):
        act[u] = activate(lstm.f, net[u])
    for k in range(lstm.blocks):
        for i in range(lstm.cells):
            c = number(lstm, k, i)
            act[lstm.cell + c] = act[lstm.og + k] * activate(lstm.h, s[c])


@kernel
def read_out(lstm, out_weights, x, act, read, net_out, y):
    """Outputs from the inputs, where they are read, and from hidden units and cells (lstm97-42, peephole-5)."""
    first_cell = lstm.out_n_in + lstm.fg
    read[: lstm.out_n_in] = x[: lstm.out_n_in]
    read[lstm.out_n_in : first_cell] = act[: lstm.fg]
    read[first_cell : len(read) - 1] = act[lstm.cell :]
    read[len(read) - 1] = 1.0
    multiply(out_weights, read, net_out)
    for i in range(len(y)):
        y[i] = activate(lstm.f_out, net_out[i])


@kernel
def forward(lstm, weights, out_weights, row, net, s, read, net_out, y):
    """Fill rows 1 to T of all arrays; ``row`` holds inputs and ones already."""
    first, end = lstm.n_in, lstm.n_in + lstm.units
    source = np.zeros_like(weights[0])[: weights.shape[1] - lstm.seen]
    for t in range(1, len(net)):
        gather(lstm, row[t - 1], source)
        advance(lstm, weights, source, s[t - 1], net[t], s[t], row[t, first:end])
        act = row[t - 1 + lstm.same, first:end]
        read_out(lstm, out_weights, row[t - 1, :first], act, read[t], net_out[t], y[t])


# ---------------------------------------------------------------- backward through time


@kernel
def add_transposed(weights, delta, result):
    """result[q] += sum over r of weights[r, q] delta[r]; the weights may have more columns."""
    for r in range(weights.shape[0]):
        for q in range(len(result)):
            result[q] += weights[r, q] * delta[r]


@kernel
def add_output_error(lstm, out_weights, by_net_out, by_act):
    """Add to dL/dact what the outputs say; they do not read the gates."""
    first_cell = lstm.out_n_in + lstm.fg
    add_transposed(out_weights[:, lstm.out_n_in :], by_net_out, by_act[: lstm.fg])
    add_transposed(out_weights[:, first_cell:], by_net_out, by_act[lstm.cell :])


@kernel
def add_seen(lstm, weights, by_net, first, end, by_s):
    """Add to dL/ds what the gates from ``first`` to ``end`` say of the states that they see."""
    peephole = weights.shape[1] - lstm.seen
    for i in range(lstm.seen):
        for u in range(first, end):
            by_s[(u % lstm.blocks) * lstm.cells + i] += weights[u, peephole + i] * by_net[u]


@kernel
def units_backward(lstm, weights, net, s_before, s, act, by_act, by_net, by_s, by_s_before):
    """dL/dnet(t) and what it says of s(t-1), from dL/dact(t) and what s(t+1) says of s(t)."""
    for u in range(lstm.fg):
        by_net[u] = slope(lstm.f_hid, net[u]) * by_act[u]
    for u in range(lstm.fg, lstm.cell):
        by_net[u] = by_act[u]
    for k in range(lstm.blocks):
        for i in range(lstm.cells):
            c = number(lstm, k, i)
            by_s[c] += act[lstm.og + k] * slope(lstm.h, s[c]) * by_act[lstm.cell + c]
            by_net[lstm.og + k] += activate(lstm.h, s[c]) * by_act[lstm.cell + c]
    for u in range(lstm.og, lstm.cell):
        by_net[u] *= slope(lstm.f, net[u])
    add_seen(lstm, weights, by_net, lstm.og, lstm.cell, by_s)
    for k in range(lstm.blocks):
        for i in range(lstm.cells):
            c = number(lstm, k, i)
            by_s_before[c] = kept(lstm, act, k, by_s[c])
            if lstm.fg < lstm.ig:
                by_net[lstm.fg + k] += s_before[c] * by_s[c]
            by_net[lstm.ig + k] += activate(lstm.g, net[lstm.cell + c]) * by_s[c]
            by_net[lstm.cell + c] = act[lstm.ig + k] * slope(lstm.g, net[lstm.cell + c]) * by_s[c]
    for u in range(lstm.fg, lstm.og):
        by_net[u] *= slope(lstm.f, net[u])
    add_seen(lstm, weights, by_net, lstm.fg, lstm.og, by_s_before)


@kernel
def error_signals(lstm, weights, out_weights, row, net, s, net_out, error, by_net, by_s, by_net_out):
    """Fill the derivatives of the loss from the last step to the first; ``error`` is the immediate dL/dy(t).

    They come as zeros. ``weights`` are those over which a net input passes its error on: zero where it is cut.
    """
    first, end = lstm.n_in, lstm.n_in + lstm.units
    by_act = np.zeros_like(net)
    for t in range(len(net) - 1, 0, -1):
        for i in range(error.shape[1]):
            by_net_out[t, i] = slope(lstm.f_out, net_out[t, i]) * error[t, i]
        add_output_error(lstm, out_weights, by_net_out[t], by_act[t - 1 + lstm.same])
        act = row[t, first:end]
        units_backward(lstm, weights, net[t], s[t - 1], s[t], act, by_act[t], by_net[t], by_s[t], by_s[t - 1])
        add_transposed(weights[:, first:], by_net[t], by_act[t - 1, lstm.first_read :])


@kernel
def add_seen_weights(lstm, delta, s, first, end, gradient):
    """Add delta_u s_i to the peepholes of the gates from ``first`` to ``end``."""
    peephole = gradient.shape[1] - lstm.seen
    for i in range(lstm.seen):
        for u in range(first, end):
            gradient[u, peephole + i] += delta[u] * s[(u % lstm.blocks) * lstm.cells + i]


@kernel
def add_weight_gradient(lstm, by_net, row, s, by_net_out, read, gradient, out_gradient):
    """Add the sums over t of dL/dnet(t) times what was read, the states that were seen included."""
    source = np.zeros_like(gradient[0])[: gradient.shape[1] - lstm.seen]
    for t in range(1, len(row)):
        gather(lstm, row[t - 1], source)
        add_outer(by_net[t], source, gradient)
        add_seen_weights(lstm, by_net[t], s[t - 1], lstm.fg, lstm.og, gradient)
        add_seen_weights(lstm, by_net[t], s[t], lstm.og, lstm.cell, gradient)
        add_outer(by_net_out[t], read[t], out_gradient)
