"""Falsehoods made of true equations: slips in one place. Each slip gives a statement that may be false, or None."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

from fuzzing.language import LENGTH, Formula, add, mul, num, ref, when
from fuzzing.statements import Statement

Slip = Callable[[Statement, Random], "Statement | None"]


def somewhere(
    statement: Statement,
    draw: Random,
    wanted: Callable[[tuple], bool],
    change: Callable[[tuple], tuple | None],
    sides: bool = False,
) -> Statement | None:
    """The statement with one formula on its right side changed; with `sides` at times one on its left side."""
    side = "left" if sides and statement.form == "equation" and draw.random() < 0.3 else "right"
    whole = getattr(statement, side)
    found = [(path, node) for path, node in whole.spots() if wanted(node)]
    if not found:
        return None
    path, node = draw.choice(found)
    new = change(node)
    return None if new is None else statement._replace(**{side: whole.put_at(path, new)})


def kind(*names: str) -> Callable[[tuple], bool]:
    """Whether a formula is of one of some kinds."""
    return lambda node: node[0] in names


def limit(statement: Statement, draw: Random) -> Statement | None:
    """A sum or product over times that starts or ends at another time."""

    def changed(node: tuple) -> tuple:
        place = draw.choice((2, 3))
        other = draw.choice([node[place] + 1, node[place] - 1, node[place] + 2, when(LENGTH),
                             *(when(letter) for letter in statement.left.free()[1])])  # fmt: skip
        return Formula(*node[:place], other, *node[place + 1 :])

    return somewhere(statement, draw, kind("tsum", "prod"), changed)


def size(statement: Statement, draw: Random) -> Statement | None:
    """The number of units taken for the number of time steps, at times one that goes by the same name."""
    dimensions = statement.recurrence.dimensions()
    if not dimensions:
        return None
    name = draw.choice(dimensions)

    def changed(node: tuple) -> tuple:
        return Formula(*node[:3], when(f"#{name}", node[3][0]), node[4])

    found = somewhere(statement, draw, lambda node: node[0] == "tsum" and node[3][1] == ((LENGTH, 1),), changed)
    if found and draw.random() < 0.5:
        names = {**found.recurrence.names, name: "T"}
        return found._replace(recurrence=found.recurrence._replace(names=names))
    return found


def number(statement: Statement, draw: Random) -> Statement | None:
    """Another number, or a factor where none was."""
    others = [Fraction(1, 2), Fraction(2), Fraction(1, 3), Fraction(3, 2)]
    found = somewhere(
        statement, draw, kind("num"), lambda node: num(draw.choice([node[1] + 1, node[1] - 1, 1 / (node[1] or 1)]))
    )
    if found and draw.random() < 0.6:
        return found
    return somewhere(statement, draw, kind("ref", "fun", "d", "sum"), lambda node: num(draw.choice(others)) * node)


def denominator(statement: Statement, draw: Random) -> Statement | None:
    """A factor below a fraction bar, or one fraction too many."""
    top = [
        node
        for node in statement.recurrence.definitions[0].right.nodes()
        if node[0] == "ref" and not node[2] and not node[3]
    ]
    over = draw.choice([*top, num(2)])
    return draw.choice([
        lambda: somewhere(statement, draw, kind("ref", "fun"), lambda node: node ** -1),
        lambda: somewhere(statement, draw, kind("mul", "d"), lambda node: node * over ** -1),
        lambda: somewhere(statement, draw, kind("mul"), lambda node: mul(*node[1:-1], node[-1] ** -1)),
    ])()  # fmt: skip


def exponent(statement: Statement, draw: Random) -> Statement | None:
    """A power one higher or lower, or one where none was."""
    if draw.random() < 0.5:
        return somewhere(statement, draw, kind("ref", "fun", "d", "partial"), lambda node: node ** draw.choice((2, 3)))
    return somewhere(
        statement, draw, lambda node: node[0] == "pow" and isinstance(node[2], int),
        lambda node: node[1] ** (node[2] + draw.choice((1, -1))),
    )  # fmt: skip


def boundary(statement: Statement, draw: Random) -> Statement | None:
    """The first or last time in place of another, or one step beside it."""

    def fixed(time: tuple) -> bool:
        return all(letter[0] == "#" for letter, _ in time[1])

    def changed(node: tuple) -> tuple:
        near = [node[3] + 1, node[3] - 1] if fixed(node[3]) else []
        return Formula(*node[:3], draw.choice([*near, when(None, 1), when(LENGTH), when(None, 0)]))

    return somewhere(statement, draw, lambda node: node[0] == "ref" and node[3] is not None, changed, sides=True)


def lag(statement: Statement, draw: Random) -> Statement | None:
    """A quantity read one or two steps earlier or later."""
    return somewhere(
        statement, draw, lambda node: node[0] == "ref" and node[3] is not None,
        lambda node: Formula(*node[:3], node[3] + draw.choice((1, -1, -1, 2, -2))), sides=True,
    )  # fmt: skip


def letters_of(statement: Statement) -> list[tuple]:
    """All index letters of a statement."""
    found = {index for node in statement.nodes() for index in
             (node[2] if node[0] == "ref" else node[1:] if node[0] == "same" else ())}  # fmt: skip
    return sorted(found)


def index(statement: Statement, draw: Random) -> Statement | None:
    """Another letter in the place of an index, or two indices swapped."""
    known = [letter for letter in letters_of(statement) if letter in statement.left.free()[0]]
    if not known:
        return None

    def changed(node: tuple) -> tuple:
        if node[0] == "same":
            return Formula("same", node[1], draw.choice(known))
        if node[0] == "fun":
            return Formula(*node[:4], (draw.choice(known),))
        if len(node[2]) == 2 and draw.random() < 0.5:
            return Formula(*node[:2], node[2][::-1], node[3])
        place = draw.randrange(len(node[2]))
        return Formula(*node[:2], (*node[2][:place], draw.choice(known), *node[2][place + 1 :]), node[3])

    return somewhere(
        statement,
        draw,
        lambda node: node[0] == "same" or bool(node[0] == "ref" and node[2]) or bool(node[0] == "fun" and node[4]),
        changed,
        sides=True,
    )


def domain(statement: Statement, draw: Random) -> Statement | None:
    """A sum over another domain: one part in place of all, or the other part."""
    parts = [*statement.recurrence.leaves, *statement.recurrence.unions]

    def changed(node: tuple) -> tuple:
        letter = (node[1][0], draw.choice([part for part in parts if part != node[1][1]]))
        return Formula("sum", letter, node[2].exchanged({node[1]: letter}, {}))

    return somewhere(statement, draw, kind("sum"), changed)


def widened(statement: Statement, draw: Random) -> Statement | None:
    """What is true of the units of one part, said of those of the other, or of all."""
    narrow = [letter for letter in letters_of(statement) if letter[1] in ("A", "B") and statement.recurrence.unions]
    if not narrow:
        return None
    old = draw.choice(narrow)
    new = (old[0], draw.choice([over for over in ("U", "A", "B") if over != old[1]]))
    return statement._replace(
        **{side: getattr(statement, side).exchanged({old: new}, {}) for side in ("left", "right")}
    )


def term(statement: Statement, draw: Random) -> Statement | None:
    """A term lost."""

    def changed(node: tuple) -> tuple:
        place = draw.randrange(1, len(node))
        return add(*node[1:place], *node[place + 1 :])

    return somewhere(statement, draw, kind("add"), changed)


def factor(statement: Statement, draw: Random) -> Statement | None:
    """A factor lost."""

    def changed(node: tuple) -> tuple:
        place = draw.randrange(1, len(node))
        return mul(*node[1:place], *node[place + 1 :])

    return somewhere(statement, draw, kind("mul"), changed)


def sign(statement: Statement, draw: Random) -> Statement | None:
    """Another sign."""
    return somewhere(statement, draw, lambda node: node[0] not in ("same", "when"), lambda node: -node)


def prime(statement: Statement, draw: Random) -> Statement | None:
    """Another order of the derivative of a function, another function, the slope of one special function."""
    functions = statement.recurrence.functions

    def changed(node: tuple) -> tuple | None:
        _, name, order, argument, indices = node
        others = [other for other, domains in functions.items() if other != name and domains == functions[name]]
        value = Formula(*node[:2], 0, argument, indices)
        found = [Formula(*node[:2], order + 1, argument, indices)]
        found += [Formula(*node[:2], order - 1, argument, indices), value * (1 - value)] if order else []
        found += [Formula("fun", draw.choice(others), order, argument, indices)] if others else []
        return draw.choice(found)

    return somewhere(statement, draw, kind("fun"), changed)


def truncation(statement: Statement, draw: Random) -> Statement | None:
    """A truncated derivative taken for a total one, or the other way; a cut of another lag, or of one part only."""
    read = statement.recurrence.reads()

    def other(cuts: tuple) -> tuple:
        found = [(*cuts, draw.choice(read))]
        if cuts:
            name, over, steps, into = cuts[0]
            found += [cuts[1:], cuts[:-1], ((name, over, steps + 1, into), *cuts[1:])]
            found += [((name, part, steps, into), *cuts[1:]) for part in statement.recurrence.unions.get(over, ())] * 2
            found += [((name, "U", steps, into), *cuts[1:])] * (over is not None)
        return tuple(dict.fromkeys(draw.choice(found)))

    every = {node[3] for node in statement.nodes() if node[0] == "d"}
    if draw.random() < 0.5 and len(every) == 1:
        cuts = other(next(iter(every)))

        def rule(node: tuple) -> tuple | None:
            return Formula(*node[:3], cuts) if node[0] == "d" else None

        return statement._replace(left=statement.left.mapped(rule), right=statement.right.mapped(rule))
    return somewhere(statement, draw, kind("d"), lambda node: Formula(*node[:3], other(node[3])), sides=True)


def derivative(statement: Statement, draw: Random) -> Statement | None:
    """An immediate derivative for a total one or the other way, another target, another denominator."""
    quantities = statement.recurrence.quantities

    def like(item: tuple) -> tuple:
        one = quantities[item[1]]
        names = [
            name
            for name, other in quantities.items()
            if name != item[1] and (other.role, other.domains) == (one.role, one.domains)
        ]
        return Formula(*item[:1], draw.choice(names), *item[2:]) if names else item

    def changed(node: tuple) -> tuple:
        found = [Formula(node[0], like(node[1]), *node[2:]), Formula(*node[:2], like(node[2]), *node[3:])]
        if node[1] != ref("L"):
            found.append(Formula("partial", *node[1:3]) if node[0] == "d" else Formula("d", *node[1:3], ()))
        return draw.choice(found)

    return somewhere(statement, draw, kind("d", "partial"), changed, sides=True)


def undefined(statement: Statement, draw: Random) -> Statement | None:
    """A quantity that the recurrence does not have, in all places of one that it has."""
    states = sorted({node[1] for node in statement.nodes() if statement.recurrence.is_state(node)})
    if not states:
        return None
    name = draw.choice(states)

    def moved(formula: tuple) -> tuple:
        return formula.mapped(lambda node: Formula("ref", f"{name}?", *node[2:]) if node[:2] == ("ref", name) else None)

    if draw.random() < 0.5:  # an equation of little but such a quantity
        item = next(node for node in statement.nodes() if node[:2] == ("ref", name))
        left, right = draw.choice([(moved(item), moved(item)), (Formula("d", moved(item), item, ()), num(0))])
        return statement._replace(left=left, right=right, form="equation")
    return statement._replace(left=moved(statement.left), right=moved(statement.right))


def earlier(statement: Statement, draw: Random) -> Statement | None:
    """A true equation said of a time one to four steps earlier, where it may reach back before the start."""
    if "t" not in statement.left.free()[1] or statement.form != "equation":
        return None
    to = {"t": when("t", -draw.choice((1, 1, 2, 3, 4)))}
    return statement._replace(left=statement.left.exchanged({}, to), right=statement.right.renamed().exchanged({}, to))


def transposed_times(statement: Statement, draw: Random) -> Statement | None:
    """The time of a sum taken for the present, or the other way."""

    def changed(node: tuple) -> tuple:
        at = when(node[1])
        refs = ((path, item) for path, item in node[4].spots() if item[0] == "ref" and item[3])
        inner = [(path, item) for path, item in refs if (item[3] - at)[1] == ()]
        if not inner:
            return -node
        path, item = draw.choice(inner)
        other = when("t" if "t" in statement.left.free()[1] else LENGTH, item[3][0])
        return Formula(*node[:4], node[4].put_at(path, Formula(*item[:3], other)))

    return somewhere(statement, draw, kind("tsum", "prod"), changed)


IN_ONE_PLACE: dict[str, Slip] = {
    "limit": limit, "size": size, "number": number, "denominator": denominator, "exponent": exponent,
    "boundary time": boundary, "lag": lag, "index": index, "domain": domain, "widened": widened, "term": term,
    "factor": factor, "sign": sign, "prime": prime, "truncation": truncation, "derivative": derivative,
    "undefined": undefined, "earlier": earlier, "time of a sum": transposed_times,
}  # fmt: skip
