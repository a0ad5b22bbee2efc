"""A random network that obeys the definitions of a page, in exact numbers, and its derivatives in dual numbers.

Every size is drawn by itself. An activation is a function of which nothing is known but what is asked of it: its value
and its slopes at a number are whole numbers, drawn when they are first needed. So no two of them agree by its form.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from outside_reader.tex import Unreadable

LATEST = 12  # no formula looks further ahead than a few steps behind the end
Env = dict[Any, int]
Key = tuple[str, tuple[int, ...], int | None]


class NoSuchUnit(Unreadable):
    """An index out of the range of its unit."""


class NoSuchTime(ValueError):
    """A time before the network starts."""


class Symbol(NamedTuple):
    """What a symbol of a page stands for; its ranges are pairs of formulas in the sizes, `start` a time of value 0."""

    kind: str
    ranges: tuple[tuple[str, str], ...] = ()
    timed: bool = False
    start: int | None = None


class Dual:
    """A number and its derivative."""

    __slots__ = ("slope", "value")

    def __init__(self, value: Any, slope: Any) -> None:
        self.value, self.slope = value, slope

    def __add__(self, other: Any) -> Any:
        return dual(self.value + plain(other), self.slope + slope(other))

    def __mul__(self, other: Any) -> Any:
        return dual(self.value * plain(other), self.slope * plain(other) + self.value * slope(other))

    __radd__, __rmul__ = __add__, __mul__


def dual(value: Any, slope: Any) -> Any:
    return Dual(value, slope) if slope else value


def plain(number: Any) -> Any:
    return number.value if isinstance(number, Dual) else number


def slope(number: Any) -> Any:
    return number.slope if isinstance(number, Dual) else 0


def inverse(number: Any) -> Any:
    value = plain(number)
    if not value:
        raise Unreadable("a division by 0")
    return dual(Fraction(1, 1) / value, -slope(number) * Fraction(1, 1) / value**2)


@dataclass(frozen=True)
class Definition:
    """One line of a definition: what it defines, by what, and for which indices (None: all)."""

    left: tuple
    right: tuple
    where: tuple | None
    ranges: dict[tuple, list[tuple[tuple, tuple]]]


class World:
    """One network: sizes, weights and inputs are drawn, the rest follows from the definitions."""

    def __init__(
        self,
        symbols: dict[str, Symbol],
        definitions: Iterable[Definition],
        cuts: dict[str, tuple[str, ...]],
        seed: str,
        sizes: tuple[int, int] = (1, 3),
        overrides: dict[str, Callable[..., Any]] | None = None,
        before: bool = False,
    ) -> None:
        self.symbols, self.cuts, self.before = symbols, cuts, before
        self.overrides = overrides or {}
        self.seed, draw = seed, random.Random(seed)
        self.sizes = {name[:-2]: draw.randint(*sizes) for name, item in symbols.items() if item.kind == "size"}
        self.sizes["T"] = draw.randint(3, 4) if sizes[0] > 1 else draw.randint(2, 4)
        self.definitions: dict[str, list[Definition]] = {}
        for item in definitions:
            self.definitions.setdefault(item.left[1], []).append(item)
        self.bounds = {
            key: [tuple(eval(text, {}, self.sizes) for text in pair) for pair in symbol.ranges]
            for key, symbol in symbols.items()
        }
        self.drawn: dict[Any, int] = {}
        self.known: dict[Any, Any] = {}
        self.steep = draw.randint(20, 40)

    def draw(self, key: Any, size: int = 29) -> int:
        """A whole number other than 0, the same whenever it is asked for."""
        if key not in self.drawn:
            number = random.Random(f"{self.seed} {key}").randint(1, 2 * size)
            self.drawn[key] = number if number <= size else size - number
        return self.drawn[key]

    # -- elements

    def element(self, key: Key, seed: tuple | None = None) -> Any:
        """The value of one element; with a seed (way, key) a dual number with its derivative by that key."""
        if seed is not None and seed[1] == key:
            return Dual(self.element(key), 1)
        if (key, seed) not in self.known:
            self.known[key, seed] = self._element(key, seed)
        return self.known[key, seed]

    def exists(self, name: str, indices: Sequence[int]) -> bool:
        return all(low <= index <= high for index, (low, high) in zip(indices, self.bounds[name], strict=True))

    def _element(self, key: Key, seed: tuple | None) -> Any:
        name, indices, time = key
        symbol = self.symbols[name]
        if not self.exists(name, indices):
            raise NoSuchUnit(f"there is no {name} with the indices {indices}")
        if name in self.overrides:
            return self.overrides[name](self, indices, time, seed)
        if symbol.kind in ("size", "number"):
            return self.sizes[name[:-2]] if name[:-2] in self.sizes else self.steep if name == "M/0" else self.draw(key)
        if time is not None and (time < 0 if self.before else time < (symbol.start or 0)):
            if self.before:
                return 0
            raise NoSuchTime(f"{name} at time {time}")
        if symbol.kind in ("given", "weight"):
            return self.draw(key)
        if time == symbol.start is not None:
            return 0
        if time is not None and time > LATEST:
            raise NoSuchTime(f"{name} long after the end")
        if name.startswith("["):
            return self._joined(key, seed)
        for item in self.definitions.get(name, ()):
            if (env := self._bound(item, indices, time)) is not None:
                return self.value(item.right, env, self._cut(name, seed))
        if self.before and time == 0:
            return 0
        raise NoSuchTime(f"{name} at time {time} is not defined")

    def _cut(self, name: str, seed: tuple | None) -> tuple | None:
        return (*seed[:2], name) if seed is not None and seed[0] == "tr" and name in self.cuts else seed and seed[:2]

    def _bound(self, item: Definition, indices: Sequence[int], time: int | None) -> Env | None:
        env: Env = {}
        for node, index in zip(item.left[2], indices, strict=True):
            if node[0] == "letter":
                env[node[1], None] = index
            elif self.value(node, env) != index:
                return None
        if item.left[3] is not None:
            steps = [part[1] for part in item.left[3][1] if part[0] == "num"] if item.left[3][0] == "+" else [0]
            if item.left[3][0] in ("+", "letter"):
                env["t", None] = time - steps[0]
            elif self.value(item.left[3], env) != time:
                return None
        for name, index in env.items():
            ways = item.ranges.get(name)
            if ways and not any(self.value(low, {}) <= index <= self.value(high, {}) for low, high in ways):
                return None
        return env if item.where is None or self.truth(item.where, env) else None

    def _joined(self, key: Key, seed: tuple | None) -> Any:
        """An entry of a concatenation, in which the last index of a unit runs fastest."""
        column = key[1][0]
        for part in key[0][1:].rpartition("]")[0].split(";"):
            name = next(k for k in self.symbols if k.rpartition("/")[0] == part and self.symbols[k].timed)
            places = list(product(*(range(low, high + 1) for low, high in self.bounds[name])))
            if column <= len(places):
                return self.element((name, places[column - 1], key[2]), seed)
            column -= len(places)
        raise NoSuchUnit(f"{key[0]} has no entry {key[1][0]}")

    # -- formulas

    def key(self, node: tuple, env: Env) -> Key:
        _, name, indices, time = node
        return name, tuple(self.whole(i, env) for i in indices), None if time is None else self.whole(time, env)

    def whole(self, node: tuple, env: Env) -> int:
        number = self.value(node, env)
        if number != int(number):
            raise Unreadable("an index that is no whole number")
        return int(number)

    def value(self, node: tuple, env: Env, seed: tuple | None = None) -> Any:
        """The number that a tree stands for; with a seed a dual number."""
        return getattr(self, f"_{NAMES.get(node[0], node[0])}")(node, env, seed)

    def _num(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        return node[1]

    def _letter(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        key = letter(self, node, env)
        if key not in env:
            raise Unreadable(f"the letter {node[1]} stands for nothing")
        return env[key]

    def _unit(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        key = self.key(node, env)
        if seed is None:
            return self.element(key)
        if len(seed) == 3 and key[0] in self.cuts[seed[2]]:
            return self.element(key)
        if seed[0] == "∂":
            return Dual(self.element(key), 1) if key == seed[1] else self.element(key)
        return self.element(key, seed[:2])

    def _call(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        _, name, indices, primes, argument = node
        place = tuple(self.whole(i, env) for i in indices)
        if not self.exists(name, place):
            raise NoSuchUnit(f"there is no {name} with the indices {place}")
        return self.apply(name, place, primes, self.value(argument, env, seed))

    def apply(self, name: str, place: tuple[int, ...], primes: int, at: Any) -> Any:
        value = self.function(name, place, primes, plain(at))
        return dual(value, self.function(name, place, primes + 1, at.value) * at.slope) if slope(at) else value

    def function(self, name: str, place: tuple[int, ...], primes: int, at: Any) -> Any:
        if name in self.overrides:
            return self.overrides[name](self, place, primes, at)
        return self.draw((name, place, primes, at), self.steep if primes == 1 else 29)

    def _sum(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        total: Any = 0
        for inside in self.over(node[1:4], env):
            total = self.value(node[4], inside, seed) + total
        return total

    def _prod(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        total: Any = 1
        for inside in self.over(node[1:4], env):
            total = self.value(node[4], inside, seed) * total
        return total

    def over(self, binder: tuple, env: Env) -> Iterator[Env]:
        name, low, high = binder
        for index in range(self.whole(low, env), self.whole(high, env) + 1):
            yield {**env, letter(self, name, env): index}

    def _paths(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        _, _, last, low, high, body, ends = node
        between, fixed = self.whole(last[2], env), dict(env)
        if between < 0:
            raise NoSuchTime("paths of no step")
        for name, index in ends:
            fixed[letter(self, name, env)] = self.whole(index, env)
        total: Any = 0
        for way in product(range(self.whole(low, env), self.whole(high, env) + 1), repeat=between):
            total = self.value(body, {**fixed, **{(last[1], n + 1): unit for n, unit in enumerate(way)}}, seed) + total
        return total

    def _plus(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        total: Any = 0
        for part in node[1]:
            total = self.value(part, env, seed) + total
        return total

    def _times(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        total: Any = 1
        for part in node[1]:
            total = self.value(part, env, seed) * total
        return total

    def _neg(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        return self.value(node[1], env, seed) * -1

    def _quotient(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        return self.value(node[1], env, seed) * inverse(self.value(node[2], env, seed))

    def _power(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        base, exponent = self.value(node[1], env, seed), self.whole(node[2], env)
        if abs(exponent) > LATEST:
            raise Unreadable("a power beyond all bounds")
        if exponent < 0:
            base, exponent = inverse(base), -exponent
        total: Any = 1
        for _ in range(exponent):
            total = base * total
        return total

    def _abs(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        number = self.value(node[1], env, seed)
        return number if plain(number) >= 0 else number * -1

    def _delta(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        return int(self.whole(node[1], env) == self.whole(node[2], env))

    def _d(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        _, sign, what, by = node
        if seed is not None:
            raise Unreadable("a derivative of a derivative")
        key = self.key(by, env)
        self.element(key)
        if sign != "∂":
            return slope(self.value(what, env, (sign, key)))
        if what[0] != "unit":
            raise Unreadable("an immediate derivative of what is no quantity")
        name, indices, time = self.key(what, env)
        self.element((name, indices, time))
        for item in self.definitions.get(name, ()):
            if (inside := self._bound(item, indices, time)) is not None and (time is None or time != self.symbols[name].start):
                return slope(self.value(item.right, inside, ("∂", key)))
        return 0

    def _cases(self, node: tuple, env: Env, seed: tuple | None) -> Any:
        for result, condition in node[1]:
            if condition is None or self.truth(condition, env):
                return self.value(result, env, seed)
        raise Unreadable("no case applies")

    # -- truth

    def truth(self, tree: tuple, env: Env) -> bool:
        if tree[0] == "iff":
            return self.truth(tree[1], env) == self.truth(tree[2], env)
        if tree[0] in ("if", "and"):
            left, right = (self.truth(part, env) for part in tree[1:])
            return (left and right) if tree[0] == "and" else (right or not left)
        numbers = [self.value(member, env) for member in tree[1]]
        if not tree[2]:
            raise Unreadable("a formula that says nothing")
        return all(COMPARE[sign](a, b) for a, sign, b in zip(numbers, tree[2], numbers[1:], strict=False))


NAMES = {"+": "plus", "*": "times", "/": "quotient", "^": "power"}
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "tr": lambda a, b: a == b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}


def letter(world: World, node: tuple, env: Env) -> tuple[str, int | None]:
    """How an environment knows a letter: by its name and the value of its subscript."""
    return node[1], None if node[2] is None else world.whole(node[2], env)
