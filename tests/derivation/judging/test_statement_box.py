"""The box of a statement, as HTML and as text: the presence of every part, and nothing in it that becomes markup."""

import pytest
from boxes import PASSED, STEPS, Reader, a, i, statement, t, u, v
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.nodes import d
from throughtime.derivation.judging import render
from throughtime.derivation.judging.checks import AtMost, Outcome
from throughtime.derivation.judging.proofs import Step, identity
from throughtime.derivation.judging.source import FAULTS, VERDICTS, Source
from throughtime.derivation.judging.statement import checks_html
from throughtime.derivation.judging.survivors import MutantReport


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


@pytest.mark.parametrize("verdict", VERDICTS)
def test_each_verdict_has_its_class_and_its_words(verdict) -> None:
    html = statement(verdict=verdict).html()
    assert f'class="tt-statement tt-{verdict}"' in html
    assert Reader(html).texts("span", "tt-verdict") == [VERDICTS[verdict]]


@pytest.mark.parametrize("kind", FAULTS)
def test_kind_of_fault_stands_for_the_verdict_and_is_said_in_a_sentence(kind) -> None:
    source = Source("a bound", "7", kind=kind, fault="At $t = 1$ < it is 2.")
    made = statement(verdict="corrected", source=source, corrected=((v[t], 2 * u[i]),))
    reader = Reader(made.html())
    assert reader.texts("span", "tt-verdict") == [FAULTS[kind]]
    assert reader.texts("p", "tt-fault") == [r"At \(t = 1\) < it is 2."]
    assert f"net-1: {FAULTS[kind]} (a bound)" in made.text()
    assert "fault: At $t = 1$ < it is 2." in made.text()
    assert (made.as_json()["kind"], made.as_json()["words"]) == (kind, FAULTS[kind])


def test_tag_that_is_no_number_is_said_before_the_formula() -> None:
    made = statement(verdict="corrected", source=Source("a bound", "Rule (7), < (8)"), corrected=((v[t], 2 * u[i]),))
    reader = Reader(made.html())
    assert reader.texts("p")[0] == "As printed in Rule (7), < (8)"
    assert not any(r"\tag" in formula for formula in reader.texts("div", "math"))


def test_what_a_source_says_in_words_is_quoted_and_not_called_printed() -> None:
    made = statement(source=Source("a bound", quote="$w$ 的範圍 <", translation="the range of $w$"))
    reader = Reader(made.html())
    assert reader.texts("span", "tt-verdict") == ["holds as read"]
    assert reader.texts("p", "tt-quote") == [r"\(w\) 的範圍 < (the range of \(w\))"]
    assert reader.texts("q") == [r"\(w\) 的範圍 <"]
    assert "As read" in reader.texts("p")
    assert "As printed" not in made.html()
    assert "source: $w$ 的範圍 <" in made.text()
    assert "as read:" in made.text()


def test_a_definition_is_defined() -> None:
    made = statement(source=Source("a unit", kind="definition"))
    assert Reader(made.html()).texts("span", "tt-verdict") == ["defined"]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"kind: expected one of .*'misprint'.* got 'typo'"):
        Source(kind="typo")


def test_printed_bound_without_a_derivative_is_shown() -> None:
    reader = Reader(statement(printed=((v[t], AtMost(u[i])),)).html())
    assert reader.texts("p") == ["As printed"]
    assert r"v(t) &\le u_{i}" in reader.texts("div", "math")[0]


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


def test_box_of_what_two_sources_print_has_both_ids_tags_and_sentences() -> None:
    said = Source("a bound", "7", "$w$ 足以 <", "enough")
    made = statement(source=said, also={"old-<9": Source("another title", "12", "因此", "hence")})
    reader = Reader(made.html())
    assert made.html().startswith('<div class="tt-statement tt-holds" id="net-1">')
    assert reader.texts("span", "tt-tag")[:2] == ["net-1", "old-<9"]
    assert [attrs["id"] for tag, attrs, _ in reader.found if tag == "span" and "id" in attrs] == ["old-<9"]
    assert reader.texts("span", "tt-title") == ["a bound"]
    assert reader.texts("p", "tt-quote") == [r"net-1 \(w\) 足以 < (enough)", "old-<9 因此 (hence)"]
    assert "As read, up to letters and the order of terms" in reader.texts("p")
    assert r"\tag{7, 12}" in reader.texts("div", "math")[0]
    assert made.text().splitlines()[:3] == [
        "net-1, old-<9: holds as read (a bound)",
        "source: $w$ 足以 <",
        "source: 因此",
    ]


def test_box_of_two_sources_has_the_first_tag_at_the_corrected_form_and_none_if_neither_has_a_number() -> None:
    how = {"verdict": "corrected", "corrected": ((v[t], 2 * u[i]),)}
    for tag, shown in (("12", [r"\tag{7, 12}", r"\tag{7'}"]), (None, [r"\tag{7}", r"\tag{7'}"])):
        made = statement(also={"old-9": Source("unit", tag)}, **how)
        maths = Reader(made.html()).texts("div", "math")
        assert [one[one.index(r"\tag") :].removesuffix(r"\]") for one in maths] == shown
    bare = statement(source=Source("unit"), also={"old-9": Source("unit")}, **how)
    assert r"\tag" not in bare.html()


def test_formula_with_two_tags_has_less_room() -> None:
    wide = [sum(u[i] * v[t - back] for back in range(1, terms)) for terms in range(2, 20)]
    lines = [[render.chains_tex([(v[t], sum_)], tag).count(r"\\") for tag in ("7", "7, 12")] for sum_ in wide]
    assert all(two >= one for one, two in lines)
    assert any(two > one for one, two in lines)


def test_record_of_what_two_sources_print_holds_what_each_has_of_its_own() -> None:
    made = statement(also={"old-9": Source("another title", "12", "因此", "hence")}).as_json()
    (other,) = made["also"]
    assert (made["id"], made["tag"], made["words"]) == ("net-1", "7", "holds as printed")
    assert (other["id"], other["anchor"], other["tag"], other["quote"]) == ("old-9", "old-9", "12", "因此")
    assert (other["title"], other["words"]) == ("another title", "holds as read")
    assert "also" not in statement().as_json()


def test_failed_check_is_shown_as_failed() -> None:
    failed = statement(checks={"general": Outcome(False, "wrong", 2)})
    shown = Reader(checks_html(failed.checks, failed.mutants))
    assert "general: FAILED, 2 links" in shown.texts("li")
    assert shown.texts("summary") == ["checks: 1 passed, 1 FAILED"]


def test_mutants_that_pass_are_a_failed_check() -> None:
    (summary,) = Reader(checks_html({}, MutantReport(tried=3, rejected=1, equal=1))).texts("summary")
    assert summary == "checks: 1 FAILED"


def test_failed_check_is_said_in_the_text() -> None:
    failed = statement(checks={"general": Outcome(False, "wrong", 2)})
    assert "general: FAILED (wrong)" in failed.text().splitlines()


def test_statement_as_text() -> None:
    text = statement(assumptions=("$a < 1$",), derivations=(STEPS,)).text()
    assert text.splitlines() == [
        "net-1: holds as printed (a < b & $c < d$)",
        "as printed:",
        "  v(t) = u[i]",
        "derivation of dv(t)/du[i]:",
        "  = 2*u[i]   [because $a < b$ & so on]",
        "  = 3*u[i]   [why]",
        "general: passed",
        "instance: passed",
        "numeric: not applicable (no model for $x < 1$)",
        "mutants: tried 5, rejected 4, equal 1",
        "assumed: $a < 1$",
    ]


def test_statement_without_a_print_is_shown_as_derived() -> None:
    derived = statement(printed=(), corrected=((v[t], u[i]),))
    assert Reader(derived.html()).texts("p") == ["As derived"]
    assert "as derived:" in derived.text().splitlines()


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
