"""The forward pass as the notes index it, and gradient descent: claims that the engine has no form for.

The notes write one matrix W over the inputs and the outputs, in that order. Its columns are positions in (x; y), and
the notes name an output by its position there as well as by its own number from 1. Here both are quantities of their
own: `y` by the number, `at_position` by the position, which print as the same letter.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    Setting,
    Statement,
    Step,
    chain,
    claim,
    derived,
    domain,
    equal,
    parameter,
    sequence,
    sum_over,
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
at_position = variable("y", COLUMNS_OF_Y)
"""The entry of y that stands at a position in (x; y)."""

i, j = s.i, Index("j", COLUMNS)
j_x, j_y = j.within(s.X), j.within(COLUMNS_OF_Y)
t = Symbol("t", integer=True, nonnegative=True)


@dataclass
class ByColumn(Reading):
    """Another witness of the two-block system under the names of the notes, one matrix over inputs and outputs."""

    def element(self, key: Key) -> Any:
        """The element that is meant; NoSuchElement for an index out of range, and for a position before the outputs."""
        quantity, *places = key
        inputs, units = (int(self.sizes[size]) for size in (s.d_in, s.d_out))
        if quantity == at_position:
            quantity, places = y, [places[0] - inputs, *places[1:]]
        sizes = {"W": (units, inputs + units), "source": (inputs + units,), "x": (inputs,), "z": (units,)}
        if any(not 1 <= place <= size for place, size in zip(places, sizes.get(quantity.name, (units,)), strict=False)):
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


# the forward pass as the notes have it

whole = equals(z[i, t + 1], sum_over(j, W[i, j] * source[j, t]))
_inputs = sum_over(j_x, W[i, j_x] * x[j_x, t])
in_parts = equals(z[i, t + 1], _inputs + sum_over(j_y, W[i, j_y] * at_position[j_y, t]))
"""The sum as both notes print it: j is the position in (x; y), for the weight and for the output."""
by_number = equals(z[i, t + 1], _inputs + sum_over(j_y, W[i, j_y] * y[j_y - s.d_in, t]))
literal = equals(z[i, t + 1], _inputs + sum_over(j_y, W[i, j_y] * y[j_y, t]))
"""What a program computes that takes the position for the number of the output."""
output, start = equals(y[i, t + 1], s.f[i](z[i, t + 1])), equals(y[i, 0], 0)

POSITION = (
    r"$j$ is the position in $[x;\,y]$, and $y_j(t)$ with $j > d_{\mathrm{in}}$ the entry of $y(t)$ that stands there: "
    r"by its own number it is $y_{j - d_{\mathrm{in}}}(t)$."
)
TIMES = (r"$t = 0, \dots, T - 1$", r"The initial output $y(0)$ is the constant 0.")


def judge(id: str, *printed: Equality) -> Statement:
    """The forward pass as a note prints it, with the matrix taken apart."""
    parts = sum_over(j_x, W[i, j_x] * source[j_x, t]) + sum_over(j_y, W[i, j_y] * source[j_y, t])
    inputs = sum_over(s.q, s.w_in[i, s.q] * s.x[s.q, s.t])
    blocks = chain(s.net[i, s.t + 1], inputs + sum_over(s.k, s.w[i, s.k] * s.y[s.k, s.t]))
    return claim(
        id,
        printed,
        decide=forward_equation,
        verdict="holds",
        proof=[
            Step(
                "Cut the sum over all positions where the inputs end: an entry of $[x; y]$ is $x_j$ up to there, "
                "and an entry of $y$ behind.",
                equals(whole.rhs, parts),
                lambda: equal(whole.rhs, parts),
                exact=True,
            ),
            Step(
                "With the outputs by their own numbers the position is shifted:",
                by_number,
                lambda: forward_equation(by_number),
            ),
            derived("With a name for each of the two blocks nothing is shifted:", _setting(), blocks),
        ],
        instance=lambda: all(map(holds_exactly, printed)),
        numeric=lambda: all(map(holds_in_library, printed)),
        assumptions=(POSITION, *TIMES),
    )


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
