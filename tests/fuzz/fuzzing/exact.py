"""Formulas of a recurrence in exact numbers, by brute force: dual numbers through all its definitions, time by time.

This is what certifies that a falsehood is false. It imports the standard library and the plain data alone.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import factorial, prod
from random import Random
from typing import NamedTuple

from fuzzing.language import LENGTH
from fuzzing.recurrences import RULED, Recurrence

LENGTHS = (3, 2, 1, 6, 9)
MASKED = (1, 4, 4, 5, 5)  # further lengths where there is a mask
ZEROS = (0.5, 0.5, 0, 0.3, 0.5, 1, 1, 0, 0.7, 0.4, 0.5, 0.5)  # the share of zeros in a mask, by seed
Number = int | Fraction
Dual = tuple[Number, Number]


class Unreadable(Exception):
    """A formula has no value at this place: a time outside the sequence, a division by zero."""


class Undefined(Exception):
    """A formula speaks of something that the recurrence does not have."""


class Refutation(NamedTuple):
    """Numbers at which two sides differ: sizes, length, seed, place, and both values."""

    sizes: dict[str, int]
    length: int
    seed: int
    place: dict[str, int]
    left: str
    right: str

    def __str__(self) -> str:
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        place = ", ".join(f"{name}={number}" for name, number in self.place.items())
        where = f"sizes {sizes or 'none'}, T={self.length}, seed {self.seed}: at {place or 'no letters'}"
        return f"{where} the sides are {self.left} and {self.right}"


class Instance:
    """A recurrence with sizes, a length, and weights, inputs and functions drawn from a seed.

    A function is a table of random numbers, one for each order of its derivative and each argument: what holds for
    every smooth function holds for it. A state before time 1 is a constant, and nothing after the last time is read.
    """

    def __init__(self, recurrence: Recurrence, sizes: dict[str, int], length: int, seed: int):
        self.recurrence, self.sizes, self.length, self.seed = recurrence, sizes, length, seed
        self.fixed = {LENGTH: length, **{f"#{name}": size for name, size in sizes.items()}}
        self.drawn: dict[tuple, Number] = {}
        self.runs: dict[tuple, dict[tuple, Dual]] = {}
        self.ranges: dict[str, range] = {}
        last = 0
        for leaf, size in recurrence.leaves.items():
            start = last if any(leaf in parts[1:] for parts in recurrence.unions.values()) else 0
            last = start + sizes[size]
            self.ranges[leaf] = range(start + 1, last + 1)
        for name, parts in recurrence.unions.items():
            self.ranges[name] = range(self.ranges[parts[0]].start, self.ranges[parts[-1]].stop)
        self.values = self.run(None, ())

    def number(self, key: tuple, largest: int = 5) -> Number:
        """The number drawn for a key, never 0 and never of modulus 1."""
        if key not in self.drawn:
            draw = Random(f"{self.seed} {key}")
            self.drawn[key] = draw.choice((-1, 1)) * draw.randint(2, largest)
        return self.drawn[key]

    def slope(self, order: int, place: tuple) -> Number:
        """The derivative of a function, (name, indices, argument); of exp, log and sqrt in closed form."""
        name, _, z = place
        if z == 0 and order == 0 and name == "sqrt":
            return 0
        if order == 0 or name not in RULED:
            return self.number((order, *place), 60)
        if z == 0 and name != "exp":
            raise Unreadable(f"the slope of {name} at 0")
        value = Fraction(self.number((0, *place), 60))
        if name == "log":
            return (-1) ** (order - 1) * factorial(order - 1) * Fraction(z) ** -order
        return value if name == "exp" else prod(Fraction(1, 2) - k for k in range(order)) * value ** (1 - 2 * order)

    def moment(self, time: tuple, env: dict) -> int:
        """A time as a number."""
        return time[0] + sum(slope * (self.fixed[name] if name in self.fixed else env[name]) for name, slope in time[1])

    def key(self, formula: tuple, env: dict) -> tuple:
        """The element that a reference denotes."""
        _, quantity, indices, time = formula
        if quantity not in self.recurrence.quantities:
            raise Undefined(quantity)
        places = tuple(env[index] for index in indices)
        for place, domain in zip(places, self.recurrence.quantities[quantity].domains, strict=True):
            if place not in self.ranges[domain]:
                raise Undefined(f"element {place} of {quantity}")
        return (quantity, places, None if time is None else self.moment(time, env))

    def element(self, key: tuple) -> Number:
        name, _, moment = key
        quantity = self.recurrence.quantities[name]
        if quantity.role == "input" and not 0 <= moment - quantity.first < self.length:
            raise Unreadable(key)
        if quantity.mask:
            return int(Random(f"{self.seed} {key}").random() >= ZEROS[self.seed])
        if quantity.role in ("parameter", "input"):
            return self.number(key)
        if moment is not None and moment < 1:
            return self.value(*self.start(key))
        if key not in self.values:
            raise Unreadable(key)
        return self.values[key][0]

    def start(self, key: tuple) -> tuple[tuple, dict]:
        """The initial value of an element as a formula, and the values of its letters."""
        name, places, _ = key
        letters = tuple((f"#{place}", over) for place, over in enumerate(self.recurrence.quantities[name].domains))
        return self.recurrence.start(name, letters), dict(zip(letters, places, strict=True))

    def started(self, key: tuple, wrt: tuple | None) -> int:
        """The derivative of an initial value by an element."""
        formula, env = self.start(key)
        return int(formula[0] == "ref" and self.key(formula, env) == wrt)

    # ---- the recurrence and its derivatives

    def run(self, wrt: tuple | None, cuts: tuple) -> dict[tuple, Dual]:
        """Every element of the recurrence with its derivative by the element `wrt`, cut arguments held constant."""
        if (wrt, cuts) in self.runs:
            return self.runs[wrt, cuts]
        done: dict[tuple, Dual] = {}
        for moment in (*range(1, self.length + 1), None):
            for case in self.recurrence.definitions:
                if self.recurrence.quantities[case.quantity].timed != (moment is not None):
                    continue
                for places in product(*(self.ranges[domain] for _, domain in case.letters)):
                    env = dict(zip(case.letters, places, strict=True)) | {"t": moment}
                    key = (case.quantity, places, moment)
                    value, slope = self.dual(case.right, env, self._leaf(done, wrt, cuts, case.quantity, moment))
                    done[key] = (value, 1 if key == wrt else slope)
        self.runs[wrt, cuts] = done
        return done

    def _leaf(self, done: dict[tuple, Dual], wrt: tuple | None, cuts: tuple, into: str, now: int | None):
        def leaf(formula: tuple, env: dict) -> Dual:
            key = self.key(formula, env)
            name, places, moment = key
            quantity = self.recurrence.quantities[name]
            if quantity.role in ("parameter", "input"):
                return self.element(key), int(key == wrt)
            if moment is not None and moment < 1:
                value, slope = self.element(key), self.started(key, wrt)
            else:
                value, slope = done[key]
            return value, 0 if self.is_cut(cuts, name, places, moment, into, now) else slope

        return leaf

    def is_cut(self, cuts: tuple, name: str, places: tuple, moment: int | None, into: str, now: int | None) -> bool:
        """Whether an element is held constant where it is read by an element of `into` at time `now`."""
        return any(
            (name, into) == (quantity, reader)
            and (now is None or moment is None or now - moment == lag)
            and (over is None or places[0] in self.ranges[over])
            for quantity, over, lag, reader in cuts
        )

    def derivative(self, formula: tuple, env: dict) -> Number:
        wrt = self.key(formula[2], env)
        quantity = self.recurrence.quantities[wrt[0]]
        if quantity.timed and not 0 <= wrt[2] - quantity.first < self.length:
            if quantity.role == "state" and wrt[2] > self.length:
                self.value(formula[1], env)  # has to be readable itself
                return 0
            raise Unreadable(wrt)
        if formula[0] == "partial":
            return self.immediate(self.key(formula[1], env), wrt)
        slopes = self.run(wrt, formula[3])

        def leaf(item: tuple, at: dict) -> Dual:
            key = self.key(item, at)
            if key in slopes:
                return slopes[key]
            before = key[2] is not None and key[2] < 1 and self.recurrence.quantities[key[0]].role == "state"
            return self.element(key), int(key == wrt) or (self.started(key, wrt) if before else 0)

        return self.dual(formula[1], env, leaf)[1]

    def immediate(self, target: tuple, wrt: tuple) -> Number:
        """The derivative of one definition, or initial value, by one of its arguments."""
        name, places, moment = target
        self.element(target)  # has to be readable
        if moment is not None and moment < 1:
            return self.started(target, wrt)
        for case in self.recurrence.cases(name):
            if all(place in self.ranges[over] for place, (_, over) in zip(places, case.letters, strict=True)):
                env = dict(zip(case.letters, places, strict=True)) | {"t": moment}

                def leaf(item: tuple, at: dict) -> Dual:
                    key = self.key(item, at)
                    return self.element(key), int(key == wrt)

                return self.dual(case.right, env, leaf)[1]
        raise Undefined(f"a definition of {name}")

    # ---- formulas

    def value(self, formula: tuple, env: dict) -> Number:
        """The value of a formula; Unreadable where it has none, Undefined for what the recurrence does not have."""
        return self.dual(formula, env, lambda item, at: (self.element(self.key(item, at)), 0))[0]

    def dual(self, formula: tuple, env: dict, leaf) -> Dual:
        """Value and slope of a formula, `leaf(reference, env)` being those of a quantity."""
        kind = formula[0]
        if kind == "num":
            number = formula[1]
            return number.numerator if number.denominator == 1 else number, 0
        if kind == "ref":
            return leaf(formula, env)
        if kind in ("add", "mul"):
            total = self.dual(formula[1], env, leaf)
            for part in formula[2:]:
                value, slope = self.dual(part, env, leaf)
                pair = (total[0] + value, total[1] + slope)
                total = pair if kind == "add" else (total[0] * value, total[0] * slope + total[1] * value)
            return total
        if kind in ("sum", "tsum", "prod"):
            return self._bound(formula, env, leaf)
        if kind == "fun":
            value, slope = self.dual(formula[3], env, leaf)
            _, name, order, _, indices = formula
            if name not in self.recurrence.functions:
                raise Undefined(name)
            place = (name, tuple(env[index] for index in indices), value)
            return self.slope(order, place), self.slope(order + 1, place) * slope if slope else slope
        if kind == "pow":
            value, slope = self.dual(formula[1], env, leaf)
            exponent = formula[2] if isinstance(formula[2], int) else self.moment(formula[2], env)
            if exponent < 1 and value == 0 and (exponent < 0 or slope):
                raise Unreadable("division by zero")
            base = Fraction(value) if exponent < 1 else value
            return base**exponent, exponent * base ** (exponent - 1) * slope if slope else slope
        if kind in ("d", "partial"):
            return self.derivative(formula, env), 0
        if kind == "same":
            return int(env[formula[1]] == env[formula[2]]), 0
        moments = [self.moment(time, env) for time in formula[1:]]
        return moments[0] if kind == "clock" else int(moments[0] == moments[1]), 0

    def _bound(self, formula: tuple, env: dict, leaf) -> Dual:
        if formula[0] == "sum":
            letter, places = formula[1], self.ranges[formula[1][1]]
        else:
            letter = formula[1]
            places = range(self.moment(formula[2], env), self.moment(formula[3], env) + 1)
        total = (int(formula[0] == "prod"), 0)
        for place in places:
            value, slope = self.dual(formula[-1], {**env, letter: place}, leaf)
            if formula[0] == "prod":
                total = (total[0] * value, total[0] * slope + total[1] * value)
            else:
                total = (total[0] + value, total[1] + slope)
        return total

    def differing(self, left: tuple, right: tuple) -> Iterator[tuple[dict, Number, Number]]:
        """Each place at which both sides can be read, with both values.

        Indices run over their domains, a time t over 1..T, a lag q over 0..T.
        """
        letters, times = (one | two for one, two in zip(left.free(), right.free(), strict=True))
        names = [*sorted(letters), *sorted(times)]
        ranges = [self.ranges[name[1]] if isinstance(name, tuple) else
                  range(name != "q", self.length + 1) for name in names]  # fmt: skip
        for chosen in product(*ranges):
            env = dict(zip(names, chosen, strict=True))
            try:
                yield env, self.value(left, env), self.value(right, env)
            except Unreadable:
                continue


def instances(recurrence: Recurrence) -> Iterator[Instance]:
    """Small instances of different lengths and sizes, no two dimensions of one size; larger ones if wanted."""
    dimensions, masked = recurrence.dimensions(), any(one.mask for one in recurrence.quantities.values())
    for seed, length in enumerate(LENGTHS + MASKED * masked + (2, 1) * recurrence.large):
        draw = Random(seed)
        some = (3, 4, 5) if seed >= len(LENGTHS) and recurrence.large else (1, 2, 3) if length < 6 else (1, 2)
        yield Instance(recurrence, dict(zip(dimensions, draw.sample(some, len(dimensions)), strict=True)), length, seed)


def refuted(found: list[Instance], left: tuple, right: tuple) -> Refutation | None:
    """Numbers at which both sides differ, None if they agree wherever they can be read."""
    for one in found:
        for env, a, b in one.differing(left, right):
            if a != b:
                place = {name if isinstance(name, str) else name[0]: value for name, value in env.items()}
                sizes = {one.recurrence.names[name]: size for name, size in one.sizes.items()}
                return Refutation(sizes, one.length, one.seed, place, str(a)[:40], str(b)[:40])
    return None


def readable(found: list[Instance], left: tuple, right: tuple) -> bool:
    """Whether both sides can be read at some place of some instance."""
    return any(True for one in found for _ in one.differing(left, right))
