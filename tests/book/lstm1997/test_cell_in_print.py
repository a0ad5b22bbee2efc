"""The memory cell in print: the judges of printed formulas, and the two numberings."""

from pathlib import Path

import pytest
from book.lstm1997.cell import checks, figures
from book.shared.reading import equals
from sympy import Contains, Interval
from throughtime.arrays.activations import tanh_half, twice_tanh_half
from throughtime.systems import lstm1997 as s

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "cell-in-print.ipynb"


def test_numbers_that_are_no_columns_fail_and_make_the_counterexample(run_page):
    names = run_page('judge("lstm97-37"')
    net, w = names["net_ig"], lambda q: s.w_ig[s.i, q]
    wrong, right = (
        equals(net, names["by_kinds"](w, s.k, gates=True, own_numbers=own_numbers)) for own_numbers in (False, True)
    )
    assert checks.holds(right)
    assert not checks.holds_exactly(wrong)
    assert not checks.holds_in_library(wrong)
    words = checks.columns_as_units(wrong)
    assert "The left side is 1.435; the right side is 1 " in words
    assert r"y^{\mathrm{cell}}_{2, 6}(2)" in words
    with pytest.raises(ValueError, match="expected one that fails"):
        checks.columns_as_units(right)


def test_columns_of_a_kind_off_by_one_do_not_fit(monkeypatch):
    assert checks._columns_fit(gates=True)
    assert checks._columns_fit(gates=False)
    monkeypatch.setattr(s, "d_in", s.d_in + 1)
    assert not checks._columns_fit(gates=True)


def test_squashing_is_decided():
    x = checks.x
    assert checks.is_of_experiments(equals(checks.h(x), 2 * checks.sigma(x) - 1))
    assert not checks.is_of_experiments(equals(checks.h(x), 4 * checks.sigma(x) - 2))
    swapped = Interval(-2, 2)  # as in the caption of the paper's Table 10
    assert not checks.is_of_experiments(Contains(checks.h(x), swapped, evaluate=False))
    assert (twice_tanh_half.derivative(0.0), tanh_half.derivative(0.0)) == (1.0, 0.5)


def test_the_numbering_has_every_cell():
    words = {text.get_text() for text in figures.numbering(3, 2).axes[0].texts}
    assert {f"$s_{{{i}}}^{{{k}}}$" for i in (1, 2, 3) for k in (1, 2)} <= words
