"""What can show a printed formula over times: inductions found in its form, for the bench to prove."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise, product
from typing import Any

from sympy import Add, Expr, Integer

from throughtime import derivation as engine
from throughtime.derivation import DEFINED, PARAMETER, Ref, Total
from throughtime.derivation.deriving.differentiate import expand_partials
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas import rewrite
from throughtime.derivation.formulas.nodes import Applied, Immediate, Paths, Product, Sigma, sum_over
from throughtime.reading.formulas import PrintedFormulas


class Inductions(PrintedFormulas):
    """Finds lemmas and derivations for printed formulas: of sums and products over times, and of what reads a state."""

    def _inductions(self, left: Expr, rights: Sequence[Expr]) -> dict[str, Any]:
        """The lemmas and the derivation for `Bench.equation`; empty if none is found."""
        return self._by_read(left, rights) or self._by_products(left, rights) or self._by_states(left, rights)

    def _by_states(self, left: Expr, rights: Sequence[Expr]) -> dict[str, Any]:
        """What can show a derivative with respect to a weight as a sum over the times at which it acts on a state: an
        induction for that of the state, and the line before it is put in. Empty if no formula has a derivative of a
        state with respect to an earlier one."""
        found = [node for right in rights for node in engine.nodes(right) if isinstance(node, Total)]
        pairs = [(one.target, one.wrt) for one in found if isinstance(one.target, Ref) and one.wrt.time is not None]
        state = next((one.quantity for one, by in pairs if one.quantity == by.quantity and one.time != by.time), None)
        if state is None or not isinstance(left, Total) or left.wrt.quantity.role != PARAMETER:
            return {}
        weight, total, now, whole = left.wrt, left.target, self.system.t, self.system.definition(left.target)
        cost = total if total.time is not None else whole.body if isinstance(whole, Sigma) else None
        cost = cost if isinstance(cost, Ref) else None
        if cost.quantity == state if cost else total != self.loss[()]:
            return {}
        element, (earlier, when) = self._built.element, (engine.time(one) for one in ("k", "s"))
        here = element(state.name, now, map(str, weight.indices))
        taken = (*map(str, (*weight.indices, *here.indices)), "k", "s")
        there = element(state.name, earlier, taken)
        acts = self._immediate(Immediate(there, weight), at_once=True, around=taken)
        if not any(right.has(Immediate, Applied) for right in rights):  # as 1 - h^2
            acts = rewrite.replace(expand_partials(self.system, acts), {self.system.definition(there): there}.get)
        terms = sum_over((earlier, 1, now), *there.indices, Total(here, there) * acts)
        lemma = engine.FromTheStart(Total(here, weight), terms, now)
        way, between = [cost] if cost else [here], Integer(1)
        if not cost:  # of a loss such as 1/2 sum_t |y_t - d_t|^2 what is of one time
            terms = Add.make_args(self.bench.derive_backward(total, here).result.expand())
            between = Add(*(term for term in terms if not term.has(Total)))
        while way[-1].quantity != state:
            reads = [by.quantity for one, by in pairs if one.quantity == way[-1].quantity and one.time == by.time]
            taken = tuple(str(letter) for ref in (weight, *way) for letter in ref.indices)
            way.append(element((reads or [state])[0].name, way[0].time, taken))
        for above, below in pairwise(way):
            between *= Total(above, below)
        letters = (letter for ref in (way[1:] if cost else way) for letter in ref.indices)
        between = sum_over(*letters, between * Total(way[-1], weight))
        if total.time is None:
            between = sum_over((when, 1, engine.LENGTH), rewrite.substitute(between, {way[0].time: when}))
        lines = Line(between, f"by ${engine.to_latex(state)}$"), *(Line(one, "by induction") for one in rights)
        return {"lemmas": [lemma], "derivations": [Derivation(left, lines, self.system.printing)]}

    def _by_products(self, left: Expr, rights: Sequence[Expr]) -> dict[str, Any]:
        """What can show a sum of products over times: for each an induction, as a derivative of a state; or nothing."""
        lemmas, found = dict[engine.Lemma, Expr](), dict[Expr, Expr]()
        sums = [node for right in rights for node in engine.nodes(right) if isinstance(node, Sigma) and node.limits]
        inner = [(one, node) for one in sums for node in engine.nodes(one.body) if isinstance(node, Product | Paths)]
        now, back = self.system.t, engine.lag("l")
        for letter, node in ((one.index, node) for one, node in inner if node.has(one.index)):
            steps = node.steps if isinstance(node, Paths) else node.limits[1] - node.limits[0] + 1
            late = steps + letter if steps.coeff(letter) == -1 else letter
            if late.is_Symbol and (late - steps).is_Symbol:
                claim = rewrite.substitute(rewrite.substitute(node, {late - steps: late - back}), {late: now})
                ends = ((node.start, node.end), (node.end, node.start)) if isinstance(node, Paths) else ((),)
                for state, units in product(self._built.quantities.values(), ends):
                    if state.role == DEFINED and state.timed and 2 * len(state.domains) == len(units):
                        with suppress(engine.DerivationError):
                            earlier = state[(*units[1:], now - back)]
                            lemma = engine.Lemma(Total(state[(*units[:1], now)], earlier), claim, back)
                            lemma.prove(self.bench.reducer)
                            lemmas[lemma] = found[node] = rewrite.substitute(lemma.left, {now: late, back: steps})
                            break
        if not found:
            return {}
        before = [rewrite.replace(one, found.get) for one in rights]
        by_states = self._by_states(left, before)
        lines = by_states["derivations"][0].lines if by_states else tuple(Line(one, "of products") for one in before)
        if not by_states:
            with suppress(engine.DerivationError):
                whole = engine.FromTheStart(left, before[0], now)
                whole.prove(self.bench.reducer)
                lemmas[whole] = left
        lines += tuple(Line(one, "by induction") for one in rights)
        shown = [*lemmas, *by_states.get("lemmas", ())]
        return {"lemmas": shown, "derivations": [Derivation(left, lines, self.system.printing)]}

    def _by_read(self, left: Expr, rights: Sequence[Expr]) -> dict[str, Any]:
        """What can show what reads a state as a sum over times, y = C h as the convolution of x: an induction for the
        state, whose sum is that of the right side without the weights of the reader. Empty if there is none."""
        if not isinstance(left, Ref):
            return {}
        definition, now = self.system.definition(left), self.system.t
        for part in Add.make_args(rights[0]):
            for term, one in product(_sums(definition), _sums(part)):
                states = [ref for ref in engine.refs(term.body) if ref.quantity.role == DEFINED and ref.time == now]
                for state in states if one.index.domain == term.index.domain else ():
                    weight = rewrite.substitute(term.body / state, {term.index: one.index})
                    claim = rewrite.replace(part, {one: one.body / weight}.get)
                    with suppress(engine.DerivationError):
                        lemma = engine.FromTheStart(state, rewrite.substitute(claim, {one.index: term.index}), now)
                        lemma.prove(self.bench.reducer)
                        lines = Line(definition, "definition"), *(Line(side, "by induction") for side in rights)
                        return {"lemmas": [lemma], "derivations": [Derivation(left, lines, self.system.printing)]}
        return {}


def _sums(expr: Expr) -> list[Sigma]:
    """The sums over units in a formula."""
    return [node for node in engine.nodes(expr) if isinstance(node, Sigma) and not node.limits]
