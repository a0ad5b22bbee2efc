"""Items "case.place": the truth of a case at place 0, its falsehoods from 1 on; "t" before a case is one of texts."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from fuzzing.cases import FALSEHOODS, case
from fuzzing.language import text
from fuzzing.printed import FALSEHOODS as FALSE_TEXTS
from fuzzing.printed import Printed, printed
from fuzzing.statements import Statement

_case, _printed = lru_cache(1)(case), lru_cache(1)(printed)


class Asked(NamedTuple):
    """What is asked of the engine, its kind, and why it is false, if it is."""

    kind: str
    statement: Statement | Printed
    why: str


def asked(item: str) -> Asked | None:
    """What stands at an item; None where a case has no such place."""
    number, place = item.removeprefix("t").split(".")
    if item.startswith("t"):
        one = dict(enumerate(_printed(int(number)))).get(int(place))
        return one and Asked(one.kind, one, one.why)
    found = _case(int(number))
    if place == "0":
        return Asked(found.truth.kind, found.truth, "")
    false = dict(enumerate(found.falsehoods, 1)).get(int(place))
    return false and Asked(false.kind, false.statement, str(false.refutation))


def items(kinds: str, cases: range) -> list[str]:
    """The items of some cases: of "equations", of "texts", or of "all" kinds."""
    chosen = {"": FALSEHOODS + 1, "t": FALSE_TEXTS + 2}
    if kinds != "all":
        chosen.pop("t" if kinds == "equations" else "")
    return [f"{sign}{number}.{place}" for sign, many in chosen.items() for number in cases for place in range(many)]


def stated(statement: Statement | Printed) -> str:
    """A recurrence and an equation as text."""
    if isinstance(statement, Printed):
        return f"{statement.made.written()}\nasked: {statement.written()}"
    asked_for = f"{text(statement.left)} = {text(statement.right)}"
    return f"{statement.recurrence.described()}\nasked as {statement.form}: {asked_for}"
