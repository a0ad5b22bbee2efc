"""Systems of recurrences in index notation: a definition of each quantity at a generic time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from itertools import chain
from typing import Any

from sympy import Add, Expr, Integer, Mul, Symbol

from throughtime.derivation.deriving.definition import Definition, check_cover, check_form, check_references, reached
from throughtime.derivation.formulas.domains import LENGTH as LENGTH
from throughtime.derivation.formulas.domains import Index, Order, Ranked
from throughtime.derivation.formulas.errors import (
    CutError,
    CycleError,
    DerivationError,
    DomainError,
    UndefinedQuantityError,
)
from throughtime.derivation.formulas.given import expression
from throughtime.derivation.formulas.nodes import Activation, Quantity, Ref, Sigma, Truncated, every, refs, time
from throughtime.derivation.formulas.rewrite import by_parts, free, named, substitute


class System:
    """A system of recurrences: definitions at a generic time `t`, written `system[h[i, t]] = f(a[i, t])`.

    A quantity may be defined by cases on disjoint parts of its domain. States at time 0 are 0 unless `initial`
    says otherwise. Raises a `DerivationError` that names the definition when an
    index clashes or does not fit, a quantity is undefined or defined twice, a definition looks ahead in time,
    or definitions at one time depend on each other in a circle.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> print(unit.definition(y[t + 1]))
    w*y(t) + x(t+1)
    >>> loop = tt.System("loop")
    >>> loop[y[t]] = w[()] * y[t] + x[t]
    >>> loop.check()
    Traceback (most recent call last):
        ...
    throughtime.derivation.formulas.errors.CycleError: loop: a circle at one time: y(t) <- y(t)
    """

    def __init__(self, name: str, t: Symbol | None = None):
        self.name = name
        self.t = t if t is not None else time()
        self.definitions: dict[Quantity, list[Definition]] = {}
        self.initial_values: dict[Quantity, Definition] = {}
        self.first_times: dict[Quantity, int] = {}
        self.targets: frozenset[Quantity] | None = None  # the given sequences that are targets, if it is said
        self.starts_once = False  # whether an initial value is of no earlier time than the system reads
        self.from_start = False  # whether numbers are asked of derivatives by states before time 1 too
        self._names: dict[tuple[type, str], Any] = {}
        self.printing = Order()  # `with` it formulas print in the order in which the system was written down
        self._checked = False
        self._in_order: tuple[Definition, ...] = ()  # this and the next two are kept until a definition is added
        self._ahead: dict[Quantity, list[int]] = {}
        self._reads: list[tuple[Definition, Ref]] = []

    def __setitem__(self, left: Ref, right: Expr) -> None:
        right = expression(right, f"{self.name}: {left}")
        check_form(f"{self.name}: {left} = {right}", left, right, self.t)
        if left.quantity.timed:
            right, left = substitute(right, {self.t: 2 * self.t - left.time}), left.at(self.t)
        for other in self.definitions.get(left.quantity, []):
            if other.touches(left):
                raise DerivationError(f"{self.name}: {left} = {right} defines again what {other} defines")
        self.definitions.setdefault(left.quantity, []).append(Definition(left, right))
        self._note(left, right)

    def _note(self, *formulas: Expr) -> None:
        for leaf in (leaf for formula in formulas for leaf in named(formula) if isinstance(leaf, Ranked)):
            self.printing.note(leaf)
        self._checked, self._in_order, self._ahead, self._reads = False, (), {}, []

    def initial(self, state: Quantity | Ref, value: Expr | int) -> None:
        """Set the value of a state at every time before 1: a rational number, or a formula in parameters.

        `initial(h, 2)` is for all units alike; `initial(h[i, 0], b[i])` gives each unit its own, learnt if `b` is a
        parameter. UndefinedQuantityError for a state that the system does not define, DerivationError for another
        value and for a start of some units only.

        >>> import throughtime as tt
        >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
        >>> unit = tt.System("unit")
        >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
        >>> b = tt.parameter("b")
        >>> unit.initial(y, b[()])
        >>> print(unit.definition(y[0]))
        b
        """
        quantity, where = getattr(state, "quantity", state), f"{self.name}: initial value {value} of {state}"
        if quantity not in self.definitions:
            raise UndefinedQuantityError(f"{self.name}: initial value of {quantity}, which the system does not define")
        value, first = expression(value, where), self.definitions[quantity][0].left
        letters = (Index(i.name, over, i.latex) for i, over in zip(first.indices, quantity.domains, strict=True))
        left = state.at(self.t) if isinstance(state, Ref) else quantity[(*letters, self.t)]
        check_form(where, left, value, self.t)
        given = all(not ref.quantity.is_defined and not ref.quantity.timed for ref in refs(value))
        given = given and tuple(index.domain for index in left.indices) == quantity.domains
        if not given or self.t in free(value) or (value.is_number and not value.is_Rational):
            raise DerivationError(f"{where}: expected a rational number or a formula in parameters, for all units")
        self.initial_values[quantity] = Definition(left, value)
        self._note(left, value)

    def given_from(self, quantity: Quantity, first: int) -> None:
        """Give an input sequence T times from `first` on instead of from 1, or more up to the last that is read.

        So x is given at the times 0..T - 1 if it is read at t - 1 only, and at 0..T if it is read at t as well.
        DerivationError for anything but a given sequence.
        """
        if not quantity.is_input or not quantity.timed:
            where = f"{self.name}: {quantity} is no given sequence"
            raise DerivationError(f"{where}, which alone can be given from {first}")
        self.first_times[quantity] = first

    def given_times(self, quantity: Quantity, length: int) -> range:
        """The times at which a sequence is given, or a state is computed, if the system runs over 1..`length`."""
        first = self.first_times.get(quantity, 1)
        if quantity not in self._ahead:
            given = (ref.time.as_coeff_Add() for _, ref in self.reads if ref.quantity == quantity and quantity.is_input)
            self._ahead[quantity] = [int(steps) for steps, base in given if base != 0]
        return range(first, length + max([*self._ahead[quantity], first - 1]) + 1)

    def only_for(self, loss: Quantity) -> set[Quantity]:
        """What nothing reads but a loss, a cost, which is only added up to the loss, or an error, such as y - d.

        An error is read by costs alone, and adds up its inputs without weights.
        """
        found = {case: {ref.quantity for ref in refs(case.right)} for case in self.all_equations()}
        readers = {one: [case for case in found if one in found[case]] for one in self.definitions}
        costs, read, elsewhere = {loss}, set[Quantity](), set[Quantity]()
        for one in dict.fromkeys(case.left.quantity for case in reversed(self.order())):
            if readers[one] and all(case.left.quantity in costs and _adds(case.right, one) for case in readers[one]):
                costs.add(one)
        for case, some in found.items():
            left = case.left.quantity
            late = bool(readers[left]) and all(reader.left.quantity in costs for reader in readers[left])
            is_error = late and all(not one.is_parameter for one in some)
            ends = some if left in costs else {one for one in some if is_error and _adds(case.right, one)}
            read, elsewhere = read | ends, elsewhere | (some - ends)
        return read - elsewhere

    def targets_of(self, loss: Quantity) -> set[Quantity]:
        """The given sequences that are `targets`; if it is not said, those `only_for` a loss, but no masks."""
        if self.targets is not None:
            return {*self.targets}
        return {one for one in self.only_for(loss) if one.is_input and one.timed and not one.mask}

    def all_definitions(self) -> list[Definition]:
        """Every definition, in the order of writing."""
        return [item for cases in self.definitions.values() for item in cases]

    @property
    def reads(self) -> list[tuple[Definition, Ref]]:
        """Every definition beside each element that it reads, as pairs."""
        self._reads = self._reads or [(case, ref) for case in self.all_definitions() for ref in refs(case.right)]
        return self._reads

    def all_equations(self) -> list[Definition]:
        """Every definition, then every initial value."""
        return [*self.all_definitions(), *self.initial_values.values()]

    @property
    def masks(self) -> list[Quantity]:
        """The masks that definitions and initial values read, by their names."""
        read = every(Quantity, *(case.right for case in self.all_equations()))
        return sorted({one for one in read if one.mask}, key=lambda one: one.name)

    def check(self) -> System:
        """Validate the system as a whole; done once, before the first derivation."""
        if not self._checked:
            lefts, self._names = (case.left for case in self.all_definitions()), {}
            self._names = self.check_names(*lefts, *(one.right for one in self.all_equations()))
            for definition in self.all_equations():
                check_references(f"{self.name}: {definition}", definition, self.definitions, self.t)
            for quantity in self.definitions:
                check_cover(f"{self.name}: {quantity} is", self.definitions[quantity])
            self.order()
            self._checked = True
        return self

    def check_names(self, *formulas: Expr) -> dict[tuple[type, str], Any]:
        """All named things in the system and in some formulas, by name: normal forms and witnesses go by names.

        DerivationError if two quantities, activations, constants, dimensions, domains or free times share a name, and
        if a letter contains "#", which marks letters of the engine's own; `check_signs` for sets of cuts.
        """
        found = dict(self._names)
        for letter in every(Index | Symbol, *formulas):
            if "#" in letter.name:
                raise DerivationError(f"{self.name}: letter {letter.name}: the engine keeps # for letters of its own")
        self.check_signs(formulas, found)
        times = (letter for formula in formulas for letter in free(formula) if letter.is_Symbol)
        for thing in chain(times, *map(named, formulas)):
            kind = Activation if isinstance(thing, Activation) else type(thing)
            if found.setdefault((kind, thing.name), thing) != thing:
                raise DerivationError(f"{self.name}: two different things have the name {thing.name}")
            if isinstance(thing, Quantity):
                look = (thing.latex, thing.domains, thing.timed)  # a matrix and a part of it may share a letter
                if (other := found.setdefault(look, thing)) != thing:
                    alike = f"{other} and {thing} print alike, as {thing.latex}"
                    raise DerivationError(f"{self.name}: {alike}; expected another latex= for one of them")
        return found

    def check_signs(self, formulas: Iterable[Expr], signs: dict) -> None:
        """CutError if two sets of cuts, of formulas and the `signs` in use, print alike: d_tr, or d with a name."""
        for cuts in dict.fromkeys(node.args[2:] for node in every(Truncated, *formulas)):
            for name in {one.label for one in cuts}:
                if signs.setdefault((Truncated, name), frozenset(cuts)) != frozenset(cuts):
                    raise CutError(f"{self.name}: two sets of cuts print as d_{name}; name them with `cut_set`")

    def check_known(self, *formulas: Expr) -> None:
        """UndefinedQuantityError for a quantity that has to be defined and is not, DerivationError for a name clash."""
        self.check_names(*formulas)
        for formula in formulas:
            for node in every(Quantity, formula):
                if node.is_defined and node not in self.definitions:
                    raise UndefinedQuantityError(f"{self.name} does not define {node}, read in {formula}")

    def _read_now(self, definition: Definition) -> Iterator[Definition]:
        """Definitions of the quantities that a definition reads, at its own time if it has one."""
        for ref in refs(definition.right):
            if not ref.quantity.timed or ref.time == self.t or not definition.left.quantity.timed:
                yield from (case for case in self.definitions.get(ref.quantity, []) if case.touches(ref))

    def order(self) -> tuple[Definition, ...]:
        """The definitions in an order in which one time step can be computed; CycleError if there is none."""
        if self._in_order:
            return self._in_order
        done: list[Definition] = []
        open_: list[Definition] = []

        def visit(definition: Definition) -> None:
            if definition in done:
                return
            if definition in open_:
                circle = [str(item.left) for item in open_[open_.index(definition) :]]
                raise CycleError(f"{self.name}: a circle at one time: {' <- '.join([*circle, circle[0]])}")
            open_.append(definition)
            for other in self._read_now(definition):
                visit(other)
            done.append(open_.pop())

        for definition in self.all_definitions():
            visit(definition)
        self._in_order = (*done,)
        return self._in_order

    def carried_on(self) -> set[Quantity]:
        """The quantities of which another one is computed at the same time that is read at a later time."""
        into = {ref.quantity for _, ref in self.reads if ref.time is not None and ref.time.as_coeff_Add()[0] < 0}
        now = [(case.left.quantity, ref.quantity) for case, ref in self.reads if ref.time == self.t]
        return reached(into, lambda by: {one for reader, one in now if reader == by})

    def feeds(self, source: Ref, target: Ref) -> bool:
        """Whether `target` depends on `source` within one time step, directly or through other quantities."""
        own = (case for case in self.definitions.get(target.quantity, []) if case.touches(target))
        found = reached(own, self._read_now)
        return any(case.left.quantity == source.quantity and case.touches(source) for case in found)

    def cases(self, quantity: Quantity) -> list[Definition]:
        """The definitions of a quantity; UndefinedQuantityError if it has none."""
        if quantity not in self.definitions:
            raise UndefinedQuantityError(f"{self.name} does not define {quantity}")
        return self.definitions[quantity]

    def definition(self, ref: Ref) -> Expr:
        """The right side of the definition of `ref`, before time 1 its initial value.

        DomainError if its index may lie in several cases.
        """
        cases = self.check().cases(ref.quantity)
        if ref.is_initial:
            return self.initial_values[ref.quantity].at(ref) if ref.quantity in self.initial_values else Integer(0)
        for case in cases:
            if case.covers(ref):
                return case.at(ref)
        where = ", ".join(f"{index} in {index.domain.name}" for index in ref.indices if isinstance(index, Index))
        raise DomainError(f"{self.name}: {ref} ({where}) is defined by cases; restrict the index to one of them")

    def by_leaf(self) -> System:
        """The same system, with a definition for each choice of leaves for the indices on its left side, and every sum
        over a union split: a delta of two letters then says whether the element that it picks lies in the sum.
        """
        other = copy(self)
        other.definitions = {quantity: [] for quantity in self.definitions}
        for case in self.all_definitions():
            other.definitions[case.left.quantity] += [Definition(*pair) for pair in by_parts(case.left, case.right)]
        other._note()  # what it keeps is its own
        return other

    def is_case(self, ref: Ref) -> bool:
        """Whether one definition covers every element that `ref` can denote."""
        return any(case.covers(ref) for case in self.definitions.get(ref.quantity, []))


def _adds(expr: Expr, quantity: Quantity) -> bool:
    """Whether a formula only adds up values of a quantity, with factors that are not computed."""
    if isinstance(expr, Ref) or not expr.has(quantity):
        return True
    if isinstance(expr, Mul):
        computed = [one for one in expr.args if any(ref.quantity.is_defined for ref in refs(one))]
        varying = {*computed, *(one for one in expr.args if one.has(quantity))}
        return len(varying) == 1 and _adds(varying.pop(), quantity)
    parts = expr.args if isinstance(expr, Add) else expr.args[:1] if isinstance(expr, Sigma) else ()
    return bool(parts) and all(_adds(part, quantity) for part in parts)
