"""Equations for t + 1 are shifted to t on both sides, and the shifted equation is equivalent."""

import pytest
from sympy import Integer
from throughtime.derivation.deriving.induction import lag
from throughtime.derivation.deriving.system import LENGTH as T
from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.times import at_present, counted_from_one, padded
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.domains import Dimension, Index, domain
from throughtime.derivation.formulas.nodes import Sigma, parameter, sequence, sum_over, time, variable

n = Dimension("n")
i, j = Index("i", domain("H", n)), Index("j", domain("H", n))
t, s, r, q = time("t"), time("s"), time("r"), lag("q")
u, x, v = parameter("u", domain("H", n)), sequence("x", domain("H", n)), variable("v")

SYSTEM = System("leaky sum")
SYSTEM[v[t]] = sum_over(i, u[i] * x[i, t]) + v[t - 1]
WITNESS = ExactInstance(SYSTEM, {n: 2}, 4, seed=1)
LONG = ExactInstance(SYSTEM, {n: 2}, 6, seed=1)


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
def test_a_sum_of_as_many_terms_over_other_times_is_shifted(first):
    moved = counted_from_one(sum_over((s, first, t + first - 1), v[s + 1 - first]))
    assert moved == sum_over((s, 1, t), v[s])


def test_a_sum_that_reads_a_step_ahead_is_counted_by_what_it_reads():
    assert counted_from_one(sum_over((s, 1, T), v[s + 1])) == sum_over((s, 1, T), v[s]) + v[T + 1] - v[1]


def test_nested_sums_both_count_from_one():
    moved = counted_from_one(sum_over((s, 0, t - 1), sum_over((r, 0, t - 1), v[s + 1] * v[r + 1] * v[t])))
    assert moved == sum_over((s, 1, t), sum_over((r, 1, t), v[s] * v[r] * v[t]))


def test_terms_at_either_end_stand_beside_the_sum():
    whole = sum_over((s, 1, T), v[s])
    assert counted_from_one(sum_over((s, 0, T), v[s])) == whole + v[0]
    assert counted_from_one(sum_over((s, 2, T), v[s])) == whole - v[1]
    assert counted_from_one(sum_over((s, 1, T + 1), v[s])) == whole + v[T + 1]
    assert counted_from_one(sum_over((s, 1, T - 1), v[s])) == whole - v[T]
    assert counted_from_one(sum_over((s, -1, T - 1), v[s + 1])) == whole + v[0]


@pytest.mark.parametrize("limits", [(3, T), (2, T - 1), (1, T - 2), (2, q), (1, t - 2), (r, T)], ids=str)
def test_a_sum_that_could_end_before_it_begins_keeps_its_terms_to_itself(limits):
    moved = counted_from_one(sum_over((s, *limits), v[s]))
    assert isinstance(moved, Sigma)
    free_times = {q: Integer(0), t: Integer(1), r: Integer(4)}
    for length in (1, 2, 3):
        witness = ExactInstance(SYSTEM, {n: 2}, length, seed=1)
        assert witness.value(moved, free_times) == witness.value(sum_over((s, *limits), v[s]), free_times)


@pytest.mark.parametrize("first", [-1, 0, 1, 2])
@pytest.mark.parametrize("last", [T - 1, T, t, t + 1, q + 1, Integer(2)], ids=str)
def test_the_value_stays(first, last):
    formula = sum_over((s, first, last), sum_over((r, 0, s), r + s**2) * v[s - 1])
    moved = counted_from_one(formula)
    for values in ({q: 0, t: 1}, {q: 1, t: 2}, {q: 2, t: 1}):
        env = {letter: Integer(value) for letter, value in values.items()}
        assert LONG.value(moved, env) == LONG.value(formula, env)


@pytest.mark.parametrize("first", [2, 3])
def test_a_padded_sum_is_the_same_but_at_the_times_returned_with_it(first):
    formula = 3 * sum_over((s, first, t - 1), v[s]) - u[i]
    longer, late = padded(formula)
    assert late == [t + 1 - first]
    assert padded(sum_over((s, first, T - 1), v[s]))[1] == [T + 1 - first]
    for now in range(1, 6):
        env = {i: Integer(1), t: Integer(now)}
        assert (LONG.value(longer, env) == LONG.value(formula, env)) == (now >= first), now


def test_a_sum_inside_another_or_with_a_letter_below_is_not_padded():
    for formula in (sum_over((r, 1, t), sum_over((s, 2, r - 1), v[s])), sum_over((s, r, t), v[s]), v[t]):
        assert padded(formula) == (formula, [])


def test_the_moved_formula_has_the_value_that_the_first_one_has_a_step_earlier():
    formula = v[t + 1] * sum_over((s, 0, t), u[i] * v[s + 1])
    (moved,) = at_present([formula])
    values = []
    for now in (1, 2, 3):
        before = WITNESS.value(formula, {i: Integer(2), t: Integer(now)})
        assert WITNESS.value(moved, {i: Integer(2), t: Integer(now + 1)}) == before
        values.append(before)
    assert len(set(values)) == 3
