"""The chain rule on plain formulas: one step of a definition, adjoints, gradients, sums over Kronecker deltas."""

from collections.abc import Callable

from fuzzing.language import LENGTH, ONE, ZERO, Formula, add, fresh, mul, ref, same, simultaneous, summed, tsummed, when
from fuzzing.recurrences import Definition, Recurrence

Leaf = Callable[[tuple], tuple]


def differential(formula: tuple, leaf: Leaf) -> tuple:
    """The differential of a formula, `leaf(reference)` being that of each quantity."""
    kind = formula[0]
    if kind == "ref":
        return leaf(formula)
    if kind == "add":
        return add(*(differential(part, leaf) for part in formula[1:]))
    if kind == "mul":
        parts = formula[1:]
        return add(*(mul(*parts[:n], differential(part, leaf), *parts[n + 1 :]) for n, part in enumerate(parts)))
    if kind == "pow":
        return formula[2] * formula[1] ** (formula[2] - 1) * differential(formula[1], leaf)
    if kind == "fun":
        slope = Formula("fun", formula[1], formula[2] + 1, *formula[3:])
        return slope * differential(formula[3], leaf)
    if kind == "sum":
        return summed(formula[1], differential(formula[2], leaf))
    if kind == "tsum":
        return tsummed(*formula[1:4], differential(formula[4], leaf))
    return ZERO


def element(one: tuple, two: tuple) -> tuple:
    """Kronecker deltas: 1 where two references denote one element."""
    if one[1] != two[1]:
        return ZERO
    deltas = [same(a, b) for a, b in zip(one[2], two[2], strict=True)]
    return mul(*deltas, simultaneous(one[3], two[3]) if one[3] else ONE)


def definition(recurrence: Recurrence, target: tuple) -> tuple[Definition, tuple] | None:
    """The case that defines an element, and its right side there; None if its index may lie in several cases."""
    _, name, indices, time = target
    for case in recurrence.cases(name):
        pairs = list(zip(case.letters, indices, strict=True))
        if all(recurrence.contains(mine[1], other[1]) for mine, other in pairs):
            return case, case.right.renamed().exchanged(dict(pairs), {"t": time} if time else {})
    return None


def is_cut(recurrence: Recurrence, cuts: tuple, item: tuple, lag: int, into: str) -> bool | None:
    """Whether a reference read `lag` steps later by `into` is held constant; None if for some elements only."""
    for name, over, steps, reader in cuts:
        if (item[1], lag, into) == (name, steps, reader):
            if over is None or recurrence.contains(over, item[2][0][1]):
                return True
            if set(recurrence.parts(over)) & set(recurrence.parts(item[2][0][1])):
                return None
    return False


def behind(target: tuple, item: tuple) -> int:
    """By how many steps a reference is read later."""
    return (target[3] - item[3])[0] if target[3] and item[3] else 0


def forward(recurrence: Recurrence, target: tuple, wrt: tuple, cuts: tuple = ()) -> tuple | None:
    """One step of the recursion forwards: d(target)/d(wrt) by the definition of the target, in earlier derivatives.

    None where no one case defines the target, or where a cut holds a part of a sum only.
    """
    found = definition(recurrence, target)
    if found is None:
        return None
    partly = []

    def leaf(item: tuple) -> tuple:
        role = recurrence.quantities[item[1]].role
        if role == "input":
            return ZERO
        if role == "parameter":
            return element(item, wrt)
        held = is_cut(recurrence, cuts, item, behind(target, item), target[1])
        partly.append(held is None)
        return ZERO if held else derived(recurrence, item, wrt, cuts)

    result = contracted(recurrence, differential(found[1], leaf))
    return None if any(partly) else result


def derived(recurrence: Recurrence, item: tuple, wrt: tuple, cuts: tuple) -> tuple:
    """The derivative symbol of a state, or what is known of it: 0 by a later node, Kronecker deltas by itself."""
    if wrt[3] and item[3]:
        gap = item[3] - wrt[3]
        if not gap[1] and gap[0] < 0:
            return ZERO
        if not gap[1] and gap[0] == 0 and item[1] == wrt[1]:
            return element(item, wrt)
    return Formula("d", item, wrt, cuts)


def unfolded(recurrence: Recurrence, formula: tuple, chosen: Callable[[tuple], bool]) -> tuple:
    """The formula with one step of the recursion put in for each chosen derivative symbol that has one."""

    def rule(node: tuple) -> tuple | None:
        if node[0] != "d":
            return None
        known = derived(recurrence, *node[1:])
        if known != node or not chosen(node):
            return known
        return forward(recurrence, *node[1:]) or node

    return contracted(recurrence, parted(recurrence, formula, chosen).mapped(rule))


def parted(recurrence: Recurrence, formula: tuple, chosen: Callable[[tuple], bool]) -> tuple:
    """The formula with sums over a union split where a derivative to be unfolded is defined by cases."""

    def rule(node: tuple) -> tuple | None:
        if node[0] != "sum" or node[1][1] not in recurrence.unions:
            return None
        if any(
            item[0] == "d" and chosen(item) and node[1] in item[1][2] and definition(recurrence, item[1]) is None
            for item in node[2].nodes()
        ):
            return split(recurrence, node)
        return None

    return formula.mapped(rule)


def split(recurrence: Recurrence, node: tuple) -> tuple:
    """A sum over a union as a sum for each part."""
    terms = []
    for part in recurrence.parts(node[1][1]):
        letter = (fresh(node[1][0]), part)
        terms.append(summed(letter, node[2].renamed().exchanged({node[1]: letter}, {})))
    return add(*terms)


def immediate(recurrence: Recurrence, target: tuple, wrt: tuple) -> tuple | None:
    """The derivative of the definition of the target by one of its arguments."""
    found = definition(recurrence, target)
    return found and contracted(recurrence, differential(found[1], lambda item: element(item, wrt)))


def adjoint(recurrence: Recurrence, node: tuple, cuts: tuple = (), explicit: bool = True) -> tuple | None:
    """d(L)/d(node) through everything that reads the node; with `explicit` the immediate derivatives worked out."""
    loss, terms = ref("L"), []
    for case in recurrence.definitions:
        lags = {}
        for item in case.right.nodes():
            if item[0] == "ref" and item[1] == node[1]:
                timed = recurrence.quantities[case.quantity].timed
                lag = -item[3][0] if timed else 0
                held = is_cut(recurrence, cuts, item, lag, case.quantity)
                if held is None:
                    return None
                if not held:
                    lags[lag] = timed
        for lag, timed in lags.items():
            letters = tuple((fresh(name), domain) for name, domain in case.letters)
            reader = ref(case.quantity, letters, node[3] + when(None, lag) if timed else None)
            slope = immediate(recurrence, reader, node) if explicit else Formula("partial", reader, node)
            term = slope if reader == loss else slope * Formula("d", loss, reader, cuts)
            for letter in letters:
                term = summed(letter, term)
            terms.append(contracted(recurrence, term))
    return add(*terms)


def gradient(recurrence: Recurrence, weight: tuple) -> tuple:
    """d(L)/d(weight): the sum over all times and definitions of adjoint times immediate derivative."""
    loss, terms = ref("L"), []
    for case in recurrence.definitions:
        if recurrence.quantities[case.quantity].timed:
            s = fresh("s")
            letters = tuple((fresh(name), domain) for name, domain in case.letters)
            reader = ref(case.quantity, letters, when(s))
            term = Formula("d", loss, reader, ()) * immediate(recurrence, reader, weight)
            for letter in letters:
                term = summed(letter, term)
            terms.append(tsummed(s, when(None, 1), when(LENGTH), contracted(recurrence, term)))
    return add(*terms)


# ---- sums over Kronecker deltas


def contracted(recurrence: Recurrence, formula: tuple) -> tuple:
    """Every sum over a Kronecker delta carried out where the delta picks an element of the sum for sure."""

    def rule(node: tuple) -> tuple | None:
        if node[0] not in ("sum", "tsum"):
            return None
        return _summed_out(recurrence, node, contracted(recurrence, node[-1]))

    return formula.mapped(rule)


def _summed_out(recurrence: Recurrence, node: tuple, body: tuple) -> tuple:
    if body[0] == "add":
        return add(*(_summed_out(recurrence, node, term.renamed()) for term in body[1:]))
    if body == ZERO:
        return ZERO
    factors = body[1:] if body[0] == "mul" else (body,)
    for place, factor in enumerate(factors):
        rest = mul(*factors[:place], *factors[place + 1 :])
        if factor[0] == "add" and any(
            item[0] in ("same", "when") and node[1] in _ends(item) for item in factor.nodes()
        ):
            return _summed_out(recurrence, node, add(*((rest * term).renamed() for term in factor[1:])))
        if (
            factor[0] == "sum"
            and node[0] == "sum"
            and any(item[0] == "same" and node[1] in item[1:] for item in factor.nodes())
        ):
            return _summed_out(recurrence, factor, _summed_out(recurrence, node, rest * factor[2]))
        if factor[0] in ("same", "when") and node[1] in _ends(factor):
            return _picked(recurrence, node, factor, rest) or put_back(node, body)
    return put_back(node, body)


def _ends(delta: tuple) -> tuple:
    """The letters that a delta compares, times that are letters among them."""
    if delta[0] == "same":
        return delta[1:]
    return tuple(time[1][0][0] for time in delta[1:] if time[0] == 0 and len(time[1]) == 1 and time[1][0][1] == 1)


def _picked(recurrence: Recurrence, node: tuple, delta: tuple, rest: tuple) -> tuple | None:
    """What a delta leaves of a sum; None if the element that it picks may lie outside."""
    if node[0] == "sum":
        other = delta[2] if delta[1] == node[1] else delta[1]
        if recurrence.contains(node[1][1], other[1]):
            return rest.exchanged({node[1]: other}, {})
        return None if recurrence.contains(other[1], node[1][1]) else ZERO
    other = delta[2] if delta[1] == when(node[1]) else delta[1]
    if other == when("t") and node[2:4] == (when(None, 1), when(LENGTH)):
        return rest.exchanged({}, {node[1]: other})
    return None


def put_back(node: tuple, body: tuple) -> tuple:
    """The sum with another body, factors without its letter in front."""
    factors = body[1:] if body[0] == "mul" else (body,)
    known = (lambda part: node[1] in part.free()[0]) if node[0] == "sum" else (lambda part: node[1] in part.free()[1])
    inside = [part for part in factors if known(part)]
    if not inside and node[0] == "sum":
        return Formula(*node[:-1], body)
    outside = [part for part in factors if not known(part)] if node[0] == "sum" else []
    return mul(*outside, Formula(*node[:-1], mul(*inside) if node[0] == "sum" else body))
