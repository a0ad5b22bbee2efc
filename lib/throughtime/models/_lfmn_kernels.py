"""The loops of the local feedback multilayered network, compiled where Numba is at hand.

Indices, from zero: j unit of a layer (or hidden unit), i output unit, k input, m recurrent unit of one
kind. Units of a layer stand in the order static, net-input feedback, activation feedback. Row t of an array
holds time t.
"""

from typing import NamedTuple

import numpy as np

from ._jit import kernel
from .activations import activate, slope


class Weights(NamedTuple):
    """Parameters, or the gradient by them. W_out: from the inputs straight to the recurrent output units."""

    w_hid: np.ndarray  # (hidden, inputs)
    u_hid: np.ndarray  # (hidden with net-input feedback,)
    v_hid: np.ndarray  # (hidden with activation feedback,)
    w_out: np.ndarray  # (static outputs, hidden)
    W_out: np.ndarray  # (recurrent outputs, inputs)
    u_out: np.ndarray  # (outputs with net-input feedback,)
    v_out: np.ndarray  # (outputs with activation feedback,)


class States(NamedTuple):
    """Rows by time. ``current`` is the net input without the feedback term."""

    current_hid: np.ndarray
    net_hid: np.ndarray
    h: np.ndarray
    current_out: np.ndarray
    net_out: np.ndarray
    y: np.ndarray


class Sensitivities(NamedTuple):
    """d net(t) / d weight of each recurrent unit of one layer by its own weights; all others are zero."""

    by_input: np.ndarray  # (recurrent units, inputs)
    by_u: np.ndarray
    by_v: np.ndarray


# ---------------------------------------------------------------- forward


@kernel
def multiply(matrix, vector, result):
    """result[r] = sum over c of matrix[r, c] vector[c], on complex numbers too (nothing is conjugated).

    Here and in ``add_outer`` the matrix may have more columns.
    """
    for r in range(matrix.shape[0]):
        total = 0.0
        for c in range(len(vector)):
            total += matrix[r, c] * vector[c]
        result[r] = total


@kernel
def activate_layer(code, u, v, current, net, act, before, now):
    """Net inputs and activations of a layer in row ``now``, from ``current`` there and row ``before``."""
    static = current.shape[1] - len(u) - len(v)
    for j in range(static):
        net[now, j] = current[now, j]  # lfmn-1, lfmn-4
    for m in range(len(u)):
        j = static + m
        net[now, j] = u[m] * net[before, j] + current[now, j]  # lfmn-2, lfmn-5
    for m in range(len(v)):
        j = static + len(u) + m
        net[now, j] = v[m] * act[before, j] + current[now, j]  # lfmn-3, lfmn-6
    for j in range(current.shape[1]):
        act[now, j] = activate(code, net[now, j])


@kernel
def advance(code, weights, x, states, before, now):
    """One step of the network on the input vector x: row ``now`` of ``states`` from row ``before``."""
    static_out = len(weights.w_out)
    multiply(weights.w_hid, x, states.current_hid[now])
    activate_layer(code, weights.u_hid, weights.v_hid, states.current_hid, states.net_hid, states.h, before, now)
    multiply(weights.w_out, states.h[now], states.current_out[now, :static_out])
    multiply(weights.W_out, x, states.current_out[now, static_out:])
    activate_layer(code, weights.u_out, weights.v_out, states.current_out, states.net_out, states.y, before, now)


@kernel
def forward(code, weights, x, states):
    """Fill rows 1 to T of ``states``; x has rows 0 to T, of which row 0 is not read."""
    for t in range(1, len(x)):
        advance(code, weights, x[t], states, t - 1, t)


# ---------------------------------------------------------------- backward through time


@kernel
def error_signals(code, u, v, net, error, delta):
    """Turn ``delta`` from dL/dnet(t+1) into dL/dnet(t), given dL/dact(t) without the unit's own feedback."""
    static = len(net) - len(u) - len(v)
    for j in range(static):
        delta[j] = slope(code, net[j]) * error[j]
    for m in range(len(u)):
        j = static + m
        delta[j] = slope(code, net[j]) * error[j] + u[m] * delta[j]
    for m in range(len(v)):
        j = static + len(u) + m
        delta[j] = slope(code, net[j]) * (error[j] + v[m] * delta[j])


@kernel
def add_outer(delta, source, gradient):
    """gradient[r, c] += delta[r] source[c]."""
    for r in range(gradient.shape[0]):
        for c in range(len(source)):
            gradient[r, c] += delta[r] * source[c]


@kernel
def add_product(delta, source, gradient):
    """gradient[m] += delta[m] source[m]."""
    for m in range(len(gradient)):
        gradient[m] += delta[m] * source[m]


@kernel
def backward(code, weights, x, states, error, gradient):
    """The adjoint sweep: add dL/dweights to ``gradient``; error[t, i] is dL/dy_i(t) by the loss alone."""
    d_hid, d_out = states.h.shape[1], states.y.shape[1]
    static_out = len(weights.w_out)
    u_from_hid, v_from_hid = d_hid - len(weights.u_hid) - len(weights.v_hid), d_hid - len(weights.v_hid)
    v_from_out = d_out - len(weights.v_out)
    delta_hid, delta_out, error_hid = np.zeros(d_hid), np.zeros(d_out), np.zeros(d_hid)
    for t in range(len(x) - 1, 0, -1):
        error_signals(code, weights.u_out, weights.v_out, states.net_out[t], error[t], delta_out)
        add_outer(delta_out, states.h[t], gradient.w_out)
        add_outer(delta_out[static_out:], x[t], gradient.W_out)
        add_product(delta_out[static_out:], states.net_out[t - 1, static_out:], gradient.u_out)
        add_product(delta_out[v_from_out:], states.y[t - 1, v_from_out:], gradient.v_out)

        multiply(weights.w_out.T, delta_out[:static_out], error_hid)
        error_signals(code, weights.u_hid, weights.v_hid, states.net_hid[t], error_hid, delta_hid)
        add_outer(delta_hid, x[t], gradient.w_hid)
        add_product(delta_hid[u_from_hid:], states.net_hid[t - 1, u_from_hid:], gradient.u_hid)
        add_product(delta_hid[v_from_hid:], states.h[t - 1, v_from_hid:], gradient.v_hid)


# ---------------------------------------------------------------- forward recursions, local in time


@kernel
def advance_sensitivities(code, u, v, x, net, act, p):
    """Bring the sensitivities p of one layer from t-1 to t; net and act are the layer's at t-1, x is x(t)."""
    static = len(net) - len(u) - len(v)
    for m in range(len(u)):
        j = static + m
        p.by_u[m] = net[j] + u[m] * p.by_u[m]  # lfmn-9, lfmn-12
        for k in range(len(x)):
            p.by_input[m, k] = u[m] * p.by_input[m, k] + x[k]  # lfmn-11, lfmn-14
    for m in range(len(v)):
        j, row = static + len(u) + m, len(u) + m
        carried = v[m] * slope(code, net[j])
        p.by_v[m] = act[j] + carried * p.by_v[m]  # lfmn-10, lfmn-13
        for k in range(len(x)):
            p.by_input[row, k] = carried * p.by_input[row, k] + x[k]  # lfmn-11, lfmn-14


@kernel
def add_recurrent(error, p, by_input, by_u, by_v):
    """Add error times sensitivity, unit by unit; error is dC(t)/dnet(t) of the layer's recurrent units."""
    for m in range(len(by_input)):
        for k in range(by_input.shape[1]):
            by_input[m, k] += error[m] * p.by_input[m, k]
    add_product(error, p.by_u, by_u)
    add_product(error[len(by_u) :], p.by_v, by_v)


@kernel
def add_step_gradient(code, weights, x, states, now, target, p_hid, p_out, gradient):
    """Add dC(t)/dweights (lfmn-8 to lfmn-14, corrected) to ``gradient``; return C(t). Row ``now`` is time t.

    As printed, lfmn-12 to lfmn-14 lack the factor f'(net_out) that ``error_out`` has here, and lfmn-11 adds
    the terms of both kinds of unit where each unit has one.
    """
    d_hid, d_out = states.h.shape[1], states.y.shape[1]
    static_hid, static_out = d_hid - len(weights.u_hid) - len(weights.v_hid), len(weights.w_out)
    error_out, error_hid = np.zeros(d_out), np.zeros(d_hid)
    cost = 0.0
    for i in range(d_out):
        difference = states.y[now, i] - target[i]
        cost += difference * difference
        error_out[i] = 2.0 * difference * slope(code, states.net_out[now, i])
    add_outer(error_out, states.h[now], gradient.w_out)  # lfmn-8
    # lfmn-9 to lfmn-11
    add_recurrent(error_out[static_out:], p_out, gradient.W_out, gradient.u_out, gradient.v_out)

    # lfmn-12 to lfmn-14
    multiply(weights.w_out.T, error_out[:static_out], error_hid)
    for j in range(d_hid):
        error_hid[j] *= slope(code, states.net_hid[now, j])
    add_outer(error_hid, x, gradient.w_hid[:static_hid])
    by_input = gradient.w_hid[static_hid:]
    add_recurrent(error_hid[static_hid:], p_hid, by_input, gradient.u_hid, gradient.v_hid)
    return cost


@kernel
def run_online(code, weights, x, targets, mask, time, states, p_hid, p_out, gradient):
    """Take the steps time+1, time+2, ... on the rows of x; return the loss that they add.

    ``states`` has two rows: time t lives in row t % 2, so the memory is the same however long the sequence.
    """
    loss = 0.0
    for n in range(len(x)):
        before, now = (time + n) % 2, (time + n + 1) % 2
        advance_sensitivities(code, weights.u_hid, weights.v_hid, x[n], states.net_hid[before], states.h[before], p_hid)
        advance_sensitivities(code, weights.u_out, weights.v_out, x[n], states.net_out[before], states.y[before], p_out)
        advance(code, weights, x[n], states, before, now)
        if mask[n] == 1.0:
            loss += add_step_gradient(code, weights, x[n], states, now, targets[n], p_hid, p_out, gradient)
    return loss
