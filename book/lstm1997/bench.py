"""Bench of the chapters on the LSTM of 1997: system, small instances, a forward pass."""

import numpy as np
from book.shared.statements import SOURCES
from throughtime.arrays.activations import logistic, tanh_half, twice_tanh_half
from throughtime.derivation import Bench, System
from throughtime.evidence.trace import Arrays, Forward, ModelTrace, scalar, stacked
from throughtime.systems import lstm1997 as s

SEED, LENGTH = 1997, 3
SIZES = {s.d_in: 1, s.d_hid: 1, s.d_cell: 2, s.n_cell: 2, s.d_out: 2}
SMALL = [{**SIZES, s.d_out: 1}, {**SIZES, s.d_hid: 2, s.d_cell: 1, s.n_cell: 1}]  # two units of each kind somewhere
FUNCTIONS = dict.fromkeys(("f_hid", "f_ig", "f_og", "f_out"), scalar(logistic.derivative))
FUNCTIONS |= {"g": scalar(twice_tanh_half.derivative), "h": scalar(tanh_half.derivative)}
GIVEN = (
    r"The inputs $x(t)$ and the targets $\hat y(t)$ are given: no derivative flows into them.",
    r"All units and cell states are $0$ at time $0$.",
    r"Units are numbered from 1 within their kind; a column of a weight matrix counts through the concatenation that "
    r"it multiplies, in which cell $k$ of block $i$ stands behind all cells of smaller $k$.",
)


def forward(weights: Arrays, given: Arrays, *, same: bool = False) -> Arrays:
    """All quantities with a row for each time 0 to T, and the loss; `same`: outputs read units of their own time."""
    shape = weights["w_cell"].shape[:2]
    y_hid, s, y_cell, steps = np.zeros(len(weights["w_hid"])), np.zeros(shape), np.zeros(shape), []
    y_ig, y_og = np.zeros(shape[1]), np.zeros(shape[1])
    for x, goal in zip(given["x"], given["d"], strict=True):
        r, o = np.r_[x, y_hid, y_ig, y_og, y_cell.ravel()], np.r_[x, y_hid, y_cell.ravel()]
        net_hid, net_ig, net_og, net_cell = (weights[f"w_{kind}"] @ r for kind in ("hid", "ig", "og", "cell"))
        y_hid, y_ig, y_og = logistic(net_hid), logistic(net_ig), logistic(net_og)
        s = s + y_ig * twice_tanh_half(net_cell)
        y_cell = y_og * tanh_half(s)
        o_now = np.r_[x, y_hid, y_cell.ravel()]
        net_out = weights["w_out"] @ (o_now if same else o)
        y = logistic(net_out)
        E_unit = (y - goal) ** 2 / 2
        steps.append({
            "r": r, "o": o, "net_hid": net_hid, "net_ig": net_ig, "net_og": net_og, "net_cell": net_cell, "s": s,
            "y_hid": y_hid, "y_ig": y_ig, "y_og": y_og, "y_cell": y_cell, "o_now": o_now, "net_out": net_out, "y": y,
            "E_unit": E_unit, "E": E_unit.sum(),
        })  # fmt: skip
    trace = stacked(steps)
    return trace | {"L": trace["E"].sum()}


def make_bench(system: System | None = None, run: Forward = forward) -> Bench:
    """The bench of these chapters, or of another system with its forward pass; every call makes a new one."""
    system = system or s.build()
    model = ModelTrace.drawn(system, SIZES, LENGTH, run, FUNCTIONS, SEED)
    return Bench(system, SMALL, model=model, activations=FUNCTIONS, assumptions=GIVEN, sources=SOURCES)
