"""Equations that are true by construction: the chain rule applied to a recurrence, sums and products rewritten."""

from collections.abc import Callable
from random import Random

from fuzzing.calculus import adjoint, behind, contracted, definition, forward, gradient, immediate, is_cut, unfolded
from fuzzing.language import LENGTH, ZERO, Formula, add, fresh, mul, num, ref, same, summed, tsummed, when
from fuzzing.recurrences import Recurrence
from fuzzing.statements import Draw, Pair, Statement
from fuzzing.two_sided import TWO_SIDED, of_the_loss

LOSS, NOW = ref("L"), when()


def defined(draw: Draw) -> Pair:
    """A state is what its definition says."""
    target = draw.state()
    found = definition(draw.recurrence, target)
    return found and (target, found[1])


def slope(draw: Draw) -> Pair:
    """The immediate derivative of a definition by one of its arguments."""
    target = draw.state()
    found = definition(draw.recurrence, target)
    if found is None:
        return None
    item = draw.draw.choice([node for node in found[1].nodes() if node[0] == "ref"])
    letters = tuple((f"p{n or ''}", draw.draw.choice((over, *draw.recurrence.parts(over))))
                    for n, (_, over) in enumerate(item[2]))  # fmt: skip
    wrt = ref(item[1], letters, item[3])
    if draw.recurrence.quantities[item[1]].role == "input":
        return None
    right = immediate(draw.recurrence, target, wrt)
    return right and (Formula("partial", target, wrt), right)


def one_step(draw: Draw, cuts: tuple = ()) -> Pair:
    """One step of the recursion forwards."""
    target, wrt = draw.state(), draw.wrt()
    right = forward(draw.recurrence, target, wrt, cuts)
    return right and (Formula("d", target, wrt, cuts), right)


def this_time(draw: Draw, cuts: tuple = ()) -> Pair:
    """The recursion forwards, until no derivative of the present is left but the one that it is for."""
    target, wrt = draw.state(), draw.wrt()
    right = forward(draw.recurrence, target, wrt, cuts)
    if right is None:
        return None
    for _ in range(3):
        right = unfolded(draw.recurrence, right, lambda node: node[1][0] == "ref" and node[1][3] == NOW)
    return Formula("d", target, wrt, cuts), right


def several_steps(draw: Draw, cuts: tuple = ()) -> Pair:
    """The recursion over one or two steps more, written for a later time so that every step lies in the sequence."""
    pair = this_time(draw, cuts)
    if pair is None:
        return None
    left, right = pair
    steps = draw.draw.choice((1, 1, 2))
    for _ in range(3 * steps):
        right = unfolded(draw.recurrence, right, lambda node: node[1][3][0] > -steps)
    if sum(1 for _ in right.nodes()) > 150:
        return None
    shift = {"t": when("t", steps)}
    return left.exchanged({}, shift), right.exchanged({}, shift)


def by_a_node(draw: Draw, cuts: tuple = ()) -> Pair:
    """The derivative by a state one or two steps back, all of it unfolded."""
    target = draw.state()
    name = draw.draw.choice(draw.recurrence.named("state"))
    wrt = ref(name, draw.letters(name, "p"), when("t", -draw.draw.choice((1, 1, 2))))
    right: tuple = Formula("d", target, wrt, cuts)
    for _ in range(6):
        right = unfolded(draw.recurrence, right, lambda node: node[1][3][0] >= wrt[3][0])
    return (Formula("d", target, wrt, cuts), right) if sum(1 for _ in right.nodes()) < 150 else None


def in_symbols(draw: Draw, cuts: tuple = ()) -> Pair:
    """The chain rule with immediate derivatives as symbols."""
    target, wrt = draw.state(), draw.weight()
    found = definition(draw.recurrence, target)
    if found is None:
        return None
    terms = {ZERO: None}
    if any(node[0] == "ref" and node[1] == wrt[1] for node in found[1].nodes()):
        terms[Formula("partial", target, wrt)] = None
    read = {}
    for item in found[1].nodes():
        if draw.recurrence.is_state(item):
            held = is_cut(draw.recurrence, cuts, item, behind(target, item), target[1])
            if held is None:
                return None
            if not held:
                read[item[1], item[3]] = (*read.get((item[1], item[3]), ()), item[2])
    for (name, time), places in read.items():
        over = draw.recurrence.quantities[name].domains
        letters = (
            places[0]
            if len(set(places)) == 1 and set(places[0]) <= set(target[2])
            else tuple((fresh("k"), one) for one in over)
        )
        if len(places) > 1 and not set(letters) <= set(target[2]) and cuts:
            return None
        item = ref(name, letters, time)
        term = Formula("partial", target, item) * Formula("d", item, wrt, cuts)
        for letter in letters:
            term = summed(letter, term) if letter not in target[2] else term
        terms[term] = None
    return Formula("d", target, wrt, cuts), add(*terms)


def backwards(draw: Draw, cuts: tuple = ()) -> Pair:
    """The adjoint recursion."""
    node = draw.state()
    right = adjoint(draw.recurrence, node, cuts, explicit=draw.draw.random() < 0.8)
    return right and (Formula("d", LOSS, node, cuts), right)


def gradients(draw: Draw) -> Pair:
    """The gradient of the loss: backwards, or forwards."""
    weight = draw.weight()
    by_adjoints = draw.draw.random() < 0.6 and weight[1] not in draw.recurrence.initial.values()
    right = gradient(draw.recurrence, weight) if by_adjoints else of_the_loss(draw, weight)
    return Formula("d", LOSS, weight, ()), right


def at_the_end(draw: Draw) -> Pair:
    """The adjoint at the last time, by which nothing later is reached."""
    pair = backwards(draw)
    if pair is None:
        return None
    terms = pair[1][1:] if pair[1][0] == "add" else (pair[1],)

    def after(term: tuple) -> bool:
        return any(item[0] == "d" and item[2][3] and item[2][3][0] > 0 for item in term.nodes())

    to_end = {"t": when(LENGTH)}
    right = add(*(term.renamed().exchanged({}, to_end) for term in terms if not after(term)))
    return pair[0].exchanged({}, to_end), right


def first_time(draw: Draw) -> Pair:
    """The recursion at time 1, where all before is constant."""
    pair = this_time(draw)
    if pair is None or pair[0][2][3] or pair[0][2][1] in draw.recurrence.initial.values():
        return None

    def at_start(formula: tuple) -> tuple:
        return formula.renamed().exchanged({}, {"t": when(None, 1)})

    known = pair[1].mapped(lambda node: ZERO if node[0] == "d" and node[1][3][0] < 0 else None)
    return at_start(pair[0]), at_start(known)


def started(draw: Draw) -> Pair:
    """A state at time 1 or 2: its definition, with the initial values put in."""
    target = draw.state()
    found = definition(draw.recurrence, target)
    if found is None:
        return None
    first = {"t": when(None, draw.draw.choice((1, 1, 2)))}

    def known(node: tuple) -> tuple | None:
        if node[0] != "ref" or not node[3] or node[3][0] > 0 or draw.recurrence.quantities[node[1]].role != "state":
            return None
        return draw.recurrence.start(*node[1:3])

    return target.exchanged({}, first), found[1].exchanged({}, first).mapped(known)


def near_the_end(draw: Draw) -> Pair:
    """The adjoint recursion some steps before the last time."""
    pair = backwards(draw)
    before = {"t": when(LENGTH, -draw.draw.choice((1, 2, 3)))}
    return pair and tuple(side.exchanged({}, before) for side in pair)


def independent(draw: Draw) -> Pair:
    """What does not reach a state has the derivative 0: a later node, or a unit that no path leads to."""
    target, wrt = draw.state(), draw.weight()
    if draw.draw.random() < 0.5:
        name = draw.draw.choice(["a", "h"]) if "a" in draw.recurrence.quantities else "h"
        wrt = ref(name, draw.letters(name, "p"), when("t", draw.draw.choice((1, 2))))
        return Formula("d", target, wrt, ()), ZERO
    every_read = [node for case in draw.recurrence.definitions for node in case.right.nodes() if node[0] == "sum"]
    if any(draw.recurrence.quantities[item[1]].role == "state" for node in every_read[:-1] for item in node.nodes()
           if item[0] == "ref" and node[1] in item[2]) or not target[2] or not wrt[2]:  # fmt: skip
        return None
    moved = ref(wrt[1], (target[2][0], *wrt[2][1:]))
    return Formula("d", target, wrt, ()), same(target[2][0], wrt[2][0]) * Formula("d", target, moved, ())


def over_times(draw: Draw) -> Pair:
    """A sum of states over times, and the same with its first or last term apart, in two parts, or shifted."""
    s, body = fresh("s"), draw.state(draw.draw.choice((0, 0, 1, 2)))
    weight = draw.weight()
    body = draw.draw.choice([body, body ** 2, body * Formula("clock", NOW), weight * body,
                             Formula("d", body, weight, ())])  # fmt: skip
    body = body.exchanged({}, {"t": when(s)})
    last = draw.draw.choice((when(LENGTH), NOW))

    def part(lower: tuple, upper: tuple) -> tuple:
        letter = fresh("s")
        return tsummed(letter, lower, upper, body.renamed().exchanged({}, {s: when(letter)}))

    def at(time: tuple) -> tuple:
        return body.renamed().exchanged({}, {s: time})

    one = when(None, 1)
    right = draw.draw.choice([
        part(one, last - 1) + at(last),
        at(one) + part(one + 1, last),
        part(one, NOW - 1) + at(NOW) if last == NOW else part(one, NOW) + part(NOW + 1, last),
        part(one - 1, last - 1).exchanged({}, {}),
    ])  # fmt: skip
    if right[0] == "tsum":
        right = Formula(*right[:4], right[4].exchanged({}, {right[1]: when(right[1], 1)}))
    return part(one, last), right


def over_lags(draw: Draw) -> Pair:
    """A product over the lags 1..q, and the same with its first or last factor apart."""
    m, q = fresh("m"), when("q")
    factor = draw.state() + num(draw.draw.choice((0, 1)))
    body = factor.exchanged({}, {"t": NOW - when("m0")})

    def part(lower: tuple, upper: tuple, step: int = 0) -> tuple:
        return Formula("prod", m, lower, upper, body.exchanged({}, {"m0": when(m, step)}))

    def at(time: tuple) -> tuple:
        return body.exchanged({}, {"m0": time})

    one = when(None, 1)
    return part(one, q + 1), draw.draw.choice([
        part(one, q) * at(q + 1), at(one) * part(one, q, 1), part(when(None, 0), q, 1),
    ])  # fmt: skip


def chain(draw: Draw) -> Pair:
    """The derivative by the same state q steps back, in a recurrence of one way: the product of its slopes."""
    if len(draw.recurrence.cases("h")) > 1:
        return None
    h, p = ref("h", draw.letters("h", "i"), NOW), ref("h", draw.letters("h", "p"), when("t", -1))
    link: tuple = Formula("d", h, p, ())
    states = [case for case in draw.recurrence.definitions if case.quantity != "L"]
    read = [item for case in states for item in case.right.nodes() if item[0] == "ref"]
    reads = {-item[3][0] for item in read if draw.recurrence.is_state(item)}
    if reads - {0, 1}:
        return None
    for _ in range(4):
        link = unfolded(draw.recurrence, link, lambda node: node[1][3][0] >= -1)
    deltas = [part for part in (link[1:] if link[0] == "mul" else (link,)) if part[0] == "same"]
    if h[2] and link[0] == "add":
        deltas = [same(h[2][0], p[2][0])] if all(same(h[2][0], p[2][0]) in term.nodes() for term in link[1:]) else []
        deltas = deltas or (
            [same(p[2][0], h[2][0])] if all(same(p[2][0], h[2][0]) in term.nodes() for term in link[1:]) else []
        )
    if h[2] and not deltas:
        return None
    m = fresh("m")
    if h[2]:
        link = contracted(draw.recurrence, summed(p[2][0], link))
    body = link.renamed().exchanged({}, {"t": when("t", 1) - when(m)})
    right = Formula("prod", m, when(None, 1), when("q"), body)
    left = Formula("d", h, Formula(*p[:3], NOW - when("q")), ())
    return left, mul(*(same(h[2][0], p[2][0]) for _ in h[2]), right)


Builder = Callable[..., Pair]
BUILDERS: dict[str, tuple[Builder, int]] = {
    "definition": (defined, 1), "immediate": (slope, 3), "one step": (one_step, 3), "this time": (this_time, 4),
    "several steps": (several_steps, 2), "by a node": (by_a_node, 2), "in symbols": (in_symbols, 2),
    "backwards": (backwards, 3), "gradient": (gradients, 3), "at the end": (at_the_end, 1),
    "near the end": (near_the_end, 1), "start": (started, 1), "first time": (first_time, 1),
    "independent": (independent, 1), "over times": (over_times, 2),
    "over lags": (over_lags, 1), "chain": (chain, 3), **TWO_SIDED,
}  # fmt: skip
TRUNCATED = ("one step", "this time", "several steps", "by a node", "in symbols", "backwards")


def equation(recurrence: Recurrence, draw: Random) -> Statement | None:
    """A random equation of a recurrence; None where the kind drawn does not apply to it."""
    kind = draw.choices(list(BUILDERS), [weight for _, weight in BUILDERS.values()])[0]
    tools = Draw(recurrence, draw)
    cut = kind in TRUNCATED and draw.random() < 0.3
    cuts = (tools.cuts(),) if cut else ()
    pair = BUILDERS[kind][0](tools, *cuts)
    if pair is None:
        return None
    form = draw.choice(("induction", "lemma")) if kind == "chain" else "equation"
    return Statement(recurrence, f"{kind}, truncated" if cut else kind, *pair, form)
