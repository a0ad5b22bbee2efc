"""Statements that are no derivative equations: conditions, bounds, limits, definitions in words, experiments.

The printed form is a SymPy formula. `decide(formula)` finds out whether a formula of that shape is true, by a way
that does not use the proof; it is put to the printed form, to the corrected one and to all their mutants, which
`slips` makes. The proof is a list of steps, each with a check of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Add, Equality, Ge, Gt, Integer, Le, Lt, Mul, Not, Rational, S, Unequality, exp, simplify
from sympy.core.basic import Basic
from sympy.core.relational import Relational

from . import render
from .checks import Chain, MutantReport, Outcome
from .errors import CheckError
from .induction import Lemma
from .mutants import Mutant, distinct
from .nodes import Total, Truncated
from .printing import to_latex, to_text
from .statement import VERDICTS, Setting, Statement, argued

Decide = Callable[[Basic], bool]
Check = Callable[[], bool]


@dataclass(frozen=True)
class Step:
    """One step of a proof: words (formulas between dollar signs), a displayed formula, and a check that can fail.

    `exact` says that the check proves the step for all values; otherwise the words do, and the check tries instances.
    """

    words: str
    formula: Basic | str | None
    check: Check
    exact: bool = False

    def tex(self) -> str:
        """The displayed formula as LaTeX."""
        if self.formula is None or isinstance(self.formula, str):
            return self.formula or ""
        return render.formula(self.formula)

    def html(self) -> str:
        """Words, then the formula."""
        shown = render.display(self.tex()) if self.formula is not None else ""
        return render.prose(self.words) + shown

    def text(self) -> str:
        """The same as plain text."""
        shown = render.plain(self.formula) if isinstance(self.formula, Basic) else self.formula or ""
        return f"{self.words} {shown}".strip()


def identity(words: str, left: Any, right: Any) -> Step:
    """A step that says left = right, checked by SymPy."""
    equation = Equality(S(left), S(right), evaluate=False)
    difference = S(left).doit() - S(right).doit()
    return Step(words, equation, lambda: simplify(difference.rewrite(exp)) == 0, exact=True)


def derived(words: str, setting: Setting, *chains: Chain, lemmas: Iterable[Lemma] = (), **how: Any) -> Step:
    """A step that is an equation of the system, put to all checks and mutants of `Setting.equation`."""
    lemmas = tuple(lemmas)

    def check() -> bool:
        return setting.equation(f"step {words!r}", *chains, lemmas=lemmas, **how).verdict == "holds"

    return Step(words, render.chains_tex(chains, None), check, exact=True)


def by_induction(setting: Setting, lemma: Lemma) -> tuple[Step, ...]:
    """A lemma and its proof, base and step, as steps."""

    def check() -> bool:
        lemma.prove(setting.reducer)
        return True

    head = f"By induction over the lag, ${to_latex(lemma.left)} = {to_latex(lemma.right)}$."
    lines = lemma.explain(setting.reducer)
    steps = [(head, None), *((words, render.chains_tex([chain], None)) for words, chain in lines)]
    return tuple(Step(words, shown, check, exact=True) for words, shown in steps)


@dataclass(frozen=True)
class Proof:
    """Steps that have passed their checks; in a notebook they show themselves, one under the other."""

    steps: tuple[Step, ...]

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any]:
        rows = "".join(f"<li>{step.html()}</li>" for step in self.steps)
        lines = [f"{place}. {step.text()}" for place, step in enumerate(self.steps, 1)]
        return {
            "text/html": f'<div class="tt-derivation"><ol class="tt-proof">{rows}</ol></div>',
            "text/plain": "\n".join(lines),
        }


def prove(*steps: Step) -> Proof:
    """A proof that is no statement of a source. CheckError names the steps whose check fails."""
    failed = [step.words for step in steps if not step.check()]
    if failed or not steps:
        raise CheckError(f"proof: {'these steps fail: ' + '; '.join(failed) if failed else 'no step is given'}")
    return Proof(steps)


_REVERSED = {Lt: Gt, Gt: Lt, Le: Ge, Ge: Le}
_STRICTNESS = {Lt: Le, Le: Lt, Gt: Ge, Ge: Gt}


def slips(formula: Basic, strictness: bool = False) -> list[Mutant]:
    """Single slips in a SymPy formula: a sign, a term, a factor, a constant off by one, a relation turned
    round, a truncated derivative taken for a total one."""
    return distinct(_slips(formula, strictness), but=(formula, S.true, S.false))


def _slips(node: Basic, strictness: bool):
    if isinstance(node, Relational) and type(node) in _REVERSED:
        yield Mutant("relation", f"{node} turned round", _REVERSED[type(node)](*node.args, evaluate=False))
        if strictness:
            yield Mutant("relation", f"{node} strictness", _STRICTNESS[type(node)](*node.args, evaluate=False))
    if isinstance(node, Unequality):
        yield Mutant("relation", f"{node} negated", Equality(*node.args, evaluate=False))
    if isinstance(node, Not):
        yield Mutant("relation", f"negation of {node.args[0]} lost", node.args[0])
    if isinstance(node, Truncated):
        yield Mutant("cut", f"{to_text(node)} with nothing cut", Total(*node.args[:2]))
    if isinstance(node, Add):
        for place, term in enumerate(node.args):
            rest = Add(*node.args[:place], *node.args[place + 1 :])
            yield Mutant("sign", f"sign of {term}", rest - term)
            yield Mutant("term", f"{term} lost", rest)
    elif isinstance(node, Mul):
        yield Mutant("sign", f"sign of {node}", -node)
        for place, factor in enumerate(node.args):
            if factor != -1:
                yield Mutant("factor", f"{factor} lost", Mul(*node.args[:place], *node.args[place + 1 :]))
    elif isinstance(node, Integer | Rational):
        yield Mutant("constant", f"{node} to {node + 1}", node + 1)
        yield Mutant("constant", f"{node} to {node - 1}", node - 1)
    for place, arg in enumerate(node.args):
        for mutant in _slips(arg, strictness):
            args = [*node.args[:place], mutant.expr, *node.args[place + 1 :]]
            try:
                made = node.func(*args, evaluate=False) if isinstance(node, Relational) else node.func(*args)
            except (TypeError, ValueError):
                continue
            yield Mutant(mutant.kind, mutant.change, made)


def _outcome(check: Check | str, kind: str, id: str) -> Outcome:
    if isinstance(check, str):
        if not check:
            raise CheckError(f"{id}: {kind} check was not made, and no reason is given")
        return Outcome(None, check)
    return Outcome(bool(check()))


def claim(
    id: str,
    printed: Sequence[Basic] | Basic,
    *,
    decide: Decide,
    verdict: str,
    title: str = "",
    tag: str | None = None,
    corrected: Sequence[Basic] | Basic = (),
    proof: Iterable[Step] = (),
    instance: Check | str = "",
    numeric: Check | str = "",
    general: str = "",
    counterexample: str = "",
    assumptions: Iterable[str] = (),
    same: Callable[[Basic, Basic], bool] = lambda a, b: False,
    strictness: bool = False,
) -> Statement:
    """Judge a claim. `instance` and `numeric` are checks, or the reason why there is none; `general` gives the
    reason where there is no proof (then the verdict is at most "supported"). `same(mutant, formula)` shows a mutant
    to be equal. Raises CheckError where the verdict is not what the checks say.
    """
    printed = (printed,) if isinstance(printed, Basic) else tuple(printed)
    corrected = (corrected,) if isinstance(corrected, Basic) else tuple(corrected)
    if verdict not in VERDICTS:
        raise CheckError(f"{id}: verdict {verdict!r}, expected one of {VERDICTS}")
    proof = tuple(proof)
    wrong = verdict in ("corrected", "refuted")
    if all(decide(formula) for formula in printed) == wrong:
        raise CheckError(f"{id}: verdict {verdict}, yet the printed form is {'true' if wrong else 'false'}")
    if wrong and not counterexample:
        raise CheckError(f"{id}: verdict {verdict} without a counterexample")
    true = corrected if wrong else printed
    if verdict == "corrected" and not corrected:
        raise CheckError(f"{id}: verdict corrected without a corrected form")
    for formula in true:
        if not decide(formula):
            raise CheckError(f"{id}: not true: {formula}")
    failed = [step.words for step in proof if not step.check()]
    checks = {
        "general": Outcome(not failed, "; ".join(failed), len(proof), argued(proof))
        if proof
        else _outcome(general, "general", id),
        "instance": _outcome(instance, "instance", id),
        "numeric": _outcome(numeric, "numeric", id),
    }
    report = _put_slips(true if true else printed, decide, same, strictness, expected=bool(true))
    for kind, outcome in checks.items():
        if outcome.passed is False:
            raise CheckError(f"{id}: {kind} check failed: {outcome.reason}")
    if not proof and verdict in ("holds", "corrected") and checks["general"].passed is None:
        raise CheckError(f"{id}: verdict {verdict} without a proof; expected supported")
    if not report.passed:
        raise CheckError(f"{id}: {len(report.survivors)} of {report.tried} mutants survive: {report.survivors[:4]}")
    return Statement(
        id, title, tag, verdict, tuple((f,) for f in printed), tuple((f,) for f in corrected), (), proof,
        tuple(assumptions), counterexample, "", checks=checks, mutants=report,
    )  # fmt: skip


def _put_slips(formulas, decide: Decide, same, strictness: bool, *, expected: bool) -> MutantReport:
    """Each slip has to be decided otherwise than the formula itself, or shown to be the same."""
    report = MutantReport()
    for formula in formulas:
        for mutant in slips(formula, strictness):
            report.tried += 1
            if decide(mutant.expr) != expected:
                report.rejected += 1
            elif same(mutant.expr, formula):
                report.equal.append(str(mutant))
            else:
                report.survivors.append(f"{mutant.expr} ({mutant})")
    return report
