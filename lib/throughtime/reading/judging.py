"""Printed formulas about a recurrence: read in its notation, judged, and corrected where they are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any

from sympy import Expr

from throughtime import derivation as engine
from throughtime.derivation import INPUT, PARAMETER, Bench, Ref, Statement, Total
from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.evaluating.elementary import NAMED
from throughtime.derivation.formulas import rewrite
from throughtime.derivation.formulas.chains import Chain
from throughtime.derivation.formulas.effort import TooLongError, within
from throughtime.derivation.formulas.errors import CheckError, NotShownError, UncorrectedError
from throughtime.derivation.formulas.nodes import Applied, Binder, Immediate, Sigma
from throughtime.derivation.judging.checks import NOWHERE as UNREAD
from throughtime.derivation.judging.counterexample import KINK
from throughtime.derivation.judging.instances import EMPTY as UNMET
from throughtime.reading.answer import AGREES, EMPTY, NOWHERE, Answer, agreeing
from throughtime.reading.conditions import parted
from throughtime.reading.inductions import Inductions
from throughtime.reading.questions import checkable
from throughtime.reading.source import NotationError, SourceText
from throughtime.reading.values import KINKED, by_value

BY_VALUE = "functions are what their names say, as $\\exp(a + b) = \\exp(a)\\exp(b)$"
EFFORT = 1000  # compared terms of a proof, some five seconds
LENGTH = 4  # of the sequences in which a time that a formula lacks is looked for


class Judging(Inductions):
    """Judges printed formulas about a recurrence, in the notation of its text."""

    _assumed: tuple[str, ...] = ()

    def judge(
        self,
        text: str,
        *,
        given: str = "",
        corrected: str | None = None,
        title: str | None = None,
        effort: int = EFFORT,
    ) -> Statement | Answer:
        """Judge a printed formula, such as "dL/dh_t = ...", in the notation of the recurrence.

        What holds comes back as a box. What does not comes back with a counterexample in numbers of the functions
        themselves, and the correction: the one that is given, or else what the engine derives for the left side, or an
        `Answer` "wrong" where it derives none. What no number refutes and the engine cannot prove comes back as an
        `Answer` "not shown", a correction given or not, and so does what it does not prove with an `effort` of so many
        compared terms, two hundred of which take about a second. In a formula that has both d and the round ∂ the
        latter holds all other arguments of an equation of the text; so does ∂^+ in any formula, or else it holds what
        is of other times. Without d, or with ∂^+ beside it, ∂ is read as d, and refused if only so numbers refute it.
        Sums and products run over any times, as prod_{i=k+1}^t dh_i/dh_{i-1}: one of Jacobians has the latest first,
        and of other matrices the order is that of prod_{i=t}^{k+1}. dh_t/dh_k is of times k up to t, and so is h_t
        beside h_k and a range from k to t. Behind a formula, or before it, stand its times, as
        ", t < T", "for t = T: "; one that fails at t = T alone is asked for them. Of a text in rows it is in rows, too.

        `given` is an assumption under which the formula is judged: "sum(y_t) = 1", of elements of what the text gives
        at each time, such as targets that are probabilities; it is asked for where nothing else is missing. Raises
        NotationError for a text that cannot be read, ValueError for another assumption, CheckError for a correction
        that does not hold, is not shown or is not needed.

        >>> import throughtime as tt
        >>> net = tt.read("o_t = V x_t\\np_t = softmax(o_t)\\nL = -sum_t y_t^T log(p_t)")
        >>> print(net.judge("dL/do_t = p_t - y_t", given="sum(y_t) = 1").verdict)
        holds
        """
        if given:
            return self._under(given).judge(text, corrected=corrected, title=title, effort=effort)
        (bare, said), (left, *rights) = parted(text), self.formula(text)
        at_one = any("=" in one and "T" not in "".join(one) for one in said)  # where there may be nothing to read
        if said and not corrected and not at_one:  # of all times it may be proved at once
            with suppress(NotationError):
                if (whole := self.judge(bare, title=title, effort=effort)).verdict == "holds":
                    return whole
        printed = engine.chain(left, *rights)
        id = f"{re.sub(r'[^a-z0-9]+', '-', self.system.name.lower())}-{next(self._judged)}"
        how: dict[str, Any] = {"title": title or f"${engine.to_latex(left)}$", "numeric": "the text has no program"}
        how |= {"assumptions": (*self._assumed, *(f"${' '.join(one)}$" for one in said))}
        engine.reset_statements(id)
        try:
            with within(effort):
                return self._found(text, id, printed, corrected, how)
        except TooLongError:
            with suppress(TooLongError), within(effort):
                if not corrected and (held := self._by_value(id, tuple(printed), how)):
                    return held
            more = f"a larger one (effort={10 * effort}) may show it"
            why = f"{AGREES}; no proof is found with an effort of {effort}, {more}"
            return Answer(tuple(printed), "not shown", why, self.system.printing)

    def _found(
        self, text: str, id: str, printed: Chain, corrected: str | None, how: dict[str, Any]
    ) -> Statement | Answer:
        """The judgement of a formula that is read."""
        (left, *rights), shown = printed, dict[str, Any]()
        try:
            bench = self._bench_for(printed)
            if bench.on_instances([printed]).passed:
                shown = self._inductions(left, rights)
            found = bench.equation(id, printed, **how, **shown)
        except NotShownError as error:
            held = None if UNMET in str(error) else self._by_value(id, printed, how)
            if held is not None and corrected:
                raise CheckError(f"{id}: holds as printed, yet a correction is given") from None
            if held is not None:
                return held
            known = {UNREAD: NOWHERE} if not shown else {}  # else it can be said of a line of a derivation
            known |= {UNMET: EMPTY, KINK: KINK}
            said = next((said for why, said in known.items() if why in str(error)), agreeing(rights))
            said += self._unread(printed) if said == NOWHERE else ""
            return Answer(tuple(printed), "not shown", said, self.system.printing)
        except UncorrectedError as error:
            other = engine.chain(*self.formula(text, at_once=False))
            with suppress(NotShownError):
                if other != printed and self.bench.on_instances([other]).passed:
                    return self._found(text, id, other, corrected, how)
            self._check_sign(text, printed)
            self._check_last(text, printed)
            self._check_power(text)
            self._check_shares(text, printed)
            if not corrected:
                self._check_layout(text, printed)
                return self._wrong(id, printed, error.example, how, bench)
        except engine.DerivationError:
            if not shown:
                raise
            return Answer(tuple(printed), "not shown", agreeing(rights), self.system.printing)
        forms = [engine.chain(*self.formula(corrected))] if corrected else []
        return bench.equation(id, printed, corrected=forms, **how) if corrected else found

    def _bench_for(self, printed: Chain) -> Bench:
        """The bench; one of longer sequences for what only these refute, as a lost term may lie further back; where it
        asks nothing of a range of times, one that asks derivatives by states at time 0 too.

        NotShownError where that asks nothing either.
        """
        within = [node for side in printed for node in engine.nodes(side) if isinstance(node, Binder)]
        found = any(isinstance(one, Total) and one.wrt.time is not None for by in within for one in engine.nodes(by))
        with suppress(NotShownError):
            if self.bench.on_instances([printed]).passed and (net := self.bench.exact.refuting([printed])):
                return replace(self.bench, length=net.length)
            if not found or not _unmet(self.bench, printed):
                return self.bench
        (system := copy(self.system)).from_start = True
        bench = replace(self.bench, system=system)
        if nothing := _unmet(bench, printed):
            raise NotShownError(nothing)
        return bench

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

    def _check_sign(self, text: str, printed: Sequence[Expr]) -> None:
        """NotationError for a formula with ∂ alone that is wrong of total derivatives, and that no number refutes where
        those of a state, or only the last factors, which are by a weight, are of one equation of the text."""
        elements, (left, *rights) = self._built.elements, printed
        before, elements.held = elements.held, {"∂"}
        held = self.formula(text)
        elements.held = before
        taken = (*{str(node) for side in printed for node in engine.nodes(side) if not node.args},)
        found = [node for right in rights for node in engine.nodes(right) if elements.immediate and _of_state(node)]
        weights = [one for one in found if one.wrt.quantity.role == PARAMETER]
        last = {one: self._immediate(Immediate(one.target, one.wrt), True, taken) for one in weights}
        of_state = _of_state(left) and held[0] != left and not self.bench.exact.is_zero(held[0]) and self._agrees(held)
        if of_state or (last and self._agrees([left, *(rewrite.replace(one, last.get) for one in rights)], True)):
            place = re.search(r"∂|\\partial", text)
            one, other = "d for the total derivative, of which numbers refute it", "∂^+ for that of one equation"
            other += "" if of_state else ", as the last of each product"
            raise SourceText(text).two_readings(place.start() if place else 0, "∂", one, other)

    def _check_last(self, text: str, printed: Sequence[Expr]) -> None:
        """NotationError for what reads a later time, and fails at t = T alone: t < T is meant by many."""
        now, before = self.system.t, engine.LENGTH - engine.lag("l", start=1)
        ahead = any((when - now).is_positive for when in rewrite.times(*printed))
        if ahead and self._agrees([rewrite.substitute(side, {now: before}) for side in printed]):
            t, place = self._built.now, max(text.find("="), 0)
            hint = f"a formula with , {t} < T behind it, and one for the time T"
            raise SourceText(text).fault(place, f"found what fails at {t} = T alone", "expected its times", hint)

    def _check_layout(self, text: str, printed: Sequence[Expr]) -> None:
        """NotationError for a derivative by a vector or matrix that fails, but holds of the transpose.

        It is right in the layout of others. With both indices written it is wrong.
        """
        left, *rights = printed
        sides = left.args[:2] if isinstance(left, Total) else ()
        found = [index for one in sides for index in getattr(one, "indices", ())]
        if len(found) != 2 or not left.wrt.indices:
            return
        i, j = found
        side = parted(text)[0].partition("=")[0].strip()
        marks = "".join(re.findall(r"_\{?([^\s/={}^_]*)", side))
        if i.name in marks and j.name in marks:  # which are told apart
            return
        if i.domain == j.domain and self._agrees([rewrite.substitute(left, {i: j, j: i}), *rights]):
            said, expected = "found what fails, but holds of the transpose", "expected a row for each element above"
            raise SourceText(text).fault(0, said, expected, f"({side})^T = ... in the other layout")

    def _check_power(self, text: str) -> None:
        """NotationError for h_T = A^T h_0, in which T is a power, and read as the sign of the transpose."""
        now, held = self._built.now, False
        letter = r"(?<![A-Za-z\\]){}(?![A-Za-z])"
        with suppress(NotationError, engine.DerivationError):
            if re.search(r"\^\s*\{?\s*T", text) and not re.search(letter.format(now), text):
                held = self._agrees(self.formula(re.sub(letter.format("T"), now, text)))
        if held:
            power = f"{now} in place of each T for the power, as h_{now} = A^{now} h_0"
            raise SourceText(text).two_readings(text.find("^"), "^T", power, r"\top for the transpose")

    def _check_shares(self, text: str, printed: Sequence[Expr]) -> None:
        """NotationError for what fails, but holds of targets that add up to 1, as a softmax is used with."""
        named = {one.quantity for side in printed for one in engine.refs(side)}
        targets = (self.system.targets_of(self.loss) | self._built.goals) & named if not self._assumed else ()
        for of in sorted((one for one in targets if one.name in self._built.read.names), key=str):
            at = f"{self._built.read.names[of.name].base}_{self._built.now}"
            given, held = f"sum({at}) = 1", None
            with suppress(ValueError):
                held = self._under(given).judge(text).verdict == "holds"
            if held:
                said, hint = f"found what fails, but where the elements of {at} add up to 1", f'given="{given}"'
                raise SourceText(text).fault(max(text.find("="), 0), said, "expected that to be said", hint)

    def _agrees(self, sides: Sequence[Expr], unread: bool = False) -> bool:
        """Whether no number refutes a formula; `unread` of one that can be read at no place."""
        with suppress(NotShownError):
            return bool(self.bench.exact.ask([sides]).passed) and not self.bench.exact.refuting([sides])
        return unread

    def _wrong(self, id: str, printed: Chain, example: str, how: dict[str, Any], bench: Bench) -> Statement | Answer:
        """What is wrong, with the correction that the engine derives for its left side, if it derives one."""
        left, *rights = printed
        try:
            if isinstance(left, Ref):
                derivations, right = [], self.system.definition(left)
            else:
                derivations = [checkable(self._derived(left, rights))]
                right = derivations[0].result
            return bench.equation(id, printed, corrected=[engine.chain(left, right)], derivations=derivations, **how)
        except (engine.DerivationError, TooLongError):  # no derivative, or one that cannot be derived
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

    def _under(self, given: str) -> Judging:
        """The recurrence in which the elements of a given sequence add up to 1: each is its share of another one's."""
        left, *right = self.formula(given)
        ref = left.body if isinstance(left, Sigma) and right == [1] else None
        names, made = self._built.read.names, self._built.quantities
        sequences = [made[key] for key in names if key in made and made[key].role == INPUT]  # that the text has
        fits = isinstance(ref, Ref) and ref.quantity in sequences and ref.args[1:] == (left.index, self.system.t)
        if not isinstance(ref, Ref) or not fits:
            known = [str(one) for one in sequences if len(one.domains) == 1]
            raise ValueError(f"given: got {given!r}, expected sum(y_t) = 1 for one of {', '.join(known)}")
        of, now = ref.quantity, self._built.now
        reads = [one for case in self.system.all_definitions() for one in engine.refs(case.right)]
        if any(one.quantity == of and one.time.as_coeff_Add()[0] < 0 for one in reads):
            raise ValueError(f"given: {of} is read at an earlier time too, of which {given} says nothing")
        name, taken = names[of.name], {one.base for one in names.values()}
        other = next(one for one in "vurqgz" if one not in taken)
        base = name.base.replace("_hat", "\u0302").replace("_tilde", "\u0303").replace("_bar", "\u0304")
        marks = name.marks if of.name != name.base else ()  # which are indices
        size = next(one for one in "nmpqrabc" if one not in taken)
        line = f"{base}_{{{','.join((*marks, now))}}} = {other}_{now} / sum({other}_{now})"
        declared = f"{other}_{now} in R^{size}"  # which is no misspelt name
        under = type(self)(f"{self.text}\n{line}\n{declared}", self.system.name, now)
        under._assumed = (f"${engine.to_latex(left)} = 1$",)
        under._judged = self._judged  # no statement of either has the id of another
        return under

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


def _of_state(side: Expr) -> bool:
    """Whether it is the derivative of a quantity at a time."""
    return isinstance(side, Total) and isinstance(side.target, Ref) and side.target.time is not None


def _unmet(bench: Bench, printed: Chain) -> str:
    """Why the numbers of a bench ask nothing of a formula that has a range of times; empty if they do, or refute it."""
    nothing = bench.on_instances([printed]).passed and bench.exact.asked_nothing([printed])
    return nothing if nothing and UNMET in nothing else ""
