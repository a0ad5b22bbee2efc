"""Forward equations in the letters of the notes, checked on networks.

The notes write one weight matrix over the concatenation of two vectors. Its columns are positions there, and the notes
name a unit by its position as well as by its own number from 1. Each meaning is a quantity of its own here, which
prints as the notes have it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import throughtime as tt
from book.bptt.bench import make_bench
from book.shared.reading import NoSuchElement, SourceNotation
from sympy import Basic, Integer, Symbol
from throughtime.derivation import Applied, OutOfRange
from throughtime.derivation.evaluating.evaluate import Key
from throughtime.systems import recurrent as s

COLUMNS_OF_Y = tt.domain("V", s.d_out, after=s.X)
COLUMNS = tt.union("columns", s.X, COLUMNS_OF_Y)
OUTPUTS_FIRST = tt.union("columns of [y; x]", s.U, tt.domain("columns of x", s.d_in, after=s.U))
NUMBERS = tt.Domain("numbers", s.U.lower, COLUMNS.upper, (s.U, COLUMNS_OF_Y))

t = Symbol("t", integer=True, nonnegative=True)
column = tt.Index("j", COLUMNS)

# Terms print in the order in which their quantities are made. The suffix `at`: by the position in [x; y].
W = tt.parameter("W", s.U, COLUMNS)
source = tt.variable("source", COLUMNS, latex=r"[x;\,y]")
x = s.x
z = tt.variable("z", s.U)
net = tt.variable("z", s.U, latex=r"\operatorname{net}")
y = tt.variable("y", NUMBERS)
y_at = tt.variable("y", COLUMNS_OF_Y)
w_own = tt.parameter("W", s.U, s.U, latex="w")
w = tt.parameter("W", s.U, COLUMNS, latex="w")
w_outputs_first = tt.parameter("W", s.U, OUTPUTS_FIRST, latex="w")
net_at = tt.variable("z", COLUMNS_OF_Y, latex=r"\operatorname{net}")
f_at = tt.Activation("f", COLUMNS_OF_Y)


def _weight(n_in: int, n_out: int, unit: int, position: int) -> Key:
    return (s.w_in, unit, position) if position <= n_in else (s.w, unit, position - n_in)


ELEMENTS: dict[tt.Quantity, Callable[..., Key]] = {
    W: _weight,
    w: _weight,
    w_outputs_first: lambda n_in, n_out, unit, at: (s.w, unit, at) if at <= n_out else (s.w_in, unit, at - n_out),
    w_own: lambda n_in, n_out, unit, number: (s.w, unit, number),
    source: lambda n_in, n_out, at, when: (s.x, at, when) if at <= n_in else (s.y, at - n_in, when),
    x: lambda n_in, n_out, number, when: (s.x, number, when),
    z: lambda n_in, n_out, number, when: (s.net, number, when),
    net: lambda n_in, n_out, number, when: (s.net, number, when),
    net_at: lambda n_in, n_out, position, when: (s.net, position - n_in, when),
    y: lambda n_in, n_out, number, when: (s.y, number, when),
    y_at: lambda n_in, n_out, position, when: (s.y, position - n_in, when),
}
"""Elements of the system in two blocks, by quantity of the notes: `(n_in, n_out, *indices, time) -> key`."""


@dataclass
class Concatenated(SourceNotation):
    """Evaluator of forward equations in the letters of the notes, on a network with two blocks of weights."""

    def element(self, key: Key) -> Any:
        """Value of an element; NoSuchElement for an index out of range."""
        quantity, *places = key
        meant, *at = ELEMENTS[quantity](*self._sizes, *places)
        for index, over in zip(at, meant.domains, strict=False):
            if index not in over.elements(self.sizes):
                raise NoSuchElement(f"{quantity.name}: no element {places}")
        if quantity == net_at and at[-1] < 1:  # the initial output is no activation of a net input
            raise OutOfRange(str(key))
        return self.of.element((meant, *at))

    def function(self, applied: Applied, places: tuple[int, ...]) -> Any:
        """Activation of a unit, by its number or by its position; NoSuchElement for a position among the inputs."""
        if applied.function == f_at:
            places = (places[0] - self._sizes[0],)
            if places[0] < 1:
                raise NoSuchElement(f"{applied}: no unit stands there")
            # of the unit's own number
            applied = Applied(s.f, Integer(applied.order), applied.argument, *applied.indices)
        return super().function(applied, places)

    @property
    def _sizes(self) -> tuple[int, int]:
        return int(self.sizes[s.d_in]), int(self.sizes[s.d_out])


_bench = cache(partial(make_bench, masked=False))


def holds_exactly(equation: Basic) -> bool:
    """Whether a forward equation holds for small networks in rational numbers."""
    return all(Concatenated(network).holds(equation) for network in _bench().witnesses)


def holds_in_library(equation: Basic) -> bool:
    """Whether a forward equation holds for the library's forward pass."""
    return Concatenated(_bench().model).holds(equation)


def holds(equation: Basic) -> bool:
    """Whether a forward equation holds for the library's network and for small exact ones."""
    return holds_in_library(equation) and holds_exactly(equation)
