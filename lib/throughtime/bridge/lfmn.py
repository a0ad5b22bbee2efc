"""What the LFMN chapters check their equations against: the system, small instances, and the numeric model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from ..derivation.statement import Setting
from ..derivation.systems import lfmn as system
from ..ledger import titles
from ..models.activations import tanh_half
from ..models.lfmn import LFMN
from . import Arrays, TraceWitness, by_units

SEED = 1992
LENGTH = 5
GIVEN = (
    r"The inputs $x(t)$, the targets $d(t)$ and the mask $\sigma(t)$ are given: no derivative flows into them.",
    r"Every recurrent unit starts from the constant 0 at time 0.",
)


def slopes_of_tanh_half(z: complex, order: int) -> complex:
    """f(z) = tanh(z/2) and its first three derivatives, for numbers of any kind."""
    y = np.tanh(z / 2)
    return (y, (1 - y * y) / 2, -y * (1 - y * y) / 2, (3 * y * y - 1) * (1 - y * y) / 4)[order]


class Model:
    """One random LFMN on random data, as parameters and inputs by the names of the system."""

    def __init__(self) -> None:
        draw = np.random.default_rng(SEED)
        self.net = LFMN(n_in=2, hidden=(1, 2, 2), output=(2, 1, 2), activation=tanh_half)
        self.theta = self.net.init(draw, scale=1.0)
        self.x = draw.normal(size=(LENGTH, 2))
        self.targets = draw.normal(size=(LENGTH, 5))
        self.mask = np.array([1.0, 0.0, 1.0, 1.0, 0.0])

    def inputs(self) -> Arrays:
        """The given sequences by name."""
        return {"x": self.x, "d": self.targets, "sigma": self.mask}

    def parameters(self) -> Arrays:
        """The weights by name."""
        return {name: view.copy() for name, view in self.net.layout.views(self.theta).items()}

    def forward(self, parameters: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
        """The library's forward pass, and the cost at each time, which the library only sums."""
        theta = self.net.layout.flatten(parameters)
        trace = dict(self.net.forward(theta, inputs["x"]).items())
        cost = np.zeros(LENGTH + 1, dtype=complex)
        for t in range(1, LENGTH + 1):
            cost[t] = self.net.loss(theta, inputs["x"][:t], inputs["d"][:t].real, np.eye(1, t, t - 1)[0])
        trace["cost"] = cost
        trace["loss"] = np.array(self.net.loss(theta, inputs["x"], inputs["d"].real, inputs["sigma"].real))
        return trace

    def gradients(self, name: str, place: tuple[int, ...]) -> dict[str, float]:
        """One component of the library's gradient by each of its methods."""
        at = self.net.layout.index(name, *place)
        return {method: float(gradient[at]) for method, gradient in self._gradients.items()}

    @cached_property
    def _gradients(self) -> Arrays:
        data = (self.theta, self.x, self.targets, self.mask)
        return {method: self.net.gradient(*data, method=method).gradient for method in ("bptt", "rtrl")}


def setting() -> Setting:
    """The setting of the LFMN chapters; every call makes a new one."""
    model = Model()
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
    witness = TraceWitness(
        sizes, LENGTH, model.parameters(), model.inputs(), model.forward, read, {"f": slopes_of_tanh_half}
    )
    twos = dict.fromkeys(sizes, 2)
    return Setting(
        s.build(), [twos, {**twos, s.d_in: 3, s.n_h: 1, s.r_y: 1}], length=3, model=witness,
        activations={"f": lambda z, order: float(slopes_of_tanh_half(z, order))}, titles=titles(),
        assumptions=GIVEN, plain_values={("sigma", t): 1.0 for t in range(1, 10)},
        step_cost=s.mask[s.t] * s.cost[s.t], library_gradient=model.gradients,
    )  # fmt: skip
