"""A numeric model's trace as a witness for formulas.

Values come from the model's own forward pass, derivatives from the complex step through it, so an equation that
holds here holds of the code, not of the engine's reading of it.
"""

from __future__ import annotations

from cmath import isfinite
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Expr, Integer

from throughtime.checks import STEP
from throughtime.derivation.evaluating.evaluate import Env, Evaluator, Key, OutOfRange, Unreadable
from throughtime.derivation.formulas.domains import LENGTH, Dimension
from throughtime.derivation.formulas.errors import DerivationError, UndefinedQuantityError
from throughtime.derivation.formulas.nodes import (
    INPUT,
    PARAMETER,
    Applied,
    DerivativeSymbol,
    Immediate,
    Ref,
    Total,
    refs,
)
from throughtime.derivation.judging.checks import close

Arrays = dict[str, np.ndarray]
Trace = Mapping[str, np.ndarray]
Reader = Callable[[Trace, tuple[int, ...], int], Any]


def by_units(name: str) -> Reader:
    """Reads an array of a trace of shape (T + 1, ...) at a time and at indices that count from 1."""
    return lambda trace, indices, t: trace[name][t][tuple(index - 1 for index in indices)]


def _named(found: Mapping[str, Any], name: str, argument: str) -> Any:
    if name not in found:
        raise UndefinedQuantityError(f"TraceWitness({argument}=...): nothing for {name}, got {sorted(found)}")
    return found[name]


@dataclass
class ModelTrace(Evaluator):
    """A numeric model's trace, read under the names of a system.

    `forward(parameters, inputs)` maps complex arrays by name to the model's arrays by name. `read` says for each
    defined quantity how an element is found: `(trace, indices, t) -> number`, with indices and times from 1.
    `inputs` have time in their first axis, from time 1 on unless `first` says otherwise. `functions` are the
    activations as `(z, order) -> number`. `gradients(name, place)` is one component of the model's own gradient of
    the loss by each of its methods, at an index that counts from 0; `step_cost` is the formula whose sum over time
    is that loss. With both, every formula for a derivative of the step cost is compared with these gradients.
    """

    sizes: dict[Dimension, int]
    length: int
    parameters: Arrays
    inputs: Arrays
    forward: Callable[[Arrays, Arrays], Trace]
    read: Mapping[str, Reader]
    functions: Mapping[str, Callable[[Any, int], Any]]
    first: Mapping[str, int] = field(default_factory=dict)
    gradients: Callable[[str, tuple[int, ...]], Mapping[str, float]] | None = None
    step_cost: Expr | None = None

    def __post_init__(self) -> None:
        self.sizes = {dimension: Integer(size) for dimension, size in {LENGTH: self.length, **self.sizes}.items()}
        self._runs: dict[Key | None, tuple[dict[str, Arrays], Trace]] = {}

    def number(self, value: Fraction) -> float:
        """A rational as a floating-point number."""
        return float(value)

    def function(self, applied: Applied, places: tuple[int, ...]) -> Callable[[Any, int], Any]:
        """The activation of the model. UndefinedQuantityError if it has none of that name."""
        return _named(self.functions, applied.function.name, "functions")

    def element(self, key: Key) -> float:
        """One element of the trace, of a parameter or of a given sequence.

        OutOfRange outside the run, UndefinedQuantityError for a quantity that `read` does not have, DerivationError
        for one that is not finite.
        """
        return self._at(key, None).real

    def disagreements(self, chain: Sequence[Expr]) -> list[str]:
        """Components of the model's own gradient that differ from the sum over time of a formula for them."""
        left, result, problems = chain[0], chain[-1], []
        of_step_cost = isinstance(left, Total) and left.target == self.step_cost
        if self.gradients is None or not of_step_cost or left.wrt.quantity.role != PARAMETER:
            return []
        t = refs(self.step_cost)[0].time
        for env in self.places(left.wrt.indices):
            derived = sum(self.value(result, {**env, t: Integer(time)}) for time in range(1, self.length + 1))
            key = self.key(left.wrt, env)
            for method, value in self.gradients(key[0].name, self.place(key)).items():
                if not close(derived, value):
                    problems.append(f"{method}: {left.wrt} is {value} in the library, {derived} derived")
        return problems

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """A total derivative with respect to a parameter or an input, by the complex step through the forward pass.

        Raises Unreadable for any other derivative, OutOfRange for an input at a time that the trace does not have.
        """
        wrt = self.key(node.wrt, env)
        if isinstance(node, Immediate) or wrt[0].role not in (PARAMETER, INPUT) or len(node.args) > 2:
            raise Unreadable(f"{node}: a trace tells total derivatives by parameters and inputs only")
        if wrt[0].timed and not 0 <= wrt[-1] - self.first.get(wrt[0].name, 1) < self.length:
            raise OutOfRange(str(wrt))
        target = self.evaluate(node.target, env, lambda ref, key: self._at(key, wrt))
        return complex(target.value).imag / STEP

    def _at(self, key: Key, moved: Key | None) -> complex:
        """One element while the element `moved` carries the imaginary step."""
        quantity, *indices = key
        when, first = indices.pop() if quantity.timed else 0, self.first.get(quantity.name, 1)
        start = first if quantity.role == INPUT else 0  # the trace starts with the initial state
        if quantity.timed and not start <= when < first + self.length:
            raise OutOfRange(str(key))
        given, trace = self._run(moved)
        if quantity.role in given:
            arrays = _named(given[quantity.role], quantity.name, f"{quantity.role}s")
            value = complex(arrays[self.place(key)])
        else:
            value = complex(_named(self.read, quantity.name, "read")(trace, tuple(indices), when))
        if not isfinite(value):
            where = Ref(quantity, *map(Integer, key[1:]))
            raise DerivationError(f"{where}: the program has {value}, expected a finite number")
        return value

    def place(self, key: Key) -> tuple[int, ...]:
        """The position of an element in its array: indices count from 0, from the first one of its domain on."""
        quantity = key[0]
        units = key[1 : 1 + len(quantity.domains)]
        starts = (over.elements(self.sizes).start for over in quantity.domains)
        place = tuple(unit - start for unit, start in zip(units, starts, strict=True))
        return (key[-1] - self.first.get(quantity.name, 1), *place) if quantity.timed else place

    def _run(self, moved: Key | None) -> tuple[dict[str, Arrays], Trace]:
        """The given arrays by role and name, and the trace, while `moved` carries the imaginary step."""
        if moved not in self._runs:
            roles = {PARAMETER: self.parameters, INPUT: self.inputs}
            given = {role: {name: array.astype(complex) for name, array in roles[role].items()} for role in roles}
            if moved is not None:
                given[moved[0].role][moved[0].name][self.place(moved)] += 1j * STEP
            self._runs[moved] = given, self.forward(given[PARAMETER], given[INPUT])
        return self._runs[moved]
