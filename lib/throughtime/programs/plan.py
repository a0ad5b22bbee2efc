"""What a program has to compute: arrays and equations, found by the engine in a system and its derivatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import Any

from sympy import Add, Expr, Integer, Mul

from throughtime.derivation.deriving.backward import Backward
from throughtime.derivation.deriving.definition import Definition
from throughtime.derivation.deriving.forward import Cut, Forward
from throughtime.derivation.deriving.structure import ZERO
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.domains import KEPT, LENGTH, Dimension, Index
from throughtime.derivation.formulas.errors import DerivationError, DomainError
from throughtime.derivation.formulas.nodes import (
    DEFINED,
    INPUT,
    PARAMETER,
    Activation,
    DerivativeSymbol,
    Quantity,
    Ref,
    Sigma,
    every,
    nodes,
    refs,
)
from throughtime.derivation.formulas.rewrite import contract, free, fresh, split_sums, substitute


def leaves(ref: Ref) -> list[Ref]:
    """An element with generic letters, for every choice of parts of the domains of its letters."""
    letters = [index for index in ref.indices if isinstance(index, Index)]
    chosen = product(*(index.domain.leaves() for index in letters))
    return [substitute(ref, {i: i.within(part) for i, part in zip(letters, parts, strict=True)}) for parts in chosen]


def merged(whole: Ref, of: Mapping[Ref, Sequence[Expr]]) -> dict[Ref, Sequence[Expr]]:
    """Formulas for parts of an element, those that differ in the domain of a letter alone written as one."""
    for axis, letter in enumerate(whole.indices):
        rows: dict[tuple, list[Ref]] = {}
        for part in of:
            rows.setdefault((*part.indices[:axis], *part.indices[axis + 1 :]), []).append(part)
        for parts in rows.values():
            if 1 < len(parts) == len(letter.domain.leaves()) and (general := _general(letter, axis, parts, of)):
                of = {part: exprs for part, exprs in of.items() if part not in parts} | general
    return dict(of)


def _general(letter: Index, axis: int, parts: list[Ref], of: Mapping[Ref, Sequence[Expr]]) -> dict[Ref, list[Expr]]:
    """One formula of all parts with a letter over the whole axis; empty if they are not alike."""
    narrow = [part.indices[axis] for part in parts]
    try:
        general = [substitute(expr, {narrow[0]: letter}) for expr in of[parts[0]]]
        for part, one in zip(parts, narrow, strict=True):
            if [substitute(expr, {letter: one}) for expr in general] != [*of[part]]:
                return {}
    except DomainError:
        return {}
    return {substitute(parts[0], {narrow[0]: letter}): general}


class Plan:
    """The equations of one system with one loss, sizes and cuts, in the order in which a program runs them."""

    def __init__(self, system: System, loss: Quantity, sizes: dict[Dimension, int], cuts: Sequence[Cut] = ()):
        self.system, self.loss, self.sizes, self.cuts = system.check(), loss[()], sizes, tuple(cuts)
        self.back = Backward(system, self.loss, self.cuts)
        order = system.order()
        self.steps = [case for case in order if case.left.quantity.timed]
        self.once = [case for case in order if not case.left.quantity.timed]
        self.adjoint, self.used, self.sensitivity = cache(self._adjoint), cache(self._used), cache(self._sensitivity)
        self.forward = cache(lambda weight: Forward(system, weight, self.cuts))  # the engine of derivatives by a weight

    # quantities

    @cached_property
    def quantities(self) -> list[Quantity]:
        """All that the formulas name, in the order of reading: the definitions first, then what they are made of."""
        sides = (side for case in self.system.all_equations() for side in (case.right, case.left))
        return list(dict.fromkeys(ref.quantity for side in sides for ref in refs(side)))

    def of(self, role: str, *, timed: bool | None = None) -> list[Quantity]:
        """The quantities of a role, those that vary in time or the others if that is asked for."""
        return [one for one in self.quantities if one.role == role and timed in (None, one.timed)]

    @property
    def weights(self) -> list[Quantity]:
        """The learnt quantities."""
        return self.of(PARAMETER)

    def activations(self) -> list[Activation]:
        """The functions that the definitions apply."""
        found = every(Activation, *(case.right for case in self.system.all_equations()))
        return sorted(set(found), key=lambda one: one.name)

    def shape(self, quantity: Quantity) -> tuple[int, ...]:
        """Lengths of the axes of a quantity at one time."""
        return tuple(len(over.elements(self.sizes)) for over in quantity.domains)

    @staticmethod
    def axes(quantity: Quantity) -> tuple[Expr, ...]:
        """The same in terms of the dimensions."""
        return tuple(over.upper - over.lower + 1 for over in quantity.domains)

    def lag(self, quantity: Quantity) -> int:
        """The longest lag at which the definitions read a state."""
        read = (ref.time for case, ref in self.system.reads if ref.quantity == quantity and case.left.quantity.timed)
        return max([0, *(int(self.system.t - when) for when in read if when is not None)])

    @cached_property
    def depth(self) -> int:
        """The longest lag of all states, at least 1: the number of rows before time 1."""
        return max([1, *map(self.lag, self.of(DEFINED, timed=True))])

    # backwards

    def _adjoint(self, node: Ref, lag: int | None = None) -> dict[int, Expr]:
        """d(loss)/d(node) as one formula for each lag after which the node is read, or for one lag only."""
        found: dict[int, list[Expr]] = {}
        for case, steps in self.back.readers(node):
            if lag in (None, steps):
                left = case.apart(free(node))
                term = self.back._by(left.at(node.time + steps) if node.quantity.timed else left, node)
                found.setdefault(steps if left.quantity.timed else 0, []).append(contract(term))
        return {steps: whole for steps, terms in sorted(found.items()) if (whole := contract(Add(*terms))) != 0}

    def _used(self, weight: Ref, case: Definition, when: Expr) -> Expr:
        """Adjoint times immediate derivative with respect to a weight, for one definition at one time."""
        return contract(self.back._by(case.apart(free(weight)).at(when), weight))

    def uses(self, weight: Quantity, cases: Iterable[Definition], when: Expr) -> Iterator[tuple[Ref, Expr]]:
        """Elements of a weight, each with what definitions at one time add to the gradient by it."""
        whole = self.generic(weight)
        terms = {part: [Add(*(self.used(part, case, when) for case in cases))] for part in leaves(whole)}
        yield from ((by, term) for by, [term] in merged(whole, terms).items())

    def starts(self) -> Iterator[tuple[Definition, int]]:
        """The learnt initial values, each with a time before 1 at which it is read."""
        for start in self.system.initial_values.values():
            if any(ref.quantity.is_parameter for ref in refs(start.right)):
                yield from ((start, when) for when in reversed(self.back._initial_times(start.left.quantity)))

    def generic(self, weight: Quantity) -> Ref:
        """An element of a weight, with letters of its own."""
        taken = {*every(Index, *(side for case in self.system.all_definitions() for side in (case.left, case.right)))}
        made: list[Index] = []
        for name, over in zip("pqrs", weight.domains, strict=False):
            made.append(fresh(Index(name, over), taken.union(made)))
        return weight[tuple(made)]

    # forwards

    def diagonal(self, quantity: Quantity, weight: Quantity) -> frozenset[tuple[int, int]] | None:
        """The pairs of axes in which d(quantity)/d(weight) is diagonal, None if it is 0."""
        claims = []
        for by in leaves(self.generic(weight)):
            structure = self.forward(by).structure
            claims += [structure.claim(part) for case in self.system.cases(quantity) for part in leaves(case.left)]
        known = [claim for claim in claims if claim is not ZERO]
        return frozenset.intersection(*known) if known else None

    def _sensitivity(self, target: Ref, weight: Ref) -> tuple[Ref, Expr]:
        """One step of the recursion of d(target)/d(weight), for the units of the target that depend on the weight."""
        engine = self.forward(weight)
        claim = engine.structure.claim(target)
        if claim is ZERO:
            return target, Integer(0)
        values = {}
        for mine, theirs in claim:
            own, other = target.indices[mine], weight.indices[theirs]
            if own.domain.disjoint(other.domain):
                return target, Integer(0)
            values[own] = other
        moved = substitute(target, values)
        return moved, engine.resolve(split_sums(contract(engine.step(moved))))[0]

    def carried(self) -> list[tuple[Quantity, int]]:
        """The states that are read, uncut, at a later time on a way to the loss, each with the lag."""
        ways = [case for case in self.steps if case.left.quantity in self.back.reached]
        read = [(ref, case.left) for case in ways for ref in refs(case.right) if ref.quantity.is_defined]
        found = [(r.quantity, int(self.system.t - r.time)) for r, left in read if not self.back.is_cut(r, left)]
        return list(dict.fromkeys(pair for pair in found if pair[1] > 0))

    def step_of_loss(self) -> Expr:
        """The part of the loss that one time adds. DerivationError unless the loss is a sum over the times 1..T."""
        right, t, parts = self.system.definition(self.loss), self.system.t, []
        for term in Add.make_args(contract(right)):
            over = [node for node in every(Sigma, term) if node.limits == (1, LENGTH)]
            if len(over) != 1 or {LENGTH, over[0]} & {*nodes(term / over[0])}:
                raise DerivationError(f"{self.system.name}: {self.loss} is no sum over the times 1..T: {term}")
            parts.append(term / over[0] * substitute(over[0].body, {over[0].index: t}))
        return Add(*parts)

    def mask_of(self, expr: Expr) -> Quantity | None:
        """The mask by which every term of a formula of time t is multiplied, also by way of what the formula reads."""
        found = {self._mask_of_term(term) for term in Add.make_args(expr)}
        return found.pop() if len(found) == 1 else None

    def _mask_of_term(self, term: Expr) -> Quantity | None:
        for factor in Mul.make_args(term):
            if isinstance(factor, Sigma):
                found = self.mask_of(factor.body)
            elif not isinstance(factor, Ref) or factor.time != self.system.t:
                found = None
            elif factor.quantity.is_defined:
                masks = {self.mask_of(case.right) for case in self.system.cases(factor.quantity)}
                found = masks.pop() if len(masks) == 1 else None
            else:
                found = factor.quantity if factor.quantity.mask else None
            if found is not None:
                return found
        return None

    @property
    def inputs(self) -> list[Quantity]:
        """The given sequences."""
        return self.of(INPUT, timed=True)


@lru_cache(KEPT)
def symbols(expr: Expr) -> tuple[DerivativeSymbol, ...]:
    """The derivatives in a formula."""
    return tuple(every(DerivativeSymbol, expr))


def quantity_of(thing: Any) -> Any:
    """The quantity of an element; anything else as it is."""
    return getattr(thing, "quantity", thing)
