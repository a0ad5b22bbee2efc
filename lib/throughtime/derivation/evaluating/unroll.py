"""Exact instances: a system with sizes, a length and numbers, every derivative by brute force in dual numbers.

This is the engine's independent witness. It uses none of the rules of the derivations: a derivative is the dual part
of a second evaluation of the definitions in which the parameter or the node has slope 1, and in which a cut argument
has slope 0. Numbers are rationals, so that equality is exact.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import inf, perm, pi, sin
from typing import Any

from sympy import Integer

from throughtime.derivation.deriving.system import Definition, System
from throughtime.derivation.evaluating.elementary import NAMED, real, standing_in, with_derivatives
from throughtime.derivation.evaluating.evaluate import Dual, Env, Evaluator, Key, Leaf, OutOfRange, Undefined
from throughtime.derivation.evaluating.rationals import Exact
from throughtime.derivation.evaluating.residues import Residue, TooLong
from throughtime.derivation.formulas.domains import LENGTH, Dimension
from throughtime.derivation.formulas.errors import DerivationError, DomainError
from throughtime.derivation.formulas.functions import Elementary
from throughtime.derivation.formulas.given import expression
from throughtime.derivation.formulas.nodes import Applied, DerivativeSymbol, Immediate, Ref

BOTTOMS = (4, 6, 9, 11)  # the denominators of all numbers that are drawn


def polynomial(*coefficients: Any) -> Callable[[Any, int], Any]:
    """A polynomial as an activation: `f(z, order)` is its derivative of that order at z.

    >>> from throughtime.derivation import polynomial
    >>> square = polynomial(0, 0, 1)
    >>> square(3, 0), square(3, 1)
    (9, 6)
    """

    def evaluate(z: Any, order: int) -> Any:
        powers = range(order, len(coefficients))
        return sum((coefficients[n] * perm(n, order) * z ** (n - order) for n in powers), z * 0)

    return evaluate


def tabulated(name: str, taken: set[Exact] | None = None) -> Callable[[Exact, int], Exact]:
    """An activation with random values: `f(z, order)` is its derivative of that order at z.

    Value and derivatives at a point are small rationals, drawn for `name`, `order` and the point, by `new` apart from
    those `taken`. Some polynomial interpolates all of them, so what holds for every smooth function holds here; and
    their numerators do not grow from step to step, as those of a given polynomial would. Raises DerivationError for z
    of type float or complex, since values at neighbouring points are unrelated.
    """
    seen = set() if taken is None else taken

    @cache
    def evaluate(z: Exact, order: int) -> Exact:
        if isinstance(z, float | complex):
            raise DerivationError(f"{name}: a table is read at exact numbers, got {z}; give the activation")
        top, bottom = z.as_integer_ratio()
        draws = random.Random(f"{name} {order} {top:x}/{bottom:x}")

        def drawn(most: int) -> Exact:
            return Exact(draws.choice((-1, 1)) * draws.randint(1, most), draws.choice(BOTTOMS))

        return new(drawn, 60, seen)

    return evaluate


def new(draw: Callable[[int], Exact], most: int, taken: set[Exact]) -> Exact:
    """First number that `draw(most)` gives, `most` growing, whose modulus is not in `taken`; it is added there.

    So no two numbers of an instance are equal by chance, up to their sign. Their denominators do not grow with them:
    sums of many stay short.
    """
    value = draw(most)
    while abs(value) in taken:
        value, most = draw(most), most + 1
    taken.add(abs(value))
    return value


@dataclass(eq=False)
class ExactInstance(Evaluator):
    """Instance of `system` with `sizes` of its dimensions and times 1..`length`, its numbers drawn from `seed`.

    `values` overrides single elements, `activations` the functions (`(z, order) -> number`); the default is
    `tabulated` for exact numbers; for others what a function's name says (`elementary`), or a sine, another one for
    each function and unit. `number` turns a drawn rational into a number; quantities named in `zeros` are 0, masks are
    0 or 1. With `spread` some inputs are 0, some large. `shut` are the times at which masks are 0, a further mask one
    step later than the one before it. TooLong for a number of more bits than `longest`.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> net = tt.ExactInstance(unit, {}, length=3)
    >>> print(net.element((x, 1)), net.element((y, 1)))
    -7/9 -7/9
    >>> print(net.value(tt.d(y[2], y[1]), {}) == net.element((w,)))
    True
    """

    system: System
    sizes: dict[Dimension, int]
    length: int
    seed: int = 0
    activations: dict[str, Callable] = field(default_factory=dict)
    values: dict[Key, Any] = field(default_factory=dict)
    number: Callable[[Any], Any] = Exact
    zeros: frozenset[str] = frozenset()
    spread: bool = False
    shut: frozenset[int] | None = None
    longest: float = inf

    def __post_init__(self) -> None:
        sizes = {**self.sizes, LENGTH: self.length}
        self.sizes = {dimension: expression(size, f"size {dimension}") for dimension, size in sizes.items()}
        self.random, self._exact = random.Random(self.seed), self.number in (Exact, Fraction, Residue)
        self.given: dict[Key, Any] = {}
        self._taken = {Exact(1)}
        self._run_kept = cache(self._run)
        self._functions = cache(self._stand_in)
        self._times = cache(lambda quantity: self.system.given_times(quantity, self.length))
        self._immediates, self._starts = cache(self._immediate), cache(self._initial)
        self._carried_on = self.system.carried_on() if self.system.from_start else set()
        self._zero, self._one = self.number(Exact(0)), self.number(Exact(1))
        self._read, self._first = set[Key](), list[Key]()
        self.order = self.system.check().order()
        self.schedule = [*self._scheduled()]
        self._reads: dict[Key, set[Key]] = {key: set() for *_, key in self.schedule}
        self.trace = {key: dual.value for key, dual in self._run(None, ()).items()}
        self._read = set().union(*self._reads.values())
        self._first = [key for key in self._read if key[0].is_defined and key[0].timed and key[-1] < 1]

    # numbers

    def _drawn(self, key: Key) -> Any:
        """A rational with a small denominator, never 0; no exact number twice, nor 1 or -1, whose powers repeat.

        Unless `shut` says more, a mask is 0 at one time before the last, or at one place if it has no time, and 1
        elsewhere: what stands behind a mask of 0 is asked nothing. A spread input is 0 at times or up to three times as
        large.
        """
        quantity = key[0]
        if quantity.mask and quantity.timed and self.shut is not None:
            return self.number(Exact(int(key[-1] - self.system.masks.index(quantity) not in self.shut)))
        if quantity.mask:
            shut = 1 + self.seed % (self.length - 1) if quantity.timed and self.length > 1 else not quantity.timed
            return self.number(Exact(int(key[-1] != shut)))
        if self.spread and quantity.is_input:
            return self.number(Exact(self.random.choice((-21, 0, 0, 2, 8, 15)), 4))
        return self.number(new(self._fraction, 7, self._taken) if self._exact else self._fraction(7))

    def _fraction(self, most: int) -> Exact:
        tops = [*range(-most, -7), -7, -5, -4, -3, 2, 3, 5, 6, 7, *range(8, most + 1)]
        return Exact(self.random.choice(tops), self.random.choice(BOTTOMS))

    def _given(self, key: Key) -> Any:
        """The value of a parameter or of an element of an input, drawn once unless `values` or `zeros` has it."""
        if key in self.given:
            return self.given[key]
        quantity = key[0]
        if quantity.is_input and quantity.timed and not self._in_sequence(key):
            times, where = self._times(quantity), f"{self.system.name}: {Ref(quantity, *map(Integer, key[1:]))}"
            raise OutOfRange(
                f"{where}: {quantity} is given at {times.start}..{times.stop - 1} (`System.given_from`)", key
            )
        self._check_place(key)
        value = self.values.get((quantity.name, *key[1:]))
        if value is None:
            value = self._zero if quantity.name in self.zeros else self._drawn(key)
        return self.given.setdefault(key, value)

    def _in_sequence(self, key: Key) -> bool:
        """Whether the time of an element is one of those that its quantity has."""
        return key[-1] in self._times(key[0])

    def _check_place(self, key: Key) -> None:
        """DomainError for an index outside its domain, which is an error in the formula at every time."""
        for place, over in zip(key[1:], key[0].domains, strict=False):
            if place not in over.elements(self.sizes):
                raise DomainError(
                    f"{key[0]}: index {place} lies outside {over.name}, which is {over.lower}..{over.upper}"
                )

    def function(self, applied: Applied, places: tuple[int, ...]) -> Callable:
        """The activation of one unit, as `(z, order) -> number`."""
        function = applied.function
        given = self.activations.get(function.name) or (None if self._exact or places else NAMED.get(function.name))
        if given or not isinstance(function, Elementary):
            return given or self._functions((function.name, *places))
        drawn = standing_in(function.name, self._functions((function.name,)))
        return with_derivatives(function.name, drawn if self._exact else real(function.name))

    def _stand_in(self, key: Key) -> Callable:
        name = f"{self.seed} {key}"
        if self._exact:
            table = tabulated(name, self._taken)
            return table if self.number is Exact else lambda z, order: self.number(table(z, order))
        draws = random.Random(name)
        rate, phase = draws.uniform(0.4, 0.9), draws.uniform(0.2, 1.0)
        return lambda z, order: rate**order * sin(rate * z + phase + order * pi / 2)

    def element(self, key: Key) -> Any:
        """The value of one element of the trace, of a parameter or of a given sequence.

        OutOfRange for a time outside the sequence, DomainError for an index outside its domain.
        """
        quantity = key[0]
        if not quantity.is_defined:
            return self._given(key)
        if quantity.timed and key[-1] < 1:
            return self._starts(key, None).value
        if key not in self.trace:
            self._check_place(key)
            raise OutOfRange(str(key), key)
        return self.trace[key]

    def _initial(self, key: Key, wrt: Key | None) -> Dual:
        """A state before time 1, with its slope with respect to `wrt`."""
        dual, start = Dual(self._zero, self._zero), self.system.initial_values.get(key[0])
        first = min((one[-1] for one in self._first if one[0] == key[0]), default=1)
        if self.system.starts_once and self._read and key[-1] < first:  # h_0 = s says nothing of h_{-1}
            raise OutOfRange(str(key), key)
        if start:
            env = dict(zip(start.left.indices, map(Integer, key[1:-1]), strict=True))
            dual = self.evaluate(start.right, env, lambda ref, at: self._moved(at, wrt, {}))
        return Dual(dual.value, self._one) if key == wrt else dual

    # derivatives by brute force

    def derivative(self, node: DerivativeSymbol, env: Env) -> Any:
        """The value of a derivative symbol; OutOfRange where its `wrt` is a node outside the sequence.

        A node at a time that is a number below 1 is an initial state, and moves alone.
        """
        wrt = self.key(node.wrt, env)
        if wrt[0].timed and not self._in_sequence(wrt) and not self._begins(node, wrt, env):
            if wrt[-1] > self.length and wrt[0].is_defined:
                self.value(node.target, env)  # raises OutOfRange where the target lies beyond the sequence as well
                return self._zero
            raise OutOfRange(str(wrt), wrt)
        if isinstance(node, Immediate):
            return self._immediates(self.key(node.target, env), wrt)
        duals = self.slopes(wrt, node.args[2:])
        return self.evaluate(node.target, env, lambda ref, key: self._moved(key, wrt, duals)).slope

    def _begins(self, node: DerivativeSymbol, wrt: Key, env: Env) -> bool:
        """Whether a derivative is by an initial state: its time is a number; or is 0, where this is asked, and no other
        state is computed of this one at once, so that a formula for any time means that it moves alone.
        """
        if node.wrt.is_initial:
            return True
        if not self.system.from_start or not wrt[0].is_defined or wrt[-1] or wrt[0] in self._carried_on:
            return False
        target = self.key(node.target, env) if isinstance(node.target, Ref) else wrt
        return target == wrt or not target[0].timed or target[-1] > 0

    def _moved(self, key: Key, wrt: Key | None, duals: dict[Key, Dual]) -> Any:
        """An element with its slope: from `duals` where it is there, else that of an initial state or of `_held`."""
        if key in duals:
            dual = duals[key]
        elif key[0].is_defined and key[0].timed and key[-1] < 1:
            dual = self._starts(key, wrt)
        else:
            return self._held(key, wrt)
        return dual if dual.slope else dual.value

    def _held(self, key: Key, wrt: Key | None) -> Any:
        """An element, with slope 1 if it is `wrt` itself."""
        return Dual(self.element(key), self._one) if key == wrt else self.element(key)

    def slopes(self, wrt: Key, cuts: tuple = ()) -> dict[Key, Dual]:
        """Every element of the trace with its derivative with respect to `wrt`, cut arguments held constant."""
        return self._run_kept(wrt, cuts)

    def _scheduled(self) -> Iterator[tuple[Definition, Env, Key]]:
        """Every element that the system defines, in an order in which they can be computed."""
        for t in (*range(1, self.length + 1), None):  # None: what is defined once, after the last time
            now = {} if t is None else {self.system.t: Integer(t)}
            for case in self.order:
                if case.left.quantity.timed == (t is not None):
                    for places in self.places(case.left.indices):
                        yield case, places | now, self.key(case.left, places | now)

    def _run(self, wrt: Key | None, cuts: tuple) -> dict[Key, Dual]:
        """All definitions evaluated at all times, with slope 1 at `wrt`; the first run notes what each element reads.

        An element whose definition reads nothing with a slope is taken over from the first run.
        """
        if wrt:
            self._check_place(wrt)
        zero, one = self._zero, self._one
        # The keys with a slope: a hash lookup is faster than comparing tuples.
        moved = {wrt, *(key for key in self._first if wrt and self._starts(key, wrt).slope)}
        done: dict[Key, Dual] = {}

        def leaf_for(left: Ref) -> Leaf:
            held = cache(lambda ref: any(cut.applies(ref, left) for cut in cuts))

            def leaf(ref: Ref, key: Key) -> Any:
                if not wrt:
                    reads.add(key)
                if not key[0].is_defined:
                    return Dual(self._given(key), one) if key in moved else self._given(key)
                if key[0].timed and key[-1] > self.length:
                    raise OutOfRange(f"{self.system.name}: {left} reads {ref} at {key[-1]}, after the last time", key)
                dual = done[key] if not key[0].timed or key[-1] >= 1 else self._starts(key, wrt)
                return dual.value if not dual.slope or (cuts and held(ref)) else dual

            return leaf

        leaves = {case.left: leaf_for(case.left) for case in self.order}
        for case, env, key in self.schedule:
            reads = self._reads[key]
            if wrt and moved.isdisjoint(reads):
                done[key] = Dual(self.trace[key], one if key in moved else zero)
                continue
            try:
                dual = self.evaluate(case.right, env, leaves[case.left])
            except Undefined as error:
                hint = "a divisor that is 0 at first needs an `initial` value"
                raise DerivationError(f"{self.system.name}: {error}; {hint}") from error
            if self.longest < inf and dual.value.numerator.bit_length() > self.longest:
                raise TooLong(f"{self.system.name}: {case.left} at {env}")
            done[key] = Dual(dual.value, one) if key in moved else dual
            if dual.slope:
                moved.add(key)
        return done

    def _immediate(self, target: Key, wrt: Key) -> Any:
        """The derivative of one definition, or initial value, with respect to one of its arguments, all others held."""
        if target[0].timed and target[-1] < 1:
            return self._zero if target == wrt else self._starts(target, wrt).slope
        for case in self.order:
            env = dict(zip(case.left.args[1:], map(Integer, target[1:]), strict=False))
            if case.left.quantity == target[0] and all(env[i] in self.elements(i) for i in case.left.indices):
                return self.evaluate(case.right, env, lambda ref, key: self._held(key, wrt)).slope
        raise DerivationError(f"no definition for {target}")
