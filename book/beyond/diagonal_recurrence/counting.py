"""What a gradient costs: operations of a step and numbers carried to the next, counted in compiled programs."""

from __future__ import annotations

import re
from functools import cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
import throughtime as tt
from sympy import Expr, Matrix, Poly, symbols
from sympy import latex as printed
from throughtime.programs import CompiledNetwork
from throughtime_book.beyond.diagonal_recurrence import system as u

SIZE = symbols("n")
DEGREE = 4
NETS = {**{name: one.build for name, one in u.UNITS.items()}, "two layers": u.stacked, "fully recurrent": u.DENSE.build}
ACTIVATIONS = {"sigma": "logistic", "phi": "tanh"}


class Cost(NamedTuple):
    """Of one net: real weights and states, derivatives carried from step to step, and operations of a step."""

    weights: Any
    states: Any
    carried: Any
    forward: Any
    rtrl: Any
    bptt: Any


class Number:
    """Stands for every number of a program and counts the operations in which it takes part."""

    count = 0

    def _counted(self, *_: object) -> Number:
        Number.count += 1
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _counted
    __neg__ = __iadd__ = _counted


class Arrays:
    """The functions of NumPy that a program calls, with arrays of `Number`."""

    dot = staticmethod(np.dot)

    @staticmethod
    def zeros(shape: tuple[int, ...]) -> np.ndarray:
        """An array that holds a `Number` everywhere."""
        return np.full(shape, Number(), object)

    empty = zeros


@cache
def compiled(name: str, units: int, inputs: int, outputs: int = 1) -> CompiledNetwork:
    """A net of the chapter as a program."""
    system = NETS[name]()
    used = {one: ACTIVATIONS[one] for one in ACTIVATIONS if f"{one}(" in str(system.all_definitions())}
    return tt.compile(system, u.loss, {u.n: units, u.m: inputs, u.r: outputs}, activations=used)


def operations(net: CompiledNetwork, method: str, *, forward: bool = False) -> int:
    """Operations of one step of a program; a call of an activation function or of its slope is one.

    forward     leave out the backward sweep of "bptt"
    """
    sizes = {one.name: size for one, size in net.plan.sizes.items()}
    scope: dict[str, Any] = {}
    exec(net.source(method).replace("import numpy as np\n", ""), scope)
    scope["np"] = Arrays
    for name in ("sigma", "phi"):
        scope |= {name: Number._counted, f"{name}_prime": Number._counted}
    if forward:
        scope["bptt"] = lambda *_: None
    counts = []
    for length in (2, 3):
        shapes = {"x": (length, sizes["m"]), "c": (length,), "d": (length, sizes["r"])}
        given = {name: Arrays.zeros(shape) for name, shape in shapes.items()}
        weights = {name: Arrays.zeros(shape) for name, shape in net.layout.shapes.items()}
        Number.count = 0
        scope["gradient"](**given, **weights)
        counts.append(Number.count)
    return counts[1] - counts[0]


def carried(net: CompiledNetwork) -> int:
    """Derivatives that the forward method hands from one step to the next.

    They stand in arrays of the step before, or, where each element grows out of itself, in one that is updated.
    """
    named, text = {one.name: size for one, size in net.plan.sizes.items()}, net.source("rtrl")
    found = dict(re.findall(r"^    (d(?!L)\w+) = np\.zeros\(\((.*)\)\)$", text, re.M))
    handed = [name for name in found if name.endswith("_1") or _grows(name, text)]
    return sum(prod(named[one.strip()] for one in found[name].split(",") if one.strip()) for name in handed)


def _grows(name: str, text: str) -> bool:
    """Whether a line computes an element of the array from its value before."""
    return re.search(rf"^ +({name}\[[^]]+\]) = .*\b{name}\[", text, re.M) is not None


def cost(name: str, units: int) -> Cost:
    """Counts of a net with as many inputs as units and one output."""
    net = compiled(name, units, units)
    states = len(re.findall(r"^    (?!d)\w+_1 = np\.zeros\(\(n,\)\)$", net.source("rtrl"), re.M)) * units
    ahead = operations(net, "bptt", forward=True)
    return Cost(net.layout.size, states, carried(net), ahead, operations(net, "rtrl"), operations(net, "bptt"))


@cache
def polynomials(name: str) -> Cost:
    """The counts as polynomials in the number of units, which equals that of the inputs, from five sizes."""
    places = range(1, DEGREE + 2)
    powers = Matrix([[place**power for power in range(DEGREE + 1)] for place in places])
    counts = [cost(name, place) for place in places]
    columns = zip(*counts, strict=True)
    terms = Matrix([[SIZE**power for power in range(DEGREE + 1)]])
    return Cost(*((terms * powers.solve(Matrix(column)))[0].expand() for column in columns))


def exponent(polynomial: Expr) -> int:
    """The degree in the number of units."""
    return Poly(polynomial, SIZE).degree()


def factor(above: Expr, below: Expr) -> Expr:
    """The limit of the quotient of two counts of one degree for many units. ValueError for two degrees."""
    if exponent(above) != exponent(below):
        raise ValueError(f"above: expected the degree {exponent(below)}, got {exponent(above)}")
    return Poly(above, SIZE).LC() / Poly(below, SIZE).LC()


def latex(polynomial: Expr) -> str:
    """A polynomial by falling powers."""
    return printed(Poly(polynomial, SIZE).as_expr(), order="grlex")
