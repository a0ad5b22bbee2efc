"""Falsehoods that are true at first: a term that vanishes until some step, is there at one time, or at an edge."""

from __future__ import annotations

from random import Random

from fuzzing.calculus import definition
from fuzzing.language import (
    LENGTH,
    ONE,
    add,
    exchanged,
    free,
    fresh,
    later,
    mul,
    neg,
    nodes,
    ref,
    renamed,
    simultaneous,
    spots,
    summed,
    tsummed,
    when,
)
from fuzzing.slips import IN_ONE_PLACE, Slip, somewhere
from fuzzing.statements import Statement


def clock(statement: Statement) -> str:
    """The letter that counts the steps of a statement."""
    times = free(statement.left)[1]
    return "q" if "q" in times else "t" if "t" in times else LENGTH


def state(statement: Statement, draw: Random, time: tuple) -> tuple:
    """An element of a state at a time: of a free index where one fits, else summed over all units."""
    recurrence = statement.recurrence
    name = draw.choice([name for name, one in recurrence.quantities.items() if one.role == "state"])
    over = recurrence.quantities[name].domains
    fits = [letter for letter in sorted(free(statement.left)[0]) if over and recurrence.contains(over[0], letter[1])]
    if not over:
        return ref(name, (), time)
    if fits and draw.random() < 0.7:
        return ref(name, (draw.choice(fits),), time)
    k = (fresh("k"), draw.choice((over[0], *recurrence.parts(over[0]))))
    return summed(k, ref(name, (k,), time))


def present(statement: Statement, draw: Random) -> tuple:
    """A time that the left side reads: t, of a claim over lags also t - q; the last time where it reads none."""
    read = {
        node[3]
        for node in nodes(statement.left)
        if node[0] == "ref" and node[3] and free(node)[1] - {"t", "q"} == set()
    }
    moving = sorted({(0, time[1]) for time in read if time[1]})
    return draw.choice(moving) if moving else when(LENGTH)


def gone(statement: Statement, item: tuple) -> tuple:
    """A state less its initial value, so that it vanishes before the start."""
    read = next(node for node in nodes(item) if node[0] == "ref")
    start = neg(statement.recurrence.start(*read[1:3]))
    return ("sum", item[1], add(item[2], start)) if item[0] == "sum" else add(item, start)


def with_term(statement: Statement, draw: Random, extra: tuple) -> Statement:
    """A term added to the right side, or a factor 1 + term multiplied to a part of it."""
    if draw.random() < 0.5 and statement.form == "equation":
        return statement._replace(right=add(statement.right, draw.choice((extra, neg(extra)))))
    found = somewhere(statement, draw, lambda node: node[0] in ("mul", "ref", "fun", "prod"),
                      lambda node: mul(node, add(ONE, renamed(extra))))  # fmt: skip
    return found or statement._replace(right=add(statement.right, extra))


def vanishing(statement: Statement, draw: Random) -> Statement:
    """A term with a state of some steps back, which vanishes until then."""
    steps = draw.choice((1, 2, 3, 4, 5))
    extra = gone(statement, state(statement, draw, later(present(statement, draw), -steps)))
    if draw.random() < 0.4:
        extra = mul(extra, state(statement, draw, later(present(statement, draw), -draw.choice((0, 1, steps)))))
    return with_term(statement, draw, extra)


def counted(statement: Statement, draw: Random) -> Statement:
    """A term with the factor (t - 1)(t - 2) ..., which vanishes at the first steps."""
    letter, most = clock(statement), draw.choice((1, 2, 3, 4))
    factors = [("clock", when(letter, -step)) for step in range(letter != "q", most + (letter != "q"))]
    return with_term(
        statement, draw, mul(*factors, draw.choice([ONE, state(statement, draw, present(statement, draw))]))
    )


def at_one_time(statement: Statement, draw: Random) -> Statement:
    """A term at one time only."""
    letter = clock(statement)
    moments = [when(None, draw.choice((1, 2, 4, 5)))] + (
        [when(LENGTH, -draw.choice((0, 1, 4)))] if letter != LENGTH else []
    )
    return with_term(statement, draw, simultaneous(when(letter), draw.choice(moments)))


def window(statement: Statement, draw: Random) -> Statement:
    """A factor that counts whether a time lies in the sequence: 1, but for the steps at an edge."""
    letter, s = clock(statement), fresh("s")
    last = draw.choice([when(LENGTH), present(statement, draw), when(None, draw.choice((3, 4)))])
    inside = tsummed(
        s, when(None, draw.choice((1, 1, 2))), last, simultaneous(when(s), when(letter, draw.choice((-2, -1, 0, 1))))
    )
    return somewhere(
        statement, draw, lambda node: node[0] in ("mul", "ref", "fun", "d"), lambda node: mul(node, inside)
    ) or (statement._replace(right=mul(statement.right, inside)))


def late_sum(statement: Statement, draw: Random) -> Statement:
    """A sum over times that is empty until some step."""
    s, last = fresh("s"), present(statement, draw)
    body = draw.choice([ONE, state(statement, draw, when(s))])
    extra = draw.choice([tsummed(s, when(None, draw.choice((2, 3, 4, 5))), last, body),
                         tsummed(s, when(None, 1), later(last, -draw.choice((1, 2, 3, 4))), body)])  # fmt: skip
    return with_term(statement, draw, extra)


def empty_range(statement: Statement, draw: Random) -> Statement:
    """The last term taken off a sum or a product that may be empty."""
    s, steps, first = fresh("s"), draw.choice((0, 1, 2, 3)), when(None, draw.choice((1, 2)))
    letter = clock(statement)
    last = when(letter, -steps)
    body = add(ONE, state(statement, draw, present(statement, draw))) if draw.random() < 0.5 else ("clock", when(s, 7))
    at_last = exchanged(renamed(body), {}, {s: last})
    if draw.random() < 0.5:
        whole, less = tsummed(s, first, last, body), tsummed(s, first, later(last, -1), body)
        return with_term(statement, draw, add(whole, neg(less), neg(at_last)))
    whole, less = ("prod", s, first, last, body), ("prod", s, first, later(last, -1), body)
    return with_term(statement, draw, add(whole, neg(mul(less, at_last))))


def too_early(statement: Statement, draw: Random) -> Statement | None:
    """A definition put in at a time before the start, alone or with factors that vanish before it."""
    recurrence, now = statement.recurrence, present(statement, draw)
    case = draw.choice([case for case in recurrence.definitions if case.quantity != "L"])
    over = [domain for _, domain in case.letters]
    fits = [letter for letter in sorted(free(statement.left)[0]) if over and recurrence.contains(over[0], letter[1])]
    k = draw.choice(fits) if fits else (fresh("k"), *over)
    steps = draw.choice((1, 2, 3, 4))
    target = ref(case.quantity, (k,) if over else (), later(now, -steps))
    found = definition(recurrence, target)
    if found is None:
        return None
    extra = add(target, neg(found[1]))
    for _ in range(draw.choice((0, 1, 1, 2))):
        extra = mul(gone(statement, state(statement, draw, later(now, -draw.randint(0, steps)))), extra)
    return with_term(statement, draw, summed(k, extra) if over and not fits else extra)


def put_in_early(statement: Statement, draw: Random) -> Statement | None:
    """A state of an earlier time replaced by its definition."""
    side = statement.right
    early = [(path, node) for path, node in spots(side) if node[0] == "ref" and node[3] and node[3][0] < 0
             and statement.recurrence.quantities[node[1]].role == "state"]  # fmt: skip
    if not early or statement.form != "equation":
        return None

    def replaced(node: tuple) -> tuple | None:
        found = definition(statement.recurrence, node)
        return found and found[1]

    chosen = draw.choice(early)[1]
    return somewhere(statement, draw, lambda node: node == chosen, replaced)


AT_FIRST: dict[str, Slip] = {
    "reach: vanishing": vanishing, "reach: clock": counted, "reach: one time": at_one_time, "reach: window": window,
    "reach: late sum": late_sum, "reach: empty range": empty_range, "reach: too early": too_early,
    "reach: put in early": put_in_early,
}  # fmt: skip
SLIPS = IN_ONE_PLACE | AT_FIRST
