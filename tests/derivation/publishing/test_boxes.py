"""Boxes and formulas as HTML, beside what those of the notebooks show: what fails, is folded, or becomes no markup."""

import pytest
import throughtime as tt
from boxes import PASSED, STEPS, Reader, a, b, i, statement, t, u, v, v_
from sympy import Add, Equality
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.nodes import d
from throughtime.derivation.publishing import render
from throughtime.derivation.publishing.outcome import MutantReport, Outcome
from throughtime.derivation.publishing.source import Source
from throughtime.derivation.publishing.statement import checks_html


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"kind: expected one of .*'misprint'.* got 'typo'"):
        Source(kind="typo")


def test_failed_check_is_shown_as_failed_and_mutants_that_pass_are_one() -> None:
    failed = statement(checks={"general": Outcome(False, "wrong", 2)})
    shown = Reader(checks_html(failed.checks, failed.mutants))
    assert "general: FAILED, 2 links" in shown.texts("li")
    assert shown.texts("summary") == ["checks: 1 passed, 1 FAILED"]
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


def test_plain_formula_does_not_begin_with_a_minus_if_it_need_not() -> None:
    assert render.formula(Equality(b, v_ - a, evaluate=False)) == "b = v - a"
    assert render.plain(v_ - a) == "v - a"
    assert render.formula(-a - b) == "- a - b"
    assert render.plain(-(a**2) + b + a * (b - a)) == "a*(b - a) + b - a**2"
    assert render.plain(Add(b, 1, a, evaluate=False)) == "b + 1 + a"


def test_a_bracket_that_begins_a_formula_is_no_option_of_the_environment() -> None:
    assert render.aligned(["[x] &= y"]).startswith(r"\begin{aligned}{}[x]")


def test_long_derivation_in_a_box_folds_its_middle() -> None:
    lines = tuple(Line(u[i] ** power, "why") for power in range(2, render.FOLDED + 3))
    for derivation, folds in ((Derivation(d(v[t], u[i]), lines), 1), (Derivation(d(v[t], u[i]), lines[1:]), 0)):
        assert "<details>" not in render.derivation_html(derivation)
        reader = Reader(render.derivation_html(derivation, folded=True))
        assert reader.texts("summary") == [f"{render.FOLDED - 1} steps"] * folds
        assert len(reader.texts("div", "tt-reason")) == 1 + len(derivation.lines)
