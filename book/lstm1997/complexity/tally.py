"""The note's schedule for one update of the LSTM of 1997, line by line, with the operations of each line.

The schedule is the list above lstm97-74; its lines refer to parts of lstm97-69 to lstm97-73. Lines 9 and 16 differ from
the printed list: an output weight belongs to one cell, so its error signal is a factor inside the sum over the cells of
a block, and the products of lines 29 and 31 are omitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from throughtime.models.activations import Activation
from throughtime.models.lstm1997 import LSTM1997, Trace
from throughtime_book.lstm1997.complexity.numbers import Operations, counted

UPDATE = "sums over time"  # 69d, 70i, 71k, 72r, 73q: not in the note's list


@dataclass
class Tally:
    """Operations by line number of the list, and the computed update by name and shape of ``model.layout``."""

    lines: dict[int | str, Operations] = field(default_factory=dict)
    update: dict[str, np.ndarray] = field(default_factory=dict)

    @contextmanager
    def line(self, name: int | str) -> Iterator[Operations]:
        """The counter of a line, created on first use: operations on numbers ``counted`` with it count for the line."""
        yield self.lines.setdefault(name, Operations())

    @property
    def total(self) -> int:
        """Operations of all lines."""
        return sum(line.total for line in self.lines.values())


def slopes(f: Activation, net: np.ndarray, tally: Operations) -> np.ndarray:
    """f'(net), same shape; counts one function evaluation per entry in ``tally``."""
    tally.functions += net.size
    return np.asarray(f.derivative(net))


def update(model: LSTM1997, theta: np.ndarray, x: np.ndarray) -> Tally:
    """Sum over time and outputs of the truncated dy_i(t+1)/dw, and the operations of one step (all steps are alike).

    model       without biases and with ``timing="previous"``, the note's network; ValueError otherwise
    theta, x    as for ``model.forward``
    """
    if model.bias or model.timing != "previous":
        raise ValueError(f"model: expected no biases and timing 'previous', got {model.bias} and {model.timing!r}")
    trace, weights = model.forward(theta, x), model.layout.views(theta)
    kept = {name: np.zeros_like(weights["w_cell"]) for name in ("72c", "73c")}
    total = {name: np.zeros_like(view) for name, view in weights.items()}
    for t in range(trace.length):
        result = step(model, weights["w_out"], trace, t, kept)
        with result.line(UPDATE) as tally:
            total = {name: (counted(total[name], tally) + part).astype(float) for name, part in result.update.items()}
    result.update = total
    return result


def step(model: LSTM1997, w_out: np.ndarray, trace: Trace, t: int, kept: dict[str, np.ndarray]) -> Tally:
    """Contribution of the outputs at t+1 to the update, from a complete forward pass ``trace``.

    ``w_out`` (n_out, sources). ``kept`` holds the derivatives of the states with respect to the weights of input gates
    ("72c") and cells ("73c"), both of the shape of w_cell, and is advanced in place from t-1 to t.
    """
    done, n_in, hidden = Tally(), model.n_in, model.hidden
    past = {name: rows[max(t - 1, 0)].ravel() for name, rows in trace.items()}
    names = ("x", "y_hid", "y_ig", "y_og", "y_cell")
    source = np.concatenate([past[name] for name in names]) * (t > 0)  # nothing before time 0
    read = np.concatenate([trace.x[t], trace.y_hid[t], trace.y_cell[t].ravel()])
    with done.line(3) as tally:
        d_hid = slopes(model.f_hid, trace.net_hid[t], tally)
        d_ig, d_og = slopes(model.f, trace.net_ig[t], tally), slopes(model.f, trace.net_og[t], tally)
        d_cell = slopes(model.g, trace.net_cell[t], tally)
    with done.line(4) as tally:
        by_hid = np.multiply.outer(counted(d_hid, tally), source)
    with done.line(5) as tally:
        by_og = np.multiply.outer(counted(d_og, tally), source)
    with done.line(6) as tally:
        by_ig = np.multiply.outer(counted(d_ig, tally), source)
    with done.line(7) as tally:
        by_cell = np.multiply.outer(counted(d_cell, tally), source)
    with done.line(11) as tally:
        new_ig = counted(model.g(trace.net_cell[t]), tally)[..., None] * plain(by_ig)
    with done.line(12) as tally:
        kept["72c"] = plain(counted(kept["72c"], tally) + plain(new_ig))
    with done.line(13) as tally:
        new_cell = counted(trace.y_ig[t], tally)[:, None] * plain(by_cell)
    with done.line(14) as tally:
        kept["73c"] = plain(counted(kept["73c"], tally) + plain(new_cell))
    with done.line(15) as tally:
        d_h = slopes(model.h, trace.s[t], tally)
    with done.line(22) as tally:
        d_out = slopes(model.f_out, trace.net_out[t + 1], tally)
    with done.line(23) as tally:
        done.update["w_out"] = plain(np.multiply.outer(counted(d_out, tally), read))
    with done.line(25) as tally:
        products = counted(d_out, tally)[:, None] * w_out[:, n_in:]
    with done.line(26) as tally:
        error = counted(plain(products), tally).sum(axis=0)
    e_hid, e_cell = plain(error[:hidden]), plain(error[hidden:]).reshape(model.cells, model.blocks)
    with done.line(9) as tally:  # printed without the factor e_cell
        block = (counted(e_cell, tally) * model.h(trace.s[t])).sum(axis=0)
    with done.line(10) as tally:
        done.update["w_og"] = plain(counted(plain(by_og), tally) * plain(block)[:, None])
    with done.line(16) as tally:  # printed without the factor e_cell
        weighted = (counted(d_h, tally) * e_cell)[..., None] * kept["72c"]
    with done.line(17) as tally:
        of_block = counted(plain(weighted), tally).sum(axis=0)
    with done.line(18) as tally:
        of_cell = counted(d_h, tally)[..., None] * kept["73c"]
    with done.line(20) as tally:
        done.update["w_ig"] = plain(counted(trace.y_og[t], tally)[:, None] * plain(of_block))
    with done.line(21) as tally:
        opened = counted(trace.y_og[t], tally)[:, None] * plain(of_cell)
    with done.line(27) as tally:
        done.update["w_hid"] = plain(counted(e_hid, tally)[:, None] * plain(by_hid))
    with done.line(33) as tally:
        done.update["w_cell"] = plain(counted(e_cell, tally)[..., None] * plain(opened))
    return done


def plain(array: np.ndarray) -> np.ndarray:
    """The values as floats, without a counter, so that further operations can be counted for another line."""
    return array.astype(float)
