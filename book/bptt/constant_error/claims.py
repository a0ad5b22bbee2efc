"""Self-connected units: settings and judges for bptt-21 to 25 and lstm97-29 to 33.

Claims about one unit are put to runs of single units, in rational numbers or by the library; claims about its
activation to a family of activations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from sympy import Equality, Function, Integral, Rational, S, Symbol, simplify, sympify
from sympy.core.basic import Basic
from throughtime.derivation import Dual, OutOfRange, Setting, polynomial
from throughtime.models.activations import Activation, identity, logistic, tanh
from throughtime.models.recurrent import FullyRecurrent
from throughtime_book.bptt.constant_error import system as carousel
from throughtime_book.bptt.setting import Model, witness
from throughtime_book.shared.reference_network import in_floats

ALONE = r"Each unit reads its own output and nothing else, and nothing else reads it."


# ---- settings


class Alone(Model):
    """The library's network with every weight between two units at 0, with inputs or without."""

    def __init__(self, *, with_inputs: bool) -> None:
        super().__init__(masked=False)
        weights = self.net.layout.views(self.theta)["W"]
        weights[:, self.net.n_in :] *= np.eye(self.net.n_out)
        if not with_inputs:
            weights[:, : self.net.n_in] = 0.0


def setting() -> Setting:
    """Self-connected units with activations of their own; every call makes a new setting."""
    s = carousel
    return Setting(
        s.build(), [{s.d_out: 1}, {s.d_out: 3}], length=4, model=witness(Alone(with_inputs=False)),
        activations=in_floats({"f": logistic.derivative}), assumptions=(ALONE,),
    )  # fmt: skip


def affine_setting() -> Setting:
    """Units with f(z) = (z + C) / w. The library has no such activation but for w = 1 and C = 0: no numeric model."""
    s = carousel
    return Setting(s.build_affine(), [{s.d_out: 1}, {s.d_out: 3}], length=4)


# ---- claims about one unit


class _Named(Function):
    """A function of time or of a net input that prints with the unit's index."""

    tex = ""

    def _latex(self, printer, exp=None) -> str:
        return rf"{self.tex}\left({printer._print(self.args[0])}\right)"


class net(_Named):
    """net_j at a time."""

    nargs, tex = 1, r"\operatorname{net}_j"


class y(_Named):
    """y_j at a time."""

    nargs, tex = 1, "y_j"


class f(_Named):
    """f_j at a net input."""

    nargs, tex = 1, "f_j"


class slope(_Named):
    """f_j' at a net input."""

    nargs, tex = 1, "f_j'"


class theta(Function):
    """theta(t, s): the derivative of the error of time t with respect to the net input of time s."""

    nargs = 2

    def _latex(self, printer, exp=None) -> str:
        at, by = map(printer._print, self.args)
        return rf"\vartheta_j^{{{at}}}\left[{by}\right]"


t = Symbol("t", integer=True)
w = Symbol("w_{j,j}", real=True, nonzero=True)
z = Symbol("z_j", real=True)  # the variable of integration: a net input

STEPS = 6


@dataclass(frozen=True)
class Run:
    """One unit over the times 1..STEPS: weight, function and slope, net inputs and outputs, error signals."""

    weight: Any
    function: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    nets: Sequence[Any]
    outputs: Sequence[Any]
    signals: Callable[[int, int], Any]

    def true_at(self, formula: Basic, now: int) -> bool | None:
        """Whether a formula holds at one time; None where a quantity is not defined at its time."""
        try:
            value = formula.xreplace({t: sympify(now), w: sympify(self.weight)})
            value = value.replace(net, lambda when: self._at(self.nets, when))
            value = value.replace(y, lambda when: self._at(self.outputs, when))
            value = value.replace(theta, lambda at, by: sympify(self._signal(int(at), int(by))))
        except OutOfRange:
            return None
        value = value.replace(slope, lambda at: sympify(self.slope(_number(at))))
        return bool(value.replace(f, lambda at: sympify(self.function(_number(at)))))

    def _at(self, values: Sequence[Any], when: Basic) -> Basic:
        if not 1 <= when <= STEPS:
            raise OutOfRange(str(when))
        return sympify(values[int(when) - 1])

    def _signal(self, at: int, by: int) -> Any:
        if not (1 <= at <= STEPS and 1 <= by <= STEPS):
            raise OutOfRange(f"{at}, {by}")
        return 0 if by > at else self.signals(at, by)


def _number(value: Basic) -> Any:
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else float(value)


def _rational(number: Fraction) -> Rational:
    return Rational(number.numerator, number.denominator)


def exact_run(weight: Fraction | int, *coefficients: Fraction | int, start: Fraction | int = 1) -> Run:
    """A unit with a polynomial as its activation, in rationals; error signals by dual numbers."""
    weight, function = Fraction(weight), polynomial(*map(Fraction, coefficients))
    targets = [Fraction(n, 7) - 20 for n in (1, 3, 2, 6, 5, 4)]

    def states(moved: int | None = None) -> list[tuple[Dual, Dual]]:
        out, found = Dual(Fraction(start), Fraction(0)), []
        for now in range(1, STEPS + 1):
            into = Dual(weight, Fraction(0)) * out
            into = Dual(into.value, Fraction(1)) if now == moved else into
            out = Dual(function(into.value, 0), function(into.value, 1) * into.slope)
            found.append((into, out))
        return found

    def signal(at: int, by: int) -> Rational:
        out = states(by)[at - 1][1]
        return _rational((out.value - targets[at - 1]) * out.slope)

    nets, outputs = ([_rational(dual.value) for dual in column] for column in zip(*states(), strict=True))
    return Run(
        _rational(weight), lambda at: _rational(function(at, 0)), lambda at: _rational(function(at, 1)),
        nets, outputs, signal,
    )  # fmt: skip


def library_run(activation: Activation, weight: float, pulse: float) -> Run:
    """The library's network of one unit, started by its first input; all later inputs are 0."""
    unit = FullyRecurrent(n_in=1, n_out=1, activation=activation)
    weights = unit.layout.flatten({"W": np.array([[1.0, weight]])})
    x = np.zeros((STEPS, 1))
    x[0] = pulse
    trace, targets = unit.forward(weights, x), np.arange(STEPS)[:, None] / 7 - 3

    @cache
    def signals(at: int) -> np.ndarray:
        return unit.error_signals(weights, x, targets, np.eye(STEPS)[at - 1]).z[:, 0]

    return Run(
        weight, lambda at: float(activation(at)), lambda at: float(activation.derivative(at)),
        trace.z[1:, 0].tolist(), trace.y[1:, 0].tolist(), lambda at, by: float(signals(at)[by]),
    )  # fmt: skip


HALF = Fraction(1, 2)


@cache
def exact_runs() -> tuple[Run, ...]:
    """Test units: carousels with and without offset; w f' = -1; w f' = 1 at some times; w f' never 1."""
    affine = [(weight, Fraction(c) / weight, 1 / Fraction(weight)) for weight in (1, -2, HALF) for c in (0, 3)]
    turning = [(weight, 0, -1 / Fraction(weight)) for weight in (1, 2)]
    sometimes = [(1, Fraction(5, 2), -1, HALF), (2, 0, 0, Fraction(1, 8))]
    never = [(HALF, 0, 1), (2, 0, 1), (2, 1, Fraction(1, 3), 1), (-1, HALF, -2, Fraction(1, 5))]
    return tuple(exact_run(*unit) for unit in (*affine, *turning, *sometimes, *never))


@cache
def library_runs() -> tuple[Run, ...]:
    """A carousel, and other units: linear, tanh, and logistic with the largest product of weight and slope."""
    linear = [library_run(identity, weight, 0.75) for weight in (1.0, -1.0, 0.5, 1.25)]
    return (*linear, library_run(tanh, 1.0, 0.5), library_run(logistic, 4.0, 0.0))


def of_units(formula: Basic, runs: Iterable[Run] | None = None) -> bool:
    """Whether a formula in w, net, y, f, slope and theta holds of every unit at all times where it can be evaluated."""
    found = [run.true_at(formula, now) for run in runs or exact_runs() for now in range(2, STEPS)]
    return any(item is not None for item in found) and all(item is not False for item in found)


@cache
def carousels() -> tuple[Run, ...]:
    """Units with f(z) = z / w in exact numbers."""
    weights = (Fraction(1), Fraction(-2), Fraction(3, 2))
    return tuple(exact_run(weight, 0, 1 / weight, start=start) for weight in weights for start in (1, -3))


@cache
def of_carousels(formula: Basic) -> bool:
    """Whether a formula holds of every unit with f(z) = z / w."""
    return of_units(formula, carousels())


def same_on_carousels(mutant: Basic, _: Basic) -> bool:
    """Whether an equation holds for every w and y because a carousel's outputs are one number Y at all times."""
    constant = Symbol("Y", real=True)
    sides = (side.replace(y, lambda _: constant).replace(net, lambda _: w * constant) for side in mutant.args)
    left, right = (side.replace(f, lambda at: at / w) for side in sides)
    return simplify(left - right) == 0


# ---- activations


ACTIVATIONS = (
    lambda z, w: z / w, lambda z, w: z / w + 1, lambda z, w: (z - 3) / w, lambda z, w: z, lambda z, w: 2 * z + 1,
    lambda z, w: z**2 / w, lambda z, w: z / w + z**3, lambda z, w: -z / w, lambda z, w: S.Zero,
)  # fmt: skip


@cache
def of_activations(formula: Basic) -> bool:
    """Whether a formula in w, z, f(z), slope(z) holds of every activation of a family and several weights.

    An equation in it is one for all z. An equation between indefinite integrals is one between their integrands.
    """
    return all(
        bool(formula.xreplace({e: _for_all_z(e, function, weight) for e in formula.atoms(Equality)}))
        for function in ACTIVATIONS
        for weight in (Rational(1), Rational(-2), Rational(3, 2))
    )


def _for_all_z(equation: Equality, function: Callable, weight: Rational) -> Basic:
    difference = equation.lhs - equation.rhs
    difference = difference.diff(z) if difference.has(Integral) else difference
    at = Symbol("at", real=True)
    derivative = function(at, weight).diff(at)
    known = difference.xreplace({w: weight}).replace(slope, lambda x: derivative.subs(at, x))
    return sympify(simplify(known.replace(f, lambda x: function(x, weight)).doit()) == 0)
