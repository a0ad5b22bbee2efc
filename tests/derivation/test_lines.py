"""Formulas too wide for the column go on in further lines, at places where a reader expects a break."""

import pytest
from throughtime.derivation.lines import broken, pieces, width

FACTOR = r"\frac{\partial y_{i}(t)}{\partial w_{ij}}"
BRACKET = rf"\left({FACTOR} + {FACTOR}\right)"


def test_width_is_that_of_the_symbols_drawn() -> None:
    assert width(r"\mathrm{net}") == pytest.approx(width("net"))
    assert width(r"w^{\mathrm{out}}_{i}") == pytest.approx(width(r"w^{\mathrm{out}}"))  # scripts stand above each other
    assert width(r"\frac{a}{bcd}") == pytest.approx(width(r"\frac{bcd}{bcd}"))
    assert width(r"\sum_{i=1}^{n} x") == pytest.approx(width(r"\sum x"), abs=0.3)
    assert width("w_{i}") < width("wi")
    assert width("w_i x") == pytest.approx(width("w_{i}x"))
    assert width("a b") == pytest.approx(2 * width("a"))


def test_width_of_unclosed_braces_is_refused() -> None:
    with pytest.raises(ValueError, match="braces are not closed"):
        width("{a")


def test_pieces_keep_brackets_and_fractions_whole() -> None:
    assert pieces(r"a\,(b + c)\,\frac{d\,e}{f} - \left|g + h\right|") == [
        ("", "a"), (r"\,", "(b + c)"), (r"\,", r"\frac{d\,e}{f}"), (" - ", r"\left|g + h\right|"),
    ]  # fmt: skip
    assert pieces(" - a") == [("", " - a")]


def test_formula_that_fits_stays_whole() -> None:
    assert broken(rf"{FACTOR}\,{FACTOR}", 30) == (rf"{FACTOR}\,{FACTOR}",)


def test_break_comes_before_a_bracket_if_that_costs_no_line() -> None:
    before = rf"{FACTOR}\,{FACTOR}"
    room = width(rf"{before}\,{BRACKET}\,w")
    assert broken(rf"{before}\,{BRACKET}\,w\,x", room) == (before, rf"\qquad {{}} \cdot {BRACKET}\,w\,x")


def test_break_comes_as_late_as_possible_otherwise() -> None:
    assert broken(r"a\,b\,c\,d", width(r"a\,b\,c")) == (r"a\,b\,c", r"\qquad {} \cdot d")
    assert broken("a + b - c", width("a + b")) == ("a + b", r"\quad {} - c")


def test_lines_take_the_room_they_are_given() -> None:
    tex = r"\,".join([FACTOR] * 12)
    for room in (8, 12, 20):
        lines = broken(tex, room)
        assert max(map(width, lines)) <= room
        assert "".join(lines).count(FACTOR) == 12


def test_bracket_wider_than_the_column_gets_a_line_a_term() -> None:
    lines = broken(rf"a\,{BRACKET}", width(BRACKET) - 1)
    assert lines == (
        "a",
        rf"\qquad {{}} \cdot \left(\begin{{aligned}} & {FACTOR} \\ &  + {FACTOR}\end{{aligned}}\right)",
    )


def test_product_in_a_bracket_wider_than_the_column_goes_on_in_the_bracket() -> None:
    product = rf"\sum_{{i=1}}^{{n}} {FACTOR}\,{FACTOR}\,{FACTOR}"
    first, second = broken(rf"\left({product}\right)\,a", width(product) - 1)
    assert first.startswith(rf"\left(\begin{{aligned}} & \sum_{{i=1}}^{{n}} {FACTOR}\,{FACTOR} \\ & \qquad {{}} \cdot ")
    assert second == r"\qquad {} \cdot a"
