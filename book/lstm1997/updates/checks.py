"""Output weights by the hidden unit that they lead from: (70) has one letter for a unit and for its column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from throughtime.derivation import DEFINED, Bench, Quantity, System
from throughtime.evidence.trace import Arrays, ModelTrace
from throughtime.systems import lstm1997 as s

w_out = Quantity("w_out_hid", s.OUT, s.HID, timed=False, role=DEFINED, latex=s.w_out.latex)
w_out.beside(s.w_out)  # same order of factors
COLUMN = (
    r"The letter of a hidden unit stands for its column as well: $w^{\mathrm{out}}_{i p}$ stands for "
    r"$w^{\mathrm{out}}_{i, d_{\mathrm{in}} + p}$, the weight from hidden unit $p$ to output $i$."
)


def build() -> System:
    """The LSTM of 1997 with the weights from hidden units to outputs named once more, by the unit."""
    net = s.build()
    net[w_out[s.i_out, s.p_hid]] = s.w_out[s.i_out, s.hid_column(s.p_hid)]
    return net


def with_weights_by_unit(bench: Bench) -> Bench:
    """The bench for that system; the numeric model reads the weights off its matrix."""
    model = bench.model
    assert isinstance(model, ModelTrace)
    first = model.inputs["x"].shape[1]

    def forward(parameters: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
        return dict(model.forward(parameters, inputs)) | {"w_out": parameters["w_out"][:, first:]}

    read = {**model.read, w_out.name: lambda trace, place, when: trace["w_out"][place[0] - 1, place[1] - 1]}
    return replace(bench, system=build(), model=replace(model, forward=forward, read=read))
