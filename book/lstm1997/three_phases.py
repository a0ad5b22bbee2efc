"""The step of the paper's section 5 as a system: outputs have the hidden units and cells of their own time as inputs.

All else, letters included, is that of `throughtime.systems.lstm1997`, which has the step of A.1, where the inputs of
outputs are those of the previous time. The errors of (19), (21) and (23) have names of their own.
"""

import numpy as np
from book.lstm1997 import bench as part
from throughtime.arrays.activations import logistic, tanh_half
from throughtime.derivation import Bench, Delta, System, sum_over, variable
from throughtime.evidence.trace import Arrays
from throughtime.systems import lstm1997 as s

t, c = s.t, s.q_out
o = variable("o_now", s.C_out, latex="o")
"""The inputs of the outputs: [x(t-1); y_hid(t); y_cell(t)]."""
squared = variable("E_16", latex=r"E^{\mathrm{sq}}")
"""The squared error as the paper's (16) has it, without one half."""
e_out, e_og = variable("e_out", s.OUT, latex="e"), variable("e_og", s.BLOCK, latex=r"e^{\mathrm{og}}")
e_s = variable("e_s", s.CELL, s.BLOCK, latex=r"e^{s}")
THREE_PHASES = "The step is that of section 5: outputs have hidden units and cells of their own time as inputs."
IN_A1 = "The step is that of A.1: outputs have hidden units and cells of the previous time as inputs."
HALF = "$E(t)$ has the factor $\\frac12$, as (19) asks for."
BLOCKS = (
    "A sum over $k$ is one over the cells of a block, the paper's $v$; $p$ is the number of the block, the paper's $j$."
)


def outputs(net: System) -> None:
    """The outputs of the three phases, defined in a system that has all else."""
    x, hid, cell = (c.within(columns) for columns in (s.X, s.C_hid, s.C_out_cell))
    net[o[x, t]] = s.x[x, t - 1]
    net[o[hid, t]] = sum_over(s.j_hid, Delta(hid, s.hid_column(s.j_hid)) * s.y_hid[s.j_hid, t])
    net[o[cell, t]] = sum_over(s.k, s.j, Delta(cell, s.out_column(s.k, s.j)) * s.y_cell[s.k, s.j, t])
    net[s.net_out[s.i_out, t]] = sum_over(c, s.w_out[s.i_out, c] * o[c, t])


def errors(net: System) -> None:
    """The errors of outputs, output gates and states, as (19), (21) and (23) compute them, and (16)."""
    i, p, k = s.i_out, s.p, s.k
    back = sum_over(i, s.w_out[i, s.out_column(k, p)] * e_out[i, t])
    net[squared[t]] = sum_over(i, (s.target[i, t] - s.y[i, t]) ** 2)
    net[e_out[i, t]] = s.f_out.prime(s.net_out[i, t], i) * (s.target[i, t] - s.y[i, t])
    slope = s.f_og.prime(s.net_og[p, t], p)
    net[e_og[p, t]] = slope * sum_over(k, s.h[k, p](s.s[k, p, t]) * back)
    net[e_s[k, p, t]] = s.f_og[p](s.net_og[p, t]) * s.h.prime(s.s[k, p, t], k, p) * back


def build() -> System:
    """The network with a step of three phases: inputs; hidden units, gates and cells; outputs."""
    net = System("LSTM 1997, three phases", t)
    net.given_from(s.x, 0)
    for line in s.build().all_definitions():
        if line.left.quantity != s.net_out:
            net[line.left] = line.right
        else:
            outputs(net)
    errors(net)
    return net


def forward(weights: Arrays, given: Arrays) -> Arrays:
    """The forward pass of the part with the timing of the paper's experiments, and (16), (19), (21) and (23)."""
    trace = part.forward(weights, given, same=True)
    e_out, e_og, e_s = (np.zeros_like(trace[name]) for name in ("y", "y_og", "s"))
    shape = trace["s"].shape[1:]
    back = weights["w_out"][:, -np.prod(shape) :].reshape(-1, *shape)
    for now, goal in enumerate(given["d"], 1):
        e_out[now] = logistic.derivative(trace["net_out"][now]) * (goal - trace["y"][now])
        listen, state = np.einsum("o,okb->kb", e_out[now], back), trace["s"][now]
        e_og[now] = logistic.derivative(trace["net_og"][now]) * (tanh_half(state) * listen).sum(axis=0)
        e_s[now] = trace["y_og"][now] * tanh_half.derivative(state) * listen
    return trace | {"E_16": 2 * trace["E"], "e_out": e_out, "e_og": e_og, "e_s": e_s}


def make_bench() -> Bench:
    """The bench of the three phases, with the squared error of (16) beside the half of it; a new one by each call."""
    return part.make_bench(build(), forward)
