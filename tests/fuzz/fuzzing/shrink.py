"""An accepted falsehood made as small as it gets while it stays false and accepted."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator

from fuzzing.cases import certified, named
from fuzzing.exact import Instance, instances
from fuzzing.language import ONE, ZERO, children, nodes, put_at, spots
from fuzzing.statements import Statement


def size(statement: Statement) -> int:
    """How many formulas a statement and its recurrence hold."""
    rights = (one.right for one in statement.recurrence.definitions)
    whole = sum(sum(1 for _ in nodes(formula)) for formula in (statement.left, statement.right, *rights))
    return (
        whole
        + len(statement.recurrence.initial)
        + sum(len(node[3]) for node in nodes(statement.left) if node[0] == "d")
    )


def smaller(formula: tuple) -> Iterator[tuple]:
    """The formula with one formula in it replaced by 0, by 1, or by a part of itself."""
    for path, node in spots(formula):
        parts = [node[place] for place in children(node) if node[0] not in ("d", "partial")]
        for new in (ZERO, ONE, *parts):
            if new != node:
                yield put_at(formula, path, new)


def neighbours(statement: Statement) -> Iterator[Statement]:
    """Statements a little smaller: one side, one definition, one initial value, one quantity that nothing defines."""
    recurrence = statement.recurrence
    for side in ("left", "right"):
        yield from (statement._replace(**{side: new}) for new in smaller(getattr(statement, side)))
    for place, one in enumerate(recurrence.definitions):
        others = recurrence.definitions[:place], recurrence.definitions[place + 1 :]
        yield statement._replace(recurrence=recurrence._replace(definitions=(*others[0], *others[1])))
        for new in smaller(one.right):
            definitions = (*others[0], one._replace(right=new), *others[1])
            yield statement._replace(recurrence=recurrence._replace(definitions=definitions))
    if recurrence.initial:
        yield statement._replace(recurrence=recurrence._replace(initial={}))


def false(statement: Statement) -> object:
    """What refutes a statement, None if it means nothing or nothing refutes it."""
    try:
        found: list[Instance] = list(instances(statement.recurrence))
    except (KeyError, ValueError, IndexError):  # a definition that is gone is still read
        return None
    return certified(statement, found)


def shrunk(statement: Statement, accepted: Callable[[Statement], bool]) -> Statement:
    """The smallest statement found that is false and accepted, by one change after another."""
    while True:
        for new in sorted(neighbours(statement), key=size):
            if size(new) < size(statement) and false(new) and accepted(new):
                statement = new
                break
        else:
            return statement


class TimeIsUp(BaseException):
    """No exception that the engine may catch."""


def shrunk_item(item: str, limit: float) -> Statement | None:
    """The falsehood "case.place" made small; None if the engine does not accept it within `limit` seconds."""
    from fuzzing.engine import judged_again

    def stop(*_: object) -> None:
        raise TimeIsUp

    def accepted(statement: Statement) -> bool:
        signal.setitimer(signal.ITIMER_PROF, limit)
        try:
            return judged_again(statement).verdict == "holds"
        except TimeIsUp:
            return False
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    signal.signal(signal.SIGPROF, stop)
    found, place = named(item)
    statement = found.falsehoods[place - 1].statement
    return shrunk(statement, accepted) if accepted(statement) else None
