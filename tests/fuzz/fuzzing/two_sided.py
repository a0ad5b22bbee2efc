"""True equations that are written otherwise on both sides: limits, splits, shifts, and what stands at the ends."""

from fuzzing.calculus import adjoint, definition, differential, gradient
from fuzzing.language import LENGTH, ZERO, Formula, add, fresh, mul, ref, simultaneous, tsummed, when
from fuzzing.statements import Draw, Pair

LOSS, NOW, END, FIRST = ref("L"), when(), when(LENGTH), when(None, 1)


def at(formula: tuple, time: tuple, letter: str = "t") -> tuple:
    """A formula at another time, its bound letters with new names."""
    return formula.renamed().exchanged({}, {letter: time})


def summand(draw: Draw) -> tuple:
    """Something that has a time: a state, its square, a state times a weight, a derivative, all of time t."""
    state, weight = draw.state(), draw.weight()
    return draw.draw.choice([state, state ** 2, weight * state, Formula("d", state, weight, ()),
                             Formula("clock", NOW) * state])  # fmt: skip


def defined_on_a_range(draw: Draw) -> Pair:
    """A sum or a product over times of a state, and of what its definition says, at s + n or some steps back from t."""
    target = draw.state()
    found = definition(draw.recurrence, target)
    if found is None:
        return None
    s, first, last = fresh("s"), draw.draw.choice((1, 2, 3, 4)), draw.draw.choice((NOW, END))
    if draw.draw.random() < 0.5:
        time, upper = when(s, draw.draw.choice((1 - first, 0, 0, 1))), last - draw.draw.choice((0, 0, 1, 2))
    else:
        time, upper = last - when(s), last - draw.draw.choice((1, 1, 2, 3))
    kind = draw.draw.choice(("tsum", "tsum", "prod"))
    return tuple(Formula(kind, s, when(None, first), upper, at(side, time)) for side in (target, found[1]))


def with_a_factor(draw: Draw) -> Pair:
    """A state and its definition some steps back, times what is 0 at all times but one, or at the first ones."""
    steps, letter = draw.draw.choice((1, 2, 3)), draw.draw.choice((NOW, END))
    target = draw.state()
    found = definition(draw.recurrence, target)
    number = steps + draw.draw.choice((1, 2, 3))
    late = mul(*(Formula("clock", letter - step) for step in range(1, steps + 1)))
    factor = draw.draw.choice((simultaneous(letter, when(None, number)), late))
    return found and tuple(factor * at(side, letter - steps) for side in (target, found[1]))


def cut_in_two(draw: Draw) -> Pair:
    """A sum or product over times, and its two parts, cut at the present, or near the first time or the last one."""
    s, body, last = fresh("s"), summand(draw), draw.draw.choice((END, NOW))
    first = when(None, draw.draw.choice((1, 1, 2)) if last == END else 1)
    places = [NOW, first, first + 1] if last == END else [first]  # none of them after the last time
    middle = draw.draw.choice(places + [last - 1] * (first == FIRST))
    kind = draw.draw.choice(("tsum", "tsum", "prod"))
    whole, *parts = (Formula(kind, s, *limits, at(body, when(s)))
                     for limits in ((first, last), (first, middle), (middle + 1, last)))  # fmt: skip
    return whole, (add if kind == "tsum" else mul)(*(part.renamed() for part in parts))


def turned_round(draw: Draw) -> Pair:
    """A sum or product over times, and the same from its last term to its first, or with another letter."""
    s, r, body = fresh("s"), fresh("r"), summand(draw)
    first, last = (when(None, draw.draw.choice((1, 1, 2))), draw.draw.choice((END, NOW)) - draw.draw.choice((0, 1)))
    kind, steps = draw.draw.choice(("tsum", "tsum", "prod")), draw.draw.choice((-2, -1, 1, 2))
    turned = Formula(kind, r, first, last, at(body, first + last - when(r)))
    from_zero = Formula(kind, r, when(None, 0), last - first, at(body, last - when(r)))
    shifted = Formula(kind, r, first + steps, last + steps, at(body, when(r, -steps)))
    return Formula(kind, s, first, last, at(body, when(s))), draw.draw.choice((turned, from_zero, shifted))


def telescoped(draw: Draw) -> Pair:
    """The sum of all changes is the last value less the first one."""
    s, state = fresh("s"), draw.state()
    last = draw.draw.choice((END, NOW))
    body = draw.draw.choice([state, state**2, draw.weight() * state])
    first = when(None, draw.draw.choice((1, 2)))
    begin = at(body, first - 1).mapped(lambda node: draw.recurrence.start(*node[1:3])
                   if node[0] == "ref" and node[3] == when(None, 0) else None)  # fmt: skip
    change = at(body, when(s)) - at(body, when(s, -1))
    return tsummed(s, first, last, change), at(body, last) - begin


def by_parts(draw: Draw) -> Pair:
    """Summation by parts."""
    s, one, other = fresh("s"), draw.state(), draw.weight()
    over = draw.draw.choice((END, NOW))
    second = other * draw.state()
    left = tsummed(s, when(None, 2), over, at(one, when(s)) * (at(second, when(s)) - at(second, when(s, -1))))
    rest = tsummed(s, FIRST, over - 1, at(second, when(s)) * (at(one, when(s, 1)) - at(one, when(s))))
    return left, at(one, over) * at(second, over) - at(one, FIRST) * at(second, FIRST) - rest


def exchanged_sums(draw: Draw) -> Pair:
    """A double sum over r <= s, its inner sum over the earlier or over the later time."""
    s, r, last = fresh("s"), fresh("r"), draw.draw.choice((END, NOW))
    body = at(summand(draw), when(r)) * at(draw.state(), when(s))
    inner = tsummed(s, FIRST, last, tsummed(r, FIRST, when(s), body))
    return inner, tsummed(r, FIRST, last, tsummed(s, when(r), last, body)).renamed()


def of_the_loss(draw: Draw, wrt: tuple) -> tuple:
    """The differential of the loss in derivatives of the states forwards in time."""
    body = draw.recurrence.cases("L")[0].right.renamed()
    return differential(body, lambda item: Formula("d", item, wrt, ()) if draw.recurrence.is_state(item) else ZERO)


def gradient_forwards(draw: Draw) -> Pair:
    """Real-time recurrent learning is back-propagation through time: both gradients written out."""
    weight = draw.weight()
    if weight[1] in draw.recurrence.initial.values():
        return None
    return of_the_loss(draw, weight), gradient(draw.recurrence, weight)


def from_later_states(draw: Draw) -> Pair:
    """The adjoint of a state is the sum over all later states of the loss's own slope by them."""
    node = draw.state()
    from_now = of_the_loss(draw, node).mapped(
        lambda part: Formula(*part[:2], NOW, *part[3:]) if part[0] == "tsum" else None
    )
    return Formula("d", LOSS, node, ()), from_now


def written_to_the_end(draw: Draw) -> Pair:
    """The adjoint one step before the last time, in which that of the last time is written out."""
    steps, node = draw.draw.choice((1, 1, 2)), draw.state()
    target = at(node, END - steps)
    right = Formula("d", LOSS, target, ())
    for _ in range(4 * (steps + 1)):

        def rule(part: tuple) -> tuple | None:
            if part[0] != "d" or part[1] != LOSS:
                return None
            if part[2][3][0] > 0:
                return ZERO
            generic = adjoint(draw.recurrence, Formula(*part[2][:3], NOW))
            return generic and at(generic, part[2][3])

        right = right.mapped(rule)
        if sum(1 for _ in right.nodes()) > 200:
            return None
    return Formula("d", LOSS, target, ()), right


TWO_SIDED = {
    "two-sided: range": (defined_on_a_range, 2), "two-sided: factor": (with_a_factor, 1),
    "two-sided: parts": (cut_in_two, 2), "two-sided: turned": (turned_round, 2),
    "two-sided: telescoped": (telescoped, 1), "two-sided: by parts": (by_parts, 1),
    "two-sided: exchanged": (exchanged_sums, 1), "two-sided: forwards": (gradient_forwards, 1),
    "two-sided: later states": (from_later_states, 1), "two-sided: to the end": (written_to_the_end, 1),
}  # fmt: skip
