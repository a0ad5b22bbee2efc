"""Mutants of a formula: what a slip of the pen would have made of it.

Each mutant changes one thing in one place. A check is only worth something if it rejects them. One walk over the tree
of a formula serves two tables of slips, keyed by the class of a node: `mutants` takes formulas of a system, where an
index, a time or a limit may be mistaken for another; `slips` takes SymPy formulas of any kind, relations and logic
included. Both change signs, terms and factors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from sympy import Add, Equality, Expr, Ge, Gt, Integer, Le, Lt, Mul, Not, Pow, Rational, S, Unequality
from sympy.core.basic import Basic
from sympy.core.relational import Relational

from throughtime.derivation.formulas.domains import Domain, Index
from throughtime.derivation.formulas.nodes import Applied, Bound, Delta, DerivativeSymbol, Paths, Ref, Total, Truncated
from throughtime.derivation.formulas.rewrite import free, substitute
from throughtime.derivation.printing.printer import to_text

KINDS = ("sign", "index", "time", "factor", "term", "slope", "exponent", "limit")
REVERSED = {Lt: Gt, Gt: Lt, Le: Ge, Ge: Le}
STRICTNESS = {Lt: Le, Le: Lt, Gt: Ge, Ge: Gt}


@dataclass(frozen=True)
class Mutant:
    """One mutant: the kind of slip, what was changed into what, and the resulting formula."""

    kind: str
    change: str
    expr: Basic

    def __str__(self) -> str:
        return f"{self.kind}: {self.change}"


Letters = frozenset[Basic]
Slip = tuple[str, str, Basic]  # as the fields of a mutant, of one node
# By class: the slips at a node, and the arguments to go on with, None for all of them.
Table = Mapping[type, tuple[Callable[[Basic, Letters], Iterable[Slip]], Iterable[int] | None]]


def mutants(expr: Expr, scope: Expr | None = None) -> list[Mutant]:
    """All single slips in a formula of a system, each once; the free indices of `scope` may be mistaken for others."""
    if expr.is_zero:  # nothing in it to mistake: what may be wrong is that there is nothing
        return [Mutant("term", f"{number} instead of 0", Integer(number)) for number in (1, -1)]
    letters = frozenset(free(expr) | (free(scope) if scope is not None else set()))
    return _distinct([("sign", f"-({to_text(expr)})", -expr), *_slips(expr, letters, OF_SYSTEMS)], but=(expr,))


def slips(formula: Basic, strictness: bool = False) -> list[Mutant]:
    """All single slips in a SymPy formula, each once.

    A sign, a term, a factor, a constant off by one, a relation turned round or (with `strictness`) made strict or
    not, a negation lost, a truncated derivative taken for a total one.

    >>> from sympy import Symbol
    >>> from throughtime.derivation import slips
    >>> z = Symbol("z")
    >>> print(*(slip.expr for slip in slips(z**2 + 1)), sep=", ")
    z**2 - 1, z**2, 1 - z**2, 1, z**2 + 2, z**3 + 1, z + 1
    """
    table = {**PLAIN, **dict.fromkeys(STRICTNESS, (_turned_or_strict, None))} if strictness else PLAIN
    return _distinct(_slips(formula, frozenset(), table), but=(formula, S.true, S.false))


def _slips(node: Basic, letters: Letters, table: Table) -> Iterator[Slip]:
    """The slips at a node, then those in its arguments; a formula that cannot be put together again is left out."""
    rule, places = next((table[kind] for kind in type(node).__mro__ if kind in table), (lambda *_: (), None))
    yield from rule(node, letters)
    known = letters.union(getattr(node, "letters", ()))  # those that the node binds
    for place in range(len(node.args)) if places is None else places:
        for kind, change, new in _slips(node.args[place], known, table):
            with suppress(TypeError, ValueError):
                yield kind, change, _with(node, place, new)


def _with(node: Basic, place: int, new: Basic) -> Basic:
    """The formula with another argument in one place."""
    args = [*node.args[:place], new, *node.args[place + 1 :]]
    return node.func(*args, evaluate=False) if isinstance(node, Relational) else node.func(*args)


def _distinct(found: Iterable[Slip], but: Iterable[Basic]) -> list[Mutant]:
    """The first mutant for each formula, without those that make one of `but`, or divide by 0."""
    made: dict[Basic, Mutant] = {}
    for kind, change, expr in found:
        if expr not in but and not expr.has(S.ComplexInfinity, S.NaN):
            made.setdefault(expr, Mutant(kind, change, expr))
    return list(made.values())


# ---- the slips at one node


def _terms(expr: Add, letters: Letters) -> Iterator[Slip]:
    for place, term in enumerate(expr.args):
        rest = Add(*expr.args[:place], *expr.args[place + 1 :])
        yield "sign", f"+({to_text(term)}) to -", rest - term
        yield "term", f"{to_text(term)} lost", rest


def _factors(expr: Mul, letters: Letters) -> Iterator[Slip]:
    for place, factor in enumerate(expr.args):
        if factor != -1:
            yield "factor", f"{to_text(factor)} lost", Mul(*expr.args[:place], *expr.args[place + 1 :])


def _activation(expr: Applied, letters: Letters) -> Iterator[Slip]:
    yield "slope", f"{to_text(expr)} differentiated once more", expr.derivative()
    yield from _other_letters(expr, 3, expr.function.domains, letters)


def _power(expr: Pow, letters: Letters) -> Iterator[Slip]:
    for steps in (1, -1) if expr.exp.is_Integer else (1,):
        changed = expr.base ** (expr.exp + steps)
        yield "exponent", f"{to_text(expr.exp)} to {to_text(expr.exp + steps)}", changed


def _derivative(expr: DerivativeSymbol, letters: Letters) -> Iterator[Slip]:
    for kind, change, target in _slips(expr.target, letters, OF_SYSTEMS):
        if kind in ("index", "time"):
            yield kind, change, expr.of(target)
    for kind, change, wrt in _reference(expr.wrt, letters):
        yield kind, f"below d: {change}", expr.of(expr.target, wrt)


def _paths(expr: Paths, letters: Letters) -> Iterator[Slip]:
    yield "index", "both ends of the paths swapped", expr.func(*expr.args[:4], expr.end, expr.start, expr.steps)
    yield "time", "one link more", expr.func(*expr.args[:6], expr.steps + 1)


def _range(expr: Bound, letters: Letters) -> Iterator[Slip]:
    """A time range that starts or ends a step off, a sum over one part of a union only."""
    for place, limit in enumerate(expr.limits, 2):
        for steps in (-1, 1):
            yield "limit", f"limit {to_text(limit)} to {to_text(limit + steps)}", _with(expr, place, limit + steps)
    for part in () if expr.limits else expr.index.domain.parts:
        letter = expr.index.within(part)
        body = substitute(expr.body, {expr.index: letter})
        yield "limit", f"sum over {expr.index} in {part.name} only", expr.func(body, letter)


def _reference(ref: Ref, letters: Letters) -> Iterator[Slip]:
    """Another index of a fitting domain, two indices swapped, a step earlier or later."""
    domains = ref.quantity.domains
    yield from _other_letters(ref, 1, domains, letters)
    swapped = ref.indices[::-1]
    fits = (isinstance(i, Index) and over.contains(i.domain) for i, over in zip(swapped, domains, strict=True))
    if len(swapped) == 2 and swapped[0] != swapped[1] and all(fits):
        yield "index", f"{to_text(ref)} transposed", Ref(ref.quantity, *swapped, *ref.args[3:])
    if ref.time is not None:
        for steps in (-1, 1):
            yield "time", f"{to_text(ref)} {'later' if steps > 0 else 'earlier'}", ref.at(ref.time + steps)


def _other_letters(expr: Expr, first: int, domains: Iterable[Domain | None], letters: Letters) -> Iterator[Slip]:
    """Another letter of a fitting domain in one of the places of a formula, counted from `first`."""
    known = sorted((i for i in letters if isinstance(i, Index)), key=lambda i: (i.name, i.domain.name))
    for place, over in enumerate(domains, first):
        index = expr.args[place]
        for other in known:
            if other != index and over is not None and over.contains(other.domain):
                yield "index", f"{to_text(expr)}: {index} to {other}", _with(expr, place, other)


def _signed_factors(expr: Mul, letters: Letters) -> Iterator[Slip]:
    yield "sign", f"sign of {expr}", -expr
    yield from _factors(expr, letters)


def _turned(relation: Relational, letters: Letters) -> Iterator[Slip]:
    yield "relation", f"{relation} turned round", REVERSED[type(relation)](*relation.args, evaluate=False)


def _turned_or_strict(relation: Relational, letters: Letters) -> Iterator[Slip]:
    yield from _turned(relation, letters)
    yield "relation", f"{relation} strictness", STRICTNESS[type(relation)](*relation.args, evaluate=False)


OF_SYSTEMS: Table = {
    Add: (_terms, None),
    Mul: (_factors, None),
    Pow: (_power, (0,)),
    Applied: (_activation, None),
    Delta: (lambda node, known: _other_letters(node, 0, [getattr(i, "domain", None) for i in node.args], known), None),
    Ref: (_reference, ()),
    DerivativeSymbol: (_derivative, ()),
    Paths: (_paths, (0,)),
    Bound: (_range, (0,)),
}
PLAIN: Table = {
    Add: (_terms, None),
    Mul: (_signed_factors, None),
    Rational: (lambda node, _: [("constant", f"{node} to {node + n}", node + n) for n in (1, -1)], None),
    **dict.fromkeys(REVERSED, (_turned, None)),
    Unequality: (lambda node, _: [("relation", f"{node} negated", Equality(*node.args, evaluate=False))], None),
    Not: (lambda node, _: [("relation", f"negation of {node.args[0]} lost", node.args[0])], None),
    Truncated: (lambda node, _: [("cut", f"{to_text(node)} with nothing cut", Total(*node.args[:2]))], None),
}
