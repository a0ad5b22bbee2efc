"""Bench of the chapters on forget gates and peepholes: systems, small instances, a forward pass."""

from functools import partial

import numpy as np
from book.shared.statements import SOURCES
from throughtime.arrays.activations import logistic, tanh_half, twice_tanh_half
from throughtime.derivation import Bench
from throughtime.evidence.trace import Arrays, ModelTrace, scalar, stacked
from throughtime.systems import lstm_family as s
from throughtime.systems.lstm_family import GATES, LSTM2002, Member

SEED, LENGTH = 2002, 4
SMALL = {s.d_in: 1, s.n_blk: 2, s.d_blk: 2, s.n_src: 2, s.d_out: 2}
SIZES = {**SMALL, s.n_src: 11}
FUNCTIONS = dict.fromkeys(("f_out", *(f"f_{name}" for name in GATES)), scalar(logistic.derivative))
FUNCTIONS |= {"g": scalar(twice_tanh_half.derivative), "h": scalar(tanh_half.derivative)}
WIRING = dict(zip(("S_x", "S_fg", "S_ig", "S_og", "S_block"), np.split(np.eye(11), [1, 3, 5, 7], axis=1), strict=True))
WIRING["S_block"] = WIRING["S_block"].reshape(11, 2, 2)
"""Which source is which: the note's column vector, each row with a single 1."""
GIVEN = (
    r"The inputs $x(t)$ and the targets $\hat y(t)$ are given: no derivative flows into them.",
    r"All activations and states are 0 at time 0.",
)


def forward(member: Member, w: Arrays, given: Arrays) -> Arrays:
    """All quantities with a row for each time 0 to T."""
    steps, s, y_block = [], np.zeros((2, 2)), np.zeros((2, 2))
    gates = {f"y_{name}": np.zeros(2) for name in GATES}
    for x, goal in zip(given["x"], given["d"], strict=True):
        r = given["S_x"] @ x + sum(given[f"S_{name}"] @ gates[f"y_{name}"] for name in GATES)
        r = r + np.einsum("qlc,lc->q", given["S_block"], y_block)
        nets = {f"net_{name}": w[f"w_{name}"] @ r for name in GATES} | {"net_block": w["w_block"] @ r}
        for name in GATES:
            if name == "og":
                s = gates["y_fg"][:, None] * s + gates["y_ig"][:, None] * twice_tanh_half(nets["net_block"])
            if member.peepholes:
                nets[f"net_{name}"] = nets[f"net_{name}"] + (w[f"u_{name}"] * s).sum(axis=1)
            gates |= {f"y_{name}": logistic(nets[f"net_{name}"])}
        y_block = gates["y_og"][:, None] * (tanh_half(s) if member.squash else s)
        net_out = w["w_out_x"] @ x + np.einsum("ikj,kj->i", w["w_out"], y_block)
        E_unit = (logistic(net_out) - goal) ** 2 / 2
        outputs = {"net_out": net_out, "y": logistic(net_out), "E_unit": E_unit, "E": E_unit.sum()}
        steps.append({"r": r, "s": s, "y_block": y_block, **nets, **gates, **outputs})
    return stacked(steps)


def make_bench(member: Member = LSTM2002) -> Bench:
    """The bench of one member, whose outputs depend on the cells of the same time; every call makes a new one."""
    system = member.build()
    model = ModelTrace.drawn(system, SIZES, LENGTH, partial(forward, member), FUNCTIONS, SEED, **WIRING)
    return Bench(system, [SMALL], length=4, model=model, activations=FUNCTIONS, assumptions=GIVEN, sources=SOURCES)
