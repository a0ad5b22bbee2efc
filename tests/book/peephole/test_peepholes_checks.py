"""Checks of update rules, of the number of parameters and of the sign refuse wrong formulas."""

import pytest
from book.peephole.peepholes import checks
from book.shared.reading import equals
from book.shared.words import Where
from sympy import Integer

NAMES = [f"{letter}_{gate}" for letter in "wu" for gate in ("fg", "ig", "og")] + ["w_out", "w_block"]


@pytest.mark.parametrize("name", NAMES)
def test_only_the_right_update_goes_down(name):
    assert checks.descends(checks.rule(name))
    right = checks.rule(name)
    assert not checks.descends(equals(right.lhs, checks.old(name) + checks.rate * checks.slope(name)))
    assert not checks.descends(equals(right.lhs, checks.old(name) - 2 * checks.rate * checks.slope(name)))
    assert not checks.descends(equals(right.lhs, checks.old(name) - checks.rate))
    for other in {"w_fg", "w_out", "u_ig"} - {name}:
        assert not checks.descends(checks.rule(name, start=other))


def test_system_and_library_count_the_same_parameters():
    assert checks.in_system(1, 1, 1, 1) == checks.in_library(1, 1, 1, 1) == 17
    for sizes in ((2, 1, 1, 1), (1, 3, 2, 2), (3, 2, 4, 1)):
        assert checks.in_system(*sizes) == checks.in_library(*sizes)
    assert not checks.counts(equals(checks.P(1, 1, 1, 1), Integer(16)))


def test_the_sign_depends_on_what_delta_is():
    change, delta, y_m, rate = checks.CHANGE, checks.DELTA, checks.Y_M, checks.rate
    mine = checks.OUT_SLOPE * (checks.TARGET - checks.OUTPUT)
    for sign, meaning, right in ((1, mine, True), (-1, mine, False), (1, -mine, False), (-1, -mine, True)):
        rule = equals(change, sign * rate * delta * y_m)
        assert checks.sign_is_right(Where(rule, equals(delta, meaning))) is right
    before, after = checks.one_update(1)
    assert after < before < checks.one_update(-1)[1]
