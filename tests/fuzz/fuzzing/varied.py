"""Recurrences with masks, and falsehoods that most masks, or most sizes and lengths, do not tell from truths."""

from itertools import product
from random import Random

from fuzzing.language import LENGTH, ONE, Formula, add, fresh, mul, num, ref, when
from fuzzing.reach import AT_FIRST, closed, gap, present, state, with_term
from fuzzing.recurrences import Quantity, Recurrence, recurrence
from fuzzing.slips import IN_ONE_PLACE, Slip, somewhere
from fuzzing.statements import Statement

END = when(LENGTH)
Factor = tuple[tuple, ...]  # the terms of a sum


def mask(time: tuple) -> tuple:
    return ref("mask", (), time)


def masked(draw: Random) -> Recurrence:
    """A recurrence whose state is held where a mask is 0, whose loss counts it where the mask is 1, or both."""
    found, which = recurrence(draw), draw.choice(("held", "counted", "both"))

    def changed(name: str, letters: tuple, right: tuple) -> tuple:
        if name == "h" and which != "counted":
            here = mask(when())
            return here * right + (1 - here) * ref("h", letters, when("t", -1))
        if name == "L" and which != "held":
            return Formula(*right[:4], mask(when(right[1])) * right[4])
        return right

    cases = tuple(case._replace(right=changed(*case)) for case in found.definitions)
    quantities = {**found.quantities, "mask": Quantity("input", mask=True)}
    return found._replace(definitions=cases, quantities=quantities)


def of_units(draw: Random) -> Recurrence:
    """A recurrence that has dimensions, and is tried with larger ones, too."""
    while not (found := recurrence(draw)).leaves:
        pass
    return found._replace(large=True)


def multiplied_out(factors: list[Factor], last: tuple, *more: tuple) -> tuple:
    """The product of some sums and of a last factor as a sum of products, none of which is 0, with more summands."""
    parts = [*product(*factors), *((one,) for one in more)]
    return add(*(mul(*part, last.renamed()) for part in parts))


def early(statement: Statement, draw: Random, most: int = 3) -> tuple | None:
    """A state less its definition some steps back, which is 0 but where this is no time."""
    found = gap(statement, draw, present(statement, draw) - draw.randint(1, most))
    return found and closed(statement, found[0])


def factors_of_masks(statement: Statement, draw: Random) -> Statement | None:
    """A term that is there where the mask is 0 at two times in a row, at the last one, at a certain one, or twice."""
    now, number = present(statement, draw), draw.choice((2, 3, 4))
    zero = lambda time: (ONE, -mask(time))  # noqa: E731
    one = draw.choice(([zero(now), zero(now - 1)], [zero(END)], [zero(END - 1), zero(END)],
                       [zero(when(None, number))], [zero(now), zero(now - 2)]))  # fmt: skip
    other = draw.choice((early(statement, draw), state(statement, draw, now)))
    return other and with_term(statement, draw, multiplied_out(one, other))


def all_masks(statement: Statement, draw: Random) -> Statement | None:
    """A term that is there where the mask is 0, or 1, at all times; or where it is 0 at several."""
    s, r, now = fresh("s"), fresh("r"), present(statement, draw)
    last = draw.choice((END, now))
    zeros = lambda letter: Formula("tsum", letter, when(None, 1), last, 1 - mask(when(letter)))  # noqa: E731
    every = Formula("prod", s, when(None, 1), last, draw.choice((mask(when(s)), 1 - mask(when(s)))))
    several = zeros(s) * (zeros(r) + num(-1))
    return with_term(statement, draw, draw.choice((every, several)) * state(statement, draw, now))


def mask_lost(statement: Statement, draw: Random) -> Statement | None:
    """A mask left out, turned round, or read at another time."""
    time = draw.choice((END, when(None, 1), END - 1))
    change = draw.choice((lambda node: ONE, lambda node: 1 - node, lambda node: mask(time)))
    return somewhere(statement, draw, lambda node: node[:2] == ("ref", "mask"), change)


def polynomial(statement: Statement, draw: Random) -> Statement | None:
    """A polynomial of sizes and length that is 0 for many of them, multiplied out, times what is 0 but at first."""
    names, other = [f"#{name}" for name in statement.recurrence.dimensions()], early(statement, draw, 1)
    if other is None or statement.form != "equation":
        return None
    size = lambda name: Formula("clock", when(name))  # noqa: E731
    roots = [(draw.choice(names), number) for number in draw.sample((1, 2, 3), draw.choice((1, 2)))]
    factors: list[Factor] = [(size(name), num(-number)) for name, number in roots]
    if len(names) > 1:
        factors.append((size(names[0]), -size(names[1])))
    factors += [(size(LENGTH), num(-number)) for number in draw.sample(range(3, 8), draw.choice((0, 1, 2)))]
    late = [num(-1), Formula("clock", present(statement, draw))] if present(statement, draw)[1] != END[1] else []
    return with_term(statement, draw, multiplied_out(factors, other, *late))


OF_MASKS: dict[str, Slip] = {
    "masks: factors": factors_of_masks, "masks: all": all_masks, "masks: lost": mask_lost,
    **{name: IN_ONE_PLACE[name] for name in ("factor", "lag", "boundary time", "term")},
}  # fmt: skip
OF_SIZES: dict[str, Slip] = {
    "sizes: polynomial": polynomial,
    "reach: sizes": AT_FIRST["reach: sizes"],
    "limit": IN_ONE_PLACE["limit"],
    "domain": IN_ONE_PLACE["domain"],
}
