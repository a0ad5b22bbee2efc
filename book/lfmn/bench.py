"""Bench of the LFMN chapters: system, small instances, a forward pass."""

from functools import partial

import numpy as np
from book.shared.statements import SOURCES
from throughtime.arrays.activations import tanh_half
from throughtime.derivation import Bench, ExactInstance, System
from throughtime.evidence.trace import Arrays, Forward, ModelTrace, scalar, stacked
from throughtime.systems import lfmn as s

SEED, LENGTH = 1992, 5
SIZES = {s.d_in: 2, s.n_h: 1, s.r_h: 2, s.a_h: 2, s.n_y: 2, s.r_y: 1, s.a_y: 2}
TWOS = dict.fromkeys(SIZES, 2)
COUNTED = [1.0, 0.0, 1.0, 1.0, 0.0]
FUNCTIONS = {"f": scalar(tanh_half.derivative)}
GIVEN = (
    r"The inputs $x(t)$, the targets $d(t)$ and the mask $\sigma(t)$ are given: no derivative flows into them.",
    r"Every recurrent unit starts from the constant 0 at time 0.",
)
EVERY_STEP_COUNTS = {("sigma", t): 1.0 for t in range(1, 10)}
"""The mask of counterexamples."""


def forward(weights: Arrays, given: Arrays) -> Arrays:
    """All quantities with a row for each time 0 to T, and the loss."""
    u_hid, v_hid, u_out, v_out = (weights[name] for name in ("u_hid", "v_hid", "u_out", "v_out"))
    static, r_h, r_y, steps = len(weights["w_hid"]) - len(u_hid) - len(v_hid), len(u_hid), len(u_out), []
    net_hid, h_a, net_out, y_a = 0 * u_hid, 0 * v_hid, 0 * u_out, 0 * v_out
    for x, goal in zip(given["x"], given["d"], strict=True):
        c = weights["w_hid"] @ x
        net_hid = u_hid * net_hid + c[static : static + r_h]
        act_hid = v_hid * h_a + c[static + r_h :]
        h = tanh_half(np.r_[c[:static], net_hid, act_hid])
        a, read = weights["w_out"] @ h, weights["W_out"] @ x
        net_out, act_out = u_out * net_out + read[:r_y], v_out * y_a + read[r_y:]
        y = tanh_half(np.r_[a, net_out, act_out])
        h_a, y_a = h[static + r_h :], y[len(a) + r_y :]
        steps.append({
            "c": c, "h~": net_hid, "h-": act_hid, "h": h, "a": a, "y~": net_out, "y-": act_out, "y": y,
            "C": ((y - goal) ** 2).sum(),
        })  # fmt: skip
    trace = stacked(steps)
    return trace | {"loss": given["sigma"] @ trace["C"][1:]}


def make_bench(system: System | None = None, run: Forward = forward) -> Bench:
    """The bench of the LFMN chapters, or of another system with its forward pass; every call makes a new one."""
    system = system or s.build()
    return Bench(
        system, [TWOS, {**TWOS, s.d_in: 3, s.n_h: 1, s.r_y: 1}], length=3,
        model=ModelTrace.drawn(system, SIZES, LENGTH, run, FUNCTIONS, SEED, sigma=COUNTED),
        activations=FUNCTIONS, assumptions=GIVEN, real=partial(ExactInstance, values=EVERY_STEP_COUNTS),
        sources=SOURCES,
    )  # fmt: skip
