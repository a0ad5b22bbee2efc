"""What the chapters on back-propagation through time check against: system, small instances, numeric model.

The model tells more than forward derivatives: its error signals are derivatives by net inputs and activations, so
equations that run backwards in time meet the library's own backward sweep.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..derivation.evaluate import Env, Key, OutOfRange, Unreadable
from ..derivation.nodes import DEFINED, Applied, DerivativeSymbol, Ref, Total
from ..derivation.statement import Setting
from ..derivation.systems import recurrent as system
from ..ledger import titles
from ..models.activations import logistic, tanh
from ..models.recurrent import FullyRecurrent
from . import Arrays, TraceWitness, by_units

SEED = 1989
LENGTH = 5
UNITS = (logistic, tanh, logistic)
GIVEN = (
    r"The inputs $x(t)$ and the targets $\hat y(t)$ are given: no derivative flows into them.",
    r"The units start from the constant $y(0) = 0$.",
)
MASKED = r"The mask $\sigma(t)$, which says what steps count, is given."
UNMASKED = r"Every step counts in the loss."


def slopes_of_logistic(z: Any, order: int) -> Any:
    """f(z) = 1/(1 + exp(-z)) and its first three derivatives, for numbers of any kind."""
    y = 1 / (1 + np.exp(-z))
    s = y * (1 - y)
    return (y, s, s * (1 - 2 * y), s * (1 - 6 * s))[order]


def slopes_of_tanh(z: Any, order: int) -> Any:
    """f(z) = tanh(z) and its first two derivatives, for numbers of any kind."""
    y = np.tanh(z)
    return (y, 1 - y * y, -2 * y * (1 - y * y))[order]


SLOPES = {logistic.name: slopes_of_logistic, tanh.name: slopes_of_tanh}


class Model:
    """One random network on random data, as parameters and inputs by the names of the system."""

    def __init__(self, *, masked: bool) -> None:
        draw = np.random.default_rng(SEED)
        self.net = FullyRecurrent(n_in=2, n_out=len(UNITS), activation=UNITS)
        self.theta = self.net.init(draw, scale=1.5)
        self.x = draw.normal(size=(LENGTH, 2))
        self.targets = draw.normal(size=(LENGTH, len(UNITS)))
        self.mask = np.array([1.0, 0.0, 1.0, 1.0, 0.0]) if masked else np.ones(LENGTH)

    def inputs(self) -> Arrays:
        """The given sequences by name."""
        return {"x": self.x, "d": self.targets, "sigma": self.mask}

    def parameters(self) -> Arrays:
        """Both blocks of the weight matrix."""
        weights = self.net.layout.views(self.theta)["W"]
        return {"w_in": weights[:, : self.net.n_in].copy(), "w": weights[:, self.net.n_in :].copy()}

    def forward(self, parameters: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
        """The library's forward pass, and the squared error of each unit and time, which the library only sums."""
        theta = self.net.layout.flatten({"W": np.hstack([parameters["w_in"], parameters["w"]])})
        x, targets = inputs["x"], inputs["d"].real
        trace = dict(self.net.forward(theta, x).items())
        unit_cost = np.zeros((LENGTH + 1, self.net.n_out), dtype=complex)
        for t in range(1, LENGTH + 1):
            for unit in range(self.net.n_out):
                unit_cost[t, unit] = self.net.loss(theta, x, targets, self.only(t, unit))
        trace["unit_cost"] = unit_cost
        trace["cost"] = np.array([0.0, *(self.net.loss(theta, x, targets, self.only(t)) for t in self.times)])
        trace["loss"] = np.array(self.net.loss(theta, x, targets, inputs["sigma"].real))
        return trace

    times = range(1, LENGTH + 1)

    def only(self, t: int, unit: int | None = None) -> np.ndarray:
        """The mask under which one time counts alone, or one unit at one time."""
        mask = np.zeros((LENGTH, self.net.n_out))
        mask[t - 1, slice(None) if unit is None else unit] = 1.0
        return mask

    def gradients(self, name: str, place: tuple[int, ...]) -> dict[str, float]:
        """One component of the library's gradient by each of its exact methods."""
        row, column = place
        at = self.net.layout.index("W", row, column + (self.net.n_in if name == "w" else 0))
        return {method: float(gradient[at]) for method, gradient in self._gradients.items()}

    @cached_property
    def _gradients(self) -> Arrays:
        data = (self.theta, self.x, self.targets, self.mask)
        return {method: self.net.gradient(*data, method=method).gradient for method in ("bptt", "rtrl")}

    def error_signal(self, target: Key, wrt: Key) -> float:
        """The derivative of a loss, or of a part of it, by a net input or an activation: error signals."""
        name, *place = (target[0].name, *target[1:])
        mask = {
            "L": lambda: self.mask,
            "E": lambda: self.only(place[-1]),
            "E_unit": lambda: self.only(place[-1], place[0] - 1),
        }[name]()
        signals = self.net.error_signals(self.theta, self.x, self.targets, mask)
        return float(getattr(signals, wrt[0].name)[wrt[-1], wrt[1] - 1])

    def flow(self, target: Key, wrt: Key) -> float:
        """The derivative of a net input or activation by an earlier net input or activation."""
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


class NetWitness(TraceWitness):
    """A trace that also knows derivatives by nodes, from the library's error signals and error flow."""

    model: Model

    def function(self, applied: Applied, places: tuple[int, ...]):
        """The activation of one unit."""
        return SLOPES[UNITS[places[0] - 1].name]

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """Derivatives by nodes from the library's backward sweep, all others by the complex step."""
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


def witness(model: Model) -> NetWitness:
    """A network of the library as a witness, under the names of the system."""
    read = {"z": by_units("z"), "y": by_units("y"), "E_unit": by_units("unit_cost"), "E": by_units("cost")}
    read["L"] = lambda trace, indices, t: trace["loss"]
    sizes = {system.d_in: 2, system.d_out: len(UNITS)}
    found = NetWitness(sizes, LENGTH, model.parameters(), model.inputs(), model.forward, read, {}, {"x": 0})
    found.model = model
    return found


def setting(*, masked: bool = True) -> Setting:
    """The setting of these chapters; every call makes a new one. `masked=False` is the notes' loss over all steps."""
    s, model = system, Model(masked=masked)
    return Setting(
        s.build(masked=masked), [{s.d_in: 2, s.d_out: 2}, {s.d_in: 1, s.d_out: 3}], length=4, model=witness(model),
        activations=dict.fromkeys(("f", "sigma"), lambda z, order: float(slopes_of_logistic(z, order))),
        titles=titles(), assumptions=(*GIVEN, MASKED if masked else UNMASKED),
        plain_values={("sigma", t): 1.0 for t in range(1, 10)},
        step_cost=s.mask[s.t] * s.cost[s.t] if masked else s.cost[s.t], library_gradient=model.gradients,
    )  # fmt: skip
