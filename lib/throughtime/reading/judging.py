"""Printed formulas about a recurrence: read in its notation, judged, and corrected where they are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from itertools import pairwise
from typing import Any

from sympy import Expr, Integer

from throughtime import derivation as engine
from throughtime.derivation import DEFINED, INPUT, PARAMETER, Quantity, Ref, Statement, Total
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.evaluating.elementary import NAMED
from throughtime.derivation.formulas import rewrite
from throughtime.derivation.formulas.chains import Chain
from throughtime.derivation.formulas.errors import CheckError, NotShownError, UncorrectedError
from throughtime.derivation.formulas.nodes import Applied, Immediate, Product, Sigma, sum_over
from throughtime.derivation.judging.checks import NOWHERE as UNREAD
from throughtime.reading.answer import AGREES, NOWHERE, Answer
from throughtime.reading.printed import FormulaParser
from throughtime.reading.questions import Questions, checkable
from throughtime.reading.statements import letters_of
from throughtime.reading.trees import Equality, Name
from throughtime.reading.values import KINKED, by_value

BY_VALUE = "functions are what their names say, as $\\exp(a + b) = \\exp(a)\\exp(b)$"
LENGTH = 4  # of the sequences in which a time that a formula lacks is looked for


class Judging(Questions):
    """Judges printed formulas about a recurrence, in the notation of its text."""

    _assumed: tuple[str, ...] = ()

    def judge(
        self, text: str, *, given: str = "", corrected: str | None = None, title: str | None = None
    ) -> Statement | Answer:
        """Judge a printed formula, such as "dL/dh_t = ...", in the notation of the recurrence.

        What holds comes back as a box. What does not comes back with a counterexample in numbers of the functions
        themselves, and the correction: the one that is given, or else what the engine derives for the left side, or an
        `Answer` "wrong" where it derives none. What no number refutes and the engine cannot prove comes back as an
        `Answer` "not shown", a correction given or not. In a formula that has both d and the round ∂ the latter holds
        all other arguments of an equation of the text, as ∂^+ does in any formula; without d, or with ∂^+ beside it, it
        is read as d. Sums and products run over any times, as prod_{i=k+1}^t dh_i/dh_{i-1}: one of Jacobians has the
        latest first, and of other matrices the order is that of prod_{i=t}^{k+1}. dh_t/dh_k is of times k up to t.

        `given` is an assumption under which the formula is judged: "sum(y_t) = 1", of elements of what the text gives
        at each time, such as targets that are probabilities. Raises NotationError for a text that cannot be read,
        ValueError for another assumption, CheckError for a correction that does not hold, is not shown or is not
        needed.

        >>> import throughtime as tt
        >>> net = tt.read("o_t = V x_t\\np_t = softmax(o_t)\\nL = -sum_t y_t^T log(p_t)")
        >>> print(net.judge("dL/do_t = p_t - y_t", given="sum(y_t) = 1").verdict)
        holds
        """
        if given:
            return self._under(given).judge(text, corrected=corrected, title=title)
        left, *rights = self.formula(text)
        printed = engine.chain(left, *rights)
        id = f"{re.sub(r'[^a-z0-9]+', '-', self.system.name.lower())}-{next(self._judged)}"
        how: dict[str, Any] = {"title": title or f"${engine.to_latex(left)}$", "numeric": "the text has no program"}
        how |= {"assumptions": self._assumed}
        engine.reset_statements(id)
        shown = self._by_states(left, rights)
        try:
            found = self.bench.equation(id, printed, **how, **shown)
        except NotShownError as error:
            held = self._by_value(id, printed, how)
            if held is not None and corrected:
                raise CheckError(f"{id}: holds as printed, yet a correction is given") from None
            if held is not None:
                return held
            said = NOWHERE + self._unread(printed) if UNREAD in str(error) else _agreeing(rights)
            return Answer(tuple(printed), "not shown", said, self.system.printing)
        except UncorrectedError as error:
            if not corrected:
                return self._wrong(id, printed, error.example, how)
        except engine.DerivationError:
            if not shown:
                raise
            return Answer(tuple(printed), "not shown", _agreeing(rights), self.system.printing)
        forms = [engine.chain(*self.formula(corrected))] if corrected else []
        return self.bench.equation(id, printed, corrected=forms, **how) if corrected else found

    def _by_value(self, id: str, printed: Chain, how: dict[str, Any]) -> Statement | None:
        """The box of what holds by the values of functions, of states too: as they stand, or what they are."""
        system, written = copy(self.system), {}
        for of, cases in self.system.definitions.items():
            written[of] = [replace(one, right=by_value(one.right, KINKED)) for one in cases]
        system.definitions = written
        system._note()

        def put_in(node: Expr) -> Expr | None:
            if not isinstance(node, Ref) or node.time not in (system.t, engine.LENGTH) or not system.is_case(node):
                return node if isinstance(node, engine.DerivativeSymbol) else None
            right = self.system.definition(node)
            return right if right.has(Applied) else node

        for known in (by_value, lambda side: by_value(rewrite.replace(side, put_in))):
            bench = engine.Bench(system, self.bench.sizes, activations=NAMED, known=known)
            with suppress(engine.DerivationError):
                if bench.on_instances(bench.as_known((printed,))).passed:  # before numbers are looked for
                    return bench.equation(id, printed, **how | {"assumptions": (*how["assumptions"], BY_VALUE)})
        return None

    def _wrong(self, id: str, printed: Chain, example: str, how: dict[str, Any]) -> Statement | Answer:
        """What is wrong, with the correction that the engine derives for its left side, if it derives one."""
        left, *rights = printed
        try:
            if isinstance(left, Ref):
                derivations, right = [], self.system.definition(left)
            else:
                derivations = [checkable(self._derived(left, rights))]
                right = derivations[0].result
            return self.bench.equation(
                id, printed, corrected=[engine.chain(left, right)], derivations=derivations, **how
            )
        except engine.DerivationError:  # no derivative, or one that cannot be derived
            return Answer(tuple(printed), "wrong", example, self.system.printing)

    def _unread(self, printed: Iterable[Expr]) -> str:
        """What a formula lacks at all places where it has no value, if it is of one time."""
        net, missing = engine.ExactInstance(self.system, self.sizes, LENGTH), set[tuple[int, str]]()
        for side in printed:
            for place in net.environments(side):
                try:
                    net.value(side, place)
                except engine.OutOfRange as error:
                    missing.add((error.key[-1] - LENGTH, error.key[0].name))
                except engine.DerivationError:
                    return ""
        if len({late for late, _ in missing}) != 1:
            return ""
        late, names = min(missing)[0], " and no ".join(sorted(name for _, name in missing))
        return f": there is no {names} at time {f'T+{late}' if late > 0 else LENGTH + late}"

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
        if not isinstance(cost, Ref) or cost.quantity == state:
            return {}
        element, (earlier, when) = self._built.element, (engine.time(one) for one in ("k", "s"))
        here = element(state.name, now, map(str, weight.indices))
        taken = (*map(str, (*weight.indices, *here.indices)), "k", "s")
        there = element(state.name, earlier, taken)
        acts = self._immediate(Immediate(there, weight), at_once=True, around=taken)
        terms = sum_over((earlier, 1, now), *there.indices, Total(here, there) * acts)
        lemma = engine.FromTheStart(Total(here, weight), terms, now)
        way, between = [cost], Integer(1)
        while way[-1].quantity != state:
            reads = [by.quantity for one, by in pairs if one.quantity == way[-1].quantity and one.time == by.time]
            taken = tuple(str(letter) for ref in (weight, *way) for letter in ref.indices)
            way.append(element((reads or [state])[0].name, cost.time, taken))
        for above, below in pairwise(way):
            between *= Total(above, below)
        between = sum_over(*(letter for ref in way[1:] for letter in ref.indices), between * Total(way[-1], weight))
        if total.time is None:
            between = sum_over((when, 1, engine.LENGTH), rewrite.substitute(between, {cost.time: when}))
        lines = Line(between, f"by ${engine.to_latex(state)}$"), *(Line(one, "by induction") for one in rights)
        return {"lemmas": [lemma], "derivations": [Derivation(left, lines, self.system.printing)]}

    def _under(self, given: str) -> Judging:
        """The recurrence in which the elements of a given sequence add up to 1: each is its share of another one's."""
        left, *right = self.formula(given)
        ref = left.body if isinstance(left, Sigma) and right == [1] else None
        if not isinstance(ref, Ref) or ref.quantity.role != INPUT or ref.args[1:] != (left.index, self.system.t):
            known = [str(one) for one in self._built.quantities.values() if one.role == INPUT and len(one.domains) == 1]
            raise ValueError(f"given: got {given!r}, expected sum(y_t) = 1 for one of {', '.join(known)}")
        of, now = ref.quantity, self._built.now
        reads = [one for case in self.system.all_definitions() for one in engine.refs(case.right)]
        if any(one.quantity == of and one.time.as_coeff_Add()[0] < 0 for one in reads):
            raise ValueError(f"given: {of} is read at an earlier time too, of which {given} says nothing")
        name, taken = self._built.read.names[of.name], {one.base for one in self._built.read.names.values()}
        other = next(one for one in "vurqgz" if one not in taken)
        base = name.base.replace("_hat", "\u0302").replace("_tilde", "\u0303").replace("_bar", "\u0304")
        line = f"{base}_{{{','.join((*name.marks, now))}}} = {other}_{now} / sum({other}_{now})"
        made = type(self)(f"{self.text}\n{line}", self.system.name, now)
        made._assumed = (f"${engine.to_latex(left)} = 1$",)
        return made

    def formula(self, text: str) -> list[Expr]:
        """Both sides of a printed formula, or all of a chain of equal ones, in index notation."""
        known = frozenset({*self._names, *(name.split("_")[0] for name in self._names)})
        sizes = {*self._built.elements.sized, *(one.name for one in self.sizes)}
        parser = FormulaParser(text, self._built.now, known, self._built.quantities | self._printed, sizes)
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
            sides = [side() for side in elements.sides(replace(equation, letters=letters_of(equation)))]
        finally:
            elements.source = elements.ranks.source = before
            elements.symbols, self._built.sets.names = {}, names
        at_once = any(tree.value == "∂+" for side in (equation.left, *equation.rights) for tree in side.all())
        sides = [*_lagged(sides)]
        taken = (*{str(node) for side in sides for node in engine.nodes(side) if not node.args},)
        return [rewrite.replace(side, lambda node: self._immediate(node, at_once, taken)) for side in sides]

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

    def _immediate(self, node: Expr, at_once: bool = False, around: tuple[str, ...] = ()) -> Expr | None:
        """An immediate derivative of an equation of the text: also through the net inputs that stand for its sums, and
        if it holds the states before constant and no more, `at_once`, through all that is computed at the same time."""
        if not isinstance(node, Immediate):
            return None
        target, wrt, terms = node.target, node.wrt, [node]
        read = dict.fromkeys(one for one, when in self._read_by(target.quantity) if when == self.system.t)
        nets = {net for net, *_ in self._built.elements.nets.values()}
        for quantity in (one for one in read if one.role == DEFINED and (at_once or one in nets)):
            if quantity not in (target.quantity, wrt.quantity):
                taken = (*around, *(str(letter) for ref in (target, wrt) for letter in ref.args[1:]))
                through = self._built.element(quantity.name, target.time, taken)
                rest = self._immediate(Immediate(through, wrt), at_once, taken)
                terms.append(sum_over(*through.indices, Immediate(target, through) * rest))
        return sum(terms, Integer(0))

    def _derived(self, left: Expr, rights: Iterable[Expr]) -> Derivation:
        """The derivation of a left side, down to the derivatives that the printed formula has."""
        if not isinstance(left, Total):
            raise engine.DerivationError(f"{left} is no derivative")
        found = [node for right in rights for node in engine.nodes(right) if isinstance(node, Total) and node != left]
        if left.target == self.loss[()] and left.wrt.quantity.role == PARAMETER:
            return self.bench.derive_gradient(left.target, left.wrt)
        if left.target == self.loss[()]:
            keep = {node.wrt.quantity for node in found if node.wrt.time == left.wrt.time}
            return self.bench.derive_backward(left.target, left.wrt, keep=keep)
        keep = {node.target.quantity for node in found if node.target.time == left.target.time}
        return self.bench.derive(left.target, left.wrt, keep=keep)


def _agreeing(rights: Iterable[Expr]) -> str:
    """What is said of a formula that no number refutes; and where the induction over time comes to no end."""
    bodies = [node.body for side in rights for node in engine.nodes(side) if isinstance(node, Sigma)]
    within = any(isinstance(node, Product | engine.Paths) for body in bodies for node in engine.nodes(body))
    found = "; of a product over times under a sum no proof is found, with dh_t/dh_k in its place one may be"
    return AGREES + found * within


def _lagged(sides: Sequence[Expr]) -> Sequence[Expr]:
    """Both sides with the time k of a derivative dh_t/dh_k as t - l, l from 0 on: of a later k they say nothing."""
    if not isinstance(sides[0], Total) or sides[0].target.time is None or sides[0].wrt.time is None:
        return sides
    when, earlier = sides[0].target.time, sides[0].wrt.time
    if not (when.is_Symbol and earlier.is_Symbol and earlier != when):
        return sides
    taken = {str(node) for side in sides for node in engine.nodes(side) if not node.args}
    back = engine.lag(next(one for one in ("l", "q", "r", "p", "l'") if one not in taken))
    return [rewrite.substitute(side, {earlier: when - back}) for side in sides]
