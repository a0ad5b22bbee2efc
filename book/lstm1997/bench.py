"""Bench of the chapters on the LSTM of 1997: system, small instances, numeric model.

The numeric model computes truncated derivatives in two ways that share nothing with the engine. Those of outputs and
errors, and all error signals, are the library's truncated gradient itself. All others are the complex step through
the forward pass of a clone: the same network, in which the recurrent inputs of hidden units, gates and cells are
recorded values, so that they stay constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from book.shared.reference_network import ReferenceNetwork, in_floats
from book.shared.statements import SOURCES
from throughtime.arrays.activations import logistic, tanh_half, twice_tanh_half
from throughtime.derivation import (
    DEFINED,
    PARAMETER,
    Bench,
    DerivativeSymbol,
    Env,
    Immediate,
    OutOfRange,
    Ref,
    Total,
    Truncated,
    Unreadable,
)
from throughtime.derivation.evaluating.evaluate import Key
from throughtime.evidence.trace import Arrays, ModelTrace, by_units
from throughtime.systems import lstm1997 as system
from throughtime.textbook.lstm1997 import HIDDEN_KINDS, LSTM1997

SEED = 1997
LENGTH = 3
SIZES = {system.d_in: 1, system.d_hid: 1, system.d_cell: 2, system.n_cell: 2, system.d_out: 2}
GIVEN = (
    r"The inputs $x(t)$ and the targets $\hat y(t)$ are given: no derivative flows into them.",
    r"All units and cell states are $0$ at time $0$.",
    r"Units are numbered from 1 within their kind; a column of a weight matrix counts through the concatenation that "
    r"it multiplies, in which cell $k$ of block $i$ stands behind all cells of smaller $k$.",
)
SIGNALS = ("net_hid", "net_ig", "net_og", "net_cell", "s", "net_out")


SLOPES = dict.fromkeys(("f_hid", "f_ig", "f_og", "f_out"), logistic.derivative)
SLOPES |= {"g": twice_tanh_half.derivative, "h": tanh_half.derivative}


class Model(ReferenceNetwork):
    """A network of the LSTM of 1997 with two blocks of two cells."""

    def __init__(self) -> None:
        draw = np.random.default_rng(SEED)
        n_in, hidden, blocks, cells, n_out = SIZES.values()
        self.shape = {"blocks": blocks, "cells": cells, "n_out": n_out, "hidden": hidden}
        self.net = LSTM1997(n_in=n_in, **self.shape)
        self.theta = self.net.init(draw, scale=1.5)
        self.x = draw.normal(size=(LENGTH, n_in))
        self.targets = draw.normal(size=(LENGTH, n_out))

    def forward(self, parameters: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
        """The library's forward pass, the inputs of its units, and the squared error of each output and time."""
        theta = self.net.layout.flatten(parameters)
        return self._with_costs(self.net, theta, inputs["x"], inputs["d"].real)

    def forward_held(self, parameters: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
        """The same numbers from the clone, in which the cut arguments are inputs on record."""
        recorded = self.sources(self.net.forward(self.theta, self.x), self.x)[1:]
        clone = LSTM1997(n_in=recorded.shape[1], **self.shape)
        views = {name: np.zeros(shape, complex) for name, shape in clone.layout.shapes.items()}
        for kind in HIDDEN_KINDS:
            views[f"w_{kind}"][..., : clone.n_in] = parameters[f"w_{kind}"]
        for name, columns in clone.output_sources.items():
            own = self.net.output_sources[name]
            views["w_out"][:, columns.start : columns.start + own.stop - own.start] = parameters["w_out"][:, own]
        trace = self._with_costs(clone, clone.layout.flatten(views), recorded, inputs["d"].real)
        read_by_outputs = trace["o"][:, [*range(self.net.n_in), *range(clone.n_in, trace["o"].shape[1])]]
        return trace | {"o": read_by_outputs, "r": np.vstack([0 * recorded[:1], recorded])}

    def _with_costs(self, net: LSTM1997, theta: np.ndarray, x: np.ndarray, targets: np.ndarray) -> dict:
        trace, unit_cost = net.forward(theta, x), self.unit_costs(theta, x, targets, net)
        found = dict(trace.items()) | {"r": self.sources(trace, x), "o": self.sources(trace, x, gates=False)}
        return found | {"E_unit": unit_cost, "E": unit_cost.sum(axis=1), "L": np.array(unit_cost.sum())}

    @staticmethod
    def sources(trace: Any, x: np.ndarray, *, gates: bool = True) -> np.ndarray:
        """The inputs of the units at times 0..T, shape (T + 1, columns): [x; y_hid; y_ig; y_og; y_cell](t-1)."""
        names = ("y_hid", "y_ig", "y_og", "y_cell") if gates else ("y_hid", "y_cell")
        parts = [getattr(trace, name)[:-1].reshape(len(x), -1) for name in names]
        rows = np.hstack([x, *parts])
        return np.vstack([0 * rows[:1], rows])

    def goal(self, target: Key) -> tuple[np.ndarray, np.ndarray]:
        """Targets and mask under which the library's loss has the derivatives of this quantity."""
        name, *place = (target[0].name, *target[1:])
        if name == "y":  # the loss (y - (y - 1))^2 / 2 has the derivative dy
            return self.net.forward(self.theta, self.x).y[1:] - 1.0, self.only(place[-1], place[0] - 1)
        masks = {
            "L": lambda: np.ones_like(self.targets),
            "E": lambda: self.only(place[-1]),
            "E_unit": lambda: self.only(place[-1], place[0] - 1),
        }
        return self.targets, masks[name]()

    def truncated(self, target: Key, weight: Key, place: tuple[int, ...]) -> float:
        """One component of the library's truncated gradient of an output or an error."""
        if target not in self._truncated:
            goal = self.goal(target)
            self._truncated[target] = self.net.gradient(self.theta, self.x, *goal, method="truncated").gradient
        return float(self._truncated[target][self.net.layout.index(weight[0].name, *place)])

    @cached_property
    def _truncated(self) -> dict[Key, np.ndarray]:
        return {}

    def error_signal(self, target: Key, wrt: Key, method: str) -> float:
        """The derivative of an output or an error with respect to a net input or a cell state."""
        signals = self.net.error_signals(self.theta, self.x, *self.goal(target), method=method)
        return float(getattr(signals, wrt[0].name)[wrt[-1]][tuple(unit - 1 for unit in wrt[1:-1])])


@dataclass
class _Witness(ModelTrace):
    """A trace with truncated derivatives, under the cuts of the system and no others."""

    model: Model | None = None
    held: ModelTrace | None = None
    cuts: tuple = ()

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """Truncated derivatives and error signals from the library, all others by the complex step."""
        wrt = self.key(node.wrt, env)
        if isinstance(node, Truncated) and node.args[2:] != self.cuts:
            raise Unreadable(f"{node}: the library knows the cuts of lstm97-44 only")
        named = node.target.quantity.name if isinstance(node.target, Ref) else ""
        if isinstance(node, Immediate) or wrt[0].role not in (PARAMETER, DEFINED):
            return super().derivative(node, env)
        if wrt[0].role == DEFINED:
            if wrt[0].name not in SIGNALS or named not in ("y", "E_unit", "E", "L"):
                raise Unreadable(f"{node}: the library tells error signals of outputs, at net inputs and states only")
            self._insist_in_range(self.key(node.target, env), wrt)
            method = "truncated" if isinstance(node, Truncated) else "bptt"
            return 0.0 if wrt[-1] > self.length else self.model.error_signal(self.key(node.target, env), wrt, method)
        if not isinstance(node, Truncated):
            return super().derivative(node, env)
        if named and node.target.time is not None and self.key(node.target, env)[-1] < 0:
            return 0.0
        if named not in ("y", "E_unit", "E", "L"):
            return self.held.derivative(Total(node.target, node.wrt), env)
        target = self.key(node.target, env)
        self._insist_in_range(target)
        return 0.0 if target[-1] == 0 else self.model.truncated(target, wrt, self.place(wrt))

    def element(self, key: Key) -> float:
        """One element of the trace; before time 0 nothing has happened."""
        return 0.0 if key[0].role == DEFINED and key[0].timed and key[-1] < 0 else super().element(key)

    def _insist_in_range(self, target: Key, wrt: Key | None = None) -> None:
        beyond = target[0].timed and not 0 <= target[-1] <= self.length
        if beyond or (wrt is not None and (wrt[-1] < 1 or (target[0].timed and target[-1] < 1))):
            raise OutOfRange(str(wrt or target))


def make_bench() -> Bench:
    """The bench of these chapters; every call makes a new one."""
    s, model = system, Model()
    names = ("r", "o", "net_hid", "net_ig", "net_og", "net_cell", "y_hid", "y_ig", "y_og", "s", "y_cell")
    read = {name: by_units(name) for name in (*names, "net_out", "y", "E_unit", "E")}
    read["L"] = lambda trace, indices, t: trace["L"]
    how = {"first": {"x": 0}, "step_cost": s.cost[s.t]}
    held = model.witness(SIZES, read, SLOPES, **how, forward=model.forward_held)
    witness = model.witness(SIZES, read, SLOPES, _Witness, **how, model=model, held=held, cuts=s.cuts())
    sizes = [{**SIZES, s.d_out: 1}, {**SIZES, s.d_hid: 2, s.d_cell: 1, s.n_cell: 1}]  # two units of each kind somewhere
    return Bench(s.build(), sizes, model=witness, activations=in_floats(SLOPES), assumptions=GIVEN, sources=SOURCES)
