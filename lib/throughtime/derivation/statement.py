"""Statements: what a source prints, what is true, and the checks that decide between the two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from sympy import Expr, Integer
from sympy.core.basic import Basic

from . import render
from .checks import (
    Chain,
    MutantReport,
    Outcome,
    close,
    holds_in_general,
    holds_on,
    put_bounds,
    put_mutants,
)
from .counterexample import counterexample
from .domains import Dimension, Index
from .errors import CheckError
from .evaluate import Witness
from .forward import Cut
from .induction import Lemma
from .nodes import PARAMETER, DerivativeSymbol, Quantity, Ref, Total, nodes
from .printing import to_latex
from .reduce import Reducer
from .rewrite import free
from .steps import Derivation, derive, derive_backward, derive_gradient
from .system import System
from .unroll import Unrolled

MIME = "application/vnd.throughtime.statement+json"
VERDICTS = ("holds", "corrected", "refuted", "supported")


class Provable(Protocol):
    """One step of a proof: a check that can fail, and how it shows itself."""

    words: str
    exact: bool

    def check(self) -> bool: ...

    def html(self) -> str: ...

    def text(self) -> str: ...


def argued(proof: Iterable[Provable]) -> int:
    """How many steps of a proof rest on their words: their checks could have refuted them, and prove nothing."""
    return sum(not step.exact for step in proof)


@dataclass
class Statement:
    """A judged statement. It shows itself in a notebook and carries its record for the ledger."""

    id: str
    title: str
    tag: str | None
    verdict: str
    printed: tuple[Sequence[Basic], ...]
    corrected: tuple[Sequence[Basic], ...] = ()
    derivations: tuple[Derivation, ...] = ()
    proof: tuple[Any, ...] = ()
    assumptions: tuple[str, ...] = ()
    counterexample: str = ""
    counterexample_data: str = ""
    checks: dict[str, Outcome] = field(default_factory=dict)
    mutants: MutantReport = field(default_factory=MutantReport)

    @property
    def printed_sign(self) -> bool:
        """Whether the print contains derivatives, which the source writes with its own sign."""
        return any(isinstance(n, DerivativeSymbol) for members in self.printed for m in members for n in nodes(m))

    def printed_html(self) -> str:
        """The printed form with the source's number as its tag."""
        return render.display(render.chains_tex(self.printed, self.tag, as_printed=True))

    def corrected_html(self) -> str:
        """The corrected form."""
        return render.display(render.chains_tex(self.corrected, f"{self.tag}'" if self.tag else None))

    def as_json(self) -> dict[str, Any]:
        """The record that the ledger reads off the stored output."""
        return {
            "id": self.id,
            "anchor": self.id,
            "title": self.title,
            "verdict": self.verdict,
            "checks": {kind: outcome.as_json() for kind, outcome in self.checks.items()},
            "mutants": self.mutants.as_json(),
            "assumptions": list(self.assumptions),
            "printed": render.chains_tex(self.printed, None, as_printed=True) if self.printed else "",
            "corrected": render.chains_tex(self.corrected, None) if self.corrected else "",
            "counterexample": self.counterexample,
        }

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any]:
        return {
            "text/html": render.statement_html(self),
            "text/plain": render.statement_text(self),
            MIME: self.as_json(),
        }


@dataclass
class Setting:
    """What the equations of a chapter are checked against.

    `sizes` are sizes of the dimensions (one dict, or several) for the exact instances over times 1..`length`;
    `model` is a numeric witness (`throughtime.bridge`) or None; `activations` are the real activations, used in
    counterexamples, as `(z, order) -> number`; `plain_values` are elements, by (name, *indices, time), that keep a
    given value there. `assumptions` hold for every statement. `library_gradient(name, place)` is one component of
    the numeric model's own gradient by each of its methods; it is compared with the sum over time of every derived
    formula for the derivative of `step_cost`.
    """

    system: System
    sizes: Sequence[dict[Dimension, int]]
    length: int = 3
    model: Witness | None = None
    activations: dict[str, Any] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    plain_values: dict[tuple, Any] = field(default_factory=dict)
    step_cost: Expr | None = None
    library_gradient: Callable[[str, tuple[int, ...]], dict[str, float]] | None = None

    def __post_init__(self) -> None:
        self.reducer = Reducer(self.system)
        self.witnesses = [
            Unrolled(self.system, dict(sizes), self.length, seed=seed) for seed, sizes in enumerate(self.sizes, 1)
        ]

    def derive(self, target: Expr, wrt: Ref, *, cuts: Iterable[Cut] = (), keep: Iterable[Quantity] = ()) -> Derivation:
        """d(target)/d(wrt) forwards in time (`steps.derive`)."""
        return derive(self.reducer, target, wrt, cuts=cuts, keep=keep)

    def derive_backward(
        self, loss: Ref, node: Ref, *, cuts: Iterable[Cut] = (), keep: Iterable[Quantity] = ()
    ) -> Derivation:
        """d(loss)/d(node) backwards in time (`steps.derive_backward`)."""
        return derive_backward(self.reducer, loss, node, cuts=cuts, keep=keep)

    def derive_gradient(self, loss: Ref, weight: Ref) -> Derivation:
        """d(loss)/d(weight) as a sum over time (`steps.derive_gradient`)."""
        return derive_gradient(self.reducer, loss, weight)

    def equation(
        self,
        id: str,
        *printed: Chain,
        tag: str | None = None,
        corrected: Iterable[Chain] = (),
        derivations: Iterable[Derivation] = (),
        lemmas: Iterable[Lemma] = (),
        quoted: Iterable[Lemma] = (),
        slopes: Mapping[str, Expr] | None = None,
        zeros: Iterable[str] = (),
        proof: Iterable[Provable] = (),
        assumptions: Iterable[str] = (),
        numeric: str = "",
    ) -> Statement:
        """Judge an equation: `printed` as its source has it, `corrected` where that turns out to be wrong.

        `derivations` are shown and every one of their lines is checked like the statement itself. `lemmas` are
        proved by induction, shown, and used; `quoted` are proved and used, and shown without the proof, which
        stands elsewhere on the page. A chain may end in `AtMost(bound)`: with `slopes` the largest slopes by
        activation, and attained where the quantities named in `zeros` are 0 and all others are positive. `proof`
        are steps (`claims.Step`) from the equations to what the source draws from them. `numeric` gives the reason
        where the numeric model has nothing to say. Raises CheckError where a check fails, where a `corrected` form is
        missing or superfluous, or where a mutant survives.
        """
        corrected, derivations = tuple(corrected), tuple(derivations)
        shown_lemmas, quoted, proof = tuple(lemmas), tuple(quoted), tuple(proof)
        lemmas = (*shown_lemmas, *quoted)
        on_print = holds_on(self.witnesses, printed)
        problem = self._wrong(on_print, printed, zeros)
        if bool(problem) != bool(corrected):
            raise CheckError(
                f"{id}: is wrong as printed, and no correction is given: {problem}" if problem
                else f"{id}: holds as printed, yet a correction is given"
            )  # fmt: skip
        true = corrected if problem else printed
        shown = [chain for derivation in derivations for chain in derivation.equations()]
        claims = [*true, *shown, *((lemma.left, lemma.right) for lemma in lemmas)]
        checks = {
            "general": holds_in_general(self.reducer, [*true, *shown], lemmas, slopes),
            "instance": self._instance(claims, 0 if problem or not on_print.passed else len(true), on_print.count),
            "numeric": self._numeric(claims, numeric),
        }
        failed = [step.words for step in proof if not step.check()]
        checks["general"] = (
            Outcome(False, "; ".join(failed)) if failed else replace(checks["general"], argued=argued(proof))
        )
        report = put_mutants(self.witnesses, true, self.reducer.equal)
        exceeded, bounds = put_bounds(*self._real(zeros), true)
        if exceeded:
            checks["instance"] = Outcome(False, exceeded)
        report = report.joined(bounds)
        self._insist(id, checks, report)
        example, data = counterexample(self, id, printed) if problem else ("", "")
        return Statement(
            id, self.titles.get(id, ""), tag, "corrected" if problem else "holds", printed, corrected, derivations,
            proof=(
                *map(_quoted_line, quoted),
                *(line for lemma in shown_lemmas for line in _proof_lines(self.reducer, lemma)), *proof,
            ),
            assumptions=(*self._ranges(true), *self.assumptions, *assumptions),
            counterexample=example, counterexample_data=data, checks=checks, mutants=report,
        )  # fmt: skip

    def _instance(self, claims: Sequence[Chain], known: int, count: int) -> Outcome:
        """All claims on the exact instances; the first ones may be known to hold, at so many places."""
        if not claims[known:]:
            return Outcome(True, "", count)
        outcome = holds_on(self.witnesses, claims[known:])
        passed = True if known and outcome.passed is None else outcome.passed
        return Outcome(passed, outcome.reason, outcome.count + (count if known else 0))

    def _wrong(self, outcome: Outcome, chains: Sequence[Chain], zeros: Iterable[str]) -> str:
        """Why some chain is false on the exact instances, or a bound of it on the real ones; empty if none is."""
        if outcome.passed is False:
            return outcome.reason
        return put_bounds(*self._real(zeros), chains)[0]

    def _real(self, zeros: Iterable[str]) -> tuple[list[Witness], list[Witness]]:
        """Instances with the real activations in floating point: some random; one positive, in which `zeros` are 0."""
        shared = {"length": self.length, "activations": self.activations, "number": float}
        random = [Unrolled(self.system, dict(sizes), seed=seed, **shared) for seed, sizes in enumerate(self.sizes, 7)]
        positive = {**shared, "number": lambda value: abs(float(value))}
        return random, [Unrolled(self.system, dict(self.sizes[0]), seed=3, zeros=frozenset(zeros), **positive)]

    @staticmethod
    def _insist(id: str, checks: dict[str, Outcome], report: MutantReport) -> None:
        for kind, outcome in checks.items():
            if outcome.passed is False:
                raise CheckError(f"{id}: {kind} check failed: {outcome.reason}")
            if outcome.passed is None and not outcome.reason:
                raise CheckError(f"{id}: {kind} check was not made, and no reason is given")
        if not report.passed:
            raise CheckError(f"{id}: {len(report.survivors)} of {report.tried} mutants survive: {report.survivors[:3]}")

    def _numeric(self, chains: Sequence[Chain], reason: str) -> Outcome:
        if reason or self.model is None:
            return Outcome(None, reason)
        outcome = holds_on([self.model], chains, close)
        wrong = [problem for members in chains for problem in self._library_differs(members)]
        return Outcome(False, "; ".join(wrong), outcome.count) if wrong else outcome

    def _library_differs(self, members: Chain) -> list[str]:
        """Where the library's gradient is not the sum over time of a derived formula for it."""
        left, result = members[0], members[-1]
        if self.library_gradient is None or not isinstance(left, Total) or left.target != self.step_cost:
            return []
        if left.wrt.quantity.role != PARAMETER:
            return []
        model, t, problems = self.model, self.system.t, []
        for env in model.places(left.wrt.indices):
            times = (Integer(time) for time in range(1, model.length + 1))
            derived = sum(model.value(result, {**env, t: time}) for time in times)
            key = model.key(left.wrt, env)
            for method, value in self.library_gradient(key[0].name, model.place(key)).items():
                if not close(derived, value):
                    problems.append(f"{method}: {left.wrt} is {value} in the library, {derived} derived")
        return problems

    def _ranges(self, chains: Iterable[Chain]) -> list[str]:
        letters = sorted(
            {i for members in chains for i in free(members[0]) if isinstance(i, Index)},
            key=lambda i: (
                i.name,
                -len(i.domain.leaves()),
                len(str(i.domain.lower)),
                str(i.domain.lower),
                i.domain.name,
            ),
        )
        shown = (f"${i.latex} = {to_latex(i.domain.lower)}, \\dots, {to_latex(i.domain.upper)}$" for i in letters)
        return [", ".join(shown)] if letters else []


def _quoted_line(lemma: Lemma) -> ProofLine:
    claim = f"${to_latex(lemma.left)} = {to_latex(lemma.right)}$ for ${to_latex(lemma.over)} \\ge {lemma.start}$"
    return ProofLine(f"As shown before, {claim}.", ())


def _proof_lines(reducer: Reducer, lemma: Lemma) -> list[ProofLine]:
    claim, lags = f"{to_latex(lemma.left)} = {to_latex(lemma.right)}", f"{to_latex(lemma.over)} \\ge {lemma.start}"
    words = f"By induction over the lag, ${claim}$ for ${lags}$."
    return [ProofLine(words, ()), *(ProofLine(*line) for line in lemma.explain(reducer))]


@dataclass(frozen=True)
class ProofLine:
    """Words and a chain of equal formulas, checked with the lemma they belong to."""

    words: str
    chain: tuple[Expr, ...]

    def html(self) -> str:
        """Words, then the chain."""
        return render.prose(self.words) + (render.display(render.chains_tex([self.chain], None)) if self.chain else "")

    def text(self) -> str:
        """The same as plain text."""
        return " ".join(
            [self.words, *(line.strip() for line in render.chains_text([self.chain] if self.chain else []))]
        )
