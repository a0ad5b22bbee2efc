"""Equations for t + 1 are shifted to t on both sides, and the shifted equation is equivalent."""

import pytest
import throughtime as tt
from shared_formulas import i, m, n, q, r, s, t, u, v, x
from sympy import Integer
from throughtime.derivation.deriving.system import LENGTH as T
from throughtime.derivation.deriving.times import at_present, counted_from_one, padded
from throughtime.derivation.formulas.nodes import Sigma, product_over, sum_over

SYSTEM = tt.System("leaky sum")
SYSTEM[v[t]] = sum_over(i, u[i] * x[i, t]) + v[t - 1]
LONG = tt.ExactInstance(SYSTEM, {n: 1, m: 1}, 6, seed=1)

PRESENT = [  # the members of an equation as they are given, and with their left side shifted to the present
    ([v[t + 1], v[t] + x[i, t]], [v[t], v[t - 1] + x[i, t - 1]]),
    ([v[t + 2] * v[t], v[t + 3]], [v[t] * v[t - 2], v[t + 1]]),
    ([v[t + 1] * v[s + 2], v[t] * v[s]], [v[t] * v[s], v[t - 1] * v[s - 2]]),
    ([v[t + 1] * sum_over((s, 0, t), v[s + 1])], [v[t] * sum_over((s, 0, t - 1), v[s + 1])]),
    *(2 * [members] for members in ([v[t - 1], v[t + 1] * u[i]], [sum_over((s, 1, t), v[s + 1]) * v[t], v[s]])),
]


@pytest.mark.parametrize(("members", "moved"), PRESENT)
def test_the_latest_time_on_the_left_becomes_the_present_in_all_members(members, moved):
    assert at_present(members) == moved


WHOLE = sum_over((s, 1, T), v[s])
COUNTED = [
    *((sum_over((s, first, t + first - 1), v[s + 1 - first]), sum_over((s, 1, t), v[s])) for first in (0, 2, -1)),
    (sum_over((s, 1, T), v[s + 1]), WHOLE + v[T + 1] - v[1]),
    (sum_over((s, 0, T), v[s]), WHOLE + v[0]),
    (sum_over((s, 2, T), v[s]), WHOLE - v[1]),
    (sum_over((s, 1, T + 1), v[s]), WHOLE + v[T + 1]),
    (sum_over((s, 1, T - 1), v[s]), WHOLE - v[T]),
    (
        sum_over((s, 0, t - 1), sum_over((r, 0, t - 1), v[s + 1] * v[r + 1] * v[t])),
        sum_over((s, 1, t), sum_over((r, 1, t), v[s] * v[r] * v[t])),
    ),
]


@pytest.mark.parametrize(("given", "counted"), COUNTED)
def test_a_sum_counts_from_one_and_terms_at_either_end_stand_beside_it(given, counted):
    assert counted_from_one(given) == counted


@pytest.mark.parametrize("limits", [(3, T), (2, T - 1), (1, T - 2), (2, q), (1, t - 2), (r, T)], ids=str)
def test_a_sum_that_could_end_before_it_begins_keeps_its_terms_to_itself(limits):
    moved = counted_from_one(sum_over((s, *limits), v[s]))
    assert isinstance(moved, Sigma)
    free_times = {q: Integer(0), t: Integer(1), r: Integer(4)}
    for length in (1, 2, 3):
        witness = tt.ExactInstance(SYSTEM, {n: 1, m: 1}, length, seed=1)
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


def test_a_padded_product_is_the_same_but_at_the_times_returned_with_it():
    formula = u[i] * product_over((s, 3, T), v[s])
    longer, late = padded(formula)
    assert late == [T - 1]
    for length in (2, 3):
        witness, env = tt.ExactInstance(SYSTEM, {n: 1, m: 1}, length, seed=1), {i: Integer(1)}
        assert witness.value(longer, env) == witness.value(formula, env)


def test_a_sum_inside_another_or_with_a_letter_below_is_not_padded():
    for formula in (sum_over((r, 1, t), sum_over((s, 2, r - 1), v[s])), sum_over((s, r, t), v[s]), v[t]):
        assert padded(formula) == (formula, [])
