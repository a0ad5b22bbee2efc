"""Line breaks in formulas wider than the column, at relations and operators."""

import pytest
from throughtime.derivation.printing.lines import broken, cost, pieces, width

FACTOR = r"\frac{\partial y_{i}(t)}{\partial w_{ij}}"
BRACKET = rf"\left({FACTOR} + {FACTOR}\right)"


def test_width_is_that_of_the_symbols_drawn() -> None:
    assert width(r"\mathrm{net}") == pytest.approx(width("net"))
    assert width(r"w^{\mathrm{out}}_{i}") == pytest.approx(width(r"w^{\mathrm{out}}"))  # scripts stand above each other
    assert width(r"\frac{a}{bcd}") == pytest.approx(width(r"\frac{bcd}{bcd}"))
    assert width(r"\dfrac{a}{bcd}") == width(r"\frac{a}{bcd}")
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


def test_no_factor_is_left_alone_at_the_end_if_another_can_go_with_it() -> None:
    names = [rf"{FACTOR}_{{{k}}}" for k in range(4)]
    first, second = broken(r"\,".join(names), width(r"\,".join(names[:3])))
    assert first == r"\,".join(names[:2])
    assert second == r"\qquad {} \cdot " + r"\,".join(names[2:])


def test_terms_fill_a_line_and_the_next_one_begins_with_its_sign() -> None:
    terms = " + ".join("abcdefghij")
    assert broken(f"{terms} - k", width(terms)) == (terms, r"\quad {} - k")


def test_lines_take_the_room_they_are_given() -> None:
    tex = r"\,".join([FACTOR] * 12)
    for room in (8, 12, 20):
        lines = broken(tex, room)
        assert max(map(width, lines)) <= room
        assert "".join(lines).count(FACTOR) == 12
        assert cost(tex, room) >= 10 * (len(lines) - 1)
    assert cost(tex, 1_000) == 0


def test_bracket_wider_than_the_column_begins_on_the_first_line_and_goes_on_at_its_signs() -> None:
    terms = [rf"\sum_{{{k}=1}}^{{n}} {FACTOR}\,{FACTOR}" for k in "ijk"]
    lines = broken(rf"a\,\left({' + '.join(terms)}\right)\,b", width(rf"a\,\biggl({terms[0]}\,b") + 4)
    assert lines == (
        rf"a\,\biggl({terms[0]}",
        rf"\quad \quad {{}} + {terms[1]}",
        rf"\quad \quad {{}} + {terms[2]}\biggr)\,b",
    )


def test_short_bracket_is_not_torn() -> None:
    lines = broken(rf"{FACTOR}\,{FACTOR}\,(a - b)\,{FACTOR}", width(rf"{FACTOR}\,{FACTOR}\,(a"))
    assert any("(a - b)" in line for line in lines)


def test_break_comes_before_a_sum_and_not_between_its_factors() -> None:
    inside = rf"\sum_{{i=1}}^{{n}} {FACTOR}\,{FACTOR}"
    first, second = broken(rf"{FACTOR}\,{FACTOR}\,{inside}", width(inside) + 3.2)
    assert first == rf"{FACTOR}\,{FACTOR}"
    assert second == rf"\qquad {{}} \cdot {inside}"


def test_moduli_go_on_like_brackets_and_paths_only_where_nothing_else_is_left() -> None:
    product = r"\,".join([FACTOR] * 3)
    first, second = broken(rf"\left|{product} + {product}\right|", width(product) + 5)
    assert first == rf"\biggl|{product}"
    assert second == rf"\quad \quad {{}} + {product}\biggr|"
    paths = rf"\Bigl[{product}\Bigr]_{{l_0 = i}}"
    assert broken(rf"{product}\,{paths}", width(paths) + 3.2) == (product, rf"\qquad {{}} \cdot {paths}")
    assert len(broken(paths, width(paths) - 1)) == 2


def test_condition_is_broken_at_its_connectives() -> None:
    side = r"\left(a + b + c + d + e + f\right)"
    tex = rf"{side} \Rightarrow {side}\ \ \text{{for some}}\ \ b > 0"
    assert broken(tex, width(side) + 3.5) == (
        side,
        rf"\quad {{}} \Rightarrow {side}",
        r"\quad {} \text{for some}\ \ b > 0",
    )
