"""Statements as HTML and as text: escaping, math markup, and the presence of every part."""

from html.parser import HTMLParser

import pytest
from sympy import Add, Equality, Lt, symbols
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.domains import Dimension, Index, domain, union
from throughtime.derivation.formulas.nodes import Truncated, d, parameter, time, variable
from throughtime.derivation.judging import render
from throughtime.derivation.judging.checks import AtMost, Outcome
from throughtime.derivation.judging.proofs import Step, identity
from throughtime.derivation.judging.source import FAULTS, VERDICTS, Source
from throughtime.derivation.judging.statement import Statement, checks_html
from throughtime.derivation.judging.survivors import MutantReport

A = domain("A", Dimension("n"))
B = domain("B", Dimension("m"), after=A)
H = union("H", A, B)
t = time("t")
u, z, v = parameter("u", H), variable("z", H), variable("v")
i, low, high = Index("i", H), Index("i", A), Index("i", B)
a, b, v_ = symbols("a b v", real=True)
PASSED = {kind: Outcome(True, "", 4) for kind in ("general", "instance")}
STEPS = Derivation(d(v[t], u[i]), (Line(2 * u[i], "because $a < b$ & so on", ((v[t], u[i]),)), Line(3 * u[i], "why")))


class Reader(HTMLParser):
    """Parser that collects every element with attributes and text, and requires properly nested elements."""

    def __init__(self, html: str):
        super().__init__()
        self.found: list[tuple[str, dict, list[str]]] = []
        self.open: list[tuple[str, list[str]]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        text: list[str] = []
        self.found.append((tag, dict(attrs), text))
        self.open.append((tag, text))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for _, text in self.open:
            text.append(data)

    def texts(self, tag: str, name: str = "") -> list[str]:
        return ["".join(text) for kind, attrs, text in self.found if kind == tag and name in attrs.get("class", "")]


def statement(**changes) -> Statement:
    how = {
        "id": "net-1",
        "source": Source("a < b & $c < d$", "7"),
        "verdict": "holds",
        "printed": ((v[t], u[i]),),
        "checks": {**PASSED, "numeric": Outcome(None, "no model for $x < 1$")},
        "mutants": MutantReport(tried=5, rejected=4, equal=1),
    }
    return Statement(**{**how, **changes})


def test_math_is_marked_for_the_typesetter_and_left_alone_by_others() -> None:
    assert render.display("a < b & c") == '<div class="math notranslate nohighlight">\\[a &lt; b &amp; c\\]</div>'
    assert render.inline("a<b") == '<span class="math notranslate nohighlight">\\(a&lt;b\\)</span>'


def test_prose_escapes_words_and_typesets_what_stands_between_dollars() -> None:
    html = render.prose("if 1 < 2 & <b>, then $x < y$ and $z$")
    assert html.startswith("if 1 &lt; 2 &amp; &lt;b&gt;, then <span")
    assert Reader(html).texts("span", "math") == [r"\(x < y\)", r"\(z\)"]


def test_engine_formulas_and_plain_ones_are_both_typeset() -> None:
    assert render.formula(2 * u[i]) == r"2\,u_{i}"
    assert render.formula(Lt(a, 2, evaluate=False)) == "a < 2"
    assert render.formula(d(v[t], u[i]), as_printed=True) == r"\frac{\partial  v(t)}{\partial  u_{i}}"


def test_equation_with_a_long_sum_gets_a_line_a_term(monkeypatch) -> None:
    equation = Equality(v[t], u[i] - z[i, t], evaluate=False)
    assert render.formula(equation) == "v(t) = u_{i} - z_{i}(t)"
    monkeypatch.setattr(render, "TAG", 0.0)
    monkeypatch.setattr(render, "COLUMN", 7.0)
    assert render.formula(equation) == r"v(t) = \begin{aligned}[t] & u_{i} \\ &  - z_{i}(t)\end{aligned}"


def test_wide_product_goes_on_in_a_further_line(monkeypatch) -> None:
    chain = (v[t], (u[i] - z[i, t]) * z[low, t - 1] * u[low])
    whole = r"v(t) &= (u_{i} - z_{i}(t))\,u_{i}\,z_{i}(t - 1)"
    assert whole in render.chains_tex([chain], None)
    monkeypatch.setattr(render, "LEAST", 1.0)
    monkeypatch.setattr(render, "APART", 1_000.0)
    monkeypatch.setattr(render, "COLUMN", 8.0)
    broken = r"v(t) &= \begin{aligned}[t] & (u_{i} - z_{i}(t))\,u_{i} \\ & \qquad {} \cdot z_{i}(t - 1)\end{aligned}"
    assert broken in render.chains_tex([chain], None)


def test_right_side_starts_on_a_line_of_its_own_behind_a_wide_left_side(monkeypatch) -> None:
    chain = (v[t], u[i], u[i] ** 2 * z[i, t - 1])
    monkeypatch.setattr(render, "TAG", 0.0)
    monkeypatch.setattr(render, "COLUMN", 8.0)
    monkeypatch.setattr(render, "LEAST", 5.0)
    assert render.chains_tex([chain], None) == (
        r"\begin{aligned}& v(t) \\[4pt] & \quad = u_{i} \\[4pt] & \quad = {u_{i}}^{2}\,z_{i}(t - 1)\end{aligned}"
    )


def test_right_side_of_a_plain_equation_too_wide_for_the_column_goes_on_in_a_further_line() -> None:
    left, wide = Add(*symbols("b_1:5")), Add(*symbols("a:10"))
    two_lines = rf"\begin{{aligned}}[t] & {render.formula(left)} \\ & \quad = {render.formula(wide)}\end{{aligned}}"
    assert render.formula(Equality(left, wide, evaluate=False)) == two_lines
    wider = render.formula(Equality(left, Add(*symbols("a:18")), evaluate=False))
    assert wider.count(r"\\ & \quad") == 2
    assert wider.index(r"\\ & \quad = a_{0}") < wider.index(r"\\ & \quad \quad {} + ")
    narrow = Add(*symbols("a:6"))
    assert render.formula(Equality(b, narrow, evaluate=False)) == f"b = {render.formula(narrow)}"
    assert render.formula(Lt(Add(*symbols("a:18")), b, evaluate=False)).count(r"\\ & \quad {} + ") == 1


def test_equation_of_the_engine_too_wide_for_one_factor_starts_its_right_side_on_a_line_of_its_own(monkeypatch) -> None:
    equation = Equality(d(v[t], u[i]), z[i, t - 1] * z[i, t - 2], evaluate=False)
    left, right = (render.to_latex(side) for side in equation.args)
    assert render.formula(equation) == f"{left} = {right}"
    monkeypatch.setattr(render, "TAG", 0.0)
    monkeypatch.setattr(render, "COLUMN", render.width(right) + 2.5)
    below = rf"\begin{{aligned}}[t] & {left} \\ & \quad = {right}\end{{aligned}}"
    assert below in (render.formula(equation), render.formula(equation, room=render.COLUMN))
    assert render.formula(equation, room=100.0) == f"{left} = {right}"


def test_left_side_stands_alone_where_that_spares_the_right_side_a_break(monkeypatch) -> None:
    product = u[i] ** 2 * z[i, t] * z[i, t - 1] * z[i, t - 2]
    tex = render.to_latex(product)
    monkeypatch.setattr(render, "TAG", 0.0)
    monkeypatch.setattr(render, "COLUMN", render.width(tex) + 2.5)
    monkeypatch.setattr(render, "LEAST", 1.0)
    assert rf"& \quad = {tex}" in render.chains_tex([(v[t], product)], None)


def test_plain_formula_does_not_begin_with_a_minus_if_it_need_not() -> None:
    assert render.formula(Equality(b, v_ - a, evaluate=False)) == "b = v - a"
    assert render.plain(v_ - a) == "v - a"
    assert render.formula(-a - b) == "- a - b"
    assert render.plain(-(a**2) + b + a * (b - a)) == "a*(b - a) + b - a**2"
    assert render.plain(Add(b, 1, a, evaluate=False)) == "b + 1 + a"


def test_truncated_derivative_is_printed_with_the_sign_of_the_sources() -> None:
    cut_ = Truncated(v[t], u[i])
    assert render.chains_tex([(cut_, u[i])], None) == (
        r"\begin{aligned}\frac{\mathrm{d}_{\mathrm{tr}} v(t)}{\mathrm{d} u_{i}} &= u_{i}\end{aligned}"
    )
    printed = r"\frac{\partial  v(t)}{\partial  u_{i}}"
    assert rf"{printed} &\approx_{{\mathrm{{tr}}}} u_{{i}}" in render.chains_tex([(cut_, u[i])], None, as_printed=True)
    equation = Equality(cut_, u[i], evaluate=False)
    assert render.formula(equation, as_printed=True) == rf"{printed} \approx_{{\mathrm{{tr}}}} u_{{i}}"
    exact = Equality(d(v[t], u[i]), u[i], evaluate=False)
    assert render.formula(exact, as_printed=True) == f"{printed} = u_{{i}}"
    assert r"&\approx_{\mathrm{tr}} u_{i}" in render.chains_tex([(2 * cut_, u[i])], None, as_printed=True)


def test_chains_are_aligned_and_tagged() -> None:
    tex = render.chains_tex([(v[t], u[low], AtMost(u[low] ** 2)), (v[t - 1], u[low])], "12")
    assert tex == (
        r"\begin{aligned}v(t) &= u_{i} \\[4pt] &\le {u_{i}}^{2} \\[4pt] v(t - 1) &= u_{i}\end{aligned}\tag{12}"
    )
    assert r"\tag" not in render.chains_tex([(v[t], u[i])], None)
    assert render.chains_tex([(v[t],)], None) == r"\begin{aligned}& v(t)\end{aligned}"


def test_ranges_stand_beside_the_cases_of_one_letter_only() -> None:
    cases = [(z[low, t], u[low]), (z[high, t], 2 * u[high])]
    assert r"u_{i} \quad (i \le n)" in render.chains_tex(cases, None)
    assert r"2\,u_{i} \quad (n < i \le n + m)" in render.chains_tex(cases, None)
    assert render.chains_text(cases) == ["  z[i](t) = u[i]   (i <= n)", "  z[i](t) = 2*u[i]   (n < i <= n+m)"]
    assert render.chains_text(cases[:1]) == ["  z[i](t) = u[i]"]


def test_range_beside_a_long_equation_goes_to_the_next_line() -> None:
    long = sum(u[low] ** power for power in range(2, 18))
    assert r"\\ & \quad (i \le n)" in render.chains_tex([(z[low, t], long), (z[high, t], u[high])], None)


def test_chains_as_text_have_one_line_a_member() -> None:
    assert render.chains_text([(v[t], u[i], AtMost(2 * u[i]))]) == ["  v(t) = u[i]", "    <= 2*u[i]"]


def test_folds_are_closed_unless_told() -> None:
    assert render.fold("more", "<p>x</p>") == "<details><summary>more</summary><p>x</p></details>"
    assert render.fold("more", "", open_=True).startswith("<details open>")


def test_derivation_has_a_row_a_line_with_its_reason_and_its_small_steps() -> None:
    reader = Reader(render.derivation_html(STEPS))
    assert len(reader.texts("tr")) == 3
    reasons = reader.texts("td", "tt-reason")
    assert reasons[0] == ""
    assert reasons[1].startswith(r"because \(a < b\) & so on")
    assert reasons[2] == "why"
    assert reader.texts("summary") == ["small steps"]


def test_box_of_a_statement_that_holds() -> None:
    html = statement().html()
    reader = Reader(html)
    assert html.startswith('<div class="tt-statement tt-holds" id="net-1">')
    assert reader.texts("span", "tt-tag") == ["net-1"]
    assert reader.texts("span", "tt-title") == [r"a < b & \(c < d\)"]
    assert reader.texts("span", "tt-verdict") == ["holds as printed"]
    assert r"\tag{7}" in reader.texts("div", "math")[0]
    assert reader.texts("p") == ["As printed"]
    assert reader.texts("summary") == []
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
    assert folds[-2:] == ["proof in 2 steps", "what is assumed"]
    assert [attrs for tag, attrs, _ in reader.found if tag == "details" and "open" in attrs] == [{"open": None}]


def test_failed_check_is_shown_as_failed() -> None:
    failed = statement(checks={"general": Outcome(False, "wrong", 2)})
    assert "general: FAILED, 2 links" in Reader(checks_html(failed.checks, failed.mutants)).texts("li")
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
    assert made.html().count("&lt;img src=x") == 15
