"""Formulas and derivations as HTML and as text: escaping, math markup, lines broken where a column ends."""

from boxes import STEPS, Reader, a, b, high, i, low, t, u, v, v_, z
from sympy import Add, Equality, Implies, Lt, symbols
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.nodes import Truncated, d
from throughtime.derivation.judging import render
from throughtime.derivation.judging.checks import AtMost


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


def test_long_right_side_goes_on_at_its_signs_and_what_is_in_brackets_stays(monkeypatch) -> None:
    monkeypatch.setattr(render, "ROOM", 30)
    whole = (v[t], (u[i] - z[i, t]) * u[low] ** 3)
    assert r"\\" not in render.chains_tex([whole], None)
    assert render.chains_tex([(v[t], whole[1] + v[t - 1] ** 2 * z[i, t])], None) == (
        r"\begin{aligned}v(t) &= (u_{i} - z_{i}(t))\,{u_{i}}^{3} \\ & \quad {} + z_{i}(t)\,{v(t - 1)}^{2}\end{aligned}"
    )


def test_left_side_stands_alone_where_a_right_side_does_not_fit_beside_it(monkeypatch) -> None:
    left, right = u[i] * z[i, t] + z[i, t - 1], u[i] ** 2 * z[i, t - 1]
    beside = rf"{render.formula(left)} &= {render.formula(right)}"
    assert beside in render.chains_tex([(left, right)], None)
    monkeypatch.setattr(render, "ROOM", 25)
    below = rf"& {render.formula(left)} \\[4pt] & \quad = {render.formula(right)}"
    assert below in render.chains_tex([(left, right)], None)
    monkeypatch.setattr(render, "ROOM", 15)
    first, second = render.chains_tex([(left, right)], None).split(r"\\[4pt]")
    assert (first.count(r"\\"), second.count(r"\\")) == (1, 0)


def test_single_formulas_are_aligned_at_their_relations_if_all_have_one() -> None:
    equation, bound, implied = Equality(b, v_, evaluate=False), Lt(a, 2, evaluate=False), Implies(Lt(a, 2), Lt(b, 2))
    assert render.chains_tex([(equation,), (bound,)], None) == r"\begin{aligned}b &= v \\[4pt] a &< 2\end{aligned}"
    assert render.chains_tex([(equation,), (implied,)], None) == (
        r"\begin{aligned}& b = v \\[4pt] & a < 2 \Rightarrow b < 2\end{aligned}"
    )


def test_plain_formulas_are_broken_like_those_of_the_engine() -> None:
    wide = Add(*symbols("a:40"))
    lines = render.chains_tex([(Equality(b, wide, evaluate=False),)], None).split(r" \\ & \quad {} + ")
    assert len(lines) == 3
    assert lines[0].startswith(r"\begin{aligned}b &= a_{0} + ")


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
    assert r"&\approx_{\mathrm{tr}} u_{i}" in render.chains_tex([(equation,)], None, as_printed=True)
    exact = Equality(d(v[t], u[i]), u[i], evaluate=False)
    assert f"{printed} &= u_{{i}}" in render.chains_tex([(exact,)], None, as_printed=True)
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


def test_range_stays_on_the_last_line_of_its_equation() -> None:
    long = sum(u[low] ** power for power in range(2, 40))
    tex = render.chains_tex([(z[low, t], long), (z[high, t], u[high])], None)
    assert r"\\ & \quad {} + " in tex
    assert r"{u_{i}}^{9} \quad (i \le n) \\[4pt]" in tex


def test_chains_as_text_have_one_line_a_member() -> None:
    assert render.chains_text([(v[t], u[i], AtMost(2 * u[i]))]) == ["  v(t) = u[i]", "    <= 2*u[i]"]


def test_folds_are_closed() -> None:
    folded = render.fold("more", "<p>x</p>")
    assert folded == '<details><summary style="list-style:revert">more</summary><p>x</p></details>'


def test_derivation_has_a_row_a_line_with_its_reason_and_its_small_steps() -> None:
    reader = Reader(render.derivation_html(STEPS))
    reasons = reader.texts("div", "tt-reason")
    assert len(reasons) == 3
    assert reasons[0] == ""
    assert reasons[1].startswith(r"because \(a < b\) & so on")
    assert reasons[2] == "why"
    assert reader.texts("summary") == ["small steps"]


def test_long_derivation_in_a_box_folds_its_middle() -> None:
    lines = tuple(Line(u[i] ** power, "why") for power in range(2, render.FOLDED + 3))
    for derivation, folds in ((Derivation(d(v[t], u[i]), lines), 1), (Derivation(d(v[t], u[i]), lines[1:]), 0)):
        assert "<details>" not in render.derivation_html(derivation)
        reader = Reader(render.derivation_html(derivation, folded=True))
        assert reader.texts("summary") == [f"{render.FOLDED - 1} steps"] * folds
        assert len(reader.texts("div", "tt-reason")) == 1 + len(derivation.lines)
