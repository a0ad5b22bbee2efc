"""The loops of the LSTM of 1997, compiled where Numba is at hand.

Units, in the order of the note: hidden, input gates, output gates, cells; cell c = k blocks + i is the note's
cell k, dimension i, and its gates are those of block i. A ``source`` is [x(t); all activations at t; 1], what
a unit reads; ``read`` is [x; hidden; cells; 1], what an output reads. The ones carry the biases. Indices, from
zero: u unit, i block or output, c cell, q component of a source. Row t of an array holds time t.
"""

from typing import NamedTuple

import numpy as np

from ._jit import kernel
from ._lfmn_kernels import add_outer, multiply
from ._recurrent_kernels import add_multiple, output_error
from .activations import activate, slope


class Architecture(NamedTuple):
    """Sizes, the index of the first unit of each kind, and the numbers of the activations."""

    n_in: int
    blocks: int
    all_cells: int
    ig: int  # as many hidden units come before
    og: int
    cell: int
    units: int
    same: int  # 1 if an output reads the units of its own step, 0 for those of the step before
    f: int
    g: int
    h: int
    f_hid: int
    f_out: int


# ---------------------------------------------------------------- forward


@kernel
def advance(lstm, weights, source, s_before, net, s, act):
    """One step from source(t): net(t+1), s(t+1) and act(t+1) (lstm97-36 to 41, lstm97-43)."""
    multiply(weights, source, net)
    for u in range(lstm.ig):
        act[u] = activate(lstm.f_hid, net[u])
    for u in range(lstm.ig, lstm.cell):
        act[u] = activate(lstm.f, net[u])
    for c in range(lstm.all_cells):
        i, cell = c % lstm.blocks, lstm.cell + c
        s[c] = s_before[c] + act[lstm.ig + i] * activate(lstm.g, net[cell])
        act[cell] = act[lstm.og + i] * activate(lstm.h, s[c])


@kernel
def read_out(lstm, out_weights, x, act, read, net_out, y):
    """Outputs from the inputs and from the activations of hidden units and cells (lstm97-42)."""
    first_cell = lstm.n_in + lstm.ig
    read[: lstm.n_in] = x
    read[lstm.n_in : first_cell] = act[: lstm.ig]
    read[first_cell : len(read) - 1] = act[lstm.cell :]
    read[len(read) - 1] = 1.0
    multiply(out_weights, read, net_out)
    for i in range(len(y)):
        y[i] = activate(lstm.f_out, net_out[i])


@kernel
def forward(lstm, weights, out_weights, source, net, s, read, net_out, y):
    """Fill rows 1 to T of all arrays; ``source`` holds inputs and ones already."""
    first, end = lstm.n_in, lstm.n_in + lstm.units
    for t in range(len(net) - 1):
        advance(lstm, weights, source[t], s[t], net[t + 1], s[t + 1], source[t + 1, first:end])
        act = source[t + lstm.same, first:end]
        read_out(lstm, out_weights, source[t, :first], act, read[t + 1], net_out[t + 1], y[t + 1])


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
    first_cell = lstm.n_in + lstm.ig
    end = first_cell + lstm.all_cells
    add_transposed(out_weights[:, lstm.n_in : first_cell], by_net_out, by_act[: lstm.ig])
    add_transposed(out_weights[:, first_cell:end], by_net_out, by_act[lstm.cell :])


@kernel
def units_backward(lstm, net, s, act, by_act, by_net, by_s):
    """dL/dnet(t) from dL/dact(t); ``by_s`` comes with what s(t+1) says of s(t), one to one, and is completed."""
    for u in range(lstm.ig):
        by_net[u] = slope(lstm.f_hid, net[u]) * by_act[u]
    for u in range(lstm.ig, lstm.cell):
        by_net[u] = by_act[u]
    for c in range(lstm.all_cells):
        i, cell = c % lstm.blocks, lstm.cell + c
        ig, og = lstm.ig + i, lstm.og + i
        by_s[c] += act[og] * slope(lstm.h, s[c]) * by_act[cell]
        by_net[cell] = act[ig] * slope(lstm.g, net[cell]) * by_s[c]
        by_net[ig] += activate(lstm.g, net[cell]) * by_s[c]
        by_net[og] += activate(lstm.h, s[c]) * by_act[cell]
    for u in range(lstm.ig, lstm.cell):
        by_net[u] *= slope(lstm.f, net[u])


@kernel
def error_signals(lstm, weights, out_weights, source, net, s, net_out, error, exact, by_net, by_s, by_net_out):
    """Fill the derivatives of the loss from the last step to the first; ``error`` is the immediate dL/dy(t).

    They come as zeros. If not ``exact``, no net input passes anything on to the step before (lstm97-44).
    """
    first, end = lstm.n_in, lstm.n_in + lstm.units
    by_act = np.zeros_like(net)
    for t in range(len(net) - 1, 0, -1):
        for i in range(error.shape[1]):
            by_net_out[t, i] = slope(lstm.f_out, net_out[t, i]) * error[t, i]
        add_output_error(lstm, out_weights, by_net_out[t], by_act[t - 1 + lstm.same])
        units_backward(lstm, net[t], s[t], source[t, first:end], by_act[t], by_net[t], by_s[t])
        by_s[t - 1] = by_s[t]
        if exact:
            add_transposed(weights[:, first:end], by_net[t], by_act[t - 1])


@kernel
def add_weight_gradient(by_net, source, by_net_out, read, gradient, out_gradient):
    """Add the sums over t of dL/dnet(t+1) source(t) and dL/dnet_out(t+1) read(t+1)."""
    for t in range(len(source) - 1):
        add_outer(by_net[t + 1], source[t], gradient)
        add_outer(by_net_out[t + 1], read[t + 1], out_gradient)


# ---------------------------------------------------------------- forward recursions


@kernel
def output_gradient(lstm, out_weights, read, net_out, y, target, mask, out_gradient, by_act):
    """Add to the gradient of the output weights, set dL/dact of what the output read; return the loss of the step."""
    error = np.zeros(len(y))
    loss = output_error(y, target, mask, error)
    for i in range(len(y)):
        error[i] *= slope(lstm.f_out, net_out[i])
    add_outer(error, read, out_gradient)
    by_act[:] = 0.0
    add_output_error(lstm, out_weights, error, by_act)
    return loss


@kernel
def advance_truncated(lstm, source, net, act, p_ig, p_cell):
    """ds_c/dW of the row of its input gate and of its own row, the net inputs of the past held (lstm97-44)."""
    for c in range(lstm.all_cells):
        ig, cell = lstm.ig + c % lstm.blocks, lstm.cell + c
        by_ig = activate(lstm.g, net[cell]) * slope(lstm.f, net[ig])
        by_cell = act[ig] * slope(lstm.g, net[cell])
        for q in range(len(source)):
            p_ig[c, q] += by_ig * source[q]
            p_cell[c, q] += by_cell * source[q]


@kernel
def add_truncated(lstm, by_act, source, net, s, act, p_ig, p_cell, gradient):
    """Add dL/dact times the truncated derivatives of hidden units and cells; they were made from ``source``."""
    for u in range(lstm.ig):
        delta = slope(lstm.f_hid, net[u]) * by_act[u]
        for q in range(len(source)):
            gradient[u, q] += delta * source[q]
    for c in range(lstm.all_cells):
        i, cell = c % lstm.blocks, lstm.cell + c
        ig, og = lstm.ig + i, lstm.og + i
        by_og = activate(lstm.h, s[c]) * slope(lstm.f, net[og]) * by_act[cell]
        by_s = act[og] * slope(lstm.h, s[c]) * by_act[cell]
        for q in range(len(source)):
            gradient[og, q] += by_og * source[q]
            gradient[ig, q] += by_s * p_ig[c, q]
            gradient[cell, q] += by_s * p_cell[c, q]


@kernel
def run_truncated(
    lstm, weights, out_weights, x, targets, mask, source, made_from, net, s, out, p_ig, p_cell, gradient, out_gradient
):
    """Take a step on each row of x; add to the gradients and return the added loss.

    Kept between steps: ``source`` with the present activations, ``made_from``, the source that they were made
    from (zeros at time 0, where nothing depends on a weight), net, s, the output and the derivatives of s.
    """
    first, end = lstm.n_in, lstm.n_in + lstm.units
    act = source[first:end]
    by_act = np.zeros(lstm.units)
    read, net_out = np.zeros(out_weights.shape[1]), np.zeros(len(out))
    loss = 0.0
    for n in range(len(x)):
        source[:first] = x[n]
        for stage in range(2):
            if stage == lstm.same:
                read_out(lstm, out_weights, x[n], act, read, net_out, out)
                loss += output_gradient(
                    lstm, out_weights, read, net_out, out, targets[n], mask[n], out_gradient, by_act
                )
                add_truncated(lstm, by_act, made_from, net, s, act, p_ig, p_cell, gradient)
            if stage == 0:
                made_from[:] = source
                advance(lstm, weights, made_from, s, net, s, act)
                advance_truncated(lstm, made_from, net, act, p_ig, p_cell)
    return loss


@kernel
def advance_sensitivities(lstm, weights, source, net, s, act, p, p_s):
    """p[u] = dact_u/dW and p_s[c] = ds_c/dW, a row and a column for each weight, from t to t+1.

    dnet_u(t+1)/dW_vq = [u = v] source_q(t) + sum over l of W_ul dact_l(t)/dW_vq
    """
    by_net = np.zeros_like(p)
    for u in range(lstm.units):
        by_net[u, u] = source
        for l in range(lstm.units):
            add_multiple(weights[u, lstm.n_in + l], p[l], by_net[u])
    p[:] = 0.0
    for u in range(lstm.ig):
        add_multiple(slope(lstm.f_hid, net[u]), by_net[u], p[u])
    for u in range(lstm.ig, lstm.cell):
        add_multiple(slope(lstm.f, net[u]), by_net[u], p[u])
    for c in range(lstm.all_cells):
        i, cell = c % lstm.blocks, lstm.cell + c
        ig, og = lstm.ig + i, lstm.og + i
        add_multiple(activate(lstm.g, net[cell]), p[ig], p_s[c])
        add_multiple(act[ig] * slope(lstm.g, net[cell]), by_net[cell], p_s[c])
        add_multiple(activate(lstm.h, s[c]), p[og], p[cell])
        add_multiple(act[og] * slope(lstm.h, s[c]), p_s[c], p[cell])


@kernel
def run_online(lstm, weights, out_weights, x, targets, mask, source, net, s, out, p, p_s, gradient, out_gradient):
    """The same with the exact derivatives of all activations by all weights."""
    first, end = lstm.n_in, lstm.n_in + lstm.units
    act = source[first:end]
    by_act = np.zeros(lstm.units)
    read, net_out = np.zeros(out_weights.shape[1]), np.zeros(len(out))
    loss = 0.0
    for n in range(len(x)):
        source[:first] = x[n]
        for stage in range(2):
            if stage == lstm.same:
                read_out(lstm, out_weights, x[n], act, read, net_out, out)
                loss += output_gradient(
                    lstm, out_weights, read, net_out, out, targets[n], mask[n], out_gradient, by_act
                )
                for u in range(lstm.units):
                    add_multiple(by_act[u], p[u], gradient)
            if stage == 0:
                made_from = source.copy()
                advance(lstm, weights, made_from, s, net, s, act)
                advance_sensitivities(lstm, weights, made_from, net, s, act, p, p_s)
    return loss
