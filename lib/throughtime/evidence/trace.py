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
from sympy import Integer

from throughtime.checks import STEP
from throughtime.derivation.deriving.system import System
from throughtime.derivation.evaluating.evaluate import Env, Evaluator, Key, OutOfRange, Unreadable
from throughtime.derivation.formulas.domains import LENGTH, Dimension
from throughtime.derivation.formulas.errors import DerivationError, MisuseError, UndefinedQuantityError
from throughtime.derivation.formulas.nodes import DEFINED, INPUT, PARAMETER, Applied, DerivativeSymbol, Immediate, Ref

Arrays = dict[str, np.ndarray]
Forward = Callable[[Arrays, Arrays], Arrays]
Function = Callable[[Any, int], Any]


def scalar(function: Function) -> Function:
    """An activation of NumPy, `(z, order) -> number`, as a function of single numbers of Python."""
    return lambda z, order: np.asarray(function(z, order)).item()


def stacked(steps: Sequence[Mapping[str, Any]]) -> Arrays:
    """The arrays of the steps 1 to T by name, (T+1, ...) each, with a row of zeros in front for time 0."""
    first = {name: 0 * np.asarray(array) for name, array in steps[0].items()}
    return {name: np.array([step[name] for step in (first, *steps)]) for name in first}


def _named(found: Mapping[str, Any], name: str, argument: str) -> Any:
    if name not in found:
        raise UndefinedQuantityError(f"ModelTrace({argument}=...): nothing for {name}, got {sorted(found)}")
    return found[name]


@dataclass
class ModelTrace(Evaluator):
    """A numeric model's trace, read under the names of a system.

    `forward(parameters, inputs)` maps complex arrays by name to those of the quantities that the system defines, by
    name, with an axis for each index; before these stands time, from 0 on. `inputs` have their times there as well,
    from 1 on unless `first` says otherwise. `functions` are the activations as `(z, order) -> number`, or one for each
    unit.
    """

    sizes: dict[Dimension, int]
    length: int
    parameters: Arrays
    inputs: Arrays
    forward: Forward
    functions: Mapping[str, Function | tuple[Function, ...]] = field(default_factory=dict)
    first: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sizes = {dimension: Integer(size) for dimension, size in {LENGTH: self.length, **self.sizes}.items()}
        self._runs: dict[Key | None, dict[str, Arrays]] = {}

    @classmethod
    def drawn(
        cls, system: System, sizes: dict[Dimension, int], length: int, forward: Forward, functions: Mapping[str, Any],
        seed: int, **given: Any,
    ) -> ModelTrace:  # fmt: skip
        """The trace on normal numbers for all that `system` reads and does not define, but for the arrays `given`.

        MisuseError for an array of another name.
        """
        random = np.random.default_rng(seed)
        arrays: dict[str, Arrays] = {PARAMETER: {}, INPUT: {}}
        names = {ref.quantity.name: ref.quantity for _, ref in system.reads if not ref.quantity.is_defined}
        if unknown := sorted({*given} - {*names}):
            raise MisuseError(f"given: {unknown}, expected some of {sorted(names)}")
        for name, quantity in sorted(names.items()):
            times = [len(system.given_times(quantity, length))] if quantity.timed else []
            shape = (*times, *(len(over.elements(sizes)) for over in quantity.domains))
            arrays[quantity.role][name] = np.broadcast_to(given.get(name, random.normal(size=shape)), shape)
        first = {quantity.name: start for quantity, start in system.first_times.items()}
        return cls(sizes, length, arrays[PARAMETER], arrays[INPUT], forward, functions, first)

    def number(self, value: Fraction) -> float:
        """A rational as a floating-point number."""
        return float(value)

    def function(self, applied: Applied, places: tuple[int, ...]) -> Callable[[Any, int], Any]:
        """The activation of a unit. UndefinedQuantityError if the model has none of that name."""
        found = _named(self.functions, applied.function.name, "functions")
        if callable(found):
            return found
        (over,) = applied.function.domains
        return found[places[0] - over.elements(self.sizes).start]

    def element(self, key: Key) -> float:
        """One element of the trace, of a parameter or of a given sequence.

        OutOfRange outside the run, UndefinedQuantityError for a quantity that it does not have, DerivationError for
        one that is not finite.
        """
        return self._at(key, None).real

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """A total derivative with respect to a parameter or an input, by the complex step through the forward pass.

        Raises Unreadable for any other derivative, OutOfRange for an input at a time that the trace does not have.
        """
        wrt = self.key(node.wrt, env)
        if isinstance(node, Immediate) or wrt[0].role not in (PARAMETER, INPUT) or len(node.args) > 2:
            raise Unreadable(f"{node}: a trace tells total derivatives by parameters and inputs only")
        self._at(wrt, None)  # refuses one outside the run
        target = self.evaluate(node.target, env, lambda ref, key: self._at(key, wrt))
        return complex(target.value).imag / STEP

    def _at(self, key: Key, moved: Key | None) -> complex:
        """One element while the element `moved` carries the imaginary step."""
        quantity, place = key[0], self.place(key)
        whose = "forward" if quantity.is_defined else f"{quantity.role}s"
        array = _named(self._run(moved)[quantity.role], quantity.name, whose)
        if quantity.timed and not 0 <= place[0] < len(array):
            raise OutOfRange(str(key))
        value = complex(array[place])
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
        first = 0 if quantity.is_defined else self.first.get(quantity.name, 1)  # a trace starts with time 0
        return (key[-1] - first, *place) if quantity.timed else place

    def _run(self, moved: Key | None) -> dict[str, Arrays]:
        """All arrays by role and name while `moved` carries the imaginary step."""
        if moved not in self._runs:
            roles = {PARAMETER: self.parameters, INPUT: self.inputs}
            given = {role: {name: array.astype(complex) for name, array in roles[role].items()} for role in roles}
            if moved is not None:
                given[moved[0].role][moved[0].name][self.place(moved)] += 1j * STEP
            self._runs[moved] = given | {DEFINED: self.forward(given[PARAMETER], given[INPUT])}
        return self._runs[moved]
