"""Bench of the chapters on back-propagation through time: system, small instances, numeric model.

The model provides more than derivatives forwards in time: its error signals are derivatives with respect to net inputs
and activations, so equations that run backwards in time are compared with the library's own backward sweep.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from book.shared.reference_network import ReferenceNetwork, in_floats
from book.shared.statements import SOURCES
from sympy import Expr
from throughtime.arrays.activations import logistic, tanh
from throughtime.derivation import (
    DEFINED,
    Applied,
    Bench,
    DerivativeSymbol,
    Env,
    ExactInstance,
    OutOfRange,
    Ref,
    Total,
    Unreadable,
)
from throughtime.derivation.evaluating.evaluate import Key
from throughtime.evidence.trace import Arrays, ModelTrace, by_units
from throughtime.systems import recurrent as system
from throughtime.textbook.recurrent import FullyRecurrent

SEED = 1989
LENGTH = 5
UNITS = (logistic, tanh, logistic)
GIVEN = (
    r"The inputs $x(t)$ and the targets $\hat y(t)$ are given: they depend on no weight and no unit.",
    r"The units start from the constant $y(0) = 0$.",
)
MASKED = r"The mask $\sigma(t)$, which says what steps count, is given."
UNMASKED = r"Every step counts in the loss."
EVERY_STEP_COUNTS = {("sigma", t): 1.0 for t in range(1, 10)}
"""The mask of counterexamples."""


class Model(ReferenceNetwork):
    """A network of logistic and tanh units."""

    def __init__(self, *, masked: bool) -> None:
        draw = np.random.default_rng(SEED)
        self.net = FullyRecurrent(n_in=2, n_out=len(UNITS), activation=UNITS)
        self.theta = self.net.init(draw, scale=1.5)
        self.x = draw.normal(size=(LENGTH, 2))
        self.targets = draw.normal(size=(LENGTH, len(UNITS)))
        self.mask = np.array([1.0, 0.0, 1.0, 1.0, 0.0]) if masked else np.ones(LENGTH)

    def parameters(self) -> Arrays:
        """Both blocks of the weight matrix."""
        weights = self.net.layout.views(self.theta)["W"]
        return {"w_in": weights[:, : self.net.n_in].copy(), "w": weights[:, self.net.n_in :].copy()}

    def forward(self, parameters: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
        """The library's forward pass, and the squared error of each unit and time."""
        theta = self.net.layout.flatten({"W": np.hstack([parameters["w_in"], parameters["w"]])})
        x, targets = inputs["x"], inputs["d"].real
        loss = np.array(self.net.loss(theta, x, targets, inputs["sigma"].real))
        costs = {
            "unit_cost": self.unit_costs(theta, x, targets),
            "cost": self.step_costs(theta, x, targets),
            "loss": loss,
        }
        return dict(self.net.forward(theta, x).items()) | costs

    def position(self, name: str, place: tuple[int, ...]) -> int:
        """Recurrent weights stand in the columns behind those of the inputs."""
        row, column = place
        return self.net.layout.index("W", row, column + (self.net.n_in if name == "w" else 0))

    def error_signal(self, target: Key, wrt: Key) -> float:
        """The derivative of the loss, or of a part of it, with respect to a net input or an activation."""
        name, *place = (target[0].name, *target[1:])
        mask = {
            "L": lambda: self.mask,
            "E": lambda: self.only(place[-1]),
            "E_unit": lambda: self.only(place[-1], place[0] - 1),
        }[name]()
        signals = self.net.error_signals(self.theta, self.x, self.targets, mask)
        return float(getattr(signals, wrt[0].name)[wrt[-1], wrt[1] - 1])

    def flow(self, target: Key, wrt: Key) -> float:
        """The derivative of a net input or activation with respect to an earlier net input or activation."""
        unit, t, source, s = target[1] - 1, target[-1], wrt[1] - 1, wrt[-1]
        if t < s or (t == s and (target[0].name, wrt[0].name) == ("z", "y")):
            return 0.0
        if t == s and target[0].name == wrt[0].name:
            return float(unit == source)
        after = 1.0
        if target[0].name == "y":
            after = UNITS[unit].derivative(self.net.forward(self.theta, self.x).z[t, unit])
        if wrt[0].name == "z":
            return float(after * self.net.error_flow(self.theta, self.x, t, s)[unit, source])
        flow = self.net.error_flow(self.theta, self.x, t, s + 1)
        return float(after * (flow @ self.net.recurrent_weights(self.theta))[unit, source])


@dataclass
class NetWitness(ModelTrace):
    """A trace with derivatives with respect to nodes, from the library's error signals and error flow."""

    model: Model | None = None

    def function(self, applied: Applied, places: tuple[int, ...]):
        """The activation of one unit."""
        return UNITS[places[0] - 1].derivative

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """Derivatives with respect to nodes from the library's backward sweep, all others by the complex step."""
        wrt = self.key(node.wrt, env)
        if wrt[0].role != DEFINED or not isinstance(node, Total):
            return super().derivative(node, env)
        if not isinstance(node.target, Ref) or wrt[0].name not in ("z", "y"):
            raise Unreadable(f"{node}: the library tells error signals at net inputs and activations only")
        target = self.key(node.target, env)
        if wrt[-1] > self.length:
            return 0.0
        if wrt[-1] < 1 or (target[0].timed and not 1 <= target[-1] <= self.length):
            raise OutOfRange(str(wrt))
        return self.model.flow(target, wrt) if target[0].name in ("z", "y") else self.model.error_signal(target, wrt)


def witness(model: Model, step_cost: Expr | None = None) -> NetWitness:
    """A network of the library as a witness, under the names of the system."""
    read = {"z": by_units("z"), "y": by_units("y"), "E_unit": by_units("unit_cost"), "E": by_units("cost")}
    read["L"] = lambda trace, indices, t: trace["loss"]
    sizes = {system.d_in: 2, system.d_out: len(UNITS)}
    return model.witness(sizes, read, {}, NetWitness, first={"x": 0}, step_cost=step_cost, model=model)


def make_bench(*, masked: bool = True) -> Bench:
    """The bench of these chapters; every call makes a new one. `masked=False` is the notes' loss over all steps."""
    s = system
    step_cost = s.mask[s.t] * s.cost[s.t] if masked else s.cost[s.t]
    return Bench(
        s.build(masked=masked), [{s.d_in: 2, s.d_out: 2}, {s.d_in: 1, s.d_out: 3}], length=4,
        model=witness(Model(masked=masked), step_cost), real=partial(ExactInstance, values=EVERY_STEP_COUNTS),
        activations=in_floats(dict.fromkeys(("f", "sigma"), logistic.derivative)),
        assumptions=(*GIVEN, MASKED if masked else UNMASKED), sources=SOURCES,
    )  # fmt: skip
