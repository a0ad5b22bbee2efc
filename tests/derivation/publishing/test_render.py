"""Formulas and derivations as HTML, beside what the boxes of the notebooks show: signs, and what is folded."""

from boxes import Reader, a, b, i, t, u, v, v_
from sympy import Add, Equality
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.nodes import d
from throughtime.derivation.publishing import render


def test_plain_formula_does_not_begin_with_a_minus_if_it_need_not() -> None:
    assert render.formula(Equality(b, v_ - a, evaluate=False)) == "b = v - a"
    assert render.plain(v_ - a) == "v - a"
    assert render.formula(-a - b) == "- a - b"
    assert render.plain(-(a**2) + b + a * (b - a)) == "a*(b - a) + b - a**2"
    assert render.plain(Add(b, 1, a, evaluate=False)) == "b + 1 + a"


def test_long_derivation_in_a_box_folds_its_middle() -> None:
    lines = tuple(Line(u[i] ** power, "why") for power in range(2, render.FOLDED + 3))
    for derivation, folds in ((Derivation(d(v[t], u[i]), lines), 1), (Derivation(d(v[t], u[i]), lines[1:]), 0)):
        assert "<details>" not in render.derivation_html(derivation)
        reader = Reader(render.derivation_html(derivation, folded=True))
        assert reader.texts("summary") == [f"{render.FOLDED - 1} steps"] * folds
        assert len(reader.texts("div", "tt-reason")) == 1 + len(derivation.lines)
