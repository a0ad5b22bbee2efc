"""The truncated gradient of the LSTM of 1997 summed up from a trace, by the updates that the chapter derives.

Nothing here is shared with the gradient of the library but the forward pass, so the two can be compared.
"""

from __future__ import annotations

import numpy as np
from throughtime.models.lstm1997 import HIDDEN_KINDS, LSTM1997


def gradient_from_trace(
    model: LSTM1997, theta: np.ndarray, x: np.ndarray, errors: np.ndarray, at_one_time: bool = False
) -> np.ndarray:
    """Sum over time of the derived updates, flat like ``theta``; for a model without biases.

    errors      (T, n_out): y - target gives the gradient of the loss; all ones what the note's (69) to (73) add up,
                the derivatives of the outputs themselves
    at_one_time take the cells at the time of the output whatever the timing, as (A.18) to (A.26) of the paper have it
    """
    trace, views = model.forward(theta, x), model.layout.views(theta)
    gradient = {name: np.zeros_like(view) for name, view in views.items()}
    read = _read(trace, x)
    by_gate, by_cell = np.zeros((2, *views["w_cell"].shape))  # ds/dw of the input gate's weights and of the cell's
    to_hid, to_cell = (views["w_out"][:, model.output_sources[name]] for name in ("y_hid", "y_cell"))
    to_cell = to_cell.reshape(model.n_out, model.cells, model.blocks)

    def advance(now: int) -> None:
        """(67) and (68)."""
        nonlocal by_gate, by_cell
        net = trace.net_cell[now]
        added = model.f.derivative(trace.net_ig[now]) * model.g(net)
        by_gate = by_gate + added[..., None] * read[now]
        by_cell = by_cell + (trace.y_ig[now] * model.g.derivative(net))[..., None] * read[now]

    for now in range(1, trace.length + 1):
        seen = (
            now - 1 if model.timing == "previous" and not at_one_time else now
        )  # the time whose cells the outputs at `now` read
        if seen == now:
            advance(now)
        e = model.f_out.derivative(trace.net_out[now]) * errors[now - 1]
        cells = np.concatenate([trace.y_hid[seen], trace.y_cell[seen].ravel()])
        gradient["w_out"] += np.outer(e, np.concatenate([x[now - 1], cells]))
        gradient["w_hid"] += np.outer(model.f_hid.derivative(trace.net_hid[seen]) * (e @ to_hid), read[seen])
        back = np.einsum("o,okb->kb", e, to_cell)
        e_og = model.f.derivative(trace.net_og[seen]) * (model.h(trace.s[seen]) * back).sum(axis=0)
        gradient["w_og"] += np.outer(e_og, read[seen])
        e_s = trace.y_og[seen] * model.h.derivative(trace.s[seen]) * back
        gradient["w_ig"] += (e_s[..., None] * by_gate).sum(axis=0)
        gradient["w_cell"] += e_s[..., None] * by_cell
        if seen < now:
            advance(now)
    return model.layout.flatten(gradient)


def _read(trace, x: np.ndarray) -> np.ndarray:
    """The inputs of all units, row t for time t: [x; y_hid; y_ig; y_og; y_cell](t-1), and zeros at time 0."""
    units = [getattr(trace, f"y_{kind}")[:-1].reshape(len(x), -1) for kind in HIDDEN_KINDS]
    rows = np.hstack([x, *units])
    return np.vstack([np.zeros_like(rows[:1]), rows])
