"""Printed formulas about a recurrence, read in its notation."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from sympy import Expr, Integer

from throughtime import derivation as engine
from throughtime.derivation import DEFINED, Index, Quantity, Ref, Total
from throughtime.derivation.formulas import rewrite
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.nodes import Applied, Immediate, Sigma, sum_over
from throughtime.reading.conditions import at_said_times, parted
from throughtime.reading.printed import FormulaParser, lagged
from throughtime.reading.questions import Questions
from throughtime.reading.rows import as_columns
from throughtime.reading.statements import letters_of
from throughtime.reading.trees import Equality, Name


class PrintedFormulas(Questions):
    """Reads printed formulas about a recurrence, in the notation of its text."""

    def formula(self, text: str, at_once: bool = True) -> list[Expr]:
        """Both sides of a printed formula, or all of a chain of equal ones, in index notation; ∂^+ as of all that is
        computed `at_once`, or else of one equation."""
        known = frozenset({*self._names, *(name.split("_")[0] for name in self._names)})
        sizes = {*self._built.elements.sized, *(one.name for one in self.sizes)}
        bare, said = parted(text)
        parser = FormulaParser(bare, self._built.now, known, self._built.quantities | self._printed, sizes)
        equations = [one for one in parser.statements() if isinstance(one, Equality)]
        if len(equations) != 1:
            raise parser.source.fault(0, f"found {len(equations)} equations", "expected one, as dL/dh_t = ...")
        (equation,) = equations
        equation = self._as_named(equation)
        elements = self._built.elements
        before, elements.source, elements.ranks.source = elements.source, parser.source, parser.source
        elements.closed = elements.ranks.closed = True
        elements.symbols, names = parser.symbols, self._built.sets.names
        self._built.sets.names = names | {*parser.symbols}
        try:
            equation = replace(equation, letters=letters_of(equation))
            if self._built.read.rows and not equation.letters:
                left, *rights = (as_columns(one, elements.ranks.of, parser.source) for one in equation.sides)
                equation = replace(equation, left=left, rights=tuple(rights))
            sides = at_said_times([side() for side in elements.sides(equation)], said, elements.clock, text)
        except engine.IndexClashError:
            sums = [one for side in equation.rights for one in side.all() if one.op in ("total", "multiplied")]
            twice = (b.at for a in sums for b in a.parts[0].all() if b in sums and a.value[0] == b.value[0])
            raise parser.source.fault(next(twice, 0), "found a letter under two sums", "expected another one") from None
        finally:
            elements.source = elements.ranks.source = before
            elements.symbols, self._built.sets.names = {}, names
        at_once &= any(tree.value == "∂+" for side in equation.sides for tree in side.all())
        sides = [rewrite.replace(side, self._net_of) for side in lagged(sides)]
        taken = (*{str(node) for side in sides for node in engine.nodes(side) if not node.args},)
        return [rewrite.replace(side, lambda node: self._immediate(node, at_once, taken)) for side in sides]

    def _net_of(self, node: Expr) -> Expr | None:
        """A function of what the text has as a net input, written out, as one of the net input."""
        read = engine.refs(node.argument) if isinstance(node, Applied) else ()
        letters, now = [one for one in rewrite.free(node) if isinstance(one, Index)], self.system.t
        for _, net, written in self._built.elements.nets.values():
            known = engine.refs(written)
            first = next((one for one in known if one.quantity.timed), None)
            if first is None or {one.quantity for one in read} != {one.quantity for one in known}:
                continue
            times = {one.time - first.time + now for one in read if one.quantity == first.quantity}
            now_or_later = [when for when in times if not (when - now).is_negative]  # there is no net input of time 0
            for when, *units in product(now_or_later, *[letters] * len(net.indices)):
                if all(one.domain == other.domain for one, other in zip(net.indices, units, strict=True)):
                    values = {now: when, **dict(zip(net.indices, units, strict=True))}
                    if equal(rewrite.substitute(written, values), node.argument):
                        return Applied(node.function, Integer(node.order), rewrite.substitute(net, values))
        return None

    def _is_unread(self, node: Immediate) -> bool:
        """Whether an immediate derivative is by what its equation does not read, as that of L_t by the h_t in y_t."""
        if node.target.time is None:
            return False
        when = None if node.wrt.time is None else node.wrt.time - node.target.time + self.system.t
        nets = self._with_nets(node.target.quantity)
        return (node.wrt.quantity, when) not in [one for net in nets for one in self._read_by(net)]

    def _as_named(self, tree: Any) -> Any:
        """An equation in which L without a time is the sum of the cost L_t."""
        if isinstance(tree, Equality):
            return replace(tree, left=self._as_named(tree.left), rights=tuple(map(self._as_named, tree.rights)))
        if isinstance(tree, Name):
            if tree.key() in self._printed:
                return replace(tree, base=self._printed[tree.key()].name, marks=())
            cost, total = self._built.quantities.get(tree.key()), self.system.definition(self.loss[()])
            term = total.body if isinstance(total, Sigma) else None
            summed = isinstance(term, Ref) and term.quantity == cost and term.quantity.timed and not tree.time
            return replace(tree, base=self.loss.name, marks=()) if summed else tree
        return replace(tree, parts=tuple(map(self._as_named, tree.parts)))

    @property
    def _printed(self) -> dict[str, Quantity]:
        """A target that the text has not, by the name as which it prints."""
        own = {one.latex: one for name, one in self._built.quantities.items() if name not in self._built.read.names}
        found = {f"{name}_star": rf"{one.latex}^{{*}}" for name, one in self._built.quantities.items()}
        return {name: own[latex] for name, latex in found.items() if latex in own}

    def _immediate(self, node: Expr, at_once: bool, around: tuple[str, ...] = (), top: bool = True) -> Expr | None:
        """An immediate derivative of an equation of the text: also through the net inputs that stand for its sums, and
        if it holds the states before constant and no more, `at_once`, through all that is computed at the same time."""
        if not isinstance(node, Immediate):
            return None
        target, wrt, terms = node.target, node.wrt, [node]
        if target.time is wrt.time is None and wrt.quantity not in {one for one, _ in self._read_by(target.quantity)}:
            return Total(target, wrt)  # a loss by a weight: the other reading, 0, is meant by no one
        at_once = at_once or (top and self._is_unread(node))
        read = dict.fromkeys(one for one, when in self._read_by(target.quantity) if when == self.system.t)
        nets = {net for net, *_ in self._built.elements.nets.values()}
        for quantity in (one for one in read if one.role == DEFINED and (at_once or one in nets)):
            if quantity not in (target.quantity, wrt.quantity):
                taken = (*around, *(str(letter) for ref in (target, wrt) for letter in ref.args[1:]))
                through = self._built.element(quantity.name, target.time, taken)
                rest = self._immediate(Immediate(through, wrt), at_once, taken, False)
                terms.append(sum_over(*through.indices, Immediate(target, through) * rest))
        direct = wrt.time is not None or (wrt.quantity, None) in self._read_by(target.quantity)
        return sum(terms if direct or len(terms) == 1 else terms[1:], Integer(0))
