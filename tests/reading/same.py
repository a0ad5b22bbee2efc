"""Whether a text and a system written by hand define the same, up to names."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr
from throughtime.derivation import DEFINED, Activation, Dimension, Domain, Index, Quantity, Ref, System, equal
from throughtime.derivation.formulas.nodes import Applied, rebuild
from throughtime.reading import Reading


def inlined(system: System, formula: Expr, kept: set[str]) -> Expr:
    """A formula with the definitions of all computed quantities put in but those of the names that are kept."""
    if isinstance(formula, Ref) and formula.quantity.role == DEFINED and formula.quantity.name not in kept:
        return inlined(system, system.definition(formula), kept)
    return rebuild(formula, [inlined(system, arg, kept) for arg in formula.args])


class Translation:
    """Formulas of a text over the quantities of another system; `names` are those of the text that have another one.

    AssertionError where a quantity has other indices, or where two sets of one system are one set of the other.
    """

    def __init__(self, made: Reading, quantities: Mapping[str, Quantity], names: Mapping[str, str]):
        self.names, self.quantities = names, quantities
        self.domains: dict[Domain, Domain] = {}
        for one in made._built.quantities.values():
            if other := quantities.get(names.get(one.name, one.name)):
                for mine, theirs in zip(one.domains, other.domains, strict=True):
                    assert self.domains.setdefault(mine, theirs) == theirs
        assert len({*self.domains.values()}) == len(self.domains)
        self.sizes = {mine.upper: theirs.upper for mine, theirs in self.domains.items()}

    def of(self, formula: Expr) -> Expr:
        if isinstance(formula, Index):
            return Index(formula.name, self.domains[formula.domain])
        if isinstance(formula, Quantity):
            return self.quantities[self.names.get(formula.name, formula.name)]
        if isinstance(formula, Dimension):
            return self.sizes.get(formula, formula)
        if isinstance(formula, Applied):
            name = formula.function.name
            return Activation(self.names.get(name, name))(self.of(formula.argument))
        return rebuild(formula, [self.of(arg) for arg in formula.args])


def unnamed(formula: Expr) -> Expr:
    """A formula with each activation known by its name alone: without its slope, and one for all units."""
    if isinstance(formula, Applied):
        return Activation(formula.function.name)(unnamed(formula.argument))
    return rebuild(formula, [unnamed(arg) for arg in formula.args])


def check_same(made: Reading, system: System, names: Mapping[str, str]) -> int:
    """How many definitions of the text were found equal to those of the system: of all quantities that both have."""
    found = {ref.quantity.name: ref.quantity for case in system.all_definitions() for ref in _all_refs(case)}
    theirs = Translation(made, found, names)
    common = {one for one in made._built.quantities if names.get(one, one) in found}
    kept, compared = {names.get(one, one) for one in common}, 0
    for case in made.system.all_definitions():
        if case.left.quantity.name in common:
            left = theirs.of(case.left)
            mine = theirs.of(inlined(made.system, case.right, common))
            assert equal(mine, unnamed(inlined(system, system.definition(left), kept))), left
            compared += 1
    return compared


def _all_refs(case) -> list[Ref]:
    return [node for side in (case.left, case.right) for node in _nodes(side) if isinstance(node, Ref)]


def _nodes(expr: Expr):
    yield expr
    for arg in expr.args:
        yield from _nodes(arg)
