"""Net inputs over one matrix as the notes print them: judges for bptt-26, bptt-27, lstm97-34 and lstm97-35.

The equations are read as in `recurrent_prints`, of full networks and of those whose units read no other unit.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from sympy import Equality
from throughtime.derivation import Key, OutOfRange, Unrolled, Witness, parameter, polynomial, variable
from throughtime.systems import recurrent
from throughtime_book.bptt.constant_error.claims import Alone
from throughtime_book.bptt.forward.prints import NUMBERS, ByColumn, W
from throughtime_book.bptt.setting import Model, witness

W_own = parameter("W", recurrent.U, NUMBERS, latex="w")  # columns by the number of a unit, as in w_{j,j}
W_columns = parameter("W", *W.domains, latex="w")
net_any = variable("z", NUMBERS, latex=r"\operatorname{net}")


class _Read(ByColumn):
    """The same reading, in which there is no net input before time 1."""

    def element(self, key: Key) -> Any:
        if key[0].name == "z" and key[-1] < 1:
            raise OutOfRange(str(key))
        return super().element((W, *key[1:]) if key[0].name == "W" else key)


def _exact(inputs: int, units: int, *, alone: bool, **how: Any) -> Unrolled:
    zeros = {("w", a, b): Fraction(0) for a in range(1, units + 1) for b in range(1, units + 1) if alone and a != b}
    sizes = {recurrent.d_in: inputs, recurrent.d_out: units}
    how["values"] = {**zeros, **how.get("values", {})}
    return Unrolled(recurrent.build(masked=False), sizes, 4, **how)


@cache
def _witnesses(alone: bool) -> tuple[Witness, ...]:
    sizes = ((2, 2), (1, 3), (1, 1))
    return tuple(_exact(*size, alone=alone, seed=seed) for seed, size in enumerate(sizes))


@cache
def _library(alone: bool) -> Witness:
    return witness(Alone(with_inputs=True) if alone else Model(masked=False))


@cache
def forward(equation: Equality, *, alone: bool, exact: bool = True, library: bool = True) -> bool:
    """Whether a forward equation holds of small nets and of the library's; `alone`: without weights between units."""
    witnesses = (*(_witnesses(alone) if exact else ()), *((_library(alone),) if library else ()))
    return all(_Read(witness).holds(equation) for witness in witnesses)


def in_the_smallest_net(equation: Equality) -> tuple[int, int]:
    """Both sides at time 2 for one input and one linear unit, W = (2 3), x = 1 at all times: net(2) = 2 + 3 * 2 = 8."""
    values = {("w_in", 1, 1): Fraction(2), ("w", 1, 1): Fraction(3), **{("x", 1, now): Fraction(1) for now in range(4)}}
    reading = _Read(_exact(1, 1, alone=True, values=values, activations={"f": polynomial(Fraction(0), Fraction(1))}))
    at_two = next(env for env in reading.environments(*equation.args) if 2 in env.values())
    left, right = (reading.value(side, at_two) for side in equation.args)
    return int(left), int(right)
