"""The step of the paper's section 5 as a system: outputs have the hidden units and cells of their own time as inputs.

All else, letters included, is that of `throughtime.systems.lstm1997`, which has the step of A.1, where the inputs of
outputs are those of the previous time. The errors of (19), (21) and (23) have names of their own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from book.lstm1997 import bench as part
from throughtime.derivation import Bench, Delta, System, sum_over, variable
from throughtime.evidence.trace import Arrays, by_units
from throughtime.systems import lstm1997 as s
from throughtime.textbook.lstm1997 import LSTM1997

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


class Phases(part.Model):
    """The part's network, with the timing of the paper's experiments."""

    def __init__(self) -> None:
        super().__init__()
        self.shape = {**self.shape, "timing": "same"}
        self.net = LSTM1997(n_in=self.x.shape[1], **self.shape)

    def forward_held(self, parameters: Arrays, inputs: Arrays) -> dict[str, Any]:
        """With the cut arguments on record; the inputs of outputs are those of the network, not of its clone."""
        found = dict(super().forward_held(parameters, inputs))
        n_in, recorded = self.net.n_in, found["r"].shape[1]
        found["o_now"] = found["o_now"][:, [*range(n_in), *range(recorded, found["o_now"].shape[1])]]
        return found

    def _with_costs(self, net: LSTM1997, theta: np.ndarray, x: np.ndarray, targets: np.ndarray) -> dict:
        found = super()._with_costs(net, theta, x, targets)
        rows = np.hstack([x, found["y_hid"][1:], found["y_cell"][1:].reshape(len(x), -1)])
        return found | {"o_now": np.vstack([0 * rows[:1], rows])}

    def errors(self, trace: Any, when: int) -> dict[str, np.ndarray]:
        """The errors of (19), (21) and (23) at a time, written down for NumPy."""
        weights = self.parameters()["w_out"][:, self.net.output_sources["y_cell"]]
        back = weights.reshape(self.net.n_out, self.net.cells, self.net.blocks)
        e = part.SLOPES["f_out"](trace["net_out"][when], 1) * (self.targets[when - 1] - trace["y"][when])
        listen = np.einsum("o,okb->kb", e, back)
        h, slope = self.net.h(trace["s"][when]), part.SLOPES["f_og"](trace["net_og"][when], 1)
        e_s = trace["y_og"][when] * self.net.h.derivative(trace["s"][when]) * listen
        return {"e_out": e, "e_og": slope * (h * listen).sum(axis=0), "e_s": e_s}

    def read_error(self, name: str):
        """Reads one error off a trace, at indices that count from 1."""
        return lambda trace, indices, when: self.errors(trace, when)[name][tuple(index - 1 for index in indices)]


def make_bench() -> Bench:
    """The bench of the three phases, with the squared error of (16) beside the half of it; a new one by each call."""
    base, model = part.make_bench(), Phases()
    read = {**base.model.read, "o_now": by_units("o_now"), "E_16": lambda trace, indices, when: 2 * trace["E"][when]}
    read |= {name: model.read_error(name) for name in ("e_out", "e_og", "e_s")}
    how = {"first": {"x": 0}, "step_cost": s.cost[t]}
    held = model.witness(part.SIZES, read, part.SLOPES, **how, forward=model.forward_held)
    kind = type(base.model)
    witness = model.witness(part.SIZES, read, part.SLOPES, kind, **how, model=model, held=held, cuts=s.cuts())
    return replace(base, system=build(), model=witness)
