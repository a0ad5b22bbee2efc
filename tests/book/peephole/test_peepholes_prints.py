"""The judges of update rules, the number of parameters, the sign, and the waves refuse wrong formulas."""

from itertools import product

import pytest
from sympy import Integer, Rational, cos, latex, pi
from throughtime.derivation import slips
from throughtime_book.peephole.peepholes import prints
from throughtime_book.peephole.waves import claims as w
from throughtime_book.peephole.waves import rectangle
from throughtime_book.shared.words import Where

NAMES = [f"{letter}_{gate}" for letter in "wu" for gate in ("fg", "ig", "og")] + ["w_out", "w_block"]


@pytest.mark.parametrize("name", NAMES)
def test_only_the_right_update_goes_down(name):
    assert prints.descends(prints.rule(name))
    right = prints.rule(name)
    assert not prints.descends(prints.equals(right.lhs, prints.old(name) + prints.rate * prints.slope(name)))
    assert not prints.descends(prints.equals(right.lhs, prints.old(name) - 2 * prints.rate * prints.slope(name)))
    assert not prints.descends(prints.equals(right.lhs, prints.old(name) - prints.rate))
    for other in {"w_fg", "w_out", "u_ig"} - {name}:
        assert not prints.descends(prints.rule(name, start=other))


def test_system_and_library_count_the_same_parameters():
    assert prints.in_system(1, 1, 1, 1) == prints.in_library(1, 1, 1, 1) == 17
    for sizes in ((2, 1, 1, 1), (1, 3, 2, 2), (3, 2, 4, 1)):
        assert prints.in_system(*sizes) == prints.in_library(*sizes)
    assert not prints.counts(prints.equals(prints.P(1, 1, 1, 1), Integer(16)))


def test_the_sign_depends_on_what_delta_is():
    change, delta, y_m, rate = prints.CHANGE, prints.DELTA, prints.Y_M, prints.rate
    mine = prints.OUT_SLOPE * (prints.TARGET - prints.OUTPUT)
    for sign, meaning, right in ((1, mine, True), (-1, mine, False), (1, -mine, False), (-1, -mine, True)):
        rule = prints.equals(change, sign * rate * delta * y_m)
        assert prints.sign_is_right(Where(rule, prints.equals(delta, meaning))) is right
    before, after = prints.one_update(1)
    assert after < before < prints.one_update(-1)[1]


def test_the_judge_of_waves_wants_all_of_a_wave():
    t, F = w.t, w.F
    wave = Rational(1, 2) * (1 - cos(2 * pi * t / F))
    assert w.is_wave(w.equals(w.f_cos(t), wave))
    for wrong in (1 - wave, 2 * wave, wave / 2, wave.subs(F, 2 * F), wave.subs(F, F / 2), wave**2):
        assert not w.is_wave(w.equals(w.f_cos(t), wrong)), wrong
        assert not w.is_wave_exactly(w.equals(w.f_cos(t), wrong)), wrong
    assert w.is_wave_exactly(w.equals(w.f_cos(t), wave))
    assert not w.is_wave_exactly(w.equals(w.f_cos(t), cos(t)))  # no rational numbers


def test_a_place_in_a_period_is_a_remainder():
    assert [w.PLACE.subs({w.t: n, w.F: 4}) for n in (-1, 0, 5)] == [3, 0, 1]
    assert latex(2 * w.PLACE / w.F) == r"\frac{2 (t \bmod F)}{F}"


def test_largest_differences_are_counted_exactly_too():
    for name, order, right in (("tri", 1, 2 / w.F), ("tri", 2, 4 / w.F), ("rect", 1, Integer(1))):
        assert w.of_differences_exactly(w.equals(w.largest(name, order), right))
        assert not w.of_differences_exactly(w.equals(w.largest(name, order), right + Rational(1, 10**15)))


def test_the_rectangle_is_judged_for_the_periods_that_are_declared():
    first, second = rectangle.PRINTED
    assert w.DECLARED == (10, 25)
    assert w.of_declared_periods(first)
    assert w.of_declared_periods(second)
    assert w.of_differences(first)
    assert not w.of_differences(second)  # at the periods 3 and 4 it is 2
    assert rectangle.second_is_one_from_five_on()
    for order, wrong in product((1, 2), (0, 2, Rational(1, 2), -1)):
        assert not w.of_declared_periods(w.equals(w.largest("rect", order), Integer(0) + wrong))
    assert not w.of_declared_periods(w.equals(w.largest("tri", 1), Integer(1)))


@pytest.mark.parametrize("form", rectangle.PRINTED, ids=str)
def test_slips_in_the_differences_of_the_rectangle_are_refused(form):
    assert len(slips(form)) == 2
    assert not any(w.of_declared_periods(slip.expr) for slip in slips(form))


def test_derivatives_and_differences_of_the_cosine_are_told_apart():
    largest = w.equals(w.largest("cos", 1), pi / w.F)
    assert w.of_derivatives(largest)
    assert not w.of_differences(largest)
