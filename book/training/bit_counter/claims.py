"""Setting of the chapter on the bit counter: the system, small batches, the library's linear Elman net."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from sympy import Equality, Integer, Rational, Symbol, nan, oo, zoo
from sympy.core.basic import Basic
from sympy.logic.boolalg import Boolean
from throughtime.checks import STEP, complex_step
from throughtime.derivation import DEFINED, DerivativeSymbol, Env, OutOfRange, Setting, Total, Unreadable
from throughtime.evidence.trace import Arrays, TraceWitness
from throughtime_book.training.bit_counter import system
from throughtime_book.training.bit_counter.numbers import NET, gradient, loss, parameters

SEED = 2020
LENGTH, BATCH = 5, 3
WEIGHTS = {"v_x": np.array(0.75), "v_f": np.array(-1.25)}
GIVEN = (
    r"The bits are given: no derivative flows into them.",
    r"Every state starts from $f_i(0) = 0$.",
)
IMMEDIATE = (
    r"The derivative of the state is immediate: $f_i(t - 1)$ is held constant. It stands so in the chain rule "
    r"of (19) and (23)."
)


class _Witness(TraceWitness):
    """A trace with derivatives with respect to a state: f(t) + h is x(t) + h / v_x, the target held constant."""

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """Derivatives with respect to a state by the complex step in the input of that time, others as in a trace."""
        wrt = self.key(node.wrt, env)
        if wrt[0].role != DEFINED or not isinstance(node, Total):
            return super().derivative(node, env)
        if wrt[0] != system.f or node.target not in (system.error[()], *self._states(node)):
            raise Unreadable(f"{node}: the library tells derivatives by a state only")
        unit, when = wrt[1] - 1, wrt[2]
        if not 1 <= when <= self.length:
            raise OutOfRange(str(wrt))
        bits = self.inputs["x"].T.astype(complex)
        count = bits.sum(axis=1).real
        bits[unit, when - 1] += 1j * STEP / self.parameters["v_x"]
        if node.target == system.error[()]:
            return loss(*self._weights(), bits, count).imag / STEP
        target = self.key(node.target, env)
        if not 0 <= target[2] <= self.length:
            raise OutOfRange(str(target))
        trace = NET.forward(parameters(*self._weights()), bits[:, :, None])
        return float(trace.f[target[1] - 1, target[2], 0].imag / STEP)

    @staticmethod
    def _states(node: DerivativeSymbol) -> tuple[Basic, ...]:
        return (node.target,) if getattr(node.target, "quantity", None) == system.f else ()

    def _weights(self) -> tuple[float, float]:
        return float(self.parameters["v_x"]), float(self.parameters["v_f"])


def _forward(weights: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
    """The library's forward pass, counts and error. Counts are real: no derivative with respect to a bit."""
    bits = inputs["x"].T
    if np.any(bits.imag):
        raise Unreadable("the library tells no derivative by a bit: the count would move with it")
    v_x, v_f = weights["v_x"].item(), weights["v_f"].item()
    trace = dict(NET.forward(parameters(v_x, v_f), bits[:, :, None]).items())
    trace["count"], trace["error"] = bits.sum(axis=1), np.array(loss(v_x, v_f, bits))
    return trace


def setting() -> Setting:
    """The setting of the chapter; every call makes a new one."""
    s = system
    bits = np.random.default_rng(SEED).integers(0, 2, (LENGTH, BATCH)).astype(float)
    read = {
        "f": lambda trace, indices, t: trace["extended_f"][indices[0] - 1, t, 1],
        "yhat": lambda trace, indices, t: trace["g"][indices[0] - 1, -1, 0],
        "y": lambda trace, indices, t: trace["count"][indices[0] - 1],
        "E": lambda trace, indices, t: trace["error"],
    }
    model = _Witness({s.batch: BATCH}, LENGTH, WEIGHTS, {"x": bits}, _forward, read, {})
    return Setting(s.build(), [{s.batch: 2}, {s.batch: 3}], length=4, model=model, assumptions=GIVEN)


# ---- gradient descent

RULES = {
    name: tuple(
        Symbol(tex, real=True)
        for tex in (
            rf"v_{name}^\text{{new}}",
            f"v_{name}",
            rf"\alpha_{name}",
            rf"\frac{{\partial E}}{{\partial v_{name}}}",
        )
    )
    for name in ("x", "f")
}
"""For each weight: its new value, the old one, its rate, its component of the gradient."""


def descends(rule: Equality) -> bool:
    """Whether an update rule leaves a weight for rate 0, and lowers E at the rate of its squared derivative."""
    name, (new, old, rate, slope) = next((name, group) for name, group in RULES.items() if rule.has(group[0], group[1]))
    if rule.lhs != new:
        return False
    bits = np.array([[1.0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    place = ("x", "f").index(name)
    for weights in ((0.75, -1.25), (0.5, 0.5), (1.5, 1.125)):
        g = gradient(*weights, bits)[place]
        right = rule.rhs.subs({old: weights[place], slope: g})

        def moved(alpha: complex, weights=weights, right=right) -> tuple[complex, ...]:
            value = complex(right.subs(rate, 0)) + alpha * complex(right.diff(rate))
            return tuple(value if n == place else weight for n, weight in enumerate(weights))

        if moved(0.0)[place] != weights[place]:
            return False
        fall = complex_step(lambda alpha, m=moved: complex(loss(*m(alpha[0]), bits)), np.zeros(1))[0]
        if abs(fall + g * g) > 1e-10 * g * g:
            return False
    return True


# ---- limits for long sequences

v = Symbol("v_f", real=True)
lim_signed = Symbol(r"\lim_{T \to \infty} \partial E / \partial f_1")
lim_error = Symbol(r"\lim_{T \to \infty} |\mathrm d E / \mathrm d f_1|")
lim_answer = Symbol(r"\lim_{T \to \infty} |\mathrm d \hat y / \mathrm d f_1|")
LONG = 200


@dataclass(frozen=True)
class Long:
    """A net on one kind of sequence: feedback weight, limits of three derivatives, nan where there is none."""

    weight: Fraction
    words: str
    signed: Basic
    error: Basic
    answer: Basic


def derivative_of_first(v_x: Fraction, v_f: Fraction, bits: tuple[int, ...]) -> tuple[Fraction, Fraction]:
    """(dE/df(1), dyhat/df(1)) of one sequence in rational numbers, by running the net and one beside it."""
    state, tangent = v_x * bits[0], Fraction(1)
    for bit in bits[1:]:
        state, tangent = v_f * state + v_x * bit, v_f * tangent
    return (state - sum(bits)) * tangent, tangent


KINDS = {
    "a one and then zeros": lambda t: 1 if t == 1 else 0,
    "ones": lambda t: 1,
    "two ones and a zero in turn": lambda t: int(t % 3 > 0),
    "zeros": lambda t: 0,
}


@cache
def long_runs() -> tuple[Long, ...]:
    """Feedback weights of both signs, below, at and above 1 in modulus, each on all kinds of long sequences."""
    weights = [Fraction(n, 4) for n in (-10, -6, -5, -4, -3, -2, 0, 2, 3, 4, 5, 6, 10)]
    return tuple(_long(weight, words, Fraction(v_x)) for weight in weights for words in KINDS for v_x in (1, 2))


def _long(weight: Fraction, words: str, v_x: Fraction) -> Long:
    lengths = (LONG, LONG + 1, 2 * LONG)
    found = [derivative_of_first(v_x, weight, tuple(map(KINDS[words], range(1, T + 1)))) for T in lengths]
    signed, answers = zip(*found, strict=True)
    return Long(weight, words, limit(signed), limit(map(abs, signed)), limit(map(abs, answers)))


def limit(late: Any) -> Basic:
    """The limit of a sequence, estimated from late elements: 0, an infinity, their common value, or nan."""
    values = tuple(late)
    if all(abs(value) < Fraction(1, 10**9) for value in values):
        return Integer(0)
    if len(set(values)) == 1:
        return Rational(values[0].numerator, values[0].denominator)
    growing = abs(values[0]) >= 100 and abs(values[-1]) > Fraction(3, 2) * abs(values[0])
    return (oo if values[0] > 0 else -oo) if growing and len({value > 0 for value in values}) == 1 else nan


def long_sequences(formula: Boolean) -> bool:
    """Whether a formula in v_f and the limits holds of every net on every kind of sequence, and says all that holds.

    That is: its premise is met by every weight for which its conclusion holds on all kinds of sequence, and by some.
    """
    met, beyond = 0, {}
    for run in long_runs():
        values = {
            v: Rational(run.weight.numerator, run.weight.denominator),
            lim_signed: zoo if run.signed is nan else run.signed,  # equal to no number
            lim_error: run.error,
            lim_answer: run.answer,
        }
        premise, conclusion = (part.subs(values) for part in formula.args)
        if formula.func(premise, conclusion) != True:  # noqa: E712
            return False
        met += premise == True  # noqa: E712
        if premise == False:  # noqa: E712
            beyond.setdefault(run.weight, []).append(conclusion == True)  # noqa: E712
    return met > 0 and not any(map(all, beyond.values()))
