"""Judgement of a statement: one sequence of checks for all kinds of statements.

A `Strategy` knows how a kind of statement is decided, checked and mutated: equations of a system (`bench`), and
formulas with a decision procedure of their own (`claims`). Titles and tags of statements come by their ids from the
list that a bench or a claim is given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.formulas.chains import Chain
from throughtime.derivation.formulas.errors import CheckError, NotShownError, UncorrectedError
from throughtime.derivation.publishing.outcome import MutantReport, Outcome
from throughtime.derivation.publishing.proof import Step
from throughtime.derivation.publishing.source import FAULTS, VERDICTS, WRONG, Source
from throughtime.derivation.publishing.statement import Statement

Forms = tuple[Chain, ...]
ADVICE = ". If the formula is true, give the bench a larger `length` or larger `sizes`, or sharpen `is_true`"
ORDER = ("instance", "numeric", "general")  # numbers before the proof: they refuse at once, and say where

_judged: dict[str, object] = {}


@dataclass(kw_only=True)
class Strategy(ABC):
    """Base of the kinds of statements; `forms` are the chains of one version, printed or corrected.

    `sources` is a list of statements by id; `title` and `tag` are those of the list unless given, and what it lacks has
    a title. `proof` are steps with checks of their own. `also` names the ids, with spaces between, under which other
    sources print the same.
    """

    sources: Mapping[str, Source] = field(default_factory=dict)
    title: str | None = None
    tag: str | None = None
    also: str = ""
    assumptions: Iterable[str] = ()
    proof: Iterable[Step] = ()

    @property
    def derivations(self) -> Iterable[Derivation]:
        """A field where they are checked."""
        return ()

    @abstractmethod
    def holds(self, forms: Forms) -> Outcome:
        """Whether all forms hold, decided without the proof; the reason says which one does not, and where."""

    @abstractmethod
    def checks(self, forms: Forms) -> Mapping[str, Callable[[], Outcome]]:
        """The checks "general", "instance" and "numeric" of the true forms, in the order in which they are shown."""

    @abstractmethod
    def mutants(self, forms: Forms, true: bool) -> MutantReport:
        """The mutants of the forms, which hold (`true`) or are refuted."""

    @abstractmethod
    def example(self, id: str, printed: Forms) -> tuple[str, str]:
        """Counterexample: a sentence with numbers at which the printed form fails, and the inputs used.

        NotShownError where it fails only in numbers that stand in for values of functions.
        """

    def shown(self) -> Iterable[Step]:
        """The steps of the proof as a notebook shows them."""
        return self.proof

    def assumed(self, forms: Forms) -> Iterable[str]:
        """Assumptions of the true forms."""
        return self.assumptions


def judge(strategy: Strategy, id: str, printed: Forms, corrected: Forms, verdict: str | None = None) -> Statement:
    """Judge a statement, step by step.

    The printed form is tried, then its correction; the true one is put to all checks and the mutants to the same
    strategy; a wrong printed form gets a counterexample. `verdict` is what the author expects, None to find out between
    "holds" and "corrected". Raises CheckError where the verdict is not what the checks say, where a correction is
    missing, wrong or superfluous, where a check fails or was left out without a reason, and where a mutant survives;
    NotShownError where numbers that stand in for values of functions are all that refutes a form.
    """
    verdict = _verdict(id, verdict, found := strategy.holds(printed), corrected)
    wrong = verdict in WRONG
    example, data = strategy.example(id, printed) if wrong else ("", "")
    if verdict == "corrected" and not corrected:
        raise UncorrectedError(f"{id}: is wrong as printed, and no correction is given: {found.where()}", example)
    if corrected and (again := strategy.holds(corrected)).passed is False:
        strategy.example(f"{id}: the corrected form", corrected)
        raise CheckError(f"{id}: the corrected form is not true: {again.where()}")
    if wrong and not example:
        raise CheckError(f"{id}: verdict {verdict} without a counterexample")
    true = corrected if wrong else printed
    checks = strategy.checks(true)
    done = {kind: insist(id, kind, checks[kind]()) for kind in ORDER}
    mutants = check_mutants(id, strategy.mutants(true or printed, bool(true)))
    source = listed(strategy.sources, id, strategy.title, strategy.tag)
    also = {name: listed(strategy.sources, name) for name in strategy.also.split()}
    for name, other in {id: source, **also}.items():
        check_new(name, printed)
        if (other.kind, other.fault) != (source.kind, source.fault):
            raise CheckError(f"{name}: is listed with another kind or fault than {id}, with which it shares a box")
    if source.kind and (source.kind in FAULTS) != wrong:
        raise CheckError(f"{id}: is listed as {source.kind!r}, yet its verdict is {verdict}")
    proof, assumed = tuple(strategy.shown()), tuple(strategy.assumed(corrected or printed))
    return Statement(
        id, source, verdict, printed, corrected, tuple(strategy.derivations), proof, assumed,
        example, data, {kind: done[kind] for kind in checks}, mutants, also,
    )  # fmt: skip


def _verdict(id: str, expected: str | None, found: Outcome, corrected: Forms) -> str:
    """The verdict on a printed form that holds or not, as the author expects it."""
    if expected not in (None, *VERDICTS):
        raise CheckError(f"{id}: verdict {expected!r}, expected one of {tuple(VERDICTS)}")
    false = found.passed is False
    verdict = expected or ("corrected" if false else "holds")
    if false != (verdict in WRONG):
        raise CheckError(f"{id}: verdict {verdict}, yet the printed form is {'false' if false else 'true'}")
    if corrected and not false:
        raise CheckError(f"{id}: holds as printed, yet a correction is given")
    return verdict


def insist(id: str, kind: str, outcome: Outcome) -> Outcome:
    """The outcome itself; NotShownError if the check failed, CheckError if it was left out without a reason."""
    if outcome.passed is False:
        raise NotShownError(f"{id}: {kind} check failed: {outcome.where()}")
    if outcome.passed is None and not outcome.reason:
        raise CheckError(f"{id}: {kind} check was not made, and no reason is given; give one: {kind}='why not'")
    return outcome


def check_mutants(id: str, report: MutantReport) -> MutantReport:
    """The report itself; NotShownError if a mutant survived, or none was made."""
    if not report.passed:
        survivors = f"{len(report.survivors)} of {report.tried} mutants survive: {report.survivors[:3]}"
        raise NotShownError(f"{id}: {survivors}{ADVICE if report.survivors else ''}")
    return report


# ---- ids, titles and tags


def listed(sources: Mapping[str, Source], id: str, title: str | None = None, tag: str | None = None) -> Source:
    """Metadata of a statement: title and tag as given, all else from the list.

    CheckError for an id that the list lacks, as a mistyped one, unless a title shows that the statement is one's own.
    """
    if sources and id not in sources and title is None:
        raise CheckError(f"{id}: is not in the list of statements; one of your own needs a title")
    given = {name: value for name, value in (("title", title), ("tag", tag)) if value is not None}
    return replace(sources.get(id, Source()), **given)


def check_new(id: str, printed: object) -> None:
    """Raise CheckError if another formula was judged under this id in this session."""
    if _judged.setdefault(id, printed) != printed:
        raise CheckError(
            f"{id}: another statement has this id; give this one its own, or call reset_statements({id!r})"
        )


def reset_statements(*ids: str) -> None:
    """Free the ids of judged statements, of all without an argument, so that other formulas may have them.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> bench = tt.Bench(unit, [{}])
    >>> right, again = (tt.chain(tt.d(y[t], y[t - n]), w[()] ** n) for n in (1, 2))
    >>> print(bench.equation("one id", right, numeric="no model").verdict)
    holds
    >>> tt.reset_statements("one id")
    >>> print(bench.equation("one id", again, numeric="no model").verdict)
    holds
    """
    for id in ids or tuple(_judged):
        _judged.pop(id, None)
