"""A system with sizes, a length and numbers: every quantity computed, every derivative found by brute force.

This is the engine's independent witness. It knows nothing of the rules the derivations use: a derivative is the
dual part of a second evaluation of the definitions in which the parameter or the node carries a dual unit, and a
cut argument drops its dual part where the cut says so. Numbers are rationals, so that equality is exact.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import pi, sin
from typing import Any

from sympy import Integer

from .domains import LENGTH, Dimension
from .errors import DerivationError, DomainError
from .evaluate import Dual, Env, Key, Leaf, OutOfRange, Witness
from .nodes import DEFINED, INPUT, Applied, DerivativeSymbol, Immediate, Quantity, Ref
from .system import System


def polynomial(*coefficients: Any) -> Callable[[Any, int], Any]:
    """A polynomial as an activation: `f(z, order)` is its derivative of that order at z."""

    def evaluate(z: Any, order: int) -> Any:
        total = z * 0
        for power, coefficient in enumerate(coefficients):
            if power >= order:
                falling = 1
                for step in range(order):
                    falling *= power - step
                total += coefficient * falling * z ** (power - order)
        return total

    return evaluate


def tabulated(name: str) -> Callable[[Fraction, int], Fraction]:
    """An activation known only where it is asked for: `f(z, order)` is its derivative of that order at z.

    Value and derivatives at a point are small rationals, drawn for `name`, `order` and the point. Some polynomial
    takes them all, so what holds for every smooth function holds here; and since they stay small, exact numbers do
    not grow from step to step, as those of a given polynomial would. Points have to be exact: a table knows nothing
    of what lies near by.
    """

    @cache
    def evaluate(z: Fraction, order: int) -> Fraction:
        if isinstance(z, float | complex):
            raise DerivationError(f"{name}: a table is read at exact numbers, got {z}; give the activation")
        top, bottom = z.as_integer_ratio()
        draws = random.Random(f"{name} {order} {top:x}/{bottom:x}")
        return Fraction(draws.choice((-1, 1)) * draws.randint(1, 60), draws.choice((4, 6, 9, 11)))

    return evaluate


@dataclass
class Unrolled(Witness):
    """`system` for given `sizes` of its dimensions and times 1..`length`, with numbers drawn from `seed`.

    `values` overrides single elements, `activations` the functions (`(z, order) -> number`); the default is
    `tabulated` for exact numbers and a sine for others, another one for each function and unit. `number` turns a drawn
    rational into a number; quantities named in `zeros` are 0.
    """

    system: System
    sizes: dict[Dimension, int]
    length: int
    seed: int = 0
    activations: dict[str, Callable] = field(default_factory=dict)
    values: dict[Key, Any] = field(default_factory=dict)
    number: Callable[[Fraction], Any] = Fraction
    zeros: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        sizes = {**self.sizes, LENGTH: self.length}
        self.sizes = {dimension: Integer(size) for dimension, size in sizes.items()}
        self.random = random.Random(self.seed)
        self.given: dict[Key, Any] = {}
        self._slopes: dict[tuple, dict[Key, Dual]] = {}
        self._functions: dict[Key, Callable] = {}
        self._immediates: dict[tuple[Key, Key], Any] = {}
        self._zero, self._one = self.number(Fraction(0)), self.number(Fraction(1))
        self.order = self.system.check().order()
        self.trace = {key: dual.value for key, dual in self._run(None, ()).items()}

    # numbers

    def draw(self) -> Any:
        """A rational with a small denominator, never 0; as an exact number never 1 or -1, whose powers repeat."""
        value = Fraction(self.random.choice([-7, -5, -4, -3, 2, 3, 5, 6, 7]), self.random.choice([4, 6, 9, 11]))
        return self.number(value * Fraction(8, 5) if abs(value) == 1 and self.number is Fraction else value)

    def given_value(self, key: Key) -> Any:
        """A parameter or an element of a given sequence."""
        if key in self.given:
            return self.given[key]
        quantity = key[0]
        if (
            quantity.role == INPUT
            and quantity.timed
            and not 0 <= key[-1] - self.system.first_time(quantity) < self.length
        ):
            raise OutOfRange(str(key))
        self._insist_on_place(key)
        self.given[key] = self.values.get(self._named(key), None)
        if self.given[key] is None:
            self.given[key] = self._zero if quantity.name in self.zeros else self.draw()
        return self.given[key]

    def _insist_on_place(self, key: Key) -> None:
        """A computed index has to be one of the quantity: it is no question of the time what it would mean."""
        for place, over in zip(key[1:], key[0].domains, strict=False):
            if place not in over.elements(self.sizes):
                raise DomainError(
                    f"{key[0]}: index {place} lies outside {over.name}, which is {over.lower}..{over.upper}"
                )

    @staticmethod
    def _named(key: Key) -> Key:
        return (key[0].name, *key[1:])

    def function(self, applied: Applied, places: tuple[int, ...]) -> Callable:
        """The activation of one unit."""
        name = applied.function.name
        if name in self.activations:
            return self.activations[name]
        key = (name, *places)
        if key not in self._functions:
            self._functions[key] = self._stand_in(f"{self.seed} {key}")
        return self._functions[key]

    def _stand_in(self, name: str) -> Callable:
        if self.number is Fraction:
            return tabulated(name)
        draws = random.Random(name)
        rate, phase = draws.uniform(0.4, 0.9), draws.uniform(0.2, 1.0)
        return lambda z, order: rate**order * sin(rate * z + phase + order * pi / 2)

    def element(self, key: Key) -> Any:
        """The value of one element of the trace, of a parameter or of a given sequence."""
        quantity = key[0]
        if quantity.role != DEFINED:
            return self.given_value(key)
        if quantity.timed and key[-1] < 1:
            return self._initial(quantity)
        if key not in self.trace:
            self._insist_on_place(key)
            raise OutOfRange(str(key))
        return self.trace[key]

    def _initial(self, quantity: Quantity) -> Any:
        value = self.system.initial_value(quantity)
        return self.number(Fraction(int(value.p), int(value.q)))

    # derivatives by brute force

    def derivative(self, node: DerivativeSymbol, env: Env) -> Any:
        wrt = self.key(node.wrt, env)
        if wrt[0].timed and not 0 <= wrt[-1] - self.system.first_time(wrt[0]) < self.length:
            if wrt[-1] > self.length and wrt[0].role == DEFINED:
                self.value(node.target, env)  # out of range where the target lies beyond as well
                return self._zero
            raise OutOfRange(str(wrt))
        if isinstance(node, Immediate):
            target = self.key(node.target, env)
            return self._direct(target, wrt)
        duals = self.slopes(wrt, node.args[2:])
        if isinstance(node.target, Ref):
            return self._dual(self.key(node.target, env), duals, wrt).slope
        return self.evaluate(node.target, env, lambda ref, at: self._dual(self.key(ref, at), duals, wrt)).slope

    def _dual(self, key: Key, duals: dict[Key, Dual], wrt: Key) -> Dual:
        return duals[key] if key in duals else Dual(self.element(key), self._one if key == wrt else self._zero)

    def slopes(self, wrt: Key, cuts: tuple = ()) -> dict[Key, Dual]:
        """Every element of the trace with its derivative by `wrt`, cut arguments held constant."""
        if (wrt, cuts) not in self._slopes:
            self._insist_on_place(wrt)
            self._slopes[(wrt, cuts)] = self._run(wrt, cuts)
        return self._slopes[(wrt, cuts)]

    def _run(self, wrt: Key | None, cuts: tuple) -> dict[Key, Dual]:
        zero, one = self._zero, self._one
        moved = {wrt}  # a hash is sooner found than two keys are compared
        done: dict[Key, Dual] = {}

        def leaf_for(left: Ref) -> Leaf:
            held: dict[Ref, bool] = {}

            def leaf(ref: Ref, env: Env) -> Dual:
                key = self.key(ref, env)
                if key[0].role != DEFINED:
                    return Dual(self.given_value(key), one if key in moved else zero)
                dual = done[key] if not key[0].timed or key[-1] >= 1 else Dual(self._initial(key[0]), zero)
                if not cuts:
                    return dual
                if ref not in held:
                    held[ref] = any(cut.applies(ref, left) for cut in cuts)
                return Dual(dual.value, zero) if held[ref] else dual

            return leaf

        timed = [case for case in self.order if case.left.quantity.timed]
        once = [case for case in self.order if not case.left.quantity.timed]
        leaves = {case.left: leaf_for(case.left) for case in self.order}
        for t in (*range(1, self.length + 1), None):
            for case in timed if t is not None else once:
                leaf = leaves[case.left]
                for places in self.places(case.left.indices):
                    env = {**places, **({self.system.t: Integer(t)} if t is not None else {})}
                    key = self.key(case.left, env)
                    dual = self.evaluate(case.right, env, leaf)
                    done[key] = Dual(dual.value, one) if key in moved else dual
        return done

    def _direct(self, target: Key, wrt: Key) -> Any:
        """The derivative of one definition by one of its arguments, all others held."""
        if (target, wrt) not in self._immediates:
            self._immediates[(target, wrt)] = self._immediate(target, wrt)
        return self._immediates[(target, wrt)]

    def _immediate(self, target: Key, wrt: Key) -> Any:
        for case in self.order:
            if case.left.quantity != target[0]:
                continue
            env = dict(zip(case.left.args[1:], map(Integer, target[1:]), strict=True))
            if all(env[i] in i.domain.elements(self.sizes) for i in case.left.indices):
                return self.evaluate(case.right, env, lambda ref, at: self._held(self.key(ref, at), wrt)).slope
        raise DerivationError(f"no definition for {target}")

    def _held(self, key: Key, wrt: Key) -> Dual:
        return Dual(self.element(key), self._one if key == wrt else self._zero)
