"""The box of a statement: what fails, which no stored box shows, and nothing in it that becomes markup."""

import pytest
import throughtime as tt
from boxes import PASSED, STEPS, Reader, i, statement, t, u, v
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.publishing.outcome import MutantReport, Outcome
from throughtime.derivation.publishing.source import Source
from throughtime.derivation.publishing.statement import checks_html


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"kind: expected one of .*'misprint'.* got 'typo'"):
        Source(kind="typo")


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
    step = tt.Step(HOSTILE, HOSTILE, lambda: True)
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
