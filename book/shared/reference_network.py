"""A random network of the library on random data, under the names that a system gives to its quantities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from throughtime.derivation import Dimension
from throughtime.evidence.trace import Arrays, ModelTrace, Reader, Trace

Sizes = dict[Dimension, int]
Kind = type[ModelTrace]
Functions = Mapping[str, Callable[[Any, int], Any]]


class ReferenceNetwork:
    """One network of the library with random parameters on random data: the numbers that formulas are compared with.

    A subclass sets `net`, the flat vector `theta`, `x` and `targets` as the network takes them, and `mask` of shape
    (T,), None if every step counts. Where the names of the system are not those of the library, it overrides
    `inputs`, `parameters`, `forward` and `position`.
    """

    net: Any
    theta: np.ndarray
    x: np.ndarray
    targets: np.ndarray
    mask: np.ndarray | None = None

    @property
    def length(self) -> int:
        """T, the number of steps."""
        return self.x.shape[-2]

    def inputs(self) -> Arrays:
        """The given sequences by name: inputs, targets, and the mask if there is one."""
        return {"x": self.x, "d": self.targets} | ({} if self.mask is None else {"sigma": self.mask})

    def parameters(self) -> Arrays:
        """The parameters by name, as copies."""
        return {name: view.copy() for name, view in self.net.layout.views(self.theta).items()}

    def forward(self, parameters: Arrays, inputs: Arrays) -> Trace:
        """The library's forward pass for complex arrays by name, with the costs that the library only sums."""
        raise NotImplementedError

    def position(self, name: str, place: tuple[int, ...]) -> int:
        """The index in the flat vector of one component of a parameter of the system, from 0."""
        return self.net.layout.index(name, *place)

    def gradients(self, name: str, place: tuple[int, ...]) -> dict[str, float]:
        """One component of the library's exact gradient of the loss, by its method."""
        return {"bptt": float(self.exact[self.position(name, place)])}

    @cached_property
    def exact(self) -> np.ndarray:
        """The library's exact gradient, a flat vector."""
        return self.net.gradient(self.theta, self.x, self.targets, self.mask, method="bptt").gradient

    def only(self, t: int, unit: int | None = None) -> np.ndarray:
        """The mask of shape (T, outputs) under which one time counts alone, or one output (from 0) at one time."""
        mask = np.zeros((self.length, self.net.n_out))
        mask[t - 1, slice(None) if unit is None else unit] = 1.0
        return mask

    def unit_costs(self, theta: np.ndarray, x: np.ndarray, targets: np.ndarray, net: Any = None) -> np.ndarray:
        """The cost of each output at each time, shape (T + 1, outputs), 0 at time 0; their sum is the loss."""
        net = net or self.net
        costs = net.FACTOR * (net.forward(theta, x).y[1:] - targets) ** 2
        return np.pad(costs, ((1, 0), (0, 0)))

    def step_costs(self, theta: np.ndarray, x: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """The cost of each time, shape (T + 1,), 0 at time 0: losses under masks."""
        return np.array([0.0, *(self.net.loss(theta, x, targets, step) for step in np.eye(self.length))])

    def witness(
        self, sizes: Sizes, read: Mapping[str, Reader], functions: Functions, kind: Kind = ModelTrace, **how: Any
    ) -> ModelTrace:
        """The network as a numeric witness, of a `kind` that may take more than a trace does (`how`)."""
        given = {"forward": self.forward, "gradients": self.gradients} | how
        return kind(sizes, self.length, self.parameters(), self.inputs(), read=read, functions=functions, **given)


def in_floats(functions: Functions) -> dict[str, Callable[[Any, int], float]]:
    """The same activations as functions of one number, as instances in floating point take them."""
    return {name: lambda z, order, f=f: float(f(z, order)) for name, f in functions.items()}
