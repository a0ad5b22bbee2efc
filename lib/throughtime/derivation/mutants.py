"""Wrong neighbours of an equation: what a slip of the pen would have made of it.

Each mutant changes one thing in one place of the right side: a sign, an index, a time, a factor, a term, or the
order of an activation's derivative. A check is only worth something if it rejects them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Mul, Pow

from .domains import Index
from .errors import DomainError, IndexClashError
from .nodes import Applied, Bound, Delta, DerivativeSymbol, Paths, Ref, nodes, rebuild
from .printing import to_text
from .rewrite import free

KINDS = ("sign", "index", "time", "factor", "term", "slope")


@dataclass(frozen=True)
class Mutant:
    """One wrong neighbour: the kind of slip, what was changed into what, and the resulting formula."""

    kind: str
    change: str
    expr: Expr

    def __str__(self) -> str:
        return f"{self.kind}: {self.change}"


def mutants(expr: Expr, scope: Expr | None = None) -> list[Mutant]:
    """All single slips in `expr`, each once; the free indices of `scope` may be mistaken for others."""
    letters = {node for node in nodes(expr) if isinstance(node, Index)}
    letters |= {index for index in free(scope) if isinstance(index, Index)} if scope is not None else set()
    found: dict[Expr, Mutant] = {}
    for mutant in _slips(
        expr, frozenset(letters), frozenset(free(expr) | (free(scope) if scope is not None else set()))
    ):
        if mutant.expr != expr:
            found.setdefault(mutant.expr, mutant)
    return list(found.values())


def _slips(expr: Expr, letters: frozenset, visible: frozenset) -> Iterator[Mutant]:
    if expr.is_zero:  # nothing in it to mistake: what may be wrong is that there is nothing
        yield from (Mutant("term", f"{number} instead of 0", Integer(number)) for number in (1, -1))
        return
    yield Mutant("sign", f"-({to_text(expr)})", -expr)
    yield from _inside(expr, letters, visible)


def _inside(expr: Expr, letters: frozenset, visible: frozenset) -> Iterator[Mutant]:
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
    elif isinstance(expr, Ref):
        yield from _references(expr, letters, visible)
        return
    elif isinstance(expr, Pow) and not expr.exp.is_Integer:
        yield Mutant("time", f"exponent {to_text(expr.exp)} + 1", expr.base ** (expr.exp + 1))
        return
    if isinstance(expr, DerivativeSymbol):
        for mutant in _inside(expr.target, letters, visible):
            if mutant.kind in ("index", "time"):
                yield Mutant(mutant.kind, mutant.change, expr.of(mutant.expr))
        return
    if isinstance(expr, Paths):
        swapped = expr.func(*expr.args[:4], expr.end, expr.start, expr.steps)
        yield Mutant("index", "both ends of the paths swapped", swapped)
        yield Mutant("time", "one link more", expr.func(*expr.args[:6], expr.steps + 1))
        yield from _parts(expr, (0,), letters, visible | {expr.before, expr.after})
    elif isinstance(expr, Bound):
        yield from _parts(expr, (0,), letters, visible | {expr.index})
    elif not isinstance(expr, Delta | Pow) or isinstance(expr, Pow):
        yield from _parts(expr, range(len(expr.args)), letters, visible)


def _parts(expr: Expr, places, letters: frozenset, visible: frozenset) -> Iterator[Mutant]:
    for place in places:
        part = expr.args[place]
        if not part.args:
            continue
        for mutant in _inside(part, letters, visible):
            args = [*expr.args[:place], mutant.expr, *expr.args[place + 1 :]]
            try:
                yield Mutant(mutant.kind, mutant.change, rebuild(expr, args))
            except (DomainError, IndexClashError):
                continue


def _references(ref: Ref, letters: frozenset, visible: frozenset) -> Iterator[Mutant]:
    """Another index of a fitting domain, two indices swapped, a step earlier or later."""
    for place, (index, over) in enumerate(zip(ref.indices, ref.quantity.domains, strict=True), 1):
        for other in sorted(letters & visible, key=lambda letter: (letter.name, letter.domain.name)):
            if other != index and over.contains(other.domain):
                args = [*ref.args[1:place], other, *ref.args[place + 1 :]]
                yield Mutant("index", f"{to_text(ref)}: {index} to {other}", Ref(ref.quantity, *args))
    indices = ref.indices
    if len(indices) == 2 and indices[0] != indices[1]:
        domains = ref.quantity.domains
        if all(
            isinstance(i, Index) and over.contains(i.domain) for i, over in zip(indices[::-1], domains, strict=True)
        ):
            yield Mutant("index", f"{to_text(ref)} transposed", Ref(ref.quantity, *indices[::-1], *ref.args[3:]))
    if ref.time is not None:
        for steps in (-1, 1):
            yield Mutant("time", f"{to_text(ref)} {'later' if steps > 0 else 'earlier'}", ref.shifted(steps))
