"""One definition of a system, and the conditions that it has to meet."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from sympy import Expr, Symbol

from throughtime.derivation.formulas.domains import Domain, Index, lies_in
from throughtime.derivation.formulas.errors import DerivationError, DomainError, IndexClashError, UndefinedQuantityError
from throughtime.derivation.formulas.functions import way_out
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Quantity, Ref, bound, every, nodes, refs
from throughtime.derivation.formulas.rewrite import free, fresh, rename_bound, substitute

REVERSED = "what runs backwards in time is a system of its own, on the reversed sequence"
Thing = TypeVar("Thing")
REGISTER = "taps by an index k are a shift register: r[k, t] = r[k - 1, t - 1] on its later units, r[1, t] what enters"


@dataclass(frozen=True)
class Definition:
    """`left` = `right` at the generic time; the indices of `left` are distinct letters."""

    left: Ref
    right: Expr

    def covers(self, ref: Ref) -> bool:
        """Whether this definition defines every element that `ref` can denote."""
        return all(
            mine.domain.contains(other.domain if isinstance(other, Index) else over) or lies_in(other, mine.domain)
            for mine, other, over in zip(self.left.indices, ref.indices, self.left.quantity.domains, strict=True)
        )

    def touches(self, ref: Ref) -> bool:
        """Whether this definition defines some element that `ref` can denote."""
        return not any(
            isinstance(other, Index) and mine.domain.disjoint(other.domain)
            for mine, other in zip(self.left.indices, ref.indices, strict=True)
        )

    def apart(self, taken: Iterable[Expr]) -> Ref:
        """The left side with letters whose names are not among those of `taken`."""
        return substitute(self.left, {index: fresh(index, taken) for index in self.left.indices})

    def at(self, ref: Ref) -> Expr:
        """The right side for the element and time of `ref`."""
        values = dict(zip(self.left.args[1:], ref.args[1:], strict=True))
        return substitute(rename_bound(self.right, free(ref)), values)

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


def reached(start: Iterable[Thing], following: Callable[[Thing], Iterable[Thing]]) -> set[Thing]:
    """All that one comes to from some things in at least one step."""
    found, todo = set[Thing](), [*start]
    while todo:
        new = {*following(todo.pop())} - found
        found, todo = found | new, [*todo, *new]
    return found


def check_form(where: str, left: Ref, right: Expr, t: Symbol) -> None:
    """DerivationError or IndexClashError, beginning with `where`, unless left = right can be a definition at time t."""
    if not isinstance(left, Ref) or not left.quantity.is_defined:
        raise DerivationError(f"{where}: the left side is not an element of a quantity that can be defined")
    if any(not isinstance(index, Index) for index in left.indices) or len(set(left.indices)) < len(left.indices):
        raise IndexClashError(f"{where}: the indices on the left have to be distinct letters")
    if left.quantity.timed and not (left.time - t).is_Integer:
        raise DerivationError(f"{where}: the time on the left is {left.time}, expected {t} or {t} + n")
    names = set(map(str, left.indices))
    for index in bound(right):
        if str(index) in names | {str(t)}:
            raise IndexClashError(f"{where}: index {index} is summed over and also stands on the left")
    for index in sorted(free(right) - ({t} if left.quantity.timed else set()) - set(left.indices), key=str):
        hint = "restricted to another domain" if str(index) in names else "neither on the left nor summed over"
        raise IndexClashError(f"{where}: index {index} is {hint}")
    if any(every(DerivativeSymbol, right)):
        raise DerivationError(f"{where}: a definition cannot contain a derivative")
    for part in (right, *(part for node in nodes(right) if not isinstance(node, Ref) for part in node.args)):
        if isinstance(part, Quantity):
            raise DerivationError(f"{where}: {part} stands alone; {way_out(part)}")


def check_references(where: str, definition: Definition, defined: Container[Quantity], t: Symbol) -> None:
    """DerivationError unless each reference is to a known quantity, inside its domains and not later than t."""
    for ref in refs(definition.right):
        if ref.quantity.is_defined and ref.quantity not in defined:
            raise UndefinedQuantityError(f"{where} uses {ref}, which is not defined")
        for index, over in zip(ref.indices, ref.quantity.domains, strict=True):
            if isinstance(index, Index) and not over.contains(index.domain):
                wide = f"index {index} of {ref} runs over {index.domain.name}"
                raise DomainError(f"{where}: {wide}, expected {over.name} or a part of it")
            if not isinstance(index, Index) and index.has(Index) and not lies_in(index, over):
                raise DomainError(f"{where}: {index} in {ref} may lie outside {over.name}")
        if definition.left.quantity.timed:
            _check_time(where, ref, definition.left.quantity.lag, t)


def _check_time(where: str, ref: Ref, lag: int, t: Symbol) -> None:
    if not ref.quantity.timed:
        if ref.quantity.is_defined:
            raise DerivationError(f"{where} reads {ref}, which is defined after the last time")
        return
    ahead = ref.time - t
    if lag and ahead - ref.quantity.lag != -lag:
        raise DerivationError(f"{where} reads {ref}, expected what was there {lag} steps before, as it prints")
    if ahead.is_positive:
        raise DerivationError(f"{where} looks ahead to {ref}; {REVERSED}")
    if not ahead.is_Integer:
        raise DerivationError(f"{where} reads {ref}, expected a time {t} or {t} - n; {REGISTER}")


def check_cover(where: str, definitions: list[Definition]) -> None:
    """DomainError or UndefinedQuantityError unless the cases of one quantity cover its domains and no more."""
    wanted = definitions[0].left.quantity.domains
    cases = [[index.domain for index in case.left.indices] for case in definitions]
    for part, over in ((part, over) for parts in cases for part, over in zip(parts, wanted, strict=True)):
        if not over.contains(part):
            raise DomainError(f"{where} defined on {part.name}, expected a part of {over.name}")
    for leaves in product(*(over.leaves() for over in wanted)):
        if not any(all(map(Domain.contains, parts, leaves)) for parts in cases):
            raise UndefinedQuantityError(f"{where} not defined on {', '.join(leaf.name for leaf in leaves)}")
