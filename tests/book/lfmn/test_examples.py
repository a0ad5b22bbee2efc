"""The two examples: what no slip of their formulas tries, units set by hand, stored runs, the exercises."""

from itertools import product

import numpy as np
import pytest
from book.lfmn import one_unit as lt
from book.lfmn.examples import checks
from book.lfmn.examples import experiment as ex
from book.lfmn.examples.checks import KEEPS, SOLVED, TOLD, C, K, k, least_units, n, order, order_and_count, r, w1, w2
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import And, Eq, Equivalent, Ge, Implies, Le, factorial
from throughtime.arrays.activations import tanh_half
from throughtime.tasks.counting import FOUR_ORDERS, last_occurrences, marked_noise
from throughtime.tasks.first_input import binary_code

PRINTED = Implies(And(Eq(K, 5), SOLVED), r >= 3)


@pytest.mark.parametrize(
    ("is_true", "wrong"),
    [
        (least_units, Implies(And(Eq(K, 5), SOLVED), r >= 1)),  # true, and rules out nothing
        (least_units, Implies(And(Ge(K, 4), SOLVED), r >= 3)),
        (least_units, Implies(SOLVED, r >= 3)),
        (least_units, Implies(Eq(K, 5), r >= 3)),
        (least_units, Implies(And(Eq(K, 5), r >= 3), SOLVED)),
        (lambda form: checks.kept_in_noise().holds(form), Equivalent(KEEPS, Le(K, 2 * n))),
        (lambda form: checks.kept_in_noise().holds(form), Equivalent(KEEPS, 2**n > K)),
        (order_and_count, Equivalent(TOLD, Eq(order(w1), order(w2)))),
        (order_and_count, Eq(C, factorial(k))),
        (order_and_count, Eq(C, k**2)),
    ],
)
def test_what_is_false_is_refused(is_true, wrong):
    assert not is_true(wrong)


def test_a_network_of_one_unit_that_solves_the_task_would_refute_example_1(monkeypatch):
    """As the unit u = 1 does where there is no noise."""
    monkeypatch.setattr(checks, "solved_in_noise", lambda: {1: 5, 2: 5, 3: 8})
    assert not least_units(PRINTED)


def test_noise_that_no_self_weight_withstands_is_refused():
    with pytest.raises(ValueError, match=r"noise: 5 lines with noise of 4\.0"):
        checks.classes_in_signs(binary_code(5), 4.0)


@settings(deadline=None)
@given(st.floats(2.2, 8), st.floats(0.05, 0.95), st.sampled_from([-1, 1]))
def test_a_mark_of_one_step_sets_exactly_beyond_the_latched_state(v, share, side):
    rest = lt.latched_state(v)
    assert checks.letter_action(v, side * share * rest) == (-1, 1)
    assert checks.letter_action(v, side * rest * (2 - share)) == (side, side)


def test_a_weight_below_0_takes_marks_as_its_size_does():
    pulses = (-8.0, -1.0, 1.0, 8.0)
    actions = [checks.letter_action(4.0, pulse) for pulse in pulses]
    assert [checks.letter_action(-4.0, pulse) for pulse in pulses] == actions
    assert len(set(actions)) == 3


def test_the_three_units_of_four_orders_keep_the_orders_of_longer_words_and_mean_what_they_are_said_to():
    model, theta = checks.four_orders()
    longer = ("XXX", "XXY", "XYX", "XYY", "YXX", "YXY", "YYX", "YYY")
    x, labels = marked_noise(longer, 400, 60, 3, 0.05, seed=2)
    signs = np.sign(model.forward(theta, x).y[:, -1])
    pairs = {(tuple(row), last_occurrences(longer[label])) for row, label in zip(signs, labels, strict=True)}
    assert len(pairs) == len({row for row, _ in pairs}) == 4
    x, labels = marked_noise(FOUR_ORDERS, 60, 10, 3, 0.05, seed=1)
    for sequence, label in zip(x, labels, strict=True):
        word = FOUR_ORDERS[label]
        meant = np.array(["X" in word, "Y" in word, word[-1] == "X"])
        assert np.array_equal(np.sign(model.forward(theta, sequence).h[-1]) > 0, meant), word


@pytest.mark.parametrize("classes", [2, 5, 9])
def test_one_value_is_read_out_by_the_tangent_that_touches_at_it(classes):
    model, theta = checks.classes_in_one_value(classes)
    weights = model.layout.views(theta)
    held = tanh_half(np.linspace(-1.5, 1.5, classes))
    layer = np.vstack([np.full(classes, tanh_half(1.0)), held])
    net = weights["w_out"] @ layer / checks.READ_OUT  # of each output for each value held
    np.testing.assert_allclose(net, held**2 - (held - held[:, None]) ** 2, atol=1e-12)
    assert weights["u_hid"] == 1.0


def test_a_fresh_run_of_three_tasks_is_the_stored_one():
    for cell in (("2 classes", 1), ("5 classes", 3), ("XY or YX", 1)):
        again = ex.CELLS[cell](17)
        kept = ex.stored(*cell)[17]
        assert (kept.trained, kept.tested) == pytest.approx((again.trained, again.tested), abs=1e-7)


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


def test_two_units_that_read_each_other_tell_two_marks_from_one_without_a_negative_weight():
    """Full recurrence: the first unit is set by the first mark, the second by a mark that finds the first one set."""
    recurrent, inputs, bias = np.array([[6.0, 0.0], [4.0, 6.0]]), np.array([9.0, 8.0]), np.array([-0.5, -3.0])
    for gap, marks, seed in product((1, 2, 10, 200), (1, 2), range(5)):
        noise = np.random.default_rng(seed).uniform(-0.3, 0.3, (3 * gap + 10, 2))
        state, places = np.array([-6.0, -10.0]), [3 + gap * number for number in range(marks)]
        for now, push in enumerate(noise):
            state = recurrent @ np.tanh(state / 2) + inputs * (now in places) + bias + push
        assert (state[1] > 0) == (marks == 2)
