"""True equations written otherwise: each rewriting changes the form of a formula and not its value."""

from collections.abc import Callable
from random import Random

from fuzzing.calculus import definition, split
from fuzzing.language import LENGTH, Formula, add, fresh, mul, num, same, summed, tsummed, when
from fuzzing.recurrences import Recurrence
from fuzzing.statements import Statement

Change = Callable[[tuple, Recurrence, Random], "tuple | None"]


def distributed(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """A product with a bracket multiplied out."""
    brackets = [part for part in node[1:] if part[0] == "add"] if node[0] == "mul" else []
    if not brackets:
        return None
    rest = list(node[1:])
    rest.remove(brackets[0])
    return add(*(mul(*rest, term).renamed() for term in brackets[0][1:]))


def relettered(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """Bound letters with other names."""
    return node.renamed() if node[0] in ("sum", "tsum", "prod") else None


def in_parts(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """A sum over all units as one over each part."""
    return split(recurrence, node) if node[0] == "sum" and node[1][1] in recurrence.unions else None


def shifted(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """A sum or product over times with other limits, and its letter moved."""
    if node[0] not in ("tsum", "prod"):
        return None
    steps = draw.choice((-2, -1, 1, 2))
    body = node[4].exchanged({}, {node[1]: when(node[1], steps)})
    return Formula(*node[:2], node[2] - steps, node[3] - steps, body)


def last_apart(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """The last or the first term of a sum over the whole sequence apart."""
    if node[0] != "tsum" or node[2] != when(None, 1) or node[3] not in (when(LENGTH), when("t")):
        return None
    _, letter, first, last, body = node
    if draw.random() < 0.5:
        end = body.renamed().exchanged({}, {letter: last})
        return tsummed(letter, first, last - 1, body) + end
    return body.renamed().exchanged({}, {letter: first}) + tsummed(letter, first + 1, last, body)


def factor_in(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """A factor before a sum put into it."""
    sums = [part for part in node[1:] if part[0] in ("sum", "tsum")] if node[0] == "mul" else []
    if not sums:
        return None
    rest = list(node[1:])
    rest.remove(sums[0])
    return Formula(*sums[0][:-1], mul(*rest, sums[0][-1]))


def picked_out(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """An element as a sum over a Kronecker delta."""
    if node[0] != "ref" or not node[2] or recurrence.quantities[node[1]].domains[0] != "U":
        return None
    k = (fresh("k"), "U")
    return summed(k, same(k, node[2][0]) * Formula(*node[:2], (k, *node[2][1:]), node[3]))


def definition_in(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """A state of the present replaced by its definition."""
    if node[0] != "ref" or node[3] != when("t") or recurrence.quantities[node[1]].role != "state":
        return None
    found = definition(recurrence, node)
    return found and found[1]


def squared_out(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """A power as a product of powers."""
    if node[0] != "pow" or not isinstance(node[2], int) or node[2] < 2:
        return None
    return node[1].renamed() * node[1] ** (node[2] - 1)


def added_and_taken(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """A multiple of a term added and taken off again."""
    if node[0] not in ("ref", "fun"):
        return None
    number = num(draw.choice((2, 3)))
    return number * node - num(number[1] - 1) * node


def as_power(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """A product over lags of one and the same factor as a power."""
    if node[0] != "prod" or node[2:4] != (when(None, 1), when("q")) or node[1] in node[4].free()[1]:
        return None
    return Formula("pow", node[4], when("q"))


def familiar(node: tuple, recurrence: Recurrence, draw: Random) -> tuple | None:
    """A bound letter with a name that stands for something else outside: of a unit, or the present."""
    if node[0] == "sum":
        letter = (draw.choice(("i", "p")), node[1][1])
        return None if letter in node[2].free()[0] else Formula("sum", letter, node[2].exchanged({node[1]: letter}, {}))
    if node[0] in ("tsum", "prod") and "t" not in node[4].free()[1]:
        return Formula(node[0], "t", *node[2:4], node[4].exchanged({}, {node[1]: when("t")}))
    return None


REWRITINGS: tuple[Change, ...] = (
    distributed, relettered, in_parts, shifted, last_apart, factor_in, picked_out, definition_in, squared_out,
    added_and_taken, as_power,
)  # fmt: skip


def rewritten(statement: Statement, draw: Random) -> Statement:
    """The statement with up to three rewritings on its right side; derivative symbols are left whole."""
    if statement.form == "equation" and "t" in statement.left.free()[1] and draw.random() < 0.15:
        steps = {"t": when("t", draw.choice((1, 2)))}  # what holds at t holds later, too
        left, right = (side.exchanged({}, steps) for side in (statement.left, statement.right))
        statement = statement._replace(left=left, right=right)
    last = (familiar,) if draw.random() < 0.3 else ()  # at the end, since other changes could capture such a letter
    for change in (*draw.sample(REWRITINGS, draw.choice((0, 1, 2, 3))), *last):
        found = [(path, node) for path, node in statement.right.spots() if not inside_a_symbol(statement.right, path)]
        for path, node in draw.sample(found, len(found)):
            new = change(node, statement.recurrence, draw)
            if new is not None:
                statement = statement._replace(right=statement.right.put_at(path, new))
                break
    return statement


def inside_a_symbol(formula: tuple, path: tuple[int, ...]) -> bool:
    """Whether a way leads into a derivative symbol."""
    for place in path:
        if formula[0] in ("d", "partial"):
            return True
        formula = formula[place]
    return False
