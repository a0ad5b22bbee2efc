"""The chapter on the two examples: its checks tell true formulas from wrong ones; what readers type; the exercises."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from book.lfmn.examples import checks
from book.lfmn.examples.checks import (
    COUNTED,
    KEEPS,
    ORDERED,
    SOLVED,
    TOLD,
    C,
    K,
    capacity,
    classes_of_words,
    distinct,
    draw_units,
    j,
    k,
    least_units,
    n,
    order,
    order_and_count,
    r,
    random_nets,
    same_fate_by_sets,
    solved_in_noise,
    told_apart,
    units_for_classes,
    w1,
    w2,
    words,
)
from sympy import And, Eq, Equivalent, Ge, Implies, Le, Ne, Not, Sum, factorial
from throughtime.tasks.counting import last_occurrences

PRINTED = Implies(And(Eq(K, 5), SOLVED), r >= 3)
THEOREM = Equivalent(KEEPS, Le(K, 2**n))
PAGE = Path(__file__).parents[3] / "book" / "lfmn" / "examples.ipynb"


# ---- example 1


@pytest.mark.parametrize("units", [1, 2, 3])
def test_random_networks_tell_at_most_two_to_the_number_of_units_that_store(units):
    nets = random_nets(units)
    assert all(told <= 2**storing for storing, told in nets)
    assert min(storing for storing, _ in nets) < units == max(storing for storing, _ in nets)
    assert capacity(units) == 2**units


def test_one_recurrent_unit_holds_five_classes_without_noise_and_loses_them_in_it():
    assert checks.share_of_one_value(0.0, 2000) == 1
    assert checks.share_of_one_value(0.05, 2000) < 0.5


@pytest.mark.parametrize("seed", range(5))
def test_weak_noise_makes_two_first_inputs_alike_in_units_that_add_up(seed):
    assert checks.noise_takes_a_difference_back(seed=seed)


def test_in_noise_five_classes_are_told_by_three_units_and_by_no_fewer():
    assert solved_in_noise() == {1: 2, 2: 4, 3: 8}


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (PRINTED, True),
        (Implies(And(Eq(K, 5), SOLVED), r >= 1), False),  # true, and rules out nothing
        (Implies(And(Eq(K, 5), SOLVED), r >= 2), False),
        (Implies(And(Eq(K, 5), SOLVED), r >= 4), False),
        (Implies(And(Eq(K, 4), SOLVED), r >= 3), False),
        (Implies(And(Ge(K, 4), SOLVED), r >= 3), False),
        (Implies(SOLVED, r >= 3), False),
        (Implies(Eq(K, 5), r >= 3), False),
        (Implies(And(Eq(K, 5), r >= 3), SOLVED), False),
    ],
)
def test_the_check_of_example_1(formula, true):
    assert least_units(formula) is true


def test_a_network_of_one_unit_that_solves_the_task_would_refute_example_1(monkeypatch):
    """As the unit u = 1 does where there is no noise."""
    monkeypatch.setattr(checks, "solved_in_noise", lambda: {1: 5, 2: 5, 3: 8})
    assert not least_units(PRINTED)


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (THEOREM, True),
        (Equivalent(KEEPS, Le(K, 2 * n)), False),
        (Equivalent(KEEPS, 2**n > K), False),
    ],
)
def test_the_check_of_the_theorem_behind_example_1(formula, true):
    assert units_for_classes(formula) is true


def test_drawn_units_keep_away_from_the_borders():
    active, weight, storing = draw_units(500, np.random.default_rng(0))
    border = np.where(active, 2.0, 1.0)
    assert np.array_equal(np.abs(weight) > border, storing)
    assert np.min(np.abs(np.abs(weight) - border)) > 0.1


def test_distinct_counts_rows_that_differ_somewhere():
    assert distinct(np.array([[0.0, 1.0], [0.0, 1.0 + 1e-6], [0.0, -1.0], [0.5, 1.0]])) == 3


# ---- what a reader types


def test_three_typed_latches_keep_five_classes_in_noise_below_the_bound(run_cell):
    recalled = run_cell("def recalled(")["recalled"]
    assert recalled(4.0, 5, 3, 1.0, 3000) == 1
    assert recalled(4.0, 5, 3, 3.0, 300) < 0.6
    assert recalled(9.0, 8, 3, 3.0, 3000) == 1  # B(9) = 5.2


def test_typed_fates_are_the_orders_of_last_occurrences(run_cell):
    names = run_cell("def fates(")
    classes = names["classes"].values()
    assert sorted(map(len, classes)) == [3, 3, 4, 4]
    assert all(len({last_occurrences(word) for word in each}) == 1 for each in classes)
    assert names["fates"]("YXY") == names["fates"]("XY")
    assert names["fates"]("XX") == names["fates"]("X")


# ---- exercise 1


def test_eight_units_keep_two_values_of_ten_and_six_signs_are_too_few():
    bits = 2 * ((np.arange(10)[:, None] >> np.arange(4)) & 1) - 1  # four binary digits of each value
    first, second = (bits[values] for values in np.divmod(np.arange(100), 10))
    wanted = np.hstack([first, second])
    for noise in product((-0.3, 0.3), repeat=2):
        state = np.hstack([2 * first, 8 * first]) + noise[0]
        state = 4 * np.tanh(state / 2) + np.hstack([2 * second, 8 * second]) + noise[1]
        for side in (-0.3, 0.3):
            late = state
            for _ in range(500):
                late = 4 * np.tanh(late / 2) + side
            assert np.array_equal(np.sign(late), wanted)
    assert len(np.unique(wanted, axis=0)) == 100
    assert 2**6 < 100 <= 2**7


# ---- example 2


@pytest.mark.parametrize(("letters", "classes"), [(1, 1), (2, 4), (3, 15)])
def test_classes_of_words_are_the_orders_of_last_occurrences(letters, classes):
    told, every = told_apart(letters), words(letters)
    for (p, first), (q, second) in product(enumerate(every), repeat=2):
        assert told[p, q] == (last_occurrences(first) != last_occurrences(second))
    assert classes_of_words(letters) == classes


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (Not(ORDERED), False),
        (Not(COUNTED), True),
        (Equivalent(TOLD, Ne(order(w1), order(w2))), True),
        (Equivalent(TOLD, Eq(order(w1), order(w2))), False),
        (Eq(C, Sum(factorial(k) / factorial(k - j), (j, 1, k))), True),
        (Eq(C, factorial(k)), False),
        (Eq(C, k**2), False),
    ],
)
def test_the_check_of_example_2(formula, true):
    assert order_and_count(formula) is true


def test_sets_resets_and_keeps_cannot_count_and_a_toggle_could():
    assert same_fate_by_sets("XX", "X")
    assert not same_fate_by_sets("XY", "YX")

    def toggled(word):
        return -1 if len(word) % 2 else 1

    assert toggled("XX") != toggled("X")


# ---- exercise 4


def test_two_units_that_read_each_other_tell_two_marks_from_one_without_a_negative_weight():
    """Full recurrence: the first unit is set by the first mark, the second by a mark that finds the first one set."""
    recurrent, inputs, bias = np.array([[6.0, 0.0], [4.0, 6.0]]), np.array([9.0, 8.0]), np.array([-0.5, -3.0])
    for gap, marks, seed in product((1, 2, 10, 200), (1, 2), range(5)):
        noise = np.random.default_rng(seed).uniform(-0.3, 0.3, (3 * gap + 10, 2))
        state, places = np.array([-6.0, -10.0]), [3 + gap * number for number in range(marks)]
        for now, push in enumerate(noise):
            state = recurrent @ np.tanh(state / 2) + inputs * (now in places) + bias + push
        assert (state[1] > 0) == (marks == 2)
