"""The numbered cases: of each number a recurrence, a true equation, and falsehoods certified false."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from fuzzing.equations import equation
from fuzzing.exact import Instance, Refutation, Undefined, instances, readable, refuted
from fuzzing.language import restart, text
from fuzzing.reach import SLIPS
from fuzzing.recurrences import recurrence
from fuzzing.rewriting import rewritten
from fuzzing.statements import Statement

FALSEHOODS = 5  # of each case
RARE = ("limit", "size", "index", "domain", "widened", "truncation", "earlier", "time of a sum", "reach: put in early")
ATTEMPTS = 12  # at a slip of one kind


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


def truth(draw: Random) -> tuple[Statement, list[Instance]]:
    """A true statement that can be read somewhere, and the instances on which it was tried."""
    while True:
        network = recurrence(draw)
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


def case(number: int) -> Case:
    """The case of a number."""
    restart()
    draw = Random(f"case {number}")
    statement, found = truth(draw)
    kinds = list(SLIPS)
    first = number * FALSEHOODS
    wanted = [kinds[(first + place) % len(kinds)] for place in range(FALSEHOODS)]
    spare = sorted(draw.sample(kinds, len(kinds)), key=RARE.__contains__)
    falsehoods: list[Falsehood] = []
    seen = {statement[2:4]}
    while len(falsehoods) < FALSEHOODS and (wanted or spare):
        kind = wanted.pop(0) if wanted else spare.pop()
        for _ in range(ATTEMPTS):
            made = SLIPS[kind](statement, draw)
            if made is None or made[2:4] in seen:
                continue
            if refutation := certified(made, found):
                seen.add(made[2:4])
                falsehoods.append(Falsehood(kind, made, refutation))
                break
    return Case(number, statement, tuple(falsehoods))
