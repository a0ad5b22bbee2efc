"""The forward recursions of both LSTMs, truncated and exact, compiled where Numba is at hand.

Names, order of units and indices are those of ``lstm_kernels``. ``inputs`` is a source and, with peepholes, behind it
room for the states of a block: the inputs of its gates.
"""

from math import nan

import numpy as np

from throughtime.models._activate import activate, slope
from throughtime.models._jit import kernel
from throughtime.models._linalg import add_multiple, add_outer, finite, output_error
from throughtime.models.lstm_kernels import add_output_error, advance, block, code, gather, kept, peepholes, read_out


@kernel
def output_gradient(lstm, out_weights, read, net_out, y, target, mask, out_gradient, by_act):
    """Add to the gradient of the output weights, set dL/dact of the outputs' inputs; return the loss of the step."""
    error = np.zeros(len(y))
    loss = output_error(y, target, mask, error)
    for i in range(len(y)):
        error[i] *= slope(lstm.f_out, net_out[i])
    add_outer(error, read, out_gradient)
    by_act[:] = 0.0
    add_output_error(lstm, out_weights, error, by_act)
    return loss


# ---------------------------------------------------------------- truncated


@kernel
def carry(lstm, act, k, factor, inputs, p):
    """The derivative of a state of block k with respect to a row of weights, from t-1 to t: y_fg p + factor inputs."""
    for q in range(len(inputs)):
        p[q] = kept(lstm, act, k, p[q]) + factor * inputs[q]


@kernel
def advance_truncated(lstm, inputs, s_before, net, act, p):
    """ds_c(t)/dW of the rows of its gates and of its own row, net inputs of the past held (lstm97-44, peephole-15)."""
    for c in range(len(s_before)):
        k, cell = block(lstm, c), lstm.cell + c
        fg, ig = lstm.fg + k, lstm.ig + k
        inputs[lstm.columns :] = s_before[k * lstm.cells : k * lstm.cells + lstm.seen]
        carry(lstm, act, k, activate(lstm.g, net[cell]) * slope(lstm.f, net[ig]), inputs, p[0, c])
        carry(lstm, act, k, act[ig] * slope(lstm.g, net[cell]), inputs[: lstm.columns], p[1, c])
        if fg < ig:
            carry(lstm, act, k, s_before[c] * slope(lstm.f, net[fg]), inputs, p[2, c])


@kernel
def add_row(factor, inputs, gradient):
    """Add ``factor`` times the inputs, or the derivatives, to the gradient of a row of weights."""
    for q in range(len(inputs)):
        gradient[q] += factor * inputs[q]


@kernel
def add_truncated(lstm, by_act, inputs, net, s, act, p, gradient):
    """Add dL/dact times the truncated derivatives of hidden units and cells, which were made from ``inputs``.

    The state is held where an output gate sees it.
    """
    for u in range(lstm.fg):
        add_row(slope(lstm.f_hid, net[u]) * by_act[u], inputs, gradient[u])
    for c in range(len(s)):
        k, cell = block(lstm, c), lstm.cell + c
        fg, ig, og = lstm.fg + k, lstm.ig + k, lstm.og + k
        inputs[lstm.columns :] = s[k * lstm.cells : k * lstm.cells + lstm.seen]
        add_row(activate(lstm.h, s[c]) * slope(lstm.f, net[og]) * by_act[cell], inputs, gradient[og])
        by_s = act[og] * slope(lstm.h, s[c]) * by_act[cell]
        add_row(by_s, p[0, c], gradient[ig])
        add_row(by_s, p[1, c], gradient[cell])
        if fg < ig:
            add_row(by_s, p[2, c], gradient[fg])


# ---------------------------------------------------------------- exact


@kernel
def add_seen_sensitivities(lstm, weights, s, p_s, first, end, by_net):
    """Add the peephole terms of dnet/dW for the gates from ``first`` to ``end``, direct and through the states."""
    for u, q, c in peepholes(lstm, first, end):
        by_net[u, u, q] += s[c]
    for u, q, c in peepholes(lstm, first, end):
        add_multiple(weights[u, q], p_s[c], by_net[u])


@kernel
def advance_exactly(lstm, weights, inputs, net, s_before, s, act, p_act, p_s):
    """p_act[u] = dact_u/dW and p_s[c] = ds_c/dW, a row and a column for each weight, from t-1 to t.

    dnet_u(t)/dW_vq = [u = v] source_q + sum over l of W_ul dact_l(t-1)/dW_vq, and what the peepholes add
    """
    by_net = np.zeros_like(p_act)
    for u in range(lstm.units):
        by_net[u, u, : lstm.columns] = inputs[: lstm.columns]
        for l in range(lstm.units - lstm.first_read):
            add_multiple(weights[u, lstm.n_in + l], p_act[lstm.first_read + l], by_net[u])
    add_seen_sensitivities(lstm, weights, s_before, p_s, lstm.fg, lstm.og, by_net)
    p_act[:] = 0.0
    for u in range(lstm.og):
        add_multiple(slope(code(lstm, u), net[u]), by_net[u], p_act[u])
    for c in range(len(s)):
        k, cell = block(lstm, c), lstm.cell + c
        if lstm.fg < lstm.ig:
            p_s[c] *= act[lstm.fg + k]
            add_multiple(s_before[c], p_act[lstm.fg + k], p_s[c])
        add_multiple(activate(lstm.g, net[cell]), p_act[lstm.ig + k], p_s[c])
        add_multiple(act[lstm.ig + k] * slope(lstm.g, net[cell]), by_net[cell], p_s[c])
    add_seen_sensitivities(lstm, weights, s, p_s, lstm.og, lstm.cell, by_net)
    for u in range(lstm.og, lstm.cell):
        add_multiple(slope(lstm.f, net[u]), by_net[u], p_act[u])
    for c in range(len(s)):
        og, cell = lstm.og + block(lstm, c), lstm.cell + c
        add_multiple(activate(lstm.h, s[c]), p_act[og], p_act[cell])
        add_multiple(act[og] * slope(lstm.h, s[c]), p_s[c], p_act[cell])


# ---------------------------------------------------------------- a run of either


@kernel
def run(lstm, weights, out_weights, x, targets, mask, row, source, net, s, y, p_act, p_s, gradient, out_gradient):
    """Take a step on each row of x; add to the gradients and return the added loss, NaN where a net or state overflows.

    Kept between steps: ``row`` with the present activations, net, s, the output, and the derivatives. Exact ones are
    those of every activation and state with respect to every weight. Truncated ones are those of each state with
    respect to the rows of its input gate, of itself and of its forget gate, and ``p_act`` is empty; then ``source`` is
    kept too, from which the activations were made (zeros at time 0, where nothing depends on a weight).
    """
    first, end = lstm.n_in, lstm.n_in + lstm.units
    exact, act = len(p_act) > 0, row[first:end]
    by_act, s_before = np.zeros(lstm.units), np.zeros(len(s))
    inputs, read, net_out = np.zeros(weights.shape[1]), np.zeros(out_weights.shape[1]), np.zeros(len(y))
    inputs[: len(source)] = source
    loss = 0.0
    for n in range(len(x)):
        row[:first] = x[n]
        for stage in range(2):
            if stage == lstm.same:
                read_out(lstm, out_weights, x[n], act, read, net_out, y)
                if mask[n].any():
                    goal = targets[n], mask[n]
                    loss += output_gradient(lstm, out_weights, read, net_out, y, *goal, out_gradient, by_act)
                    if exact:
                        for u in range(lstm.units):
                            add_multiple(by_act[u], p_act[u], gradient)
                    else:
                        add_truncated(lstm, by_act, inputs, net, s, act, p_s, gradient)
            if stage == 0:
                gather(lstm, row, inputs)
                s_before[:] = s
                advance(lstm, weights, inputs[: lstm.columns], s_before, net, s, act)
                if exact:
                    advance_exactly(lstm, weights, inputs, net, s_before, s, act, p_act, p_s)
                else:
                    advance_truncated(lstm, inputs, s_before, net, act, p_s)
        if not (finite(net) and finite(s) and finite(net_out)):
            return nan
    source[:] = inputs[: len(source)]
    return loss
