"""The loops of both LSTMs forward and backward through time, compiled where Numba is at hand.

The LSTM of 1997 has hidden units, if any, and keeps its states whole; the later one has forget gates and may have
peepholes. All else is one recursion. Units stand in the order hidden, forget gates, input gates, output gates, cells.
A ``row`` is [x; the activations at t; 1], with the input of the step from t to t+1. A ``source`` is the part of it that
is input to gates, cells and hidden units; with peepholes, a row of their weights has behind it one column for each
cell of a block: the weights of the block's states. ``read`` is the input of an output unit: [x if connected; hidden;
cells; 1]. The ones carry the biases. Indices, from zero: u unit, k block, i cell of a block or output, c cell of all,
q column of a row, l unit that feeds back. Row t of an array holds time t.
"""

from typing import NamedTuple

import numpy as np

from throughtime.models._activate import activate, slope
from throughtime.models._jit import kernel
from throughtime.models._linalg import add_outer, multiply


class Architecture(NamedTuple):
    """Sizes, the first row of each kind of unit, the connections, and the codes of the activations."""

    n_in: int
    blocks: int
    cells: int  # of one block
    block_step: int  # from a cell of one block to the cell of the next, among all: cells, or 1
    columns: int  # length of a source
    seen: int  # states a gate reads through peepholes: `cells`, or 0; nets with peepholes have no hidden units
    fg: int  # row of the first forget gate, that is the number of hidden units
    ig: int  # row of the first input gate; equal to fg without forget gates
    og: int  # row of the first output gate
    cell: int  # row of the first cell
    units: int  # rows in all
    first_read: int  # row of the first unit that feeds back: 0, or the first cell
    out_n_in: int  # number of inputs of an output unit that come straight from x: n_in, or 0
    same: int  # 1 if an output reads the activations of its own step, 0 for those of the previous step
    f: int
    g: int
    h: int
    f_hid: int
    f_out: int


# ---------------------------------------------------------------- forward


@kernel
def block(lstm, c):
    """The block of cell c."""
    return c // lstm.block_step % lstm.blocks


@kernel
def code(lstm, u):
    """The code of the activation of hidden unit or gate u."""
    return lstm.f_hid if u < lstm.fg else lstm.f


@kernel
def peepholes(lstm, first, end):
    """Gate, column and cell of each peephole of the gates from ``first`` to ``end``; hidden units there are none."""
    for i in range(lstm.seen):
        for u in range(first, end):
            yield u, lstm.columns + i, (u % lstm.blocks) * lstm.cells + i


@kernel
def gather(lstm, row, source):
    """Copy the inputs of gates, cells and hidden units out of a row."""
    source[: lstm.n_in] = row[: lstm.n_in]
    source[lstm.n_in : lstm.columns] = row[lstm.n_in + lstm.first_read :]


@kernel
def kept(lstm, act, k, value):
    """``value``, a state or its derivative, times the forget gate of block k, if there is one."""
    return act[lstm.fg + k] * value if lstm.fg < lstm.ig else value


@kernel
def advance(lstm, weights, source, s_before, net, s, act):
    """net(t), s(t) and act(t) from the source and s(t-1) (lstm97-36 to 41, 43; peephole-1 to 4, 13, 14)."""
    multiply(weights, source, net)
    for u, q, c in peepholes(lstm, lstm.fg, lstm.og):
        net[u] += weights[u, q] * s_before[c]
    for u in range(lstm.og):
        act[u] = activate(code(lstm, u), net[u])
    for c in range(len(s)):
        k = block(lstm, c)
        s[c] = kept(lstm, act, k, s_before[c]) + act[lstm.ig + k] * activate(lstm.g, net[lstm.cell + c])
    for u, q, c in peepholes(lstm, lstm.og, lstm.cell):  # output gates come after the states
        net[u] += weights[u, q] * s[c]
    for u in range(lstm.og, lstm.cell):
        act[u] = activate(lstm.f, net[u])
    for c in range(len(s)):
        act[lstm.cell + c] = act[lstm.og + block(lstm, c)] * activate(lstm.h, s[c])


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
    source = np.zeros_like(weights[0, : lstm.columns])
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
    """Add to dL/dact the part through the outputs, whose inputs are no gates."""
    first_cell = lstm.out_n_in + lstm.fg
    add_transposed(out_weights[:, lstm.out_n_in :], by_net_out, by_act[: lstm.fg])
    add_transposed(out_weights[:, first_cell:], by_net_out, by_act[lstm.cell :])


@kernel
def units_backward(lstm, weights, net, s_before, s, act, by_act, by_net, by_s, by_s_before):
    """dL/dnet(t) and the part of dL/ds(t-1) through step t, from dL/dact(t) and the part of dL/ds(t) through t+1."""
    by_net[: lstm.cell] = by_act[: lstm.cell]
    for c in range(len(s)):
        og = lstm.og + block(lstm, c)
        by_s[c] += act[og] * slope(lstm.h, s[c]) * by_act[lstm.cell + c]
        by_net[og] += activate(lstm.h, s[c]) * by_act[lstm.cell + c]
    for u in range(lstm.og, lstm.cell):
        by_net[u] *= slope(lstm.f, net[u])
    for u, q, c in peepholes(lstm, lstm.og, lstm.cell):
        by_s[c] += weights[u, q] * by_net[u]
    for c in range(len(s)):
        k, cell = block(lstm, c), lstm.cell + c
        by_s_before[c] = kept(lstm, act, k, by_s[c])
        if lstm.fg < lstm.ig:
            by_net[lstm.fg + k] += s_before[c] * by_s[c]
        by_net[lstm.ig + k] += activate(lstm.g, net[cell]) * by_s[c]
        by_net[cell] = act[lstm.ig + k] * slope(lstm.g, net[cell]) * by_s[c]
    for u in range(lstm.og):
        by_net[u] *= slope(code(lstm, u), net[u])
    for u, q, c in peepholes(lstm, lstm.fg, lstm.og):
        by_s_before[c] += weights[u, q] * by_net[u]


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
def add_weight_gradient(lstm, by_net, row, s, by_net_out, read, gradient, out_gradient):
    """Add the sums over t of dL/dnet(t) times the unit's inputs, states at peepholes included."""
    source = np.zeros_like(gradient[0, : lstm.columns])
    for t in range(1, len(row)):
        gather(lstm, row[t - 1], source)
        add_outer(by_net[t], source, gradient)
        for u, q, c in peepholes(lstm, lstm.fg, lstm.og):
            gradient[u, q] += by_net[t, u] * s[t - 1, c]
        for u, q, c in peepholes(lstm, lstm.og, lstm.cell):
            gradient[u, q] += by_net[t, u] * s[t, c]
        add_outer(by_net_out[t], read[t], out_gradient)
