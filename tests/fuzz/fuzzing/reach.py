"""Falsehoods that are true at first: a term that vanishes until some step, is there at one time, or at an edge."""

from random import Random

from fuzzing.calculus import definition
from fuzzing.language import LENGTH, ONE, Formula, Time, fresh, mul, ref, simultaneous, summed, tsummed, when
from fuzzing.slips import IN_ONE_PLACE, Slip, somewhere
from fuzzing.statements import Statement


def clock(statement: Statement) -> str:
    """The letter that counts the steps of a statement."""
    times = statement.left.free()[1]
    return "q" if "q" in times else "t" if "t" in times else LENGTH


def state(statement: Statement, draw: Random, time: tuple) -> tuple:
    """An element of a state at a time: of a free index where one fits, else summed over all units."""
    recurrence = statement.recurrence
    name = draw.choice(recurrence.named("state"))
    over = recurrence.quantities[name].domains
    fits = [letter for letter in sorted(statement.left.free()[0]) if over and recurrence.contains(over[0], letter[1])]
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
        for node in statement.left.nodes()
        if node[0] == "ref" and node[3] and node.free()[1] - {"t", "q"} == set()
    }
    moving = sorted({Time(0, time.letters) for time in read if time.letters})
    return draw.choice(moving) if moving else when(LENGTH)


def gone(statement: Statement, item: tuple) -> tuple:
    """A state less its initial value, so that it vanishes before the start."""
    read = next(node for node in item.nodes() if node[0] == "ref")
    start = -statement.recurrence.start(*read[1:3])
    return Formula("sum", item[1], item[2] + start) if item[0] == "sum" else item + start


def with_term(statement: Statement, draw: Random, extra: tuple) -> Statement:
    """A term added to the right side, or a factor 1 + term multiplied to a part of it."""
    if draw.random() < 0.5 and statement.form == "equation":
        return statement._replace(right=statement.right + draw.choice((extra, -extra)))
    found = somewhere(statement, draw, lambda node: node[0] in ("mul", "ref", "fun", "prod"),
                      lambda node: node * (1 + extra.renamed()))  # fmt: skip
    return found or statement._replace(right=statement.right + extra)


def vanishing(statement: Statement, draw: Random) -> Statement:
    """A term with a state of some steps back, which vanishes until then."""
    steps = draw.choice((1, 2, 3, 4, 5))
    extra = gone(statement, state(statement, draw, present(statement, draw) - steps))
    if draw.random() < 0.4:
        extra = extra * state(statement, draw, present(statement, draw) - draw.choice((0, 1, steps)))
    return with_term(statement, draw, extra)


def counted(statement: Statement, draw: Random) -> Statement:
    """A term with the factor (t - 1)(t - 2) ..., which vanishes at the first steps."""
    letter, most = clock(statement), draw.choice((1, 2, 3, 4))
    factors = [Formula("clock", when(letter, -step)) for step in range(letter != "q", most + (letter != "q"))]
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
        statement, draw, lambda node: node[0] in ("mul", "ref", "fun", "d"), lambda node: node * inside
    ) or (statement._replace(right=statement.right * inside))


def late_sum(statement: Statement, draw: Random) -> Statement:
    """A sum over times that is empty until some step."""
    s, last = fresh("s"), present(statement, draw)
    body = draw.choice([ONE, state(statement, draw, when(s))])
    extra = draw.choice([tsummed(s, when(None, draw.choice((2, 3, 4, 5))), last, body),
                         tsummed(s, when(None, 1), last - draw.choice((1, 2, 3, 4)), body)])  # fmt: skip
    return with_term(statement, draw, extra)


def empty_range(statement: Statement, draw: Random) -> Statement:
    """The last term taken off a sum or a product that may be empty."""
    s, steps, first = fresh("s"), draw.choice((0, 1, 2, 3)), when(None, draw.choice((1, 2)))
    letter = clock(statement)
    last = when(letter, -steps)
    body = 1 + state(statement, draw, present(statement, draw)) if draw.random() < 0.5 else Formula("clock", when(s, 7))
    at_last = body.renamed().exchanged({}, {s: last})
    if draw.random() < 0.5:
        whole, less = tsummed(s, first, last, body), tsummed(s, first, last - 1, body)
        return with_term(statement, draw, whole - less - at_last)
    whole, less = Formula("prod", s, first, last, body), Formula("prod", s, first, last - 1, body)
    return with_term(statement, draw, whole - less * at_last)


def gap(statement: Statement, draw: Random, time: tuple) -> tuple[tuple, tuple] | None:
    """A state less its definition, which is 0 from time 1 on, and the state; its index may have to be summed."""
    recurrence = statement.recurrence
    case = draw.choice([case for case in recurrence.definitions if case.quantity != "L"])
    over = [domain for _, domain in case.letters]
    fits = [letter for letter in sorted(statement.left.free()[0]) if over and recurrence.contains(over[0], letter[1])]
    k = draw.choice(fits) if fits else (fresh("k"), *over)
    target = ref(case.quantity, (k,) if over else (), time)
    found = definition(recurrence, target)
    return found and (target - found[1], target)


def closed(statement: Statement, formula: tuple) -> tuple:
    """The sum over an index that the left side does not have."""
    for k in sorted(formula.free()[0] - statement.left.free()[0]):
        formula = summed(k, formula)
    return formula


def too_early(statement: Statement, draw: Random) -> Statement | None:
    """A definition put in at a time before the start, alone or with factors that vanish before it."""
    now, steps = present(statement, draw), draw.choice((1, 2, 3, 4))
    found = gap(statement, draw, now - steps)
    if found is None:
        return None
    extra = found[0]
    for _ in range(draw.choice((0, 1, 1, 2))):
        extra = gone(statement, state(statement, draw, now - draw.randint(0, steps))) * extra
    return with_term(statement, draw, closed(statement, extra))


def compound(statement: Statement, draw: Random) -> Statement | None:
    """A definition put in at t - r or T - r, where this may be no time: at one r, or at late ones."""
    if statement.form != "equation":
        return None
    now, r = present(statement, draw), fresh("r")
    found = gap(statement, draw, now - when(r))
    number = draw.choice((1, 4, 5, 6))
    late = mul(*(Formula("clock", when(r, -step)) for step in range(1, number)))
    return found and with_term(
        statement, draw, draw.choice((simultaneous(when(r), when(None, number)), late)) * closed(statement, found[0])
    )


def late_range(statement: Statement, draw: Random) -> Statement | None:
    """Such a definition in a sum, or a product, that is empty until some step."""
    now, s, steps = present(statement, draw), fresh("s"), draw.choice((3, 4, 5))
    forward = draw.random() < 0.5
    found = gap(statement, draw, when(s, -1) if forward else now - when(s))
    if found is None:
        return None
    first, last = (when(None, 1), now - steps) if forward else (when(None, steps), now)
    if draw.random() < 0.5:
        return with_term(statement, draw, tsummed(s, first, last, closed(statement, found[0])))
    sides = [Formula("prod", s, first, last, closed(statement, side)) for side in (found[1], found[1] - found[0])]
    return with_term(statement, draw, sides[0] - sides[1].renamed())


def factored(statement: Statement, draw: Random) -> Statement | None:
    """A sum of such definitions that is wrong at all times, times (t - 1)(t - 2) ..."""
    letter, s = clock(statement), fresh("s")
    found = gap(statement, draw, when(s, -1))
    if found is None or letter == "q":
        return None
    factors = [Formula("clock", when(letter, -step)) for step in range(1, draw.choice((4, 5, 6)))]
    return with_term(
        statement, draw, mul(*factors, tsummed(s, when(None, 1), when(letter), closed(statement, found[0])))
    )


def sized(statement: Statement, draw: Random) -> Statement | None:
    """A definition put in too early, for some sizes alone: where two differ, where one is a certain number."""
    sizes = [when(f"#{name}") for name in statement.recurrence.dimensions()]
    found = gap(statement, draw, present(statement, draw) - 1)
    if found is None or not sizes:
        return None
    one, other = draw.choice(sizes), draw.choice(sizes)
    number = draw.choice((1, 3))
    factors = [simultaneous(one, when(None, number)), mul(*(Formula("clock", one - size) for size in (1, 2)))]
    if one != other:
        unequal = Formula("clock", one - other)
        factors += [unequal, unequal, 1 - simultaneous(one, other)]
        factors.append(Formula("clock", one) ** -1 - Formula("clock", other) ** -1)
    return with_term(statement, draw, draw.choice(factors) * closed(statement, found[0]))


def put_in_early(statement: Statement, draw: Random) -> Statement | None:
    """A state of an earlier time replaced by its definition."""
    early = [node for node in statement.right.nodes() if statement.recurrence.is_state(node) and node[3][0] < 0]
    if not early or statement.form != "equation":
        return None

    def replaced(node: tuple) -> tuple | None:
        found = definition(statement.recurrence, node)
        return found and found[1]

    chosen = draw.choice(early)
    return somewhere(statement, draw, lambda node: node == chosen, replaced)


AT_FIRST: dict[str, Slip] = {
    "reach: vanishing": vanishing, "reach: clock": counted, "reach: one time": at_one_time, "reach: window": window,
    "reach: late sum": late_sum, "reach: empty range": empty_range, "reach: too early": too_early,
    "reach: put in early": put_in_early, "reach: compound time": compound, "reach: late range": late_range,
    "reach: factors": factored, "reach: sizes": sized,
}  # fmt: skip
SLIPS = IN_ONE_PLACE | AT_FIRST
