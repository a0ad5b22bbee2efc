"""The box of a statement: its parts, what fails, which no stored box shows, and nothing in it that becomes markup."""

import pytest
from boxes import PASSED, STEPS, Reader, a, i, statement, t, u, v
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.nodes import d
from throughtime.derivation.judging.proofs import identity
from throughtime.derivation.publishing.outcome import MutantReport, Outcome
from throughtime.derivation.publishing.proof import Step
from throughtime.derivation.publishing.source import Source
from throughtime.derivation.publishing.statement import checks_html


def test_box_of_a_statement_that_holds() -> None:
    html = statement().html()
    reader = Reader(html)
    assert html.startswith('<div class="tt-statement tt-holds" id="net-1">')
    assert reader.texts("header") == [r"net-1 · a < b & \(c < d\) · holds as printed"]
    assert reader.texts("span", "tt-tag") == ["net-1"]
    assert reader.texts("span", "tt-title") == [r"a < b & \(c < d\)"]
    assert reader.texts("span", "tt-verdict") == ["holds as printed"]
    assert r"\tag{7}" in reader.texts("div", "math")[0]
    assert reader.texts("p") == ["As printed"]
    assert reader.texts("summary") == ["checks: 3 passed, 1 not applicable"]
    items = reader.texts("li")
    assert items[:2] == ["general: passed, 4 links", "instance: passed, 4 places"]
    assert items[2:] == [
        r"numeric: not applicable (no model for \(x < 1\))",
        "mutants: 4 of 5 rejected, 1 shown to be equal",
    ]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"kind: expected one of .*'misprint'.* got 'typo'"):
        Source(kind="typo")


def test_box_of_a_corrected_statement_has_all_its_parts() -> None:
    corrected = statement(
        verdict="corrected",
        printed=((d(v[t], u[i]), u[i]),),
        corrected=((d(v[t], u[i]), 2 * u[i]),),
        counterexample="At $t=1$ it is 1 & not <b>2</b>.",
        counterexample_data="$u = 1/2$",
        derivations=(STEPS,),
        proof=(identity("square", a**2, a * a), Step("words", None, lambda: True)),
        assumptions=("$a < 1$",),
    )
    reader = Reader(corrected.html())
    assert "As printed (derivatives with the source's sign)" in reader.texts("p")
    assert "Corrected" in reader.texts("p")
    assert reader.texts("b") == []
    assert reader.texts("p", "tt-counterexample") == [r"Counterexample. At \(t=1\) it is 1 & not <b>2</b>."]
    maths = reader.texts("div", "math")
    assert r"\frac{\partial " in maths[0]
    assert maths[0].endswith(r"\tag{7}\]")
    assert r"\frac{\mathrm{d}" in maths[1]
    assert maths[1].endswith(r"\tag{7'}\]")
    folds = reader.texts("summary")
    assert folds[0] == "the numbers of the counterexample"
    assert folds[1].endswith("in 2 lines")
    assert folds[-3:-1] == ["proof in 2 steps", "what is assumed"]
    assert folds[-1].startswith("checks: ")
    assert not [attrs for tag, attrs, _ in reader.found if tag == "details" and "open" in attrs]


def test_failed_check_is_shown_as_failed() -> None:
    failed = statement(checks={"general": Outcome(False, "wrong", 2)})
    shown = Reader(checks_html(failed.checks, failed.mutants))
    assert "general: FAILED, 2 links" in shown.texts("li")
    assert shown.texts("summary") == ["checks: 1 passed, 1 FAILED"]


def test_mutants_that_pass_are_a_failed_check() -> None:
    (summary,) = Reader(checks_html({}, MutantReport(tried=3, rejected=1, equal=1))).texts("summary")
    assert summary == "checks: 1 FAILED"


HOSTILE = "\"><img src=x onerror=alert(1)><b class='x'>&"


def test_no_text_of_a_statement_becomes_markup() -> None:
    """Whatever an author writes comes out as text, at every place where a statement shows words of its own."""
    words = dict.fromkeys(("id", "counterexample", "counterexample_data"), HOSTILE)
    source = Source(HOSTILE, HOSTILE, HOSTILE, HOSTILE, "result", HOSTILE)
    step = Step(HOSTILE, HOSTILE, lambda: True)
    lines = Derivation(STEPS.left, (Line(u[i], HOSTILE),))
    checks = {**PASSED, "numeric": Outcome(None, HOSTILE)}
    made = statement(
        **words, source=source, verdict="corrected", corrected=((v[t], u[i]),), derivations=(lines,), proof=(step,),
        assumptions=(HOSTILE,), checks=checks,
    )  # fmt: skip
    reader = Reader(made.html())
    assert not {"img", "b"} & {tag for tag, _, _ in reader.found}
    assert reader.found[0][1]["id"] == HOSTILE
    assert reader.texts("span", "tt-tag") == [HOSTILE]
    assert made.html().count("&lt;img src=x") == 14
