"""Line breaks in long formulas, at relations and at signs outside of brackets."""

import pytest
from throughtime.derivation.printing.lines import RELATIONS, broken, glyphs, pieces

FACTOR = r"\frac{\partial y_{i}(t)}{\partial w_{ij}}"


@pytest.mark.parametrize(
    ("tex", "count"),
    [
        (r"\mathrm{net}", 3),
        (r"w^{\mathrm{out}}_{i}", 3),  # scripts stand one above the other
        (r"\frac{a}{bcd} + {x}", 6),
        (r"\dfrac{\frac{a}{bc}}{d_{i}}", 2),
        (r"\sum_{i=1}^{n} x", 4),
        (r"\left(a\,b\right)", 4),
        (r"\dim(w)", 6),
        ("{a", 2),
    ],
)
def test_glyphs_are_those_that_are_drawn_side_by_side(tex: str, count: int) -> None:
    assert glyphs(tex) == count


def test_a_formula_is_cut_outside_of_brackets_alone() -> None:
    assert pieces(rf"-a\,(b + c)\,{FACTOR} - \left|g + h\right| + \begin{{cases}} a - b \end{{cases}}") == [
        rf"-a\,(b + c)\,{FACTOR}",
        r" - \left|g + h\right|",
        r" + \begin{cases} a - b \end{cases}",
    ]
    assert pieces(r"a_{i} \leq \lim_{q = 0} (b = c) = d", RELATIONS) == ["a_{i}", r" \leq \lim_{q = 0} (b = c)", " = d"]


def test_terms_fill_a_line() -> None:
    terms = " + ".join("abcdefghij")
    assert broken(f"{terms} - k", glyphs(f"{terms} - k")) == [f"{terms} - k"]
    assert broken(f"{terms} - k - l", glyphs(terms)) == [terms, " - k - l"]


def test_products_and_brackets_stay_whole_however_long() -> None:
    product = rf"{FACTOR}\,\left({FACTOR} + {FACTOR}\right)"
    assert broken(f"{product} + {product}", 3) == [product, f" + {product}"]


def test_a_condition_is_broken_at_its_connectives_then_at_relations() -> None:
    side = r"\left(a + b + c\right)"
    tex = rf"{side} \Rightarrow {side}\ \ \text{{for some}}\ \ b > 0"
    assert broken(tex, glyphs(side) + 3) == [side, rf" \Rightarrow {side}", r"\ \ \text{for some}\ \ b > 0"]
    assert broken(f"{side} < {side} = {side}", glyphs(side) + 3) == [side, f" < {side}", f" = {side}"]
