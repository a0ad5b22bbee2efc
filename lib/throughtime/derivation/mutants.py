"""Wrong neighbours of an equation: what a slip of the pen would have made of it.

Each mutant changes one thing in one place of the right side: a sign, an index, a time, a factor, a term, an exponent,
a limit of a sum or product, or the order of an activation's derivative. A check is only worth something if it rejects
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Mul, Pow
from sympy.core.basic import Basic

from .domains import Domain, Index
from .errors import DomainError, IndexClashError
from .nodes import Applied, Bound, Delta, DerivativeSymbol, Paths, Product, Ref, Sigma, rebuild
from .printing import to_text
from .rewrite import free, substitute

KINDS = ("sign", "index", "time", "factor", "term", "slope", "exponent", "limit")


@dataclass(frozen=True)
class Mutant:
    """One wrong neighbour: the kind of slip, what was changed into what, and the resulting formula."""

    kind: str
    change: str
    expr: Basic

    def __str__(self) -> str:
        return f"{self.kind}: {self.change}"


def mutants(expr: Expr, scope: Expr | None = None) -> list[Mutant]:
    """All single slips in `expr`, each once; the free indices of `scope` may be mistaken for others."""
    visible = free(expr) | (free(scope) if scope is not None else set())
    return distinct(_slips(expr, frozenset(visible)), but=(expr,))


def distinct(made: Iterable[Mutant], but: Iterable[Basic]) -> list[Mutant]:
    """The first mutant for each formula, without those that make one of `but`."""
    found: dict[Basic, Mutant] = {}
    for mutant in made:
        if mutant.expr not in but:
            found.setdefault(mutant.expr, mutant)
    return list(found.values())


def _slips(expr: Expr, visible: frozenset) -> Iterator[Mutant]:
    if expr.is_zero:  # nothing in it to mistake: what may be wrong is that there is nothing
        yield from (Mutant("term", f"{number} instead of 0", Integer(number)) for number in (1, -1))
        return
    yield Mutant("sign", f"-({to_text(expr)})", -expr)
    yield from _inside(expr, visible)


def _inside(expr: Expr, visible: frozenset) -> Iterator[Mutant]:
    """Slips below the top: those of the node itself, then those of each of its parts."""
    if isinstance(expr, Add):
        for place, term in enumerate(expr.args):
            rest = Add(*expr.args[:place], *expr.args[place + 1 :])
            yield Mutant("sign", f"+({to_text(term)}) to -", rest - term)
            yield Mutant("term", f"{to_text(term)} lost", rest)
    elif isinstance(expr, Mul):
        for place, factor in enumerate(expr.args):
            if factor != -1:
                yield Mutant("factor", f"{to_text(factor)} lost", Mul(*expr.args[:place], *expr.args[place + 1 :]))
    elif isinstance(expr, Applied):
        yield Mutant("slope", f"{to_text(expr)} differentiated once more", expr.derivative())
        yield from _letters(expr, 3, expr.function.domains, visible)
    elif isinstance(expr, Delta):
        yield from _letters(expr, 0, [getattr(arg, "domain", None) for arg in expr.args], visible)
    elif isinstance(expr, Ref):
        yield from _references(expr, visible)
        return
    elif isinstance(expr, Pow):
        for steps in (1, -1) if expr.exp.is_Integer else (1,):
            changed = expr.base ** (expr.exp + steps)
            yield Mutant("exponent", f"{to_text(expr.exp)} to {to_text(expr.exp + steps)}", changed)
        yield from _parts(expr, (0,), visible)
        return
    elif isinstance(expr, DerivativeSymbol):
        for mutant in _inside(expr.target, visible):
            if mutant.kind in ("index", "time"):
                yield Mutant(mutant.kind, mutant.change, expr.of(mutant.expr))
        for mutant in _references(expr.wrt, visible):
            yield Mutant(mutant.kind, f"below d: {mutant.change}", expr.of(expr.target, mutant.expr))
        return
    elif isinstance(expr, Paths):
        swapped = expr.func(*expr.args[:4], expr.end, expr.start, expr.steps)
        yield Mutant("index", "both ends of the paths swapped", swapped)
        yield Mutant("time", "one link more", expr.func(*expr.args[:6], expr.steps + 1))
        yield from _parts(expr, (0,), visible | {expr.before, expr.after})
        return
    elif isinstance(expr, Bound):
        yield from _ranges(expr)
        yield from _parts(expr, (0,), visible | {expr.index})
        return
    yield from _parts(expr, range(len(expr.args)), visible)


def _parts(expr: Expr, places: Iterable[int], visible: frozenset) -> Iterator[Mutant]:
    for place in places:
        for mutant in _inside(expr.args[place], visible) if expr.args[place].args else ():
            try:
                yield Mutant(mutant.kind, mutant.change, _with(expr, place, mutant.expr))
            except (DomainError, IndexClashError):
                continue


def _with(expr: Expr, place: int, new: Expr) -> Expr:
    """The formula with another argument in one place."""
    return rebuild(expr, [*expr.args[:place], new, *expr.args[place + 1 :]])


def _ranges(expr: Sigma | Product) -> Iterator[Mutant]:
    """A time range that starts or ends a step off, a sum over one part of a union only."""
    for place, limit in enumerate(expr.limits, 2):
        for steps in (-1, 1):
            change = f"limit {to_text(limit)} to {to_text(limit + steps)}"
            yield Mutant("limit", change, _with(expr, place, limit + steps))
    for part in () if expr.limits else expr.index.domain.parts:
        letter = expr.index.within(part)
        body = substitute(expr.body, {expr.index: letter})
        yield Mutant("limit", f"sum over {expr.index} in {part.name} only", expr.func(body, letter))


def _letters(expr: Expr, first: int, domains: Iterable[Domain | None], visible: frozenset) -> Iterator[Mutant]:
    """Another letter of a fitting domain in one of the places of a formula, counted from `first`."""
    letters = sorted((i for i in visible if isinstance(i, Index)), key=lambda i: (i.name, i.domain.name))
    for place, over in enumerate(domains, first):
        index = expr.args[place]
        for other in letters:
            if other != index and over is not None and over.contains(other.domain):
                yield Mutant("index", f"{to_text(expr)}: {index} to {other}", _with(expr, place, other))


def _references(ref: Ref, visible: frozenset) -> Iterator[Mutant]:
    """Another index of a fitting domain, two indices swapped, a step earlier or later."""
    domains = ref.quantity.domains
    yield from _letters(ref, 1, domains, visible)
    swapped = ref.indices[::-1]
    fits = (isinstance(i, Index) and over.contains(i.domain) for i, over in zip(swapped, domains, strict=True))
    if len(swapped) == 2 and swapped[0] != swapped[1] and all(fits):
        yield Mutant("index", f"{to_text(ref)} transposed", Ref(ref.quantity, *swapped, *ref.args[3:]))
    if ref.time is not None:
        for steps in (-1, 1):
            yield Mutant("time", f"{to_text(ref)} {'later' if steps > 0 else 'earlier'}", ref.shifted(steps))
