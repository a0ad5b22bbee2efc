"""The reader's own reading: what it takes apart, and what it refuses, in formulas of a page and with slips in them."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest
from outside_reader.judge import refused, verdict
from outside_reader.pages import boxes, symbols_of
from outside_reader.tex import Unreadable, read
from outside_reader.world import along, same

SYMBOLS = symbols_of("lstm1997")


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


def test_a_slope_along_values_nearby_is_exact_for_fourth_powers_and_has_nine_digits_for_exponentials() -> None:
    assert along(lambda at: at**4, Fraction(2, 3)) == 4 * Fraction(2, 3) ** 3
    assert along(lambda at: at**5, Fraction(2, 3)) != 5 * Fraction(2, 3) ** 4
    assert same(along(exp, 1.5), exp(1.5))
    assert not same(1.0, 1.0 + 2e-9)
