"""The forward recursions of both LSTMs, truncated and exact, compiled where Numba is at hand.

Names, order of units and indices are those of ``lstm_kernels``.
"""

import numpy as np

from ._jit import kernel
from ._lfmn_kernels import add_outer
from ._recurrent_kernels import add_multiple, output_error
from .activations import activate, slope
from .lstm_kernels import add_output_error, advance, gather, number, read_out


@kernel
def output_gradient(lstm, out_weights, read, net_out, y, target, mask, out_gradient, by_act):
    """Add to the output weights' gradient, set dL/dact of what the output read; return the loss of the step."""
    error = np.zeros(len(y))
    loss = output_error(y, target, mask, error)
    for i in range(len(y)):
        error[i] *= slope(lstm.f_out, net_out[i])
    add_outer(error, read, out_gradient)
    by_act[:] = 0.0
    add_output_error(lstm, out_weights, error, by_act)
    return loss


@kernel
def write_read(lstm, source, s, k, read):
    """What a gate of block k reads: the source, and the states of its block that it sees."""
    for q in range(len(source)):
        read[q] = source[q]
    for i in range(lstm.seen):
        read[len(source) + i] = s[k * lstm.cells + i]


@kernel
def advance_truncated(lstm, source, s_before, net, act, read, p_fg, p_ig, p_cell):
    """ds_c(t)/dW of the rows of its gates and of its own row, net inputs of the past held (lstm97-44, peephole-15)."""
    for k in range(lstm.blocks):
        if lstm.seen > 0:
            write_read(lstm, source, s_before, k, read)
        for i in range(lstm.cells):
            c = number(lstm, k, i)
            ig, cell = lstm.ig + k, lstm.cell + c
            by_ig = activate(lstm.g, net[cell]) * slope(lstm.f, net[ig])
            by_cell = act[ig] * slope(lstm.g, net[cell])
            if lstm.fg == lstm.ig:
                for q in range(len(source)):
                    p_ig[c, q] += by_ig * source[q]
                    p_cell[c, q] += by_cell * source[q]
                continue
            keep = act[lstm.fg + k]
            by_fg = s_before[c] * slope(lstm.f, net[lstm.fg + k])
            for q in range(len(read)):
                p_fg[c, q] = keep * p_fg[c, q] + by_fg * read[q]
                p_ig[c, q] = keep * p_ig[c, q] + by_ig * read[q]
            for q in range(len(source)):
                p_cell[c, q] = keep * p_cell[c, q] + by_cell * source[q]


@kernel
def add_truncated(lstm, by_act, source, net, s, act, read, p_fg, p_ig, p_cell, gradient):
    """Add dL/dact times the truncated derivatives of hidden units and cells; they were made from ``source``.

    The state is held where an output gate sees it.
    """
    for u in range(lstm.fg):
        delta = slope(lstm.f_hid, net[u]) * by_act[u]
        for q in range(len(source)):
            gradient[u, q] += delta * source[q]
    for k in range(lstm.blocks):
        if lstm.seen > 0:
            write_read(lstm, source, s, k, read)
        for i in range(lstm.cells):
            c = number(lstm, k, i)
            fg, ig, og, cell = lstm.fg + k, lstm.ig + k, lstm.og + k, lstm.cell + c
            by_og = activate(lstm.h, s[c]) * slope(lstm.f, net[og]) * by_act[cell]
            by_s = act[og] * slope(lstm.h, s[c]) * by_act[cell]
            for q in range(len(read)):
                gradient[og, q] += by_og * read[q]
                gradient[ig, q] += by_s * p_ig[c, q]
                gradient[cell, q] += by_s * p_cell[c, q]
            if lstm.fg < lstm.ig:
                for q in range(len(read)):
                    gradient[fg, q] += by_s * p_fg[c, q]


@kernel
def run_truncated(
    lstm, weights, out_weights, x, targets, mask, row, source, net, s, y, p_fg, p_ig, p_cell, gradient, out_gradient
):
    """Take a step on each row of x; add to the gradients and return the added loss.

    Kept between steps: ``row`` with the present activations, ``source``, what they were made from (zeros at time 0,
    where nothing depends on a weight), net, s, the output and the derivatives of s.
    """
    first, end = lstm.n_in, lstm.n_in + lstm.units
    act = row[first:end]
    by_act, s_before = np.zeros(lstm.units), np.zeros(len(s))
    by_gate = np.zeros(p_ig.shape[1]) if lstm.seen > 0 else source
    read, net_out = np.zeros(out_weights.shape[1]), np.zeros(len(y))
    loss = 0.0
    for n in range(len(x)):
        row[:first] = x[n]
        for stage in range(2):
            if stage == lstm.same:
                read_out(lstm, out_weights, x[n], act, read, net_out, y)
                if mask[n].any():
                    loss += output_gradient(
                        lstm, out_weights, read, net_out, y, targets[n], mask[n], out_gradient, by_act
                    )
                    add_truncated(lstm, by_act, source, net, s, act, by_gate, p_fg, p_ig, p_cell, gradient)
            if stage == 0:
                gather(lstm, row, source)
                for c in range(len(s)):
                    s_before[c] = s[c]
                advance(lstm, weights, source, s_before, net, s, act)
                advance_truncated(lstm, source, s_before, net, act, by_gate, p_fg, p_ig, p_cell)
    return loss


# ---------------------------------------------------------------- exact


@kernel
def add_seen_sensitivities(lstm, weights, s, p_s, first, end, by_net):
    """Add what the peepholes of the gates from ``first`` to ``end`` say: their weights, and the states' past."""
    peephole = weights.shape[1] - lstm.seen
    for u in range(first, end):
        own = (u % lstm.blocks) * lstm.cells
        for i in range(lstm.seen):
            by_net[u, u, peephole + i] += s[own + i]
        for i in range(lstm.seen):
            add_multiple(weights[u, peephole + i], p_s[own + i], by_net[u])


@kernel
def advance_sensitivities(lstm, weights, source, net, s_before, s, act, p, p_s):
    """p[u] = dact_u/dW and p_s[c] = ds_c/dW, a row and a column for each weight, from t-1 to t.

    dnet_u(t)/dW_vq = [u = v] source_q + sum over l of W_ul dact_l(t-1)/dW_vq, and what the peepholes add
    """
    by_net = np.zeros_like(p)
    for u in range(lstm.units):
        by_net[u, u, : len(source)] = source
        for l in range(lstm.units - lstm.first_read):
            add_multiple(weights[u, lstm.n_in + l], p[lstm.first_read + l], by_net[u])
    add_seen_sensitivities(lstm, weights, s_before, p_s, lstm.fg, lstm.og, by_net)
    p[:] = 0.0
    for u in range(lstm.fg):
        add_multiple(slope(lstm.f_hid, net[u]), by_net[u], p[u])
    for u in range(lstm.fg, lstm.og):
        add_multiple(slope(lstm.f, net[u]), by_net[u], p[u])
    for k in range(lstm.blocks):
        for i in range(lstm.cells):
            c = number(lstm, k, i)
            if lstm.fg < lstm.ig:
                p_s[c] *= act[lstm.fg + k]
                add_multiple(s_before[c], p[lstm.fg + k], p_s[c])
            add_multiple(activate(lstm.g, net[lstm.cell + c]), p[lstm.ig + k], p_s[c])
            add_multiple(act[lstm.ig + k] * slope(lstm.g, net[lstm.cell + c]), by_net[lstm.cell + c], p_s[c])
    add_seen_sensitivities(lstm, weights, s, p_s, lstm.og, lstm.cell, by_net)
    for u in range(lstm.og, lstm.cell):
        add_multiple(slope(lstm.f, net[u]), by_net[u], p[u])
    for k in range(lstm.blocks):
        for i in range(lstm.cells):
            c = number(lstm, k, i)
            add_multiple(activate(lstm.h, s[c]), p[lstm.og + k], p[lstm.cell + c])
            add_multiple(act[lstm.og + k] * slope(lstm.h, s[c]), p_s[c], p[lstm.cell + c])


@kernel
def run_online(lstm, weights, out_weights, x, targets, mask, row, net, s, y, p, p_s, gradient, out_gradient):
    """The same with the exact derivatives of all activations by all weights."""
    first, end = lstm.n_in, lstm.n_in + lstm.units
    act = row[first:end]
    source = np.zeros(weights.shape[1] - lstm.seen)
    by_act, s_before = np.zeros(lstm.units), np.zeros(len(s))
    read, net_out = np.zeros(out_weights.shape[1]), np.zeros(len(y))
    loss = 0.0
    for n in range(len(x)):
        row[:first] = x[n]
        for stage in range(2):
            if stage == lstm.same:
                read_out(lstm, out_weights, x[n], act, read, net_out, y)
                if mask[n].any():
                    loss += output_gradient(
                        lstm, out_weights, read, net_out, y, targets[n], mask[n], out_gradient, by_act
                    )
                    for u in range(lstm.units):
                        add_multiple(by_act[u], p[u], gradient)
            if stage == 0:
                gather(lstm, row, source)
                for c in range(len(s)):
                    s_before[c] = s[c]
                advance(lstm, weights, source, s_before, net, s, act)
                advance_sensitivities(lstm, weights, source, net, s_before, s, act, p, p_s)
    return loss
