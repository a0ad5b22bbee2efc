"""A system of recurrences in index notation: what defines each quantity at a generic time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from sympy import Expr, Integer, Symbol, sympify

from .domains import LENGTH as LENGTH
from .domains import Dimension, Domain, Index, lies_in
from .errors import CycleError, DerivationError, DomainError, IndexClashError, UndefinedQuantityError
from .nodes import DEFINED, INPUT, Activation, Constant, DerivativeSymbol, Quantity, Ref, nodes, refs, time
from .rewrite import bound, free, rename_bound, substitute


@dataclass(frozen=True)
class Definition:
    """`left` = `right` at the generic time; the indices of `left` are distinct letters."""

    left: Ref
    right: Expr

    def covers(self, ref: Ref) -> bool:
        """Whether every element that `ref` can mean is one this definition speaks of."""
        return all(
            mine.domain.contains(other.domain if isinstance(other, Index) else over)
            for mine, other, over in zip(self.left.indices, ref.indices, self.left.quantity.domains, strict=True)
        )

    def touches(self, ref: Ref) -> bool:
        """Whether some element that `ref` can mean is one this definition speaks of."""
        return not any(
            isinstance(other, Index) and mine.domain.disjoint(other.domain)
            for mine, other in zip(self.left.indices, ref.indices, strict=True)
        )

    def at(self, ref: Ref) -> Expr:
        """The right side for the element and time of `ref`."""
        values = dict(zip(self.left.args[1:], ref.args[1:], strict=True))
        return substitute(rename_bound(self.right, free(ref)), values)

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


def _named(formula: Expr) -> Iterator[Any]:
    """Everything in a formula that is told from others by its name."""
    yield from (letter for letter in free(formula) if letter.is_Symbol)
    for node in set(nodes(formula)):
        if isinstance(node, Quantity | Activation | Constant | Dimension):
            yield node
        over = (node.domain,) if isinstance(node, Index) else node.domains if isinstance(node, Quantity) else ()
        for part in (part for domain in over for part in (domain, *domain.leaves())):
            yield part
            yield from part.upper.atoms(Dimension)


class System:
    """Definitions at a generic time `t`, written `system[h[i, t]] = f(a[i, t])`.

    A quantity may be defined by cases on disjoint parts of its domain. States at time 0 are 0 unless `initial`
    says otherwise; initial values are constants. Raises a `DerivationError` that names the definition when an
    index clashes or does not fit, a quantity is undefined or defined twice, a definition looks ahead in time,
    or definitions at one time depend on each other in a circle.
    """

    def __init__(self, name: str, t: Symbol | None = None):
        self.name = name
        self.t = t if t is not None else time()
        self.definitions: dict[Quantity, list[Definition]] = {}
        self.initial_values: dict[Quantity, Expr] = {}
        self.first_times: dict[Quantity, int] = {}
        self._names: dict[tuple[type, str], Any] = {}
        self._checked = False

    def __setitem__(self, left: Ref, right: Expr) -> None:
        self._fits(left, sympify(right))
        if left.quantity.timed:
            right = substitute(sympify(right), {self.t: 2 * self.t - left.time})
            left = left.at(self.t)
        else:
            right = sympify(right)
        for other in self.definitions.get(left.quantity, []):
            if other.touches(left):
                raise DerivationError(f"{self.name}: {left} = {right} defines again what {other} defines")
        self.definitions.setdefault(left.quantity, []).append(Definition(left, right))
        self._checked = False

    def _fits(self, left: Ref, right: Expr) -> None:
        where = f"{self.name}: {left} = {right}"
        if not isinstance(left, Ref) or left.quantity.role != DEFINED:
            raise DerivationError(f"{where}: the left side is not an element of a quantity that can be defined")
        if any(not isinstance(index, Index) for index in left.indices) or len(set(left.indices)) < len(left.indices):
            raise IndexClashError(f"{where}: the indices on the left have to be distinct letters")
        if left.quantity.timed and not (left.time - self.t).is_Integer:
            raise DerivationError(f"{where}: the time on the left is {left.time}, expected {self.t} or {self.t} + n")
        names = {str(index): index for index in left.indices}
        for index in bound(right):
            if str(index) in names or str(index) == str(self.t):
                raise IndexClashError(f"{where}: index {index} is summed over and also stands on the left")
        now = {self.t} if left.quantity.timed else set()
        for index in sorted(free(right) - now - set(left.indices), key=str):
            hint = "restricted to another domain" if str(index) in names else "neither on the left nor summed over"
            raise IndexClashError(f"{where}: index {index} is {hint}")
        if any(isinstance(node, DerivativeSymbol) for node in nodes(right)):
            raise DerivationError(f"{where}: a definition cannot contain a derivative")

    def initial(self, quantity: Quantity, value: Expr | int) -> None:
        """The constant value of a state at every time before 1."""
        if quantity not in self.definitions:
            raise UndefinedQuantityError(f"{self.name}: initial value of {quantity}, which the system does not define")
        if not sympify(value).is_Rational:
            raise DerivationError(f"{self.name}: initial value {value} of {quantity}: expected a rational number")
        self.initial_values[quantity] = sympify(value)

    def given_from(self, quantity: Quantity, first: int) -> None:
        """A given sequence has the times `first`, ..., `first` + T - 1, unless set 1, ..., T."""
        if quantity.role != INPUT or not quantity.timed:
            raise DerivationError(
                f"{self.name}: {quantity} is no given sequence, which alone can be given from {first}"
            )
        self.first_times[quantity] = first

    def first_time(self, quantity: Quantity) -> int:
        """The first time of a given sequence."""
        return self.first_times.get(quantity, 1)

    def initial_value(self, quantity: Quantity) -> Expr:
        """The value of a state at times before 1 (0 unless set)."""
        return self.initial_values.get(quantity, Integer(0))

    def all_definitions(self) -> list[Definition]:
        """Every definition, in the order of writing."""
        return [item for cases in self.definitions.values() for item in cases]

    def check(self) -> System:
        """Validate the system as a whole; done once, before the first derivation."""
        if not self._checked:
            self._names = {}
            self._names = self.check_names(
                *(side for case in self.all_definitions() for side in (case.left, case.right))
            )
            for definition in self.all_definitions():
                self._check_references(definition)
            for quantity in self.definitions:
                self._check_cover(quantity)
            self.order()
            self._checked = True
        return self

    def check_names(self, *formulas: Expr) -> dict[tuple[type, str], Any]:
        """What the system and some formulas speak of, by name, for normal forms and witnesses go by names.

        DerivationError unless one name is one quantity, activation, constant, dimension, domain, one free time.
        """
        found = dict(self._names)
        for thing in (thing for formula in formulas for thing in _named(formula)):
            if found.setdefault((type(thing), thing.name), thing) != thing:
                raise DerivationError(f"{self.name}: two different things have the name {thing.name}")
        return found

    def _check_references(self, definition: Definition) -> None:
        for ref in refs(definition.right):
            if ref.quantity.role == DEFINED and ref.quantity not in self.definitions:
                raise UndefinedQuantityError(f"{self.name}: {definition} uses {ref}, which is not defined")
            for index, over in zip(ref.indices, ref.quantity.domains, strict=True):
                if isinstance(index, Index) and not over.contains(index.domain):
                    raise DomainError(
                        f"{self.name}: {definition}: index {index} of {ref} runs over {index.domain.name}, "
                        f"expected {over.name} or a part of it"
                    )
                if not isinstance(index, Index) and index.has(Index) and not lies_in(index, over):
                    raise DomainError(f"{self.name}: {definition}: {index} in {ref} may lie outside {over.name}")
            if not definition.left.quantity.timed:
                continue
            lag = definition.left.quantity.lag
            if lag and ref.quantity.timed and ref.time - ref.quantity.lag != self.t - lag:
                raise DerivationError(
                    f"{self.name}: {definition} reads {ref}, expected what was there {lag} steps before, as it prints"
                )
            if not ref.quantity.timed and ref.quantity.role == DEFINED:
                raise DerivationError(f"{self.name}: {definition} reads {ref}, which is defined after the last time")
            if ref.quantity.timed and (ref.time - self.t).is_positive:
                raise DerivationError(f"{self.name}: {definition} looks ahead to {ref}")
            if ref.quantity.timed and not (ref.time - self.t).is_Integer:
                raise DerivationError(
                    f"{self.name}: {definition} reads {ref}, expected a time {self.t} or {self.t} - n"
                )

    def _check_cover(self, quantity: Quantity) -> None:
        cases = [[index.domain for index in case.left.indices] for case in self.definitions[quantity]]
        for parts in cases:
            for part, over in zip(parts, quantity.domains, strict=True):
                if not over.contains(part):
                    raise DomainError(
                        f"{self.name}: {quantity} is defined on {part.name}, expected a part of {over.name}"
                    )
        for leaves in product(*(over.leaves() for over in quantity.domains)):
            if not any(all(map(Domain.contains, parts, leaves)) for parts in cases):
                where = ", ".join(leaf.name for leaf in leaves)
                raise UndefinedQuantityError(f"{self.name}: {quantity} is not defined on {where}")

    def order(self) -> list[Definition]:
        """The definitions in an order in which one time step can be computed."""
        done: list[Definition] = []
        open_: list[Definition] = []

        def visit(definition: Definition) -> None:
            if definition in done:
                return
            if definition in open_:
                circle = [str(item.left) for item in open_[open_.index(definition) :]]
                raise CycleError(f"{self.name}: a circle at one time: {' <- '.join([*circle, circle[0]])}")
            open_.append(definition)
            for ref in refs(definition.right):
                if not ref.quantity.timed or ref.time == self.t or not definition.left.quantity.timed:
                    for other in self.definitions.get(ref.quantity, []):
                        if other.touches(ref):
                            visit(other)
            open_.pop()
            done.append(definition)

        for definition in self.all_definitions():
            visit(definition)
        return done

    def feeds(self, source: Ref, target: Ref) -> bool:
        """Whether the definition of `target` reads, at the same time and maybe through others, that of `source`."""
        seen: list[Definition] = []

        def visit(definition: Definition) -> None:
            for ref in refs(definition.right):
                if not ref.quantity.timed or ref.time == self.t:
                    for other in self.definitions.get(ref.quantity, []):
                        if other.touches(ref) and other not in seen:
                            seen.append(other)
                            visit(other)

        for case in self.definitions.get(target.quantity, []):
            if case.touches(target):
                visit(case)
        return any(case.left.quantity == source.quantity and case.touches(source) for case in seen)

    def definition(self, ref: Ref) -> Expr:
        """What defines `ref`; raises where the answer depends on which part its index lies in."""
        self.check()
        cases = self.definitions.get(ref.quantity)
        if cases is None:
            raise UndefinedQuantityError(f"{self.name} does not define {ref.quantity}")
        for case in cases:
            if case.covers(ref):
                return case.at(ref)
        where = ", ".join(f"{index} in {index.domain.name}" for index in ref.indices if isinstance(index, Index))
        raise DomainError(f"{self.name}: {ref} ({where}) is defined by cases; restrict the index to one of them")

    def is_case(self, ref: Ref) -> bool:
        """Whether one definition answers for every element that `ref` can mean."""
        return any(case.covers(ref) for case in self.definitions.get(ref.quantity, []))

    def domains(self) -> list[Domain]:
        """Every leaf domain the system mentions, in order of first use."""
        found: dict[Domain, None] = {}
        for definition in self.all_definitions():
            for node in (*nodes(definition.left), *nodes(definition.right)):
                if isinstance(node, Index):
                    found.update(dict.fromkeys(node.domain.leaves()))
                elif isinstance(node, Quantity):
                    for over in node.domains:
                        found.update(dict.fromkeys(over.leaves()))
        return list(found)
