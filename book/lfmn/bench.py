"""Bench of the LFMN chapters: the system, small instances, and the numeric model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from book.shared.reference_network import ReferenceNetwork, in_floats
from book.shared.statements import SOURCES
from throughtime.arrays.activations import tanh_half
from throughtime.derivation import Bench, ExactInstance
from throughtime.evidence.trace import Arrays, by_units
from throughtime.systems import lfmn as system
from throughtime.textbook.lfmn import LFMN

SEED = 1992
LENGTH = 5
GIVEN = (
    r"The inputs $x(t)$, the targets $d(t)$ and the mask $\sigma(t)$ are given: no derivative flows into them.",
    r"Every recurrent unit starts from the constant 0 at time 0.",
)
EVERY_STEP_COUNTS = {("sigma", t): 1.0 for t in range(1, 10)}
"""The mask of counterexamples."""


class Model(ReferenceNetwork):
    """A network with hidden and output units of all three kinds."""

    def __init__(self) -> None:
        draw = np.random.default_rng(SEED)
        self.net = LFMN(n_in=2, hidden=(1, 2, 2), output=(2, 1, 2), activation=tanh_half)
        self.theta = self.net.init(draw, scale=1.0)
        self.x = draw.normal(size=(LENGTH, 2))
        self.targets = draw.normal(size=(LENGTH, 5))
        self.mask = np.array([1.0, 0.0, 1.0, 1.0, 0.0])

    def forward(self, parameters: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
        """The library's forward pass, and the cost at each time."""
        theta, x, targets = self.net.layout.flatten(parameters), inputs["x"], inputs["d"].real
        loss = np.array(self.net.loss(theta, x, targets, inputs["sigma"].real))
        return dict(self.net.forward(theta, x).items()) | {"cost": self.step_costs(theta, x, targets), "loss": loss}


def make_bench() -> Bench:
    """The bench of the LFMN chapters; every call makes a new one."""
    read = {
        "c": by_units("current_hid"),
        "h": by_units("h"),
        "h~": by_units("net_hid"),
        "h-": by_units("net_hid"),
        "a": by_units("net_out"),
        "y~": by_units("net_out"),
        "y-": by_units("net_out"),
        "y": by_units("y"),
        "C": by_units("cost"),
        "loss": lambda trace, indices, t: trace["loss"],
    }
    s = system
    sizes = {s.d_in: 2, s.n_h: 1, s.r_h: 2, s.a_h: 2, s.n_y: 2, s.r_y: 1, s.a_y: 2}
    twos, functions = dict.fromkeys(sizes, 2), {"f": tanh_half.derivative}
    return Bench(
        s.build(), [twos, {**twos, s.d_in: 3, s.n_h: 1, s.r_y: 1}], length=3,
        model=Model().witness(sizes, read, functions, step_cost=s.mask[s.t] * s.cost[s.t]),
        activations=in_floats(functions), assumptions=GIVEN, real=partial(ExactInstance, values=EVERY_STEP_COUNTS),
        sources=SOURCES,
    )  # fmt: skip
