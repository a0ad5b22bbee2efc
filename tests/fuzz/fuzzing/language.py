"""Formulas in index notation, and what is done with them without knowing what they mean.

An index letter is `(name, domain)`. The formulas:

    ("num", Fraction)  ("clock", time)  ("same", index, index)  ("when", time, time)
    ("ref", quantity, indices, time or None)  ("fun", function, order, argument, indices)
    ("add", *terms)  ("mul", *factors)  ("pow", base, integer or time)
    ("sum", index, body)  ("tsum", letter, first, last, body)  ("prod", letter, first, last, body)
    ("d", target, wrt, cuts)  ("partial", target, wrt)

A cut is `(quantity, domain of its index or None, lag, into)`. The letter `LENGTH` is the number of time steps, "#"
before the name of a dimension its size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

LENGTH = "#T"
PLACES = {"fun": (3,), "pow": (1,), "sum": (2,), "tsum": (4,), "prod": (4,), "d": (1, 2), "partial": (1, 2)}


class Time(NamedTuple):
    """A time: a number, and how often each letter is added to it."""

    number: int
    letters: tuple[tuple[str, int], ...] = ()

    __repr__ = tuple.__repr__

    def __add__(self, other: Time | int, sign: int = 1) -> Time:  # type: ignore[override]
        other, slopes = other if isinstance(other, Time) else Time(other), dict(self.letters)
        for letter, slope in other.letters:
            slopes[letter] = slopes.get(letter, 0) + sign * slope
        return Time(self.number + sign * other.number, tuple(sorted(one for one in slopes.items() if one[1])))

    def __sub__(self, other: Time | int) -> Time:
        return self.__add__(other, -1)


def when(letter: str | None = "t", number: int = 0) -> Time:
    """The time `letter + number`, or the number alone."""
    return Time(number, ((letter, 1),) if letter else ())


class Formula(tuple):
    """A formula, with the signs of arithmetic."""

    __slots__ = ()

    def __new__(cls, *parts: Any) -> Formula:
        return super().__new__(cls, parts)

    def __add__(self, other: Any) -> Formula:
        return add(self, formula_of(other))

    def __radd__(self, other: Any) -> Formula:
        return add(formula_of(other), self)

    def __neg__(self) -> Formula:
        return mul(num(-1), self)

    def __sub__(self, other: Any) -> Formula:
        return add(self, -formula_of(other))

    def __rsub__(self, other: Any) -> Formula:
        return add(formula_of(other), -self)

    def __mul__(self, other: Any) -> Formula:
        return mul(self, formula_of(other))

    def __rmul__(self, other: Any) -> Formula:
        return mul(formula_of(other), self)

    def __pow__(self, exponent: int) -> Formula:
        return power(self, exponent)

    def children(self) -> tuple[int, ...]:
        """The places at which it has formulas."""
        return tuple(range(1, len(self))) if self[0] in ("add", "mul") else PLACES.get(self[0], ())

    def put(self, place: int, new: Formula) -> Formula:
        """The formula with another argument in one place, in the form that the functions below make."""
        args = [*self[1:place], new, *self[place + 1 :]]
        make = {"add": add, "mul": mul, "pow": power, "sum": summed, "tsum": tsummed}.get(self[0])
        return make(*args) if make else Formula(self[0], *args)

    def each(self, change: Callable[[Formula], Formula]) -> Formula:
        """The formula with all its formulas changed, in the form that the functions below make."""
        if self[0] in ("add", "mul"):
            return (add if self[0] == "add" else mul)(*map(change, self[1:]))
        changed = self
        for place in self.children():
            changed = changed.put(place, change(changed[place]))
        return changed

    def mapped(self, rule: Callable[[Formula], Formula | None]) -> Formula:
        """The formula with each outermost node for which `rule` returns a formula replaced by it."""
        found = rule(self)
        return self.each(lambda part: part.mapped(rule)) if found is None else found

    def spots(self, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Formula]]:
        """Every formula in it with the way to it, itself first."""
        yield path, self
        for place in self.children():
            yield from self[place].spots((*path, place))

    def nodes(self) -> Iterator[Formula]:
        """Every formula in it, itself first."""
        return (node for _, node in self.spots())

    def put_at(self, path: tuple[int, ...], new: Formula) -> Formula:
        """The formula with what stands at the end of a way replaced."""
        return self.put(path[0], self[path[0]].put_at(path[1:], new)) if path else new

    def exchanged(self, letters: dict[tuple, tuple], times: dict[str, Time]) -> Formula:
        """Index letters and letters of times put in; bound letters have names of their own: none is captured."""

        def moved(time: Time | None) -> Time | None:
            if time is None:
                return None
            total = Time(time.number)
            for letter, slope in time.letters:
                new = times.get(letter, when(letter))
                total += Time(slope * new.number, tuple((key, slope * value) for key, value in new.letters))
            return total

        def picked(indices: tuple) -> tuple:
            return tuple(letters.get(index, index) for index in indices)

        kind = self[0]
        if kind == "ref":
            return ref(self[1], picked(self[2]), moved(self[3]))
        if kind == "clock":
            return Formula("clock", moved(self[1]))
        if kind == "same":
            return same(*picked(self[1:]))
        if kind == "when":
            return simultaneous(*map(moved, self[1:]))
        made = self.each(lambda part: part.exchanged(letters, times))
        if made[0] != kind:
            return made
        if kind == "fun":
            return Formula(*made[:4], picked(made[4]))
        if kind in ("tsum", "prod"):
            return Formula(kind, made[1], moved(made[2]), moved(made[3]), made[4])
        if kind == "pow" and isinstance(made[2], Time):
            return Formula("pow", made[1], moved(made[2]))
        return made

    def renamed(self) -> Formula:
        """The formula with a new name for every bound letter."""
        made = self.each(Formula.renamed)
        if made[0] == "sum":
            index = (fresh(made[1][0]), made[1][1])
            return Formula("sum", index, made[2].exchanged({made[1]: index}, {}))
        if made[0] in ("tsum", "prod"):
            letter = fresh(made[1])
            return Formula(made[0], letter, *made[2:4], made[4].exchanged({}, {made[1]: when(letter)}))
        return made

    def free(self) -> tuple[set[tuple], set[str]]:
        """The index letters and the letters of times that it leaves free, length and sizes not counted."""
        letters: set[tuple] = set()
        times: set[str] = set()

        def seen(*moments: Time | None) -> None:
            times.update(letter for moment in moments if moment for letter, _ in moment.letters if letter[0] != "#")

        kind = self[0]
        for place in self.children():
            inner, moments = self[place].free()
            letters |= inner
            times |= moments
        if kind == "ref":
            letters.update(self[2])
            seen(self[3])
        elif kind == "fun":
            letters.update(self[4])
        elif kind == "same":
            letters.update(self[1:])
        elif kind in ("clock", "when"):
            seen(*self[1:])
        elif kind == "sum":
            letters.discard(self[1])
        elif kind in ("tsum", "prod"):
            times.discard(self[1])
            seen(*self[2:4])
        elif kind == "pow" and isinstance(self[2], Time):
            seen(self[2])
        return letters, times


def formula_of(value: Any) -> Formula:
    """A formula, or that of a number."""
    return value if isinstance(value, Formula) else num(value)


def num(value: int | Fraction) -> Formula:
    return Formula("num", Fraction(value))


ZERO, ONE = num(0), num(1)


def add(*terms: tuple) -> Formula:
    """A sum, zeros left out and nested sums opened."""
    flat = [part for term in terms for part in (term[1:] if term[0] == "add" else (term,)) if part != ZERO]
    return Formula("add", *flat) if len(flat) > 1 else flat[0] if flat else ZERO


def mul(*factors: tuple) -> Formula:
    """A product, ones left out, nested products opened, numbers in one."""
    flat = [part for factor in factors for part in (factor[1:] if factor[0] == "mul" else (factor,))]
    number = Fraction(1)
    for part in flat:
        number *= part[1] if part[0] == "num" else 1
    rest = [part for part in flat if part[0] != "num"]
    if number == 0 or not rest:
        return num(number)
    rest = rest if number == 1 else [num(number), *rest]
    return Formula("mul", *rest) if len(rest) > 1 else rest[0]


def power(base: tuple, exponent: int | tuple) -> Formula:
    """A power; the bases to the powers 0 and 1 are opened."""
    return ONE if exponent == 0 else base if exponent == 1 else Formula("pow", base, exponent)


def summed(index: tuple, body: tuple) -> Formula:
    """The sum over an index, over its domain."""
    return ZERO if body == ZERO else Formula("sum", index, body)


def tsummed(letter: str, first: tuple, last: tuple, body: tuple) -> Formula:
    """The sum over the times first..last."""
    return ZERO if body == ZERO else Formula("tsum", letter, first, last, body)


def same(one: tuple, two: tuple) -> Formula:
    """The Kronecker delta of two indices."""
    return ONE if one == two else Formula("same", one, two)


def simultaneous(one: tuple, two: tuple) -> Formula:
    """The Kronecker delta of two times."""
    gap = one - two
    return Formula("when", one, two) if gap.letters else ZERO if gap.number else ONE


def ref(quantity: str, indices: tuple = (), time: tuple | None = None) -> Formula:
    """An element of a quantity."""
    return Formula("ref", quantity, tuple(indices), time)


_fresh = count(1)


def fresh(stem: str) -> str:
    """A name that no other letter has; `restart` makes the names of a case the same in every run."""
    return f"{stem.rstrip('0123456789')}{next(_fresh)}"


def restart() -> None:
    """Count the names of letters from 1 again."""
    global _fresh
    _fresh = count(1)


def shown(time: Time) -> str:
    parts = [f"{'' if slope == 1 else '-' if slope == -1 else slope}{name.strip('#')}" for name, slope in time[1]]
    text = "+".join(parts + [str(time[0])] * (time[0] != 0 or not parts))
    return text.replace("+-", "-")


def text(formula: tuple) -> str:
    """A formula as text, for reports."""
    kind, *rest = formula
    if kind == "num":
        return str(rest[0])
    if kind == "ref":
        places = [f"{name} in {over}" for name, over in rest[1]] + ([shown(rest[2])] if rest[2] else [])
        return f"{rest[0]}[{', '.join(places)}]"
    if kind == "fun":
        return f"{rest[0]}{chr(39) * rest[1]}{''.join(f'_{name}' for name, _ in rest[3])}({text(rest[2])})"
    if kind in ("add", "mul"):
        return f"({(' + ' if kind == 'add' else '*').join(map(text, rest))})"
    if kind == "pow":
        return f"{text(rest[0])}**({rest[1] if isinstance(rest[1], int) else shown(rest[1])})"
    if kind == "sum":
        return f"Sum_{{{rest[0][0]} in {rest[0][1]}}} {text(rest[1])}"
    if kind in ("tsum", "prod"):
        name = "Sum" if kind == "tsum" else "Prod"
        return f"{name}_{{{rest[0]}={shown(rest[1])}..{shown(rest[2])}}} {text(rest[3])}"
    if kind in ("d", "partial"):
        cuts = "; ".join(
            f"{q}{f' in {over}' if over else ''} lag {lag} into {into}" for q, over, lag, into in rest[2:] and rest[2]
        )
        return f"{kind}({text(rest[0])}, {text(rest[1])}{f' | cut {cuts}' if cuts else ''})"
    if kind == "clock":
        return f"({shown(rest[0])})"
    return f"delta({', '.join(item[0] if kind == 'same' else shown(item) for item in rest)})"
