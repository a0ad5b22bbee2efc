"""What can show a printed formula over times: inductions found in its form, for the bench to prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise, product
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow

from throughtime import derivation as engine
from throughtime.derivation import DEFINED, PARAMETER, Quantity, Ref, Total
from throughtime.derivation.deriving.differentiate import expand_partials
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas import rewrite
from throughtime.derivation.formulas.effort import tried
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
        total, weight, cost = left.target, left.wrt, self._of_one_time(left.target)
        if total == self.loss[()] and cost and cost.quantity not in (state, *(one.quantity for one, _ in pairs)):
            cost = None  # whose slopes are written out
        if total.quantity == state if cost else total != self.loss[()]:
            return {}
        here = self._built.element(state.name, self.system.t, [*map(str, weight.indices)])
        between = self._along(cost, weight, state, pairs) if cost else self._by_loss(total, weight, here)
        if total.time is None and (not cost or cost.time.is_Symbol):
            when, now = engine.time("s"), cost.time if cost else here.time
            between = sum_over((when, 1, engine.LENGTH), rewrite.substitute(between, {now: when}))
        lines = Line(between, f"by ${engine.to_latex(state)}$"), *(Line(one, "by induction") for one in rights)
        lemma, derivation = self._acting(weight, here, rights), Derivation(left, lines, self.system.printing)
        return {"lemmas": [lemma], "derivations": [derivation]}

    def _of_one_time(self, total: Ref) -> Ref | None:
        """The cost of one time: a total that has a time, or what it is, as h_T, or the sum of; None if that has no
        name."""
        whole = self.system.definition(total)
        cost = total if total.time is not None else whole.body if isinstance(whole, Sigma) else whole
        return cost if isinstance(cost, Ref) else None

    def _acting(self, weight: Ref, here: Ref, rights: Sequence[Expr]) -> engine.FromTheStart:
        """The claim that the derivative of a state by a weight is a sum over the times at which this acts on it."""
        earlier = engine.time("k")
        taken = (*map(str, (*weight.indices, *here.indices)), "k", "s")
        there = self._built.element(here.quantity.name, earlier, taken)
        acts = self._immediate(Immediate(there, weight), at_once=True, around=taken)
        if not any(right.has(Immediate, Applied) for right in rights):  # as 1 - h^2
            acts = rewrite.replace(expand_partials(self.system, acts), {self.system.definition(there): there}.get)
        terms = sum_over((earlier, 1, here.time), *there.indices, Total(here, there) * acts)
        return engine.FromTheStart(Total(here, weight), terms, here.time)

    def _by_loss(self, total: Ref, weight: Ref, here: Ref) -> Expr:
        """What a loss such as 1/2 sum_t |y_t - d_t|^2 gives at one time, by a state, times that of the state."""
        terms = Add.make_args(self.bench.derive_backward(total, here).result.expand())
        at_once = Add(*(term for term in terms if not term.has(Total)))
        return sum_over(*here.indices, at_once * Total(here, weight))

    def _along(self, cost: Ref, weight: Ref, state: Quantity, pairs: Sequence[tuple[Ref, Ref]]) -> Expr:
        """The chain of derivatives from a cost of one time to a state, by what the formulas derive between them."""
        way, between = [cost], Integer(1)
        while way[-1].quantity != state:
            reads = [by.quantity for one, by in pairs if one.quantity == way[-1].quantity and one.time == by.time]
            taken = tuple(str(letter) for ref in (weight, *way) for letter in ref.indices)
            way.append(self._built.element((reads or [state])[0].name, cost.time, taken))
        for above, below in pairwise(way):
            between *= Total(above, below)
        letters = (letter for ref in way[1:] for letter in ref.indices)
        return sum_over(*letters, between * Total(way[-1], weight))

    def _by_products(self, left: Expr, rights: Sequence[Expr]) -> dict[str, Any]:
        """What can show a sum of products over times: for each an induction, as a derivative of a state; or nothing."""
        lemmas, found = list[engine.Lemma](), dict[Expr, Expr]()
        for letter, node in _products(rights):
            steps = _steps(node)
            late = letter if letter is None or steps.coeff(letter) != -1 else steps + letter
            late = (engine.LENGTH if steps.has(engine.LENGTH) else self.system.t) if late is None else late
            if (late.is_Symbol or late == engine.LENGTH) and (letter is None or (late - steps).is_Symbol):
                for lemma, derivative in self._claims(left, node, late, steps) if node not in found else ():
                    with suppress(engine.DerivationError):
                        if self.bench.on_instances([(lemma.left, lemma.right)]).passed:  # numbers refute at once
                            lemma.prove(self.bench.reducer)
                            lemmas.append(lemma)
                            found[node] = derivative
                            break
        if not found:
            return {}
        before = [rewrite.replace(one, found.get) for one in rights]
        by_states = self._by_states(left, before)
        lines = by_states["derivations"][0].lines if by_states else tuple(Line(one, "of products") for one in before)
        if not by_states:
            with suppress(engine.DerivationError):
                whole = engine.FromTheStart(left, before[0], self.system.t)
                if tried(partial(whole.prove, self.bench.reducer)) is not None:
                    lemmas.append(whole)
            if isinstance(left, Ref) and left not in [
                one.left for one in lemmas
            ]:  # shown without derivatives, if at all
                return {}
        lines += tuple(Line(one, "by induction") for one in rights)
        shown = [*dict.fromkeys(lemmas), *by_states.get("lemmas", ())]
        return {"lemmas": shown, "derivations": [Derivation(left, lines, self.system.printing)]}

    def _claims(self, left: Expr, node: Expr, late: Expr, steps: Expr) -> Iterator[tuple[engine.Lemma, Expr]]:
        """Claims that a product of so many steps is a derivative of a state, or its diagonal, at the units of the
        product or of the left side; each with that."""
        now, back = self.system.t, engine.lag("l")
        earlier = {steps: back} if steps.is_Symbol else {late - steps: late - back}
        claim = rewrite.substitute(rewrite.substitute(node, earlier), {late: now})
        letters = [{one for one in rewrite.free(side) if isinstance(one, engine.Index)} for side in (node, left)]
        units = sorted(letters[0] or letters[1], key=str)
        for state in (one for one in self._built.quantities.values() if one.role == DEFINED and one.timed):
            ways: list[tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...], Expr]]
            if isinstance(node, Paths):
                ends = (node.start, node.end), (node.end, node.start)
                ways = [((above,), (below,), (below,), claim) for above, below in ends]
            else:
                own = tuple(one for one in units if one.domain in state.domains)
                below = self._built.element(state.name, now, [*map(str, units)]).indices
                ways = [(own, below, own, claim * Mul(*map(engine.Delta, own, below)))]
            for above, below, there, right in ways:
                with suppress(engine.DerivationError):
                    if len(above) == len(state.domains):
                        lemma = engine.Lemma(Total(state[(*above, now)], state[(*below, now - back)]), right, back)
                        yield lemma, Total(state[(*above, late)], state[(*there, late - steps)])

    def _by_read(self, left: Expr, rights: Sequence[Expr]) -> dict[str, Any]:
        """What can show what reads a state as a sum over times, y = C h as the convolution of x, or its derivative by
        an earlier input: an induction for the state, whose sum is that of the right side without the weights of the
        reader. Empty if there is none."""
        target, now = left.target if isinstance(left, Total) else left, self.system.t
        when = target.time if isinstance(target, Ref) else None
        if when not in (now, engine.LENGTH) or (when != now and now in rewrite.free(rights[0])):
            return {}  # what is claimed of the last time is shown of any
        definition = self.system.definition(left) if left == target else self._at_once(left)
        read, right = (rewrite.substitute(side, {engine.LENGTH: now}) for side in (definition, rights[0]))
        for part in Add.make_args(right):
            pairs = product(_sums(read), _sums(part))
            for term, one in (two for two in pairs if two[0].index.domain == two[1].index.domain):
                for state in (node for node in engine.nodes(term.body) if self._is_state(node, type(left))):
                    weight = rewrite.substitute(term.body / state, {term.index: one.index})
                    claim = rewrite.replace(part, {one: one.body / weight}.get)
                    claim = rewrite.substitute(claim, {one.index: term.index})
                    with suppress(engine.DerivationError):
                        lemma = _over(state, claim, now)
                        lemma.prove(self.bench.reducer)
                        lines = Line(definition, "definition"), *(Line(side, "by induction") for side in rights)
                        return {"lemmas": [lemma], "derivations": [Derivation(left, lines, self.system.printing)]}
        return {}

    def _at_once(self, left: Total) -> Expr:
        """A derivative by those of what its target reads at the same time."""
        now, reads = self.system.t, self._read_by(left.target.quantity)
        keep = [one for one, when in reads if when == now and one.role == DEFINED]
        return self.bench.derive(left.target, left.wrt, keep=keep).result

    def _is_state(self, node: Expr, kind: type) -> bool:
        """Whether it is a state at the time t, or the derivative of one, as the left side is."""
        target = node.target if isinstance(node, Total) else node
        read = isinstance(node, kind) and isinstance(target, Ref)
        return read and target.quantity.role == DEFINED and target.time == self.system.t


def _over(state: Expr, claim: Expr, now: Expr) -> engine.Lemma:
    """What is claimed of a state from the start on, or of its derivative for each number of steps back."""
    if isinstance(state, Total):
        return engine.Lemma(state, claim, now - state.wrt.time)
    return engine.FromTheStart(state, claim, now)


def _sums(expr: Expr) -> list[Sigma]:
    """The sums over units in a formula."""
    return [node for node in engine.nodes(expr) if isinstance(node, Sigma) and not node.limits]


def _products(sides: Sequence[Expr]) -> Iterator[tuple[Expr | None, Expr]]:
    """The products over times, powers too: in sums over times, each with the letter of the sum; from the earlier time
    of a derivative on, or from a time to the last one, where they are but a part of a side, with none."""
    inner = (one for side in sides for one in engine.nodes(side) if one not in sides)
    for node in (one for one in inner if isinstance(one, Pow | Product | Paths)):
        if _steps(node).is_Symbol or (engine.LENGTH - _steps(node)).is_Symbol:
            yield None, node
    for total in (node for side in sides for node in engine.nodes(side) if isinstance(node, Sigma) and node.limits):
        for node in engine.nodes(total.body):
            power = isinstance(node, Pow) and not node.exp.is_Integer
            if (power or isinstance(node, Product | Paths)) and _steps(node).has(total.index):
                yield total.index, node


def _steps(node: Expr) -> Expr:
    """The number of factors of a product over times."""
    if isinstance(node, Product):
        return node.limits[1] - node.limits[0] + 1
    return node.steps if isinstance(node, Paths) else node.exp
