"""The loops of the local feedback multilayered network, compiled where Numba is at hand.

Indices, from zero: j unit of a layer (or hidden unit), i output unit, k input, m recurrent unit of a layer. Units of a
layer stand in the order static, net-input feedback, activation feedback; ``own`` holds the weights of recurrent ones
from themselves, and ``first`` is the number of the first unit with activation feedback. n counts sequences. Row t of
an array holds time t.
"""

from math import nan
from typing import NamedTuple

import numpy as np

from throughtime.models._activate import activate, slope
from throughtime.models._jit import kernel
from throughtime.models._linalg import add_outer, finite, multiply


class Architecture(NamedTuple):
    """The number of the activation, and for each layer that of the first unit that feeds it back."""

    code: int
    first_hid: int
    first_out: int


class Weights(NamedTuple):
    """Parameters, or the gradient with respect to them. W_out leads from the inputs to the recurrent output units."""

    w_hid: np.ndarray  # (hidden, inputs)
    own_hid: np.ndarray  # (recurrent hidden units,): u_hid and v_hid
    w_out: np.ndarray  # (static outputs, hidden)
    W_out: np.ndarray  # (recurrent outputs, inputs)
    own_out: np.ndarray  # (recurrent outputs,): u_out and v_out


class States(NamedTuple):
    """Sequences by times by units. ``current`` is the net input without the feedback term."""

    current_hid: np.ndarray
    net_hid: np.ndarray
    h: np.ndarray
    current_out: np.ndarray
    net_out: np.ndarray
    y: np.ndarray


class Sensitivities(NamedTuple):
    """d net(t) / d weight of each recurrent unit of a layer with respect to its own weights; all others are zero."""

    by_input: np.ndarray  # (recurrent units, inputs)
    by_own: np.ndarray  # (recurrent units,)


# ---------------------------------------------------------------- forward


@kernel
def fed_back(j, first, net, act):
    """Feedback of a recurrent unit: its net input, or from number ``first`` on its activation."""
    return act[j] if j >= first else net[j]


@kernel
def advance_layer(code, first, own, current, net, act, before, now):
    """Net inputs and activations of a layer in row ``now``, from ``current`` there and row ``before``."""
    static = current.shape[1] - len(own)
    for j in range(current.shape[1]):
        net[now, j] = current[now, j]  # lfmn-1, lfmn-4
        if j >= static:
            net[now, j] += own[j - static] * fed_back(j, first, net[before], act[before])  # lfmn-2, 3, 5, 6
        act[now, j] = activate(code, net[now, j])


@kernel
def advance(lfmn, weights, x, states, n, before, now):
    """One step of sequence n on the input vector x: row ``now`` of ``states`` from row ``before``."""
    current_hid, net_hid, h, current_out, net_out, y = states
    static_out = len(weights.w_out)
    multiply(weights.w_hid, x, current_hid[n, now])
    advance_layer(lfmn.code, lfmn.first_hid, weights.own_hid, current_hid[n], net_hid[n], h[n], before, now)
    multiply(weights.w_out, h[n, now], current_out[n, now, :static_out])
    multiply(weights.W_out, x, current_out[n, now, static_out:])
    advance_layer(lfmn.code, lfmn.first_out, weights.own_out, current_out[n], net_out[n], y[n], before, now)


@kernel
def forward(lfmn, weights, x, states):
    """Fill rows 1 to T of ``states``; x has rows 0 to T, row 0 unused."""
    for n in range(len(x)):
        for t in range(1, x.shape[1]):
            advance(lfmn, weights, x[n, t], states, n, t - 1, t)


# ---------------------------------------------------------------- backward through time


@kernel
def error_signals(code, first, own, net, error, delta):
    """Turn ``delta`` from dL/dnet(t+1) into dL/dnet(t), given dL/dact(t) without the unit's own feedback."""
    static = len(net) - len(own)
    for j in range(len(net)):
        later = own[j - static] * delta[j] if j >= static else 0.0
        if j >= first:
            delta[j] = slope(code, net[j]) * (error[j] + later)
        else:
            delta[j] = slope(code, net[j]) * error[j] + later


@kernel
def add_own(first, delta, net, act, gradient):
    """Add dL/down of a layer at t; delta is dL/dnet(t), net and act are those of t-1."""
    static = len(delta) - len(gradient)
    for m in range(len(gradient)):
        gradient[m] += delta[static + m] * fed_back(static + m, first, net, act)


@kernel
def backward(lfmn, weights, x, states, error, gradient):
    """The adjoint sweep: add dL/dweights to ``gradient``; error[n, t, i] is the immediate dL/dy_i(t)."""
    _, net_hid, h, _, net_out, y = states
    static_out = len(weights.w_out)
    for n in range(len(x)):
        delta_hid, delta_out, error_hid = np.zeros(h.shape[2]), np.zeros(y.shape[2]), np.zeros(h.shape[2])
        for t in range(x.shape[1] - 1, 0, -1):
            error_signals(lfmn.code, lfmn.first_out, weights.own_out, net_out[n, t], error[n, t], delta_out)
            add_outer(delta_out, h[n, t], gradient.w_out)
            add_outer(delta_out[static_out:], x[n, t], gradient.W_out)
            add_own(lfmn.first_out, delta_out, net_out[n, t - 1], y[n, t - 1], gradient.own_out)

            multiply(weights.w_out.T, delta_out[:static_out], error_hid)
            error_signals(lfmn.code, lfmn.first_hid, weights.own_hid, net_hid[n, t], error_hid, delta_hid)
            add_outer(delta_hid, x[n, t], gradient.w_hid)
            add_own(lfmn.first_hid, delta_hid, net_hid[n, t - 1], h[n, t - 1], gradient.own_hid)


# ---------------------------------------------------------------- forward recursions, local in time


@kernel
def advance_sensitivities(code, first, own, x, net, act, p):
    """Bring the sensitivities p of one layer from t-1 to t; net and act are the layer's at t-1, x is x(t)."""
    static = len(net) - len(own)
    for m in range(len(own)):
        j = static + m
        carried = own[m] * slope(code, net[j]) if j >= first else own[m]
        p.by_own[m] = fed_back(j, first, net, act) + carried * p.by_own[m]  # lfmn-9, 10, 12, 13
        for k in range(len(x)):
            p.by_input[m, k] = carried * p.by_input[m, k] + x[k]  # lfmn-11, lfmn-14


@kernel
def add_recurrent(error, p, by_input, by_own):
    """Add error times sensitivity, unit by unit; error is dC(t)/dnet(t) of the layer's recurrent units."""
    for m in range(len(by_own)):
        by_own[m] += error[m] * p.by_own[m]
        for k in range(by_input.shape[1]):
            by_input[m, k] += error[m] * p.by_input[m, k]


@kernel
def add_step_gradient(code, weights, x, h, net_hid, y, net_out, target, mask, p_hid, p_out, gradient):
    """Add dC(t)/dweights (lfmn-8 to lfmn-14, corrected) to ``gradient``; return C(t). All vectors are those of time t.

    As printed, lfmn-12 to lfmn-14 lack the factor f'(net_out) that ``error_out`` has here, and lfmn-11 adds
    the terms of both kinds of unit where each unit has one.
    """
    static_hid, static_out = len(h) - len(weights.own_hid), len(weights.w_out)
    error_out, error_hid = np.zeros(len(y)), np.zeros(len(h))
    cost = 0.0
    for i in range(len(y)):
        difference = y[i] - target[i]
        cost += mask[i] * difference * difference
        error_out[i] = 2.0 * mask[i] * difference * slope(code, net_out[i])
    add_outer(error_out, h, gradient.w_out)  # lfmn-8
    add_recurrent(error_out[static_out:], p_out, gradient.W_out, gradient.own_out)  # lfmn-9 to lfmn-11

    # lfmn-12 to lfmn-14
    multiply(weights.w_out.T, error_out[:static_out], error_hid)
    for j in range(len(h)):
        error_hid[j] *= slope(code, net_hid[j])
    add_outer(error_hid, x, gradient.w_hid[:static_hid])
    add_recurrent(error_hid[static_hid:], p_hid, gradient.w_hid[static_hid:], gradient.own_hid)
    return cost


@kernel
def run_online(lfmn, weights, x, targets, mask, time, states, p_hid, p_out, gradient):
    """Take the steps time+1, time+2, ... on the rows of x; return the loss that they add, NaN where a net overflows.

    ``states`` has one sequence and two rows: time t lives in row t % 2, so the memory does not grow with the sequence.
    """
    net_hid, h, net_out, y = states.net_hid[0], states.h[0], states.net_out[0], states.y[0]
    loss = 0.0
    for n in range(len(x)):
        before, now = (time + n) % 2, (time + n + 1) % 2
        advance_sensitivities(lfmn.code, lfmn.first_hid, weights.own_hid, x[n], net_hid[before], h[before], p_hid)
        advance_sensitivities(lfmn.code, lfmn.first_out, weights.own_out, x[n], net_out[before], y[before], p_out)
        advance(lfmn, weights, x[n], states, 0, before, now)
        if not (finite(net_hid[now]) and finite(net_out[now])):
            return nan
        if mask[n].any():
            layers = h[now], net_hid[now], y[now], net_out[now]
            loss += add_step_gradient(lfmn.code, weights, x[n], *layers, targets[n], mask[n], p_hid, p_out, gradient)
    return loss
