"""Statements that are no derivative equations: conditions, bounds, limits, definitions in words, experiments.

The printed form is a SymPy formula. `is_true(formula)` finds out whether a formula of that shape is true, by a way
that does not use the proof; it is applied to the printed form, to the corrected one and to all their mutants. The
proof is a list of steps, each with a check of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from operator import eq
from typing import Any

from sympy.core.basic import Basic

from throughtime.derivation.deriving.induction import Lemma
from throughtime.derivation.formulas.chains import Chain
from throughtime.derivation.formulas.errors import CheckError
from throughtime.derivation.judging.bench import Bench
from throughtime.derivation.judging.checks import answer
from throughtime.derivation.judging.judge import Forms, Strategy, insist, judge, reset_statements
from throughtime.derivation.judging.mutants import slips
from throughtime.derivation.judging.proofs import steps_hold
from throughtime.derivation.printing.printer import to_latex
from throughtime.derivation.publishing import render
from throughtime.derivation.publishing.outcome import MutantReport, Outcome
from throughtime.derivation.publishing.proof import Step
from throughtime.derivation.publishing.statement import Statement

Check = Callable[[], bool]


def derived(words: str, bench: Bench, *chains: Chain, lemmas: Iterable[Lemma] = (), **how: Any) -> Step:
    """A step that is an equation of the system, judged by all checks and mutants of `Bench.equation`.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> bench = tt.Bench(unit, [{}])
    >>> step = tt.derived("One step:", bench, tt.chain(tt.d(y[t], y[t - 1]), w[()]), numeric="no model")
    >>> print(step.check())
    True
    """
    name, lemmas = f"step {words!r}", tuple(lemmas)

    def check() -> bool:
        judged = bench.equation(name, *chains, lemmas=lemmas, title="", **how)
        reset_statements(name)  # no statement: other steps may have the same words
        return judged.verdict == "holds"

    with bench.system.printing:
        return Step(words, render.chains_tex(chains, None), check, exact=True)


def by_induction(bench: Bench, lemma: Lemma) -> tuple[Step, ...]:
    """A lemma and its proof, base and step, as steps that hold if the lemma does (`Bench.holds_for`).

    Their check raises CheckError with the place and the numbers where an exact instance refutes the lemma.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> L, q = tt.scalar("L"), tt.lag()
    >>> unit[L[()]] = y[tt.LENGTH]
    >>> back = tt.Lemma(tt.d(y[t], y[t - q]), w[()] ** q, q)
    >>> start = tt.FromTheStart(tt.d(y[t], y[0]), w[()] ** t, t)
    >>> end = tt.FromTheEnd(tt.d(L[()], y[tt.LENGTH - q]), w[()] ** q, q)
    >>> bench = tt.Bench(unit, [{}])
    >>> [step.check() for lemma in (back, start, end) for step in tt.by_induction(bench, lemma)]
    [True, True, True, True, True, True, True, True, True]
    """

    @cache  # one answer for all steps
    def check() -> bool:
        return bool(insist(f"induction: {lemma.left} = {lemma.right}", "instance", bench.holds_for(lemma)).passed)

    with bench.system.printing:
        head = f"By induction over {lemma.words}, ${to_latex(lemma.left)} = {to_latex(lemma.right)}$."
        lines = lemma.explain(bench.reducer)
        steps = [(head, None), *((words, render.chains_tex([chain], None)) for words, chain in lines)]
    return tuple(Step(words, shown, check, exact=True) for words, shown in steps)


def claim(
    id: str, printed: Iterable[Basic] | Basic, *, verdict: str, corrected: Iterable[Basic] | Basic = (), **how: Any
) -> Statement:
    """Judge a formula, or several that stand together; `how` are the fields of `Claim`, of them `is_true` at least.

    `verdict` is the expected one: "holds", "corrected", "refuted" or "supported". `title` and `tag` are those of
    `sources`, a list of statements by id, unless given; `assumptions` are sentences, `also` the ids under which other
    sources print the same, with spaces between. Raises CheckError as `judge` does, and where a formula is to hold
    without a proof.

    >>> import throughtime as tt
    >>> from sympy import Eq, Symbol
    >>> z = Symbol("z")
    >>> square = Eq((z + 1) ** 2, z**2 + 2 * z + 1)
    >>> proof = [tt.identity("The square of a sum:", *square.args)]
    >>> how = {"is_true": lambda form: bool(form.subs(z, 3)), "instance": "none", "numeric": "none"}
    >>> tt.claim("square", square, verdict="holds", proof=proof, **how).verdict
    'holds'
    """
    several = ((form,) if isinstance(form, Basic) else form for form in (printed, corrected))
    forms, true = (tuple((formula,) for formula in form) for form in several)
    strategy = Claim(**how)
    if verdict in ("holds", "corrected") and strategy.general and not strategy.proof:
        raise CheckError(f"{id}: verdict {verdict} without a proof; expected supported")
    return judge(strategy, id, forms, true, verdict)


@dataclass
class Claim(Strategy):
    """The strategy for formulas with a decision procedure of their own.

    `is_true(formula)` says whether a formula of the printed shape is true. `instance` and `numeric` are checks, or the
    reason why there is none; what is no bool is refused (MisuseError). `general` is the reason where there is no proof
    (then the verdict is at most "supported"). `counterexample` is a sentence. `same(mutant, formula)` shows a mutant to
    be equal; with `strictness` a relation that is made strict, or no longer strict, is a mutant too.
    """

    is_true: Callable[[Basic], bool]
    instance: Check | str = ""
    numeric: Check | str = ""
    general: str = ""
    counterexample: str = ""
    same: Callable[[Basic, Basic], bool] = eq  # no mutant equals its formula
    strictness: bool = False

    def holds(self, forms: Forms) -> Outcome:
        """Whether every form is decided to be true."""
        false = [form for (form,) in forms if not self._decided(form)]
        return Outcome(not false, ", ".join(map(str, false)))

    def checks(self, forms: Forms) -> dict[str, Callable[[], Outcome]]:
        """The proof, and the checks given."""
        return {
            "general": lambda: steps_hold(self.proof) if self.proof else Outcome(None, self.general),
            "instance": lambda: _outcome("instance", self.instance),
            "numeric": lambda: _outcome("numeric", self.numeric),
        }

    def mutants(self, forms: Forms, true: bool) -> MutantReport:
        """Mutant report: each slip has to be decided otherwise than the formula itself, or shown to be the same."""
        report = MutantReport()
        for (form,) in forms:
            for mutant in slips(form, self.strictness):
                rejected = self._decided(mutant.expr) != true
                report.add(mutant, rejected, not rejected and self.same(mutant.expr, form))
        return report

    def _decided(self, formula: Basic) -> bool:
        return answer(f"is_true({formula})", self.is_true(formula))

    def example(self, id: str, printed: Forms) -> tuple[str, str]:
        """The counterexample given, a sentence."""
        return self.counterexample, ""


def _outcome(kind: str, check: Check | str) -> Outcome:
    return Outcome(None, check) if isinstance(check, str) else Outcome(answer(kind, check()))
