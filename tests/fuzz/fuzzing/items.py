"""Items "case.place": the truth of a case at place 0, its falsehoods from 1 on.

"17.3" is of a case of the plain generator, "masks-17.3" and "sizes-17.3" of these, "t17.3" of printed texts.
"""

from functools import lru_cache
from typing import NamedTuple

from fuzzing.cases import FALSEHOODS, GENERATORS, named
from fuzzing.language import text
from fuzzing.printed import FALSEHOODS as FALSE_TEXTS
from fuzzing.printed import Printed, printed
from fuzzing.statements import Statement

KINDS = (*GENERATORS, "texts")
_printed = lru_cache(1)(printed)


class Asked(NamedTuple):
    """What is asked of the engine, its kind, and why it is false, if it is."""

    kind: str
    statement: Statement | Printed
    why: str


def asked(item: str) -> Asked | None:
    """What stands at an item; None where a case has no such place."""
    if item.startswith("t"):
        number, text_place = item.removeprefix("t").split(".")
        one = dict(enumerate(_printed(int(number)))).get(int(text_place))
        return one and Asked(one.kind, one, one.why)
    found, place = named(item)
    if not place:
        return Asked(found.truth.kind, found.truth, "")
    false = dict(enumerate(found.falsehoods, 1)).get(place)
    return false and Asked(false.kind, false.statement, str(false.refutation))


def items(kind: str, cases: range) -> list[str]:
    """The items of some cases of one of the ``KINDS``."""
    sign = {"plain": "", "texts": "t"}.get(kind, f"{kind}-")
    many = FALSE_TEXTS + 2 if kind == "texts" else FALSEHOODS + 1
    return [f"{sign}{number}.{place}" for number in cases for place in range(many)]


def stated(statement: Statement | Printed) -> str:
    """A recurrence and an equation as text."""
    if isinstance(statement, Printed):
        return f"{statement.made.written()}\nasked: {statement.written()}"
    asked_for = f"{text(statement.left)} = {text(statement.right)}"
    return f"{statement.recurrence.described()}\nasked as {statement.form}: {asked_for}"
