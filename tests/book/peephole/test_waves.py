"""The chapter on waves: its verdicts, the waves that a reader types, the numbers of the text."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from book.peephole.waves import checks as w
from book.shared.reading import equals
from sympy import Integer, Rational, cos, latex, pi
from throughtime.tasks.waves import cosine, largest_difference, rectangle, triangle

PAGE = Path(__file__).parents[3] / "book" / "peephole" / "waves.ipynb"


@pytest.mark.parametrize(("name", "wave"), [("f_cos", cosine), ("f_tri", triangle), ("f_rect", rectangle)])
def test_the_typed_waves_are_the_librarys_and_what_the_text_says(run_cell, name, wave):
    mine, times = run_cell(f"def {name}(")[name], np.arange(-30, 90)
    for period in (2, 3, 10, 25):
        assert np.allclose(mine(times, period), wave(times, period))
    found = mine(np.arange(10), 10)
    assert (found[0], found.min(), found.max()) == (0, 0, 1)
    assert np.allclose((found[:5] + found[5:])[1:], 1)


def test_printed_values_of_the_cosine_are_no_differences():
    found = [round(largest_difference(cosine, 10, order), 4) for order in (1, 2)]
    assert [*found, round(np.pi / 10, 4), round(2 * np.pi**2 / 100, 4)] == [0.3090, 0.1910, 0.3142, 0.1974]
    for period in range(3, 200):
        assert largest_difference(cosine, period, 1) < np.pi / period
        assert largest_difference(cosine, period, 2) < 2 * np.pi**2 / period**2


@pytest.mark.parametrize("wave", [cosine, triangle])
def test_a_longer_period_is_easier_from_five_on(wave):
    for order in (1, 2):
        found = [largest_difference(wave, period, order) for period in range(5, 61)]
        assert all(later < before for before, later in pairwise(found))
    assert largest_difference(cosine, 4, 1) < largest_difference(cosine, 5, 1) < largest_difference(cosine, 3, 1)


# ---- checks


def test_the_judge_of_waves_wants_all_of_a_wave():
    t, F = w.t, w.F
    wave = Rational(1, 2) * (1 - cos(2 * pi * t / F))
    assert w.is_wave(equals(w.f_cos(t), wave))
    periods = (2 * F, F / 2, F / 3)
    for wrong in (1 - wave, 2 * wave, wave / 2, wave**2, *(wave.subs(F, period) for period in periods)):
        assert not w.is_wave(equals(w.f_cos(t), wrong)), wrong
        assert not w.is_wave_exactly(equals(w.f_cos(t), wrong)), wrong
    assert w.is_wave_exactly(equals(w.f_cos(t), wave))
    assert not w.is_wave_exactly(equals(w.f_cos(t), cos(t)))  # no rational numbers


def test_a_place_in_a_period_is_a_remainder():
    assert [w.PLACE.subs({w.t: n, w.F: 4}) for n in (-1, 0, 5)] == [3, 0, 1]
    assert latex(2 * w.PLACE / w.F) == r"\frac{2 (t \bmod F)}{F}"


def test_largest_differences_are_counted_exactly_too():
    for name, order, right in (("tri", 1, 2 / w.F), ("tri", 2, 4 / w.F), ("rect", 1, Integer(1))):
        assert w.of_differences_exactly(equals(w.largest(name, order), right))
        assert not w.of_differences_exactly(equals(w.largest(name, order), right + Rational(1, 10**15)))


def test_the_rectangle_is_judged_for_the_periods_that_are_declared():
    first, second = (equals(w.largest("rect", order), Integer(1)) for order in (1, 2))
    assert w.DECLARED == (10, 25)
    assert w.of_declared_periods(second)
    assert w.of_differences(first)
    assert not w.of_differences(second)  # at the periods 3 and 4 it is 2
    assert w.second_is_one_from_five_on()
    assert not w.of_declared_periods(equals(w.largest("tri", 1), Integer(1)))


def test_derivatives_and_differences_of_the_cosine_are_told_apart():
    largest = equals(w.largest("cos", 1), pi / w.F)
    assert w.of_derivatives(largest)
    assert not w.of_differences(largest)
