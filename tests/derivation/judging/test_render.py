"""Formulas and derivations as HTML and as text: escaping, math markup, lines broken where a column ends."""

from boxes import STEPS, Reader, a, b, high, i, low, t, u, v, v_, z
from sympy import Add, Equality, Lt, symbols
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


def test_left_side_too_wide_for_the_column_goes_on_in_a_further_line(monkeypatch) -> None:
    monkeypatch.setattr(render, "TAG", 0.0)
    monkeypatch.setattr(render, "COLUMN", 8.0)
    chain = (u[i] * z[i, t] + z[i, t - 1], u[i] ** 2 * z[i, t - 1])
    first, second = render.chains_tex([chain], None).split(r"\\[4pt]")
    assert first.count(r"\\") == 1
    assert r"\\" not in second


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
