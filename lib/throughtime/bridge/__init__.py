"""The bridge between derived equations and numeric models: a model's trace as a witness for formulas.

Values come from the model's own forward pass, derivatives from the complex step through it, so an equation that
holds here holds of the code, not of the engine's reading of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Integer

from ..derivation.domains import Dimension
from ..derivation.evaluate import Dual, Env, Key, OutOfRange, Unreadable, Witness
from ..derivation.nodes import INPUT, PARAMETER, Applied, DerivativeSymbol, Immediate, Quantity
from ..derivation.system import LENGTH
from ..gradcheck import STEP

Arrays = dict[str, np.ndarray]


def by_units(name: str) -> Callable[[Mapping[str, np.ndarray], tuple[int, ...], int], Any]:
    """How an array of a trace with time in its first axis is read: by the time, then by the numbers of its units."""
    return lambda trace, indices, t: trace[name][t][tuple(index - 1 for index in indices)]


@dataclass
class TraceWitness(Witness):
    """A numeric model's trace, read under the names of a system.

    `forward(parameters, inputs)` maps complex arrays by name to the model's arrays by name. `read` says for each
    defined quantity how an element is found: `(trace, indices, t) -> number`, with indices and times from 1.
    `inputs` have time in their first axis, from time 1 on unless `first` says otherwise. `functions` are the
    activations as `(z, order) -> number`.
    """

    sizes: dict[Dimension, int]
    length: int
    parameters: Arrays
    inputs: Arrays
    forward: Callable[[Arrays, Arrays], Mapping[str, np.ndarray]]
    read: Mapping[str, Callable[[Mapping[str, np.ndarray], tuple[int, ...], int], Any]]
    functions: Mapping[str, Callable[[Any, int], Any]]
    first: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {LENGTH: self.length, **self.sizes}
        self.sizes = {dimension: Integer(size) for dimension, size in sizes.items()}
        self._runs: dict[Key | None, tuple[Arrays, Arrays, Mapping[str, np.ndarray]]] = {}

    def number(self, value: Fraction) -> float:
        """A rational as a floating-point number."""
        return float(value)

    def function(self, applied: Applied, places: tuple[int, ...]) -> Callable[[Any, int], Any]:
        """The activation of the model."""
        return self.functions[applied.function.name]

    def element(self, key: Key) -> float:
        """One element of the trace, of a parameter or of a given sequence."""
        return self._at(key, None).real

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """A total derivative by a parameter or an input, by the complex step through the forward pass."""
        wrt = self.key(node.wrt, env)
        if isinstance(node, Immediate) or wrt[0].role not in (PARAMETER, INPUT) or len(node.args) > 2:
            raise Unreadable(f"{node}: a trace tells total derivatives by parameters and inputs only")
        if wrt[0].timed and not 0 <= wrt[-1] - self.first.get(wrt[0].name, 1) < self.length:
            raise OutOfRange(str(wrt))
        target = self.evaluate(node.target, env, lambda ref, at: Dual(self._at(self.key(ref, at), wrt), 0.0))
        return complex(target.value).imag / STEP

    def _at(self, key: Key, moved: Key | None) -> complex:
        """One element while the element `moved` carries the imaginary step."""
        quantity = key[0]
        if quantity.timed and not self._first_kept(quantity) <= key[-1] <= self._last_kept(quantity):
            raise OutOfRange(str(key))
        parameters, inputs, trace = self._run(moved)
        if quantity.role == PARAMETER:
            return complex(parameters[quantity.name][self.place(key)])
        if quantity.role == INPUT:
            return complex(inputs[quantity.name][self.place(key)])
        indices = key[1:-1] if quantity.timed else key[1:]
        return complex(self.read[quantity.name](trace, indices, key[-1] if quantity.timed else 0))

    def _first_kept(self, quantity: Quantity) -> int:
        """The first time of a given sequence; a trace has its initial state too, at time 0."""
        return self.first.get(quantity.name, 1) if quantity.role == INPUT else 0

    def _last_kept(self, quantity: Quantity) -> int:
        return self.first.get(quantity.name, 1) + self.length - 1

    def place(self, key: Key) -> tuple[int, ...]:
        """Where an element stands in its array: a part of a layer starts at 0 where its domain starts."""
        quantity = key[0]
        units = key[1 : 1 + len(quantity.domains)]
        starts = (over.elements(self.sizes).start for over in quantity.domains)
        place = tuple(unit - start for unit, start in zip(units, starts, strict=True))
        return (key[-1] - self.first.get(quantity.name, 1), *place) if quantity.timed else place

    def _run(self, moved: Key | None) -> tuple[Arrays, Arrays, Mapping[str, np.ndarray]]:
        if moved not in self._runs:
            parameters = {name: array.astype(complex) for name, array in self.parameters.items()}
            inputs = {name: array.astype(complex) for name, array in self.inputs.items()}
            if moved is not None:
                arrays = parameters if moved[0].role == PARAMETER else inputs
                arrays[moved[0].name][self.place(moved)] += 1j * STEP
            self._runs[moved] = (parameters, inputs, self.forward(parameters, inputs))
        return self._runs[moved]
