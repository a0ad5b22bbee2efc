"""What no reader of a page could make sense of, and slopes of functions that are known by their values."""

from fractions import Fraction
from math import exp

import pytest
from outside_reader.pages import symbols_of
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


def test_a_slope_along_values_nearby_is_exact_for_fourth_powers_and_has_nine_digits_for_exponentials() -> None:
    assert along(lambda at: at**4, Fraction(2, 3)) == 4 * Fraction(2, 3) ** 3
    assert along(lambda at: at**5, Fraction(2, 3)) != 5 * Fraction(2, 3) ** 4
    assert same(along(exp, 1.5), exp(1.5))
    assert not same(1.0, 1.0 + 2e-9)
