"""The reader's own reading: what it takes apart, and what it refuses, in formulas of a page and with slips in them."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest
from outside_reader.judge import refused, verdict
from outside_reader.pages import boxes, display, symbols_of
from outside_reader.tex import Unreadable, lines, read
from outside_reader.world import along, same

SYMBOLS = symbols_of("lstm1997")


def test_a_sum_is_read_with_its_letter_its_limits_and_the_product_behind_it() -> None:
    ((tree, where),) = read(r"y_{i}(t) &= \sum_{j=1}^{d_{\mathrm{in}}} w^{\mathrm{out}}_{i j}\,x_{j}(t) + 2", SYMBOLS)
    letters = [("letter", name, None) for name in "ij"]
    product = [("unit", "w^out/2", letters, None), ("unit", "x/1", letters[1:], ("letter", "t", None))]
    inputs = ("unit", "d_in/0", [], None)
    right = ("+", [("sum", letters[1], ("num", 1), inputs, ("*", product)), ("num", 2)])
    assert tree == ("chain", [("unit", "y/1", letters[:1], ("letter", "t", None)), right], ["="])
    assert where is None


def test_a_box_of_two_sources_is_read_under_both_ids() -> None:
    one, other = boxes()["bptt-12"], boxes()["lstm97-20"]
    assert one._replace(id="") == other._replace(id="")
    assert (one.id, other.id) == ("bptt-12", "lstm97-20")


@pytest.mark.parametrize(
    ("sign", "kind"), [(r"\partial ", "∂"), (r"\mathrm{d}", "d"), (r"\mathrm{d}_{\mathrm{tr}}", "tr")]
)
def test_three_derivatives_are_told_apart(sign: str, kind: str) -> None:
    low = sign if kind == "∂" else r"\mathrm{d}"
    ((tree, _),) = read(rf"\frac{{{sign} y_{{i}}(t)}}{{{low} x_{{j}}(t)}} = 0", SYMBOLS)
    assert tree[1][0][:2] == ("d", kind)


def test_lines_members_and_ranges_are_told_apart() -> None:
    tex = (
        r"\begin{aligned}a &= b \\[4pt] &= c \\ & \quad (i \le n) \\[4pt] & d \\[4pt] & \quad \le e\end{aligned}\tag{1}"
    )
    assert [(line.split(), where) for line, where in lines(tex)] == [
        (["a", "=", "b", "=", "c"], r"i \le n"),
        (["d", r"\le", "e"], ""),
    ]


@pytest.mark.parametrize(
    ("tex", "reason"),
    [
        (r"w^{\mathrm{hid}}_{i j}^{2} = 1", "double superscript"),
        (r"f^{\mathrm{hid}}_{i}'\left(1\right) = 1", "double superscript"),
        (r"y_{i}_{j}(t) = 1", "double subscript"),
        (r"y_{i} = 1", "without its time"),
        (r"f^{\mathrm{hid}}_{i} = 1", "without its argument"),
        (r"y_{i j}(t) = 1", "2 indices"),
        (r"w^{\mathrm{old}}_{i j} = 1", "no symbol of the page"),
        (r"\sum_{j} x_{j}(t) = 1", "lower limit"),
        (r"\frac{\mathrm{d} y_{i}(t)}{\partial x_{j}(t)} = 1", "two signs"),
        (r"x_{i}(t = 1", "do not close"),
        (r"x_{i}(t) + = 1", "a term is missing"),
        (r"\lim x_{i}(t) = 1", "no symbol of the page"),
    ],
)
def test_what_no_one_can_read_is_refused(tex: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(tex, SYMBOLS)


@pytest.mark.parametrize(
    ("id", "old", "new", "reason"),
    [
        ("lfmn-22", r"{(u^{\mathrm{hid}}_{j})}^{q}", r"u^{\mathrm{hid}}_{j}^{q}", "double superscript"),
        ("lfmn-10", "f'", "f", "false at"),
        ("lstm97-41", r"y^{\mathrm{og}}_{i}", r"y^{\mathrm{ig}}_{i}", "false at"),
        ("lstm97-17", "w_{k_0 k_1}", "w_{k_1 k_0}", "false at"),
        ("peephole-16", r"s^{\mathrm{block}}_{k p}(t - 1)", r"s^{\mathrm{block}}_{k p}(t)", "false at"),
        ("bptt-12", "prod_{m=1}", "prod_{m=2}", "false at"),
        ("lstm97-37", r"j - d_{\mathrm{in}}}", "j}", "there is no y"),
        ("rnn-4", "- ", "", "double superscript|letter|false|number"),
    ],
)
def test_a_slip_is_refused_with_its_reason(id: str, old: str, new: str, reason: str) -> None:
    box = boxes()[id]
    assert old in box.accepted
    found = refused(box, box.accepted.replace(old, new, 1), printed=box.verdict != "corrected")
    assert any(part in found for part in reason.split("|"))


def test_a_wrong_print_is_refused_and_its_correction_accepted() -> None:
    box = boxes()["lstm97-47"]  # its print lacks one path of the chain rule
    assert "false at" in refused(box, box.printed, printed=True)
    assert verdict(box) == "corrected"


def test_definitions_are_those_that_the_pages_show() -> None:
    assert display("bptt/forward.ipynb", r"z_{i}(t) &=").count("&=") == 5
    with pytest.raises(LookupError, match="shows no display"):
        display("bptt/forward.ipynb", "q(t) &=")


def test_a_slope_along_values_nearby_is_exact_for_fourth_powers_and_has_nine_digits_for_exponentials() -> None:
    assert along(lambda at: at**4, Fraction(2, 3)) == 4 * Fraction(2, 3) ** 3
    assert along(lambda at: at**5, Fraction(2, 3)) != 5 * Fraction(2, 3) ** 4
    assert same(along(exp, 1.5), exp(1.5))
    assert not same(1.0, 1.0 + 2e-9)


def test_a_largest_value_is_read_with_its_letter_and_its_domain() -> None:
    ((tree, _),) = read(r"\max_{x \in \mathbb{R}} \sigma'(x) = \frac{1}{4}", symbols_of("logistic"))
    letter = ("letter", "x", None)
    assert tree[1][0] == ("extreme", letter, "max", True, ("call", "sigma/0", [], 1, letter))
