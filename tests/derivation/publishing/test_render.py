"""Formulas and derivations as HTML: escaping, and lines broken where a column ends; boxes stand in the notebooks."""

from boxes import Reader, a, b, high, i, low, t, u, v, v_, z
from sympy import Add, Equality
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.nodes import d
from throughtime.derivation.publishing import render


def test_prose_escapes_words_and_typesets_what_stands_between_dollars() -> None:
    html = render.prose("if 1 < 2 & <b>, then $x < y$ and $z$")
    assert html.startswith("if 1 &lt; 2 &amp; &lt;b&gt;, then <span")
    assert Reader(html).texts("span", "math") == [r"\(x < y\)", r"\(z\)"]


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


def test_plain_formula_does_not_begin_with_a_minus_if_it_need_not() -> None:
    assert render.formula(Equality(b, v_ - a, evaluate=False)) == "b = v - a"
    assert render.plain(v_ - a) == "v - a"
    assert render.formula(-a - b) == "- a - b"
    assert render.plain(-(a**2) + b + a * (b - a)) == "a*(b - a) + b - a**2"
    assert render.plain(Add(b, 1, a, evaluate=False)) == "b + 1 + a"


def test_range_stays_on_the_last_line_of_its_equation() -> None:
    long = sum(u[low] ** power for power in range(2, 40))
    tex = render.chains_tex([(z[low, t], long), (z[high, t], u[high])], None)
    assert r"\\ & \quad {} + " in tex
    assert r"{u_{i}}^{9} \quad (i \le n) \\[4pt]" in tex


def test_long_derivation_in_a_box_folds_its_middle() -> None:
    lines = tuple(Line(u[i] ** power, "why") for power in range(2, render.FOLDED + 3))
    for derivation, folds in ((Derivation(d(v[t], u[i]), lines), 1), (Derivation(d(v[t], u[i]), lines[1:]), 0)):
        assert "<details>" not in render.derivation_html(derivation)
        reader = Reader(render.derivation_html(derivation, folded=True))
        assert reader.texts("summary") == [f"{render.FOLDED - 1} steps"] * folds
        assert len(reader.texts("div", "tt-reason")) == 1 + len(derivation.lines)
