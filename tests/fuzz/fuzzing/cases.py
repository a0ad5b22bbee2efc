"""The numbered cases: of each number a recurrence, a true equation, and falsehoods certified false."""

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import NamedTuple

from fuzzing.equations import equation
from fuzzing.exact import Instance, Refutation, Undefined, instances, readable, refuted
from fuzzing.language import restart, text
from fuzzing.reach import SLIPS
from fuzzing.recurrences import Recurrence, recurrence
from fuzzing.rewriting import rewritten
from fuzzing.slips import Slip
from fuzzing.statements import Statement
from fuzzing.varied import OF_MASKS, OF_SIZES, masked, of_units

FALSEHOODS = 5  # of each case
RARE = ("limit", "size", "index", "domain", "widened", "truncation", "earlier", "time of a sum", "reach: put in early")
ATTEMPTS = 12  # at a slip of one kind
# By name: what draws a recurrence, and the slips.
GENERATORS: dict[str, tuple[Callable[[Random], Recurrence], dict[str, Slip]]] = {
    "plain": (recurrence, SLIPS), "masks": (masked, OF_MASKS), "sizes": (of_units, OF_SIZES),
}  # fmt: skip


class Falsehood(NamedTuple):
    """A statement, the kind of slip that made it, and what refutes it."""

    kind: str
    statement: Statement
    refutation: Refutation | str


class Case(NamedTuple):
    """A case by its number: a truth and falsehoods made of it."""

    number: int
    truth: Statement
    falsehoods: tuple[Falsehood, ...]


class FaultOfTheGenerator(AssertionError):
    """A statement that is true by construction is refuted by numbers."""


def check_truth(statement: Statement, found: list[Instance]) -> None:
    """FaultOfTheGenerator if a statement that should be true is refuted."""
    if fault := refuted(found, statement.left, statement.right):
        shown = f"{text(statement.left)} = {text(statement.right)}"
        raise FaultOfTheGenerator(f"{statement.recurrence.described()}\n{statement.kind}: {shown}\n{fault}")


def truth(draw: Random, drawn: Callable[[Random], Recurrence] = recurrence) -> tuple[Statement, list[Instance]]:
    """A true statement that can be read somewhere, and the instances on which it was tried."""
    while True:
        network = drawn(draw)
        for _ in range(10):
            statement = equation(network, draw)
            statement = statement and rewritten(statement, draw)
            if statement and sum(len(text(side)) for side in statement[2:4]) < 500:
                found = list(instances(network))
                check_truth(statement, found)
                if readable(found[:4], statement.left, statement.right):
                    return statement, found


def certified(statement: Statement, found: list[Instance]) -> Refutation | str | None:
    """What refutes a statement: numbers, or a quantity that is not there; None if nothing does."""
    try:
        return refuted(found, statement.left, statement.right)
    except Undefined as missing:
        return f"the recurrence has no {missing}" if str(missing).endswith("?") else None
    except (KeyError, ValueError, IndexError):  # a slip that leaves a letter without meaning is no falsehood
        return None


def case(number: int, generator: str = "plain") -> Case:
    """The case of a number, of one of the `GENERATORS`."""
    restart()
    draw = Random(f"case {number}" if generator == "plain" else f"{generator} {number}")
    drawn, slips = GENERATORS[generator]
    statement, found = truth(draw, drawn)
    kinds = list(slips)
    first = number * FALSEHOODS
    wanted = [kinds[(first + place) % len(kinds)] for place in range(FALSEHOODS)]
    spare = sorted(draw.sample(kinds, len(kinds)), key=RARE.__contains__)
    falsehoods: list[Falsehood] = []
    seen = {statement[2:4]}
    while len(falsehoods) < FALSEHOODS and (wanted or spare):
        kind = wanted.pop(0) if wanted else spare.pop()
        for _ in range(ATTEMPTS):
            made = slips[kind](statement, draw)
            if made is None or made[2:4] in seen:
                continue
            if refutation := certified(made, found):
                seen.add(made[2:4])
                falsehoods.append(Falsehood(kind, made, refutation))
                break
    return Case(number, statement, tuple(falsehoods))


def named(item: str) -> tuple[Case, int]:
    """The case of an item "17.3", or "masks-17.3" of another generator than the plain one, and the place in it."""
    name, place = item.split(".")
    generator, _, number = name.rpartition("-")
    return _kept(int(number), generator or "plain"), int(place)


_kept = lru_cache(1)(case)
