"""Checks of constant error flow: runs of single units, activation functions, and units that read only themselves."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from book.bptt.bench import model
from book.bptt.forward import checks as of_full_networks
from book.shared.words import printed
from sympy import Basic, Equality, Function, Integer, Integral, Rational, S, Symbol, simplify, sympify
from throughtime.arrays.activations import ActivationFunction, identity, logistic, tanh
from throughtime.derivation import Dual, Evaluator, ExactInstance, polynomial
from throughtime.evidence.trace import ModelTrace
from throughtime.systems import recurrent
from throughtime.textbook.recurrent import FullyRecurrent

# ---- letters of one unit

net = printed("net", r"\operatorname{net}_j\left(%s\right)")  # the net input at a time
y = printed("y", r"y_j\left(%s\right)")  # the output at a time
f = printed("f", r"f_j\left(%s\right)")  # the activation function at a net input
slope = printed("slope", r"f_j'\left(%s\right)")  # its derivative there
theta = printed("theta", r"\vartheta_j^{%s}\left[%s\right]")  # dE(t)/dnet(s): the error signal theta(t, s)
t = Symbol("t", integer=True)
w = Symbol("w_{j,j}", real=True, nonzero=True)
z = Symbol("z_j", real=True)  # a net input as a variable of integration


# ---- runs of one unit

STEPS = 6
TIMES = range(1, STEPS + 1)


@dataclass(frozen=True)
class Unit:
    """Run of one self-connected unit over the times 1..STEPS.

    weight      of the unit's own output
    f           activation function, and its derivative for the order 1
    values      net inputs, outputs and error signals by letter and time, as `values[theta][t, s]`
    """

    weight: Any
    f: Callable[[Any, int], Any]
    values: Mapping[type[Function], Mapping[tuple[int, ...], Any]]

    def satisfies(self, formula: Basic, now: int) -> bool | None:
        """Whether a formula holds at a time; None where it speaks of a time that the run does not have."""
        value = formula.xreplace({t: Integer(now), w: sympify(self.weight)})
        try:
            for letter, table in self.values.items():
                value = value.replace(letter, lambda *at, table=table: sympify(table[at]))
        except KeyError:
            return None
        value = value.replace(slope, lambda at: sympify(self.f(at, 1)))
        return bool(value.replace(f, lambda at: sympify(self.f(at, 0))))


def exact_unit(weight: Rational | int, *coefficients: Rational | int, start: int = 1) -> Unit:
    """Unit with a polynomial as its activation, in rational numbers; its error signals by dual numbers."""
    function, signals = polynomial(*map(Rational, coefficients)), {}
    for by in TIMES:  # run with derivatives with respect to the net input of that time
        out, nets, outputs = Dual(Integer(start), Integer(0)), {}, {}
        for at, number in zip(TIMES, (1, 3, 2, 6, 5, 4), strict=True):
            into = Dual(weight * out.value, Integer(1) if at == by else weight * out.slope)
            out = Dual(function(into.value, 0), function(into.value, 1) * into.slope)
            nets[at,], outputs[at,] = into.value, out.value
            signals[at, by] = (out.value - Rational(number, 7) + 20) * out.slope
    return Unit(weight, function, {net: nets, y: outputs, theta: signals})


def library_unit(activation: ActivationFunction, weight: float, pulse: float) -> Unit:
    """The library's network of one unit, started by its first input; all later inputs are 0."""
    unit = FullyRecurrent(n_in=1, n_out=1, activation=activation)
    weights = unit.layout.flatten({"W": np.array([[1.0, weight]])})
    x, targets = np.zeros((STEPS, 1)), np.arange(STEPS)[:, None] / 7 - 3
    x[0] = pulse
    trace = unit.forward(weights, x)
    signals = {}
    for at, mask in zip(TIMES, np.eye(STEPS), strict=True):
        by_time = unit.error_signals(weights, x, targets, mask).z[:, 0]
        signals |= {(at, by): float(by_time[by]) for by in TIMES}
    nets, outputs = ({(at,): float(rows[at, 0]) for at in TIMES} for rows in (trace.z, trace.y))

    def function(at: Any, order: int) -> float:
        return float((activation, activation.derivative)[order](float(at)))

    return Unit(weight, function, {net: nets, y: outputs, theta: signals})


HALF, WEIGHTS = Rational(1, 2), (Rational(1), Rational(-2), Rational(3, 2))


@cache
def exact_units() -> tuple[Unit, ...]:
    """Test units: carousels with and without offset; w f' = -1; w f' = 1 at some times; w f' never 1."""
    affine = [(weight, Rational(c) / weight, 1 / Rational(weight)) for weight in (1, -2, HALF) for c in (0, 3)]
    alternating = [(weight, 0, -1 / Rational(weight)) for weight in (1, 2)]
    sometimes = [(1, Rational(5, 2), -1, HALF), (2, 0, 0, Rational(1, 8))]
    never = [(HALF, 0, 1), (2, 0, 1), (2, 1, Rational(1, 3), 1), (-1, HALF, -2, Rational(1, 5))]
    return tuple(exact_unit(*unit) for unit in (*affine, *alternating, *sometimes, *never))


@cache
def library_units() -> tuple[Unit, ...]:
    """A carousel, and other units: linear, tanh, and logistic with the largest product of weight and slope."""
    linear = [library_unit(identity, weight, 0.75) for weight in (1.0, -1.0, 0.5, 1.25)]
    return (*linear, library_unit(tanh, 1.0, 0.5), library_unit(logistic, 4.0, 0.0))


@cache
def carousels() -> tuple[Unit, ...]:
    """Units with f(z) = z / w in rational numbers."""
    return tuple(exact_unit(weight, 0, 1 / weight, start=start) for weight in WEIGHTS for start in (1, -3))


def holds_for_units(formula: Basic, units: Iterable[Unit] | None = None) -> bool:
    """Whether a formula in w, net, y, f, slope and theta holds for every unit at all times where it has a value."""
    found = [unit.satisfies(formula, now) for unit in units or exact_units() for now in range(2, STEPS)]
    return any(item is not None for item in found) and all(item is not False for item in found)


@cache
def holds_for_carousels(formula: Basic) -> bool:
    """Whether a formula holds for every unit with f(z) = z / w."""
    return holds_for_units(formula, carousels())


def same_for_carousels(mutant: Basic, _: Basic) -> bool:
    """Whether an equation holds for every w and y because the output of a carousel is one number Y at all times."""
    constant = Symbol("Y", real=True)
    sides = (side.replace(y, lambda _: constant).replace(net, lambda _: w * constant) for side in mutant.args)
    left, right = (side.replace(f, lambda at: at / w) for side in sides)
    return simplify(left - right) == 0


ACTIVATIONS = (
    lambda z, w: z / w,
    lambda z, w: z / w + 1,
    lambda z, w: (z - 3) / w,
    lambda z, w: z,
    lambda z, w: 2 * z + 1,
    lambda z, w: z**2 / w,
    lambda z, w: z / w + z**3,
    lambda z, w: -z / w,
    lambda z, w: S.Zero,
)


@cache
def holds_for_activations(formula: Basic) -> bool:
    """Whether a formula in w, z, f(z), slope(z) holds for every activation of a family and several weights.

    An equation in it is one for all z. An equation between indefinite integrals is one between their integrands.
    """
    return all(
        bool(formula.xreplace({e: _for_all_z(e, function, weight) for e in formula.atoms(Equality)}))
        for function in ACTIVATIONS
        for weight in WEIGHTS
    )


def _for_all_z(equation: Equality, function: Callable, weight: Rational) -> Basic:
    difference = equation.lhs - equation.rhs
    difference = difference.diff(z) if difference.has(Integral) else difference
    at = Symbol("at", real=True)
    derivative = function(at, weight).diff(at)
    known = difference.xreplace({w: weight}).replace(slope, lambda x: derivative.subs(at, x))
    return sympify(simplify(known.replace(f, lambda x: function(x, weight)).doit()) == 0)


# ---- networks without weights between units


def alone(**weights: float) -> ModelTrace:
    """The network of the part with every weight between two units at 0, and with other `weights`."""
    return model(w=np.diag([0.5, -1.25, 0.75]), **weights)


@cache
def self_connected() -> tuple[Evaluator, ...]:
    """Networks of self-connected units with inputs: three exact ones, then that of the part."""
    exact = []
    for seed, (inputs, units) in enumerate(((2, 2), (1, 3), (1, 1))):
        pairs = [(a, b) for a in range(1, units + 1) for b in range(1, units + 1) if a != b]
        sizes = {recurrent.d_in: inputs, recurrent.d_out: units}
        zeros = {("w", *pair): Fraction(0) for pair in pairs}
        exact.append(ExactInstance(recurrent.build(masked=False), sizes, 4, seed=seed, values=zeros))
    return (*exact, alone())


def holds_for_self_connected(equation: Basic, networks: Iterable[Evaluator] | None = None) -> bool:
    """Whether a forward equation in the letters of the notes holds for networks of self-connected units."""
    return all(of_full_networks.Concatenated(one).holds(equation) for one in networks or self_connected())
