"""A random network that obeys the definitions of a page, in exact numbers, and its derivatives in dual numbers.

Every size is drawn by itself. An activation is a function of which nothing is known but what is asked of it: its value
and its slopes at a number are whole numbers, drawn when they are first needed. So no two of them agree by its form.
"""

from __future__ import annotations

import random
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import cycle, product
from math import cos, exp, isclose, pi, tanh
from operator import add, ge, gt, le, lt, mul
from typing import Any

from outside_reader.pages import TABLES, Definition, definitions, symbols_of
from outside_reader.tex import Unreadable

LATEST = 12  # no formula looks further ahead than a few steps behind the end
Env = dict[Any, int]
Key = tuple[str, tuple[int, ...], int | None]


class NoSuchUnit(Unreadable):
    """An index out of the range of its unit."""


class NoSuchTime(ValueError):
    """A time before the network starts."""


class Dual(namedtuple("Dual", "value slope")):
    """A number and its derivative."""

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
    if not value or isinstance(value, Matrix):
        raise Unreadable("a division by 0 or by a matrix")
    return dual(Fraction(1, 1) / value, -slope(number) * Fraction(1, 1) / value**2)


class Matrix:
    """A matrix by its rows; products are those of matrices, all else goes entry by entry."""

    def __init__(self, rows: Iterable[Iterable[Any]]) -> None:
        self.rows = [list(row) for row in rows]
        self.shape = (len(self.rows), len(self.rows[0]))

    def map(self, change: Callable[[Any], Any]) -> Matrix:
        return Matrix([change(entry) for entry in row] for row in self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self.rows == other.rows

    def __radd__(self, other: Any) -> Matrix:
        return self.map(lambda entry: entry + other)

    def __rmul__(self, other: Any) -> Matrix:
        raise Unreadable("a number times a matrix")

    def __mul__(self, other: Any) -> Matrix:
        if self.shape[1] != matrix(other).shape[0]:
            raise Unreadable(f"a product of {self.shape[1]} columns and {other.shape[0]} rows")
        columns = list(zip(*other.rows, strict=True))
        return Matrix([sum(map(mul, row, column)) for column in columns] for row in self.rows)


def matrix(value: Any) -> Matrix:
    if not isinstance(value, Matrix):
        raise Unreadable("a number where a matrix is expected")
    return value


class World:
    """One network: sizes, weights and inputs are drawn, the rest follows from the definitions."""

    def __init__(self, name: str, number: int, early: bool) -> None:
        """A network of a system, all 0 before time 0 if `early`; in number 0 no size is 1."""
        symbols, table, self.early = symbols_of(name), TABLES["systems"][name], early
        self.cuts, self.masked, self.seed = table.get("cuts", {}), table.get("masked"), f"{name} {number}"
        self.symbols, (low, high), draw = symbols, table.get("sizes", (1, 3)), random.Random(self.seed)
        names = (name[:-2] for name, symbol in symbols.items() if symbol.kind == "size")
        sizes = range(max(low, 2 - number), high + 1)
        own = dict(zip(names, cycle(draw.sample(sizes, len(sizes))), strict=False))  # neighbours differ
        own |= {"T": draw.randint(2 + (number == 0), 4), "M": draw.randint(20, 40)}  # M is the largest slope
        self.bounds = {k: [tuple(eval(end, {}, own) for end in pair) for pair in s.ranges] for k, s in symbols.items()}
        self.definitions, self.sizes = definitions(name), own
        self.drawn, self.known, self.reals = {}, {}, table.get("reals", ())

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

    def any(self, name: str) -> Matrix:
        """A drawn matrix of the shape that the table names."""
        rows, columns = (range(high) for _, high in self.bounds[name])
        return Matrix([self.draw((name, row, column)) for column in columns] for row in rows)

    def exists(self, name: str, indices: Sequence[int]) -> bool:
        return all(low <= index <= high for index, (low, high) in zip(indices, self.bounds[name], strict=False))

    def _element(self, key: Key, seed: tuple | None) -> Any:
        name, indices, time = key
        symbol = self.symbols[name]
        if not self.exists(name, indices):
            raise NoSuchUnit(f"there is no {name} with the indices {indices}")
        if symbol.kind in ("size", "number"):
            return self.sizes[name[:-2]]
        if time is not None and (time > LATEST or time < (symbol.start or 0)):
            if self.early and time < 0:
                return 0
            raise NoSuchTime(f"{name} at time {time}")
        hidden = name == self.masked and self.sizes["d_in"] < indices[1] != indices[0]
        if hidden or (time == symbol.start is not None and symbol.kind == "unit"):
            return 0
        if symbol.kind in ("given", "weight"):
            return self.draw(key)
        if symbol.kind == "row":
            upper = self.element((f"{name[:-3]}{name[-3].upper()}/0", (), None))
            return Matrix([entry] for entry in upper.rows[indices[0] - 1])
        if symbol.kind == "matrix" and name not in self.definitions:
            return self.any(name)
        if name.startswith("["):
            return self._joined(key, seed)
        for item in self.definitions.get(name, ()):
            if (env := self._bound(item, indices, time)) is not None:
                cut = seed is not None and seed[0] == "tr" and name in self.cuts
                return self.value(item.right, env, (*seed[:2], name) if cut else seed and seed[:2])
        raise NoSuchTime(f"{name} at time {time} is not defined")

    def _bound(self, item: Definition, indices: Sequence[int], time: int | None) -> Env | None:
        env: Env = {}
        for node, index in zip(item.left[2], indices, strict=True):
            if node[0] == "letter":
                env[node[1], None] = index
            elif self.value(node, env) != index:
                return None
        if item.left[3] is not None:
            env["t", None] = time - self.whole(item.left[3], {("t", None): 0})
            if self.whole(item.left[3], env) != time:
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
        if isinstance(number, Matrix) or number != int(number):
            raise Unreadable("an index that is no whole number")
        return int(number)

    def value(self, node: tuple, env: Env, seed: tuple | None = None) -> Any:
        """The number that a tree stands for; with a seed a dual number."""
        match node:
            case ("num", number):
                return number
            case ("letter", name, _):
                if (key := letter(self, node, env)) in env or name == "pi":
                    return env.get(key, pi)
                raise Unreadable(f"the letter {name} stands for nothing")
            case ("unit", *_):
                return self.seen(self.key(node, env), seed)
            case ("+" | "*" as sign, parts):
                return reduce(add if sign == "+" else mul, (self.value(part, env, seed) for part in parts))
            case ("call", name, indices, primes, argument):
                place = tuple(self.whole(index, env) for index in indices)
                if not self.exists(name, place):
                    raise NoSuchUnit(f"there is no {name} with the indices {place}")
                at = self.value(argument, env, seed)
                value = self.function(name, place, primes, plain(at))
                return dual(value, self.function(name, place, primes + 1, at.value) * at.slope) if slope(at) else value
            case ("extreme", name, kind, domain, body):
                points = REALS if domain or name[1] in self.reals else range(3 * LATEST)
                values = (self.value(body, {**env, letter(self, name, env): at}) for at in points)
                return max(values) if kind in ("max", "sup") else min(values)
            case ("/", above, below):
                return self.value(above, env, seed) * inverse(self.value(below, env, seed))
            case ("ones",):
                return Matrix([[1] * self.sizes["I"]])
            case ("rows", row):
                rows = [self.value(row, {**env, ("i", None): n + 1}) for n in range(self.sizes["I"])]
                return Matrix(matrix(row).rows[0] for row in rows)
            case ("blocks", parts):
                found = [matrix(self.value(part, env)).rows for part in parts]
                if len({len(rows) for rows in found}) > 1:
                    raise Unreadable("blocks of several heights")
                return Matrix([entry for row in blocks for entry in row] for blocks in zip(*found, strict=True))
            case ("before", ("unit", name, [], None)) if self.symbols[name].kind == "matrix":
                return self.any(name)
            case ("shape", rows, columns):
                return (self.whole(rows, env), self.whole(columns, env))
            case ("^", base, ("letter", "T", None)):
                return Matrix(zip(*matrix(self.value(base, env)).rows, strict=True))
            case ("^", ("letter", "e", None), ("*", [("num", -1), exponent])):
                number = self.value(exponent, env)
                return number.map(lambda n: abs(self.draw(n))) if isinstance(number, Matrix) else exp(-number)
            case ("^", base, ("*", [("num", -1), ("num", 1)])) if isinstance(
                number := self.value(base, env, seed), Matrix
            ):
                return number.map(inverse)
            case ("^", base, exponent):
                number, power = self.value(base, env, seed), self.whole(exponent, env)
                if abs(power) > LATEST:
                    raise Unreadable("a power beyond all bounds")
                return reduce(mul, [number if power > 0 else inverse(number)] * abs(power), 1)
            case ("abs", part):
                number = self.value(part, env, seed)
                return number if plain(number) >= 0 else number * -1
            case ("delta", a, b):
                return int(self.whole(a, env) == self.whole(b, env))
            case ("sum" | "prod" as kind, name, low, high, body):
                key, indices = letter(self, name, env), range(self.whole(low, env), self.whole(high, env) + 1)
                parts = (self.value(body, {**env, key: index}, seed) for index in indices)
                return reduce(add, parts, 0) if kind == "sum" else reduce(mul, parts, 1)
            case ("paths", last, low, high, body, ends):
                units, steps = range(self.whole(low, env), self.whole(high, env) + 1), self.whole(last[2], env)
                if steps < 0:
                    raise NoSuchTime("paths of no step")
                env = {**env, **{letter(self, name, env): self.whole(index, env) for name, index in ends}}
                ways = ({(last[1], n + 1): unit for n, unit in enumerate(way)} for way in product(units, repeat=steps))
                return reduce(add, (self.value(body, {**env, **way}, seed) for way in ways), 0)
            case ("d", sign, what, by):
                if seed is not None:
                    raise Unreadable("a derivative of a derivative")
                return self.derivative(sign, what, self.key(by, env), env)
        raise Unreadable(f"{node[0]} has no number here")

    def seen(self, key: Key, seed: tuple | None) -> Any:
        """An element as a definition reads it: held constant where it is cut, or where all but one element are."""
        if seed is None or (len(seed) == 3 and key[0] in self.cuts[seed[2]]):
            return self.element(key)
        if seed[0] == "∂":
            return Dual(self.element(key), 1) if key == seed[1] else self.element(key)
        return self.element(key, seed[:2])

    def derivative(self, sign: str, what: tuple, by: Key, env: Env) -> Any:
        """Total ("d"), truncated ("tr") or immediate ("∂") derivative of a formula by one element."""
        self.element(by)
        if sign != "∂":
            return slope(self.value(what, env, (sign, by)))
        if what[0] != "unit":
            raise Unreadable("an immediate derivative of what is no quantity")
        name, indices, time = self.key(what, env)
        self.element((name, indices, time))
        for item in self.definitions.get(name, ()):
            if (inside := self._bound(item, indices, time)) is not None and (
                time is None or time != self.symbols[name].start
            ):
                return slope(self.value(item.right, inside, ("∂", by)))
        return 0

    def function(self, name: str, place: tuple[int, ...], primes: int, at: Any) -> Any:
        for item in self.definitions.get(name + "'" * primes, ()):
            env = {(node[1], None): index for node, index in zip(item.left[2], place, strict=True)}
            return self.value(item.right, {**env, (item.left[4][1], None): at})
        if name in self.definitions or self.symbols[name].kind == "known":
            return along(lambda at: self.function(name, place, primes - 1, at), at) if primes else KNOWN[name[:-2]](at)
        return self.draw((name, place, primes, at), self.sizes["M"] if primes == 1 else 29)

    # -- truth

    def truth(self, tree: tuple, env: Env) -> bool:
        numbers = [self.value(member, env) for member in tree[1]]
        if not tree[2]:
            raise Unreadable("a formula that says nothing")
        return all(COMPARE[sign](a, b) for a, sign, b in zip(numbers, tree[2], numbers[1:], strict=False))


def same(a: Any, b: Any) -> bool:
    """Equality, which between decimal numbers means nine digits."""
    return isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) if isinstance(a, float) or isinstance(b, float) else a == b


def along(function: Callable[[Any], Any], at: Any, step: Fraction = Fraction(1, 256)) -> Any:
    """The slope of a function by its values nearby: exact for polynomials up to the fourth degree."""
    near, far = (function(at + n * step) - function(at - n * step) for n in (1, 2))
    return (8 * near - far) / (12 * step)


COMPARE = {"in": lambda a, b: matrix(a).shape == b, "=": same, "tr": same, "<=": le, ">=": ge, "<": lt, ">": gt}
REALS = [-40.0, *(n / 4 for n in range(-24, 25)), 40.0]  # quarters, and where the logistic function has all its digits
KNOWN = {"cos": cos, "tanh": tanh, "sign": lambda at: (at > 0) - (at < 0)}


def letter(world: World, node: tuple, env: Env) -> tuple[str, int | None]:
    """How an environment knows a letter: by its name and the value of its subscript."""
    return node[1], None if node[2] is None else world.whole(node[2], env)
