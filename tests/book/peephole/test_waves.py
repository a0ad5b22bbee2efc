"""The chapter on waves: what its text says of all periods, and the checks of its statements."""

from itertools import pairwise

import numpy as np
import pytest
from book.peephole.waves import checks as w
from book.shared.reading import equals
from sympy import Integer, Rational, cos, latex, pi
from throughtime.tasks.waves import cosine, largest_difference, triangle


def test_printed_values_of_the_cosine_are_no_differences():
    for period in range(3, 200):
        assert largest_difference(cosine, period, 1) < np.pi / period
        assert largest_difference(cosine, period, 2) < 2 * np.pi**2 / period**2


@pytest.mark.parametrize("wave", [cosine, triangle])
def test_a_longer_period_is_easier_from_five_on(wave):
    for order in (1, 2):
        found = [largest_difference(wave, period, order) for period in range(5, 61)]
        assert all(later < before for before, later in pairwise(found))
    assert largest_difference(cosine, 4, 1) < largest_difference(cosine, 5, 1) < largest_difference(cosine, 3, 1)


def test_the_judge_of_waves_wants_all_of_a_wave():
    t, F = w.t, w.F
    wave = Rational(1, 2) * (1 - cos(2 * pi * t / F))
    for wrong in (wave**2, wave.subs(F, F / 2), wave.subs(F, F / 3)):
        assert not w.is_wave(equals(w.f_cos(t), wrong)), wrong
        assert not w.is_wave_exactly(equals(w.f_cos(t), wrong)), wrong
    assert not w.is_wave_exactly(equals(w.f_cos(t), cos(t)))  # no rational numbers


def test_a_place_in_a_period_is_a_remainder():
    assert [w.PLACE.subs({w.t: n, w.F: 4}) for n in (-1, 0, 5)] == [3, 0, 1]
    assert latex(2 * w.PLACE / w.F) == r"\frac{2 (t \bmod F)}{F}"


def test_largest_differences_are_counted_exactly_too():
    for name, order, right in (("tri", 1, 2 / w.F), ("tri", 2, 4 / w.F), ("rect", 1, Integer(1))):
        assert not w.of_differences_exactly(equals(w.largest(name, order), right + Rational(1, 10**15)))


def test_the_rectangle_has_to_be_judged_for_the_periods_that_are_declared():
    first, second = (equals(w.largest("rect", order), Integer(1)) for order in (1, 2))
    assert w.of_differences(first)
    assert not w.of_differences(second)  # at the periods 3 and 4 it is 2
