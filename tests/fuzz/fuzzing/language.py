"""Formulas in index notation as nested tuples, and what is done with them without knowing what they mean.

A time is `(number, ((letter, slope), ...))`, an index letter `(name, domain)`. The formulas:

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

LENGTH = "#T"
PLACES = {"fun": (3,), "pow": (1,), "sum": (2,), "tsum": (4,), "prod": (4,), "d": (1, 2), "partial": (1, 2)}


def when(letter: str | None = "t", number: int = 0) -> tuple:
    """The time `letter + number`, or the number alone."""
    return (number, ((letter, 1),) if letter else ())


def later(time: tuple, number: int) -> tuple:
    """A time `number` steps later."""
    return (time[0] + number, time[1])


def plus(one: tuple, two: tuple, sign: int = 1) -> tuple:
    """The sum of two times, or their difference with `sign=-1`."""
    slopes = dict(one[1])
    for letter, slope in two[1]:
        slopes[letter] = slopes.get(letter, 0) + sign * slope
    return (one[0] + sign * two[0], tuple(sorted((key, value) for key, value in slopes.items() if value)))


def num(value: int | Fraction) -> tuple:
    """A number."""
    return ("num", Fraction(value))


ZERO, ONE = num(0), num(1)


def add(*terms: tuple) -> tuple:
    """A sum, zeros left out and nested sums opened."""
    flat = [part for term in terms for part in (term[1:] if term[0] == "add" else (term,)) if part != ZERO]
    return ("add", *flat) if len(flat) > 1 else flat[0] if flat else ZERO


def mul(*factors: tuple) -> tuple:
    """A product, ones left out, nested products opened, numbers in one."""
    flat = [part for factor in factors for part in (factor[1:] if factor[0] == "mul" else (factor,))]
    number = Fraction(1)
    for part in flat:
        number *= part[1] if part[0] == "num" else 1
    rest = [part for part in flat if part[0] != "num"]
    if number == 0 or not rest:
        return num(number)
    rest = rest if number == 1 else [num(number), *rest]
    return ("mul", *rest) if len(rest) > 1 else rest[0]


def neg(formula: tuple) -> tuple:
    """The formula with the other sign."""
    return mul(num(-1), formula)


def power(base: tuple, exponent: int | tuple) -> tuple:
    """A power; the bases to the powers 0 and 1 are opened."""
    return ONE if exponent == 0 else base if exponent == 1 else ("pow", base, exponent)


def summed(index: tuple, body: tuple) -> tuple:
    """The sum over an index, over its domain."""
    return ZERO if body == ZERO else ("sum", index, body)


def tsummed(letter: str, first: tuple, last: tuple, body: tuple) -> tuple:
    """The sum over the times first..last."""
    return ZERO if body == ZERO else ("tsum", letter, first, last, body)


def same(one: tuple, two: tuple) -> tuple:
    """The Kronecker delta of two indices."""
    return ONE if one == two else ("same", one, two)


def simultaneous(one: tuple, two: tuple) -> tuple:
    """The Kronecker delta of two times."""
    gap = plus(one, two, -1)
    return ("when", one, two) if gap[1] else ZERO if gap[0] else ONE


def ref(quantity: str, indices: tuple = (), time: tuple | None = None) -> tuple:
    """An element of a quantity."""
    return ("ref", quantity, tuple(indices), time)


_fresh = count(1)


def fresh(stem: str) -> str:
    """A name that no other letter has; `restart` makes the names of a case the same in every run."""
    return f"{stem.rstrip('0123456789')}{next(_fresh)}"


def restart() -> None:
    """Count the names of letters from 1 again."""
    global _fresh
    _fresh = count(1)


def children(formula: tuple) -> tuple[int, ...]:
    """The places at which a formula has formulas."""
    if formula[0] in ("add", "mul"):
        return tuple(range(1, len(formula)))
    return PLACES.get(formula[0], ())


def put(formula: tuple, place: int, new: tuple) -> tuple:
    """The formula with another argument in one place, in the form that the functions above make."""
    args = [*formula[1:place], new, *formula[place + 1 :]]
    made = {"add": add, "mul": mul, "pow": power, "sum": summed, "tsum": tsummed}.get(formula[0])
    return made(*args) if made else (formula[0], *args)


def each(formula: tuple, change: Callable[[tuple], tuple]) -> tuple:
    """The formula with all its formulas changed, in the form that the functions above make."""
    if formula[0] in ("add", "mul"):
        return (add if formula[0] == "add" else mul)(*map(change, formula[1:]))
    for place in children(formula):
        formula = put(formula, place, change(formula[place]))
    return formula


def mapped(formula: tuple, rule: Callable[[tuple], tuple | None]) -> tuple:
    """The formula with each outermost node for which `rule` returns a formula replaced by it."""
    found = rule(formula)
    return each(formula, lambda part: mapped(part, rule)) if found is None else found


def nodes(formula: tuple) -> Iterator[tuple]:
    """Every formula in a formula, itself first."""
    yield formula
    for place in children(formula):
        yield from nodes(formula[place])


def spots(formula: tuple, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], tuple]]:
    """Every formula in a formula with the way to it."""
    yield path, formula
    for place in children(formula):
        yield from spots(formula[place], (*path, place))


def put_at(formula: tuple, path: tuple[int, ...], new: tuple) -> tuple:
    """The formula with what stands at the end of a way replaced."""
    return put(formula, path[0], put_at(formula[path[0]], path[1:], new)) if path else new


def exchanged(formula: tuple, letters: dict[tuple, tuple], times: dict[str, tuple]) -> tuple:
    """Index letters and letters of times put in. Bound letters have names of their own, so that none is captured."""

    def moved(time: tuple | None) -> tuple | None:
        if time is None:
            return None
        total = (time[0], ())
        for letter, slope in time[1]:
            new = times.get(letter, when(letter))
            total = plus(total, (slope * new[0], tuple((key, slope * value) for key, value in new[1])))
        return total

    def picked(indices: tuple) -> tuple:
        return tuple(letters.get(index, index) for index in indices)

    kind = formula[0]
    if kind == "ref":
        return ref(formula[1], picked(formula[2]), moved(formula[3]))
    if kind == "clock":
        return ("clock", moved(formula[1]))
    if kind == "same":
        return same(*picked(formula[1:]))
    if kind == "when":
        return simultaneous(*map(moved, formula[1:]))
    formula = each(formula, lambda part: exchanged(part, letters, times))
    if formula[0] != kind:
        return formula
    if kind == "fun":
        return (*formula[:4], picked(formula[4]))
    if kind in ("tsum", "prod"):
        return (kind, formula[1], moved(formula[2]), moved(formula[3]), formula[4])
    if kind == "pow" and isinstance(formula[2], tuple):
        return ("pow", formula[1], moved(formula[2]))
    return formula


def renamed(formula: tuple) -> tuple:
    """The formula with a new name for every bound letter."""
    formula = each(formula, renamed)
    if formula[0] == "sum":
        index = (fresh(formula[1][0]), formula[1][1])
        return ("sum", index, exchanged(formula[2], {formula[1]: index}, {}))
    if formula[0] in ("tsum", "prod"):
        letter = fresh(formula[1])
        return (formula[0], letter, *formula[2:4], exchanged(formula[4], {}, {formula[1]: when(letter)}))
    return formula


def free(formula: tuple) -> tuple[set[tuple], set[str]]:
    """The index letters and the letters of times that a formula leaves free, length and sizes not counted."""
    letters: set[tuple] = set()
    times: set[str] = set()

    def seen(*moments: tuple | None) -> None:
        times.update(letter for moment in moments if moment for letter, _ in moment[1] if letter[0] != "#")

    kind = formula[0]
    for place in children(formula):
        inner, moments = free(formula[place])
        letters |= inner
        times |= moments
    if kind == "ref":
        letters.update(formula[2])
        seen(formula[3])
    elif kind == "fun":
        letters.update(formula[4])
    elif kind == "same":
        letters.update(formula[1:])
    elif kind in ("clock", "when"):
        seen(*formula[1:])
    elif kind == "sum":
        letters.discard(formula[1])
    elif kind in ("tsum", "prod"):
        times.discard(formula[1])
        seen(*formula[2:4])
    elif kind == "pow" and isinstance(formula[2], tuple):
        seen(formula[2])
    return letters, times


def shown(time: tuple) -> str:
    """A time as text."""
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
