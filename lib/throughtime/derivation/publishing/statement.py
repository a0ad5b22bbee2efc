"""Judged statements and derivations: forms, verdict, checks, and their display in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from math import inf
from typing import Any

from sympy import Add
from sympy.core.basic import Basic

from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.formulas.chains import formula_of
from throughtime.derivation.formulas.domains import Order, order_in_use
from throughtime.derivation.formulas.nodes import DerivativeSymbol
from throughtime.derivation.printing.printer import to_latex
from throughtime.derivation.publishing import render
from throughtime.derivation.publishing.outcome import STATES, MutantReport, Outcome
from throughtime.derivation.publishing.proof import Step
from throughtime.derivation.publishing.source import WRONG, Source, quotation

MIME = "application/vnd.throughtime.statement+json"


def counterpart(form: Sequence[Basic], others: Iterable[Sequence[Basic]]) -> Sequence[Basic] | None:
    """First of some chains with the left side of `form`, else the first with one of its right sides; or None."""
    others = [*others]
    same = [one for one in others if one[0] == form[0]]
    shared = [one for one in others if any(member in one[1:] for member in form[1:])]
    return next(iter(same + shared), None)


@dataclass
class Statement:
    """A judged statement. It shows itself in a notebook and carries its record for the ledger."""

    id: str
    source: Source
    verdict: str
    printed: tuple[Sequence[Basic], ...]
    corrected: tuple[Sequence[Basic], ...] = ()
    derivations: tuple[Derivation, ...] = ()
    proof: tuple[Step, ...] = ()
    assumptions: tuple[str, ...] = ()
    counterexample: str = ""
    counterexample_data: str = ""
    checks: dict[str, Outcome] = field(default_factory=dict)
    mutants: MutantReport = field(default_factory=MutantReport)
    also: Mapping[str, Source] = field(default_factory=dict)  # the same in other sources, by their ids
    order: Order = field(default_factory=order_in_use, repr=False, compare=False)  # in which it prints

    def __post_init__(self) -> None:
        self._sources = {self.id: self.source, **self.also}

    def as_json(self) -> dict[str, Any]:
        """The record that the ledger reads off the stored output; under "also" what other sources have of their own."""
        own, *also = (self._own(id, source) for id, source in self._sources.items())
        with self.order:
            forms = {
                "printed": render.chains_tex(self.printed, None, as_printed=True) if self.printed else "",
                "corrected": render.chains_tex(self.corrected, None) if self.corrected else "",
            }
        return own | {
            **({"also": also} if also else {}),
            "verdict": self.verdict,
            "checks": {kind: outcome.as_json() for kind, outcome in self.checks.items()},
            "mutants": asdict(self.mutants),
            "assumptions": list(self.assumptions),
            **forms,
            "counterexample": self.counterexample,
            **({"changes": self.changes()} if self.corrected else {}),
        }

    def changes(self) -> list[dict[str, Any]]:
        """Changes of each correction: the left side ("from" before), terms "lost" and "added" on the right."""
        found = []
        with self.order:
            for left, *right in (form for form in self.corrected if len(form) > 1):
                if before := counterpart((left, *right), self.printed):
                    old, new = (Add.make_args(formula_of(members[-1])) for members in (before, right))
                    lost, added = ([to_latex(term) for term in terms if term not in others]
                                   for terms, others in ((old, new), (new, old)))  # fmt: skip
                    found.append({"from": to_latex(before[0]), "left": to_latex(left), "lost": lost, "added": added})
        return found

    def _own(self, id: str, source: Source) -> dict[str, str]:
        return {"id": id, "anchor": id, "words": source.words(self.verdict), **asdict(source)}

    def html(self) -> str:
        """The box on the page."""
        with self.order:
            return f'<div class="tt-statement tt-{self.verdict}" id="{escape(self.id)}">{"".join(self._parts())}</div>'

    def _parts(self) -> Iterator[str]:
        yield render.head(
            f'<span class="tt-tag">{escape(self.id)}</span>',
            *(f'<span class="tt-tag" id="{escape(id)}">{escape(id)}</span>' for id in self.also),
            f'<span class="tt-title">{render.prose(self.source.title)}</span>',
            f'<span class="tt-verdict">{self.source.words(self.verdict)}</span>',
        )
        for id, source in self._sources.items():
            if source.quote:
                name = f'<span class="tt-tag">{escape(id)}</span> ' if self.also else ""
                yield f'<p class="tt-quote">{name}{quotation(source.quote, source.translation)}</p>'
        if self.printed:
            derived = any(formula_of(member).has(DerivativeSymbol) for form in self.printed for member in form)
            sign = " (derivatives with the source's sign)" if derived else ""
            tags = ", ".join(source.tag for source in self._sources.values() if source.tag and not source.place)
            shown = render.display(render.chains_tex(self.printed, tags, as_printed=True))
            yield f"<p>{self._label()}{escape(self.source.place)}{sign}</p>{shown}"
        if self.source.fault:
            yield f'<p class="tt-fault">{render.prose(self.source.fault)}</p>'
        if self.counterexample:
            words = render.prose(self.counterexample)
            yield f'<p class="tt-counterexample"><strong>Counterexample.</strong> {words}</p>'
        if self.counterexample_data:
            yield render.fold("the numbers of the counterexample", f"<p>{render.prose(self.counterexample_data)}</p>")
        if self.corrected:
            tag = f"{self.source.tag}'" if self.source.tag and not self.source.place else None
            shown = render.display(render.chains_tex(self.corrected, tag))
            yield f"<p>{'Corrected' if self.verdict in WRONG else 'As derived'}</p>{shown}"
        for derivation in self.derivations:
            name = render.inline(to_latex(derivation.left))
            length = render.counted(len(derivation.lines), "line")
            yield render.fold(f"derivation of {name} in {length}", render.derivation_html(derivation, folded=True))
        if self.proof:
            rows = "".join(f"<li>{step.html()}</li>" for step in self.proof)
            length = render.counted(len(self.proof), "step")
            yield render.fold(f"proof in {length}", f'<ol class="tt-proof">{rows}</ol>')
        if self.assumptions:
            rows = "".join(f"<li>{render.prose(item)}</li>" for item in self.assumptions)
            yield render.fold("what is assumed", f"<ul>{rows}</ul>")
        yield checks_html(self.checks, self.mutants)

    def _label(self) -> str:
        """How the sources have the first form."""
        alike = ", up to letters and the order of terms" if self.also else ""
        return ("As read" if self.source.quote else "As printed") + alike

    def text(self) -> str:
        """The box as plain text; nbval compares it."""
        with self.order:
            return "\n".join(self._lines())

    __str__ = text

    def _lines(self) -> Iterator[str]:
        yield f"{', '.join(self._sources)}: {self.source.words(self.verdict)} ({self.source.title})"
        yield from (f"source: {source.quote}" for source in self._sources.values() if source.quote)
        if self.printed:
            yield from (f"{self._label().lower()}:", *render.chains_text(self.printed))
        if self.source.fault:
            yield f"fault: {self.source.fault}"
        if self.counterexample:
            yield f"counterexample: {self.counterexample}"
        if self.corrected:
            label = "corrected" if self.verdict == "corrected" else "as derived"
            yield from (f"{label}:", *render.chains_text(self.corrected))
        for derivation in self.derivations:
            yield f"derivation of {derivation}".replace("\n", ":\n", 1)
        yield from (f"proof: {step.text()}" for step in self.proof)
        for kind, outcome in self.checks.items():
            reason = f" ({outcome.reason})" if outcome.reason else ""
            yield f"{kind}: {STATES[outcome.passed]}{_sampled(outcome)}{reason}"
        yield mutants_text(self.mutants)
        yield from (f"assumed: {item}" for item in self.assumptions)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any]:
        return {"text/html": self.html(), "text/plain": self.text(), MIME: self.as_json()}


@dataclass(frozen=True)
class Shown:
    """A derivation, its checks and its mutants; in a notebook it shows all three."""

    derivation: Derivation
    checks: dict[str, Outcome]
    mutants: MutantReport

    def __str__(self) -> str:
        passed = (f"{kind}: {outcome.count} passed{_sampled(outcome)}" for kind, outcome in self.checks.items())
        return "\n".join([str(self.derivation), *passed, mutants_text(self.mutants)])

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any]:
        steps, checks = render.derivation_html(self.derivation), checks_html(self.checks, self.mutants)
        return render.bundle(steps + checks, str(self))


def checks_html(checks: dict[str, Outcome], mutants: MutantReport) -> str:
    """The checks under a statement or a derivation: how many have passed, and folded what each has done."""
    items = []
    for kind, outcome in checks.items():
        what = "link" if kind == "general" else "place"
        count = f", {render.counted(outcome.count, what)}" if outcome.count else ""
        reason = f" ({render.prose(outcome.reason)})" if outcome.passed is None else ""
        items.append(f"{kind}: {STATES[outcome.passed]}{count}{_sampled(outcome)}{reason}")
    same = f", {mutants.equal} shown to be equal" if mutants.equal else ""
    items.append(f"mutants: {mutants.rejected} of {mutants.tried} rejected{same}")
    states = [*(outcome.passed for outcome in checks.values()), 0 < mutants.tried == mutants.rejected + mutants.equal]
    counts = ", ".join(f"{states.count(state)} {word}" for state, word in STATES.items() if state in states)
    return render.fold(f"checks: {counts}", f'<ul class="tt-checks"><li>{"</li><li>".join(items)}</li></ul>')


def mutants_text(mutants: MutantReport) -> str:
    """One line on the mutants."""
    return f"mutants: tried {mutants.tried}, rejected {mutants.rejected}, equal {mutants.equal}"


def _sampled(outcome: Outcome) -> str:
    """Limits of a passed check: steps argued in words, and first time steps judged on instances alone."""
    argued = f", {render.counted(outcome.argued, 'step')} argued in words" if outcome.argued else ""
    many = "time" if outcome.reach == 1 else "times" if outcome.reach == inf else f"{outcome.reach} times"
    first = f", first {many} on instances only" if outcome.reach else ""
    return first + argued
