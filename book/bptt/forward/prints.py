"""The forward pass as the notes index it, and gradient descent: claims that the engine has no form for.

The notes write one matrix W over the inputs and the outputs, in that order, so a column number runs on past the
inputs while the outputs themselves are numbered from 1. The engine refuses an index that leaves its range; here such
a formula may be written down, and is judged by what it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sympy import Equality, Symbol, lambdify
from sympy.core.basic import Basic
from throughtime.checks import complex_step
from throughtime.derivation import (
    Domain,
    Index,
    Key,
    OutOfRange,
    Setting,
    domain,
    parameter,
    sequence,
    to_latex,
    union,
    variable,
)
from throughtime.models.activations import logistic
from throughtime.models.recurrent import FullyRecurrent
from throughtime.systems import recurrent as s
from throughtime_book.bptt.setting import setting
from throughtime_book.shared.reading import NoSuchElement, Reading
from throughtime_book.shared.reading import equals as equals

COLUMNS_OF_Y = domain("V", s.d_out, after=s.X)
COLUMNS = union("columns", s.X, COLUMNS_OF_Y)
NUMBERS = Domain("numbers", s.U.lower, COLUMNS.upper, (s.U, COLUMNS_OF_Y))

W = parameter("W", s.U, COLUMNS)
source = variable("source", COLUMNS, latex=r"[x;\,y]")
x = sequence("x", s.X)
z = variable("z", s.U)
y = variable("y", NUMBERS)

i, j = s.i, Index("j", COLUMNS)
j_x, j_y = j.within(s.X), j.within(COLUMNS_OF_Y)
t = Symbol("t", integer=True, nonnegative=True)


@dataclass
class ByColumn(Reading):
    """Another witness of the two-block system under the names of the notes, one matrix over inputs and outputs."""

    absent: Any = None

    def element(self, key: Key) -> Any:
        quantity, *places = key
        inputs, units = (int(self.sizes[size]) for size in (s.d_in, s.d_out))
        sizes = {"W": (units, inputs + units), "source": (inputs + units,), "x": (inputs,), "z": (units,)}
        if any(not 1 <= place <= size for place, size in zip(places, sizes.get(quantity.name, (units,)), strict=False)):
            if self.absent is not None:
                return self.absent
            raise NoSuchElement(f"{quantity.name}: no element {places}")
        if quantity == W:
            row, column = places
            return self.of.element((s.w_in, row, column) if column <= inputs else (s.w, row, column - inputs))
        if quantity == source:
            column, when = places
            return self.of.element((s.x, column, when) if column <= inputs else (s.y, column - inputs, when))
        return self.of.element(({"x": s.x, "y": s.y, "z": s.net}[quantity.name], *places))


@cache
def _setting() -> Setting:
    return setting(masked=False)


def holds_exactly(equation: Equality) -> bool:
    """Whether a forward equation holds of small networks in rational numbers."""
    return all(ByColumn(witness).holds(equation) for witness in _setting().witnesses)


def holds_in_library(equation: Equality) -> bool:
    """Whether a forward equation holds of the library's forward pass."""
    return ByColumn(_setting().model).holds(equation)


def forward_equation(equation: Basic) -> bool:
    """Whether a forward equation holds, of the library's net and of the small ones."""
    return holds_in_library(equation) and holds_exactly(equation)


def _outputs(numbers: Iterable[int]) -> str:
    return f"${', '.join(f'y_{n}' for n in numbers)}$"


def misreading(equation: Equality) -> str:
    """Numbers at which an equation is false though every element that there is not counts as 0."""
    exact = next(w for w in _setting().witnesses if w.sizes[s.d_in] < w.sizes[s.d_out])
    reading = ByColumn(exact, absent=exact.number(0))
    for env in reading.environments(*equation.args):
        try:
            left, right = (float(reading.value(side, env)) for side in equation.args)
        except OutOfRange:
            continue
        if abs(left - right) > 0.01:
            where = ", ".join(f"${to_latex(letter)}={value}$" for letter, value in sorted(env.items(), key=str))
            inputs, units = (int(exact.sizes[size]) for size in (s.d_in, s.d_out))
            read = range(inputs + 1, inputs + units + 1)
            return (
                f"Take $d_{{\\mathrm{{in}}}}={inputs}$ and $d_{{\\mathrm{{out}}}}={units}$: the second sum reads "
                f"{_outputs(read)}. There is no {_outputs(n for n in read if n > units)}, and "
                f"{_outputs(range(1, inputs + 1))} is never read. At {where} the left side is {left:.4g}; "
                f"the right side is {right:.4g} if what does not exist counts as 0."
            )
    raise ValueError(f"equation: {equation} holds wherever it can be read, expected one that fails")


# gradient descent

new, old, rate, slope = (Symbol(name, real=True) for name in ("w^new_ij", "w_ij", "alpha", "g_ij"))


@dataclass(frozen=True)
class Example:
    """A net, its data, and the time whose error is descended."""

    net: FullyRecurrent
    theta: np.ndarray
    x: np.ndarray
    targets: np.ndarray

    @property
    def mask(self) -> np.ndarray:
        """The last time alone counts."""
        return np.eye(1, len(self.x), len(self.x) - 1)[0]

    def loss(self, theta: np.ndarray) -> complex:
        """The error of the last time."""
        return self.net.loss(theta, self.x, self.targets, self.mask)

    def gradient(self, method: str = "bptt", **how: Any) -> np.ndarray:
        """Its gradient by a method of the library."""
        return self.net.gradient(self.theta, self.x, self.targets, self.mask, method=method, **how).gradient


@cache
def examples(count: int = 3) -> Sequence[Example]:
    """Random nets of logistic units on random sequences."""
    draw = np.random.default_rng(1990)
    net = FullyRecurrent(n_in=1, n_out=2, activation=logistic)
    return tuple(
        Example(net, net.init(draw, scale=2.0), draw.normal(size=(4, 1)), draw.uniform(size=(4, 2)))
        for _ in range(count)
    )


def descends(rule: Equality) -> bool:
    """Whether an update rule w_new = ... leaves the weights for rate 0, and lowers the error at the rate |g|^2."""
    update = lambdify((old, rate, slope), rule.rhs, "numpy")
    if rule.lhs != new:
        return False
    for example in examples():
        g = example.gradient()
        moved = lambda alpha, e=example, g=g: update(e.theta, alpha, g) + 0 * e.theta  # noqa: E731
        if not np.array_equal(moved(0.0), example.theta):
            return False
        fall = complex_step(lambda alpha, e=example, m=moved: complex(e.loss(m(alpha[0]))), np.zeros(1))[0]
        if abs(fall + g @ g) > 1e-10 * (g @ g):
            return False
    return True
