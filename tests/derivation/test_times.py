"""Equations that speak of t + 1 are moved to the present, both sides alike, and say the same there."""

import pytest
from sympy import Integer
from throughtime.derivation.domains import Dimension, Index, domain
from throughtime.derivation.nodes import parameter, sequence, sum_over, time, variable
from throughtime.derivation.system import System
from throughtime.derivation.times import at_present
from throughtime.derivation.unroll import Unrolled

n = Dimension("n")
i, j = Index("i", domain("H", n)), Index("j", domain("H", n))
t, s, r = time("t"), time("s"), time("r")
u, x, v = parameter("u", domain("H", n)), sequence("x", domain("H", n)), variable("v")

SYSTEM = System("leaky sum")
SYSTEM[v[t]] = sum_over(i, u[i] * x[i, t]) + v[t - 1]
WITNESS = Unrolled(SYSTEM, {n: 2}, 4, seed=1)


@pytest.mark.parametrize("steps", [1, 2])
def test_a_step_ahead_becomes_the_present_in_all_members(steps):
    assert at_present([v[t + steps], v[t + steps - 1] + x[i, t]]) == [v[t], v[t - 1] + x[i, t - steps]]


def test_the_latest_time_on_the_left_counts_whatever_is_on_the_right():
    assert at_present([v[t + 2] * v[t], v[t + 3]]) == [v[t] * v[t - 2], v[t + 1]]


@pytest.mark.parametrize("left", [v[t], v[t - 1]])
def test_a_left_side_without_a_step_ahead_stays(left):
    members = [left, v[t + 1] * u[i]]
    assert at_present(members) == members


def test_two_free_times_move_each_by_its_own_steps():
    assert at_present([v[t + 1] * v[s + 2], v[t] * v[s]]) == [v[t] * v[s], v[t - 1] * v[s - 2]]


def test_a_bound_time_does_not_move_a_free_one_of_the_same_letter():
    members = [sum_over((s, 1, t), v[s + 1]) * v[t], v[s]]
    assert at_present(members) == members


@pytest.mark.parametrize("first", [0, 2, -1])
def test_a_sum_over_other_times_counts_from_one_and_keeps_its_terms(first):
    (moved,) = at_present([sum_over((s, first, t), v[s + 1 - first])])
    assert moved == sum_over((s, 1, t + 1 - first), v[s])


def test_nested_sums_both_count_from_one():
    (moved,) = at_present([sum_over((s, 0, t - 1), sum_over((r, 0, t - 1), v[s + 1] * v[r + 1] * v[t]))])
    assert moved == sum_over((s, 1, t), sum_over((r, 1, t), v[s] * v[r] * v[t]))


def test_the_moved_formula_has_the_value_that_the_first_one_has_a_step_earlier():
    formula = v[t + 1] * sum_over((s, 0, t), u[i] * v[s + 1])
    (moved,) = at_present([formula])
    values = []
    for now in (1, 2, 3):
        before = WITNESS.value(formula, {i: Integer(2), t: Integer(now)})
        assert WITNESS.value(moved, {i: Integer(2), t: Integer(now + 1)}) == before
        values.append(before)
    assert len(set(values)) == 3
