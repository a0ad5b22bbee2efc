"""Error flow of the LSTM of 1997 outside its carousels, and what of it returns into them.

The Jacobian of one step takes (y, s) of time t - 1 to (y, s) of time t: y are the activations of gates and cells, s the
states. Its block from s to s without recurrent weights is the identity, the carousel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from throughtime.models.lstm1997 import LSTM1997, Trace
from throughtime.tasks import AtEnd

LAGS = (1, 2, 5, 10)


class Flow(NamedTuple):
    """Spectral norms, medians over sequences; ``outside`` by the lags of ``LAGS``."""

    outside: tuple[float, ...]  # of dy(T)/dy(T - q) with every state held constant before it is read out
    returned: float  # of ds(T)/ds(1) minus the identity


def jacobians(model: LSTM1997, theta: np.ndarray, trace: Trace) -> np.ndarray:
    """Exact derivatives of (y_ig, y_og, y_cell, s) of the times 1 to T with respect to those one step earlier.

    Shape (T, n, n) with n = 2 blocks + 2 states; states are ordered as ``s[t].ravel()``. ValueError with hidden units.
    """
    if model.hidden:
        raise ValueError(f"model: expected no hidden units, got {model.hidden}")
    views, blocks, states = model.layout.views(theta), model.blocks, model.blocks * model.cells
    units = 2 * blocks + states
    w_ig, w_og = (views[name][:, model.n_in : model.n_in + units] for name in ("w_ig", "w_og"))
    w_cell = views["w_cell"].reshape(states, -1)[:, model.n_in : model.n_in + units]
    block = np.tile(np.arange(blocks), model.cells)  # of each state
    found = np.zeros((trace.length, units + states, units + states))
    for J, t in zip(found, range(1, trace.length + 1), strict=True):
        ig = model.f.derivative(trace.net_ig[t])[:, None] * w_ig
        og = model.f.derivative(trace.net_og[t])[:, None] * w_og
        net, s = trace.net_cell[t].ravel(), trace.s[t].ravel()
        s_by_y = model.g(net)[:, None] * ig[block]
        s_by_y += (trace.y_ig[t][block] * model.g.derivative(net))[:, None] * w_cell
        read_out = trace.y_og[t][block] * model.h.derivative(s)
        J[:blocks, :units], J[blocks : 2 * blocks, :units] = ig, og
        J[units:, :units], J[units:, units:] = s_by_y, np.eye(states)
        J[2 * blocks : units, :units] = model.h(s)[:, None] * og[block] + read_out[:, None] * s_by_y
        J[2 * blocks : units, units:] = np.diag(read_out)
    return found


def state_to_state(model: LSTM1997, theta: np.ndarray, trace: Trace) -> np.ndarray:
    """ds(T)/ds(1) through all paths, shape (states, states); cells and units of time 1 follow their state."""
    states = model.blocks * model.cells
    units, block = 2 * model.blocks + states, np.tile(np.arange(model.blocks), model.cells)
    s = trace.s[1].ravel()
    flow = np.zeros((units + states, states))
    flow[2 * model.blocks : units] = np.diag(trace.y_og[1][block] * model.h.derivative(s))
    flow[units:] = np.eye(states)
    for J in jacobians(model, theta, trace)[1:]:
        flow = J @ flow
    return flow[units:]


def flow(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> Flow:
    """Both kinds of flow, back from the last step of each sequence."""
    units, outside, returned = 2 * model.blocks + model.blocks * model.cells, [], []
    for x, end in zip(sequences.x, sequences.lengths, strict=True):
        trace = model.forward(theta, x[:end])
        product, norms = np.eye(units), []
        for J in jacobians(model, theta, trace)[: -max(LAGS) - 1 : -1]:
            product = product @ J[:units, :units]
            norms.append(np.linalg.norm(product, 2))
        outside.append([norms[lag - 1] for lag in LAGS])
        whole = state_to_state(model, theta, trace)
        returned.append(np.linalg.norm(whole - np.eye(len(whole)), 2))
    return Flow(tuple(map(float, np.median(outside, axis=0))), float(np.median(returned)))
