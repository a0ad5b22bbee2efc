"""The claims behind the chapter on the examples: proved ones exactly, measured ones over seeds."""

import numpy as np
import pytest
from book.lfmn import one_unit as lt
from book.lfmn.examples import checks
from book.lfmn.examples import experiment as ex
from book.lfmn.examples.experiment import train
from hypothesis import given, settings
from hypothesis import strategies as st
from throughtime.arrays.activations import tanh_half
from throughtime.arrays.parameters import LossGradient
from throughtime.tasks.counting import COUNT, FOUR_ORDERS, ORDER, last_occurrences, marked_noise
from throughtime.tasks.first_input import binary_code, first_input

PLUS_MINUS = [[1.0], [-1.0]]
COUNTS = {  # seeds of 100 that succeed
    ("2 classes", 1): 100,
    ("2 classes", 2): 100,
    ("2 classes", 3): 100,
    ("3 classes", 1): 0,
    ("3 classes", 2): 95,
    ("3 classes", 3): 98,
    ("4 classes", 1): 0,
    ("4 classes", 2): 93,
    ("4 classes", 3): 92,
    ("5 classes", 1): 0,
    ("5 classes", 2): 0,
    ("5 classes", 3): 73,
    ("XY or YX", 1): 61,
    ("X or XX", 3): 0,
    ("X or XX", 8): 0,
}


# --- trained ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("classes", "units"), [(2, 1), (3, 2), (4, 2), (5, 3)])
def test_enough_units_learn_to_keep_the_class(classes, units):
    outcomes = ex.learn_first_input(classes, units, range(4))
    assert ex.success_rate(outcomes) >= 0.5
    assert {o.task for o in outcomes} == {f"{classes} classes"}


@pytest.mark.parametrize(("classes", "units"), [(3, 1), (5, 2)])
def test_with_too_few_units_no_seed_keeps_the_class(classes, units):
    outcomes = ex.learn_first_input(classes, units, range(4))
    assert ex.success_rate(outcomes) == 0
    most = 2**units / classes  # each sign pattern serves one class
    assert all(o.tested <= most for o in outcomes)


def test_order_is_learnt_and_counting_is_not():
    order = ex.learn_words(ORDER, PLUS_MINUS, 1, range(4))
    count = ex.learn_words(COUNT, PLUS_MINUS, 3, range(4))
    assert ex.success_rate(order) >= 0.5
    assert min(o.trained for o in count) > 0.9  # it fits the training sequences
    assert max(o.tested for o in count) < 0.6  # and is at chance once the gaps are long


def test_every_task_has_its_stored_runs_and_a_fresh_one_is_the_same():
    for cell in ex.CELLS:
        assert [outcome.seed for outcome in ex.stored(*cell)] == list(range(ex.SEEDS))
    for cell in (("2 classes", 1), ("5 classes", 3), ("XY or YX", 1)):
        (again,) = ex.CELLS[cell]([17])
        kept = ex.stored(*cell)[17]
        assert (kept.trained, kept.tested) == pytest.approx((again.trained, again.tested), abs=1e-7)


def test_counts_in_the_text():
    counts = {cell: sum(outcome.success for outcome in ex.stored(*cell)) for cell in ex.CELLS}
    assert counts == COUNTS
    for (task, units), count in counts.items():
        if task.endswith("classes") and 2**units < int(task[0]):
            assert count == 0
            assert max(o.tested for o in ex.stored(task, units)) < 2**units / int(task[0]) + 1e-7
    for units in (3, 8):
        counting = ex.stored("X or XX", units)
        assert min(o.trained for o in counting) > 0.8
        assert max(o.tested for o in counting) < 0.6


def test_a_run_repeats_itself():
    first, again = (ex.learn_words(ORDER, PLUS_MINUS, 1, [3], epochs=5) for _ in range(2))
    assert first == again


def test_training_finds_the_bottom_of_a_valley():
    scales = np.array([1.0, 1e-6, 1e6])  # signs only: the scale of a direction does not matter
    goal = np.array([1.0, -2.0, 0.5])

    def gradient(theta):
        away = theta - goal
        return LossGradient(float(scales @ away**2), 2 * scales * away, "exact")

    start = np.zeros(3)
    np.testing.assert_allclose(train(gradient, start, 80), goal, atol=2e-4)
    assert np.array_equal(start, np.zeros(3))


# --- by hand: what latches hold ---------------------------------------------------------------------------


@pytest.mark.parametrize(("classes", "noise"), [(2, 0.1), (5, 0.05), (5, 0.1), (8, 0.02)])
@pytest.mark.parametrize("length", [2, 50, 2000])
def test_three_latches_keep_five_classes_and_eight(classes, noise, length):
    code = binary_code(classes)
    model, theta = checks.classes_in_signs(code, noise)
    assert ex.share_right(model, theta, first_input(classes, length, 5, noise, seed=length), code) == 1


def test_noise_that_no_self_weight_withstands_is_refused():
    with pytest.raises(ValueError, match=r"noise: 5 lines with noise of 4\.0"):
        checks.classes_in_signs(binary_code(5), 4.0)


@pytest.mark.parametrize(("length", "gap"), [(11, 0), (60, 10), (2000, 500)])
def test_three_latches_keep_the_four_orders_of_two_marks(length, gap):
    model, theta = checks.four_orders()
    code = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    assert ex.share_right(model, theta, marked_noise(FOUR_ORDERS, length, gap, 30, 0.05, seed=gap), code) == 1


# --- by hand: what latches cannot hold --------------------------------------------------------------------


@settings(deadline=None)
@given(st.floats(-8, 8), st.floats(-12, 12))
def test_a_mark_sets_resets_or_keeps_but_never_toggles(v, pulse):
    assert checks.letter_action(v, pulse) in {(-1, 1), (1, 1), (-1, -1)}


@settings(deadline=None)
@given(st.floats(2.2, 8), st.floats(0.05, 0.95), st.sampled_from([-1, 1]))
def test_a_mark_of_one_step_sets_exactly_beyond_the_latched_state(v, share, side):
    rest = lt.latched_state(v)
    assert checks.letter_action(v, side * share * rest) == (-1, 1)
    assert checks.letter_action(v, side * rest * (2 - share)) == (side, side)


@settings(deadline=None)
@given(st.floats(0, 8), st.floats(-12, 12), st.integers(0, 2**32))
def test_a_second_mark_after_a_long_gap_changes_nothing(v, pulse, seed):
    # the same noise before, between and after the marks; initial state 0
    bound = 0.3 * float(lt.largest_disturbance(v)) + 1e-3
    noise = np.random.default_rng(seed).uniform(0.2 * bound, bound, 600)
    forcing = np.tile(noise, 3)
    ends = []
    for marks in ((), (600,), (600, 1200)):
        pushed = forcing.copy()
        pushed[list(marks)] = pulse
        ends.append(np.sign(lt.trajectory(v, 0.0, pushed)[-1]))
    assert ends[1] == ends[2]


def test_order_of_last_occurrences_is_what_four_orders_computes_of_longer_words():
    model, theta = checks.four_orders()
    words = ("XXX", "XXY", "XYX", "XYY", "YXX", "YXY", "YYX", "YYY")
    x, labels = marked_noise(words, 400, 60, 3, 0.05, seed=2)
    signs = np.sign(model.forward(theta, x).y[:, -1])
    seen = {tuple(row): last_occurrences(words[n]) for row, n in zip(signs, labels, strict=True)}
    for row, n in zip(signs, labels, strict=True):
        assert seen[tuple(row)] == last_occurrences(words[n])
    assert len(seen) == 4


# --- by hand: the constants -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("classes", "noise"), [(2, 0.1), (5, 0.05), (5, 0.1)])
def test_classes_in_signs_take_the_least_weight_that_withstands_the_noise(classes, noise):
    code = binary_code(classes)
    model, theta = checks.classes_in_signs(code, noise)
    weights = model.layout.views(theta)
    v = weights["v_hid"][0]
    assert np.all(weights["v_hid"] == v)
    np.testing.assert_allclose(np.abs(weights["w_hid"]), lt.critical_point(v), rtol=1e-12)
    np.testing.assert_array_equal(np.sign(weights["w_hid"]), code.T)

    def withstands(weight):
        return classes * noise * lt.critical_point(weight) <= lt.largest_disturbance(weight)

    assert withstands(v)
    assert v == 2.5 or not withstands(v - 0.5)


def test_the_numbers_of_the_marks_keep_their_margins():
    v, noise = checks.SELF_WEIGHT, 0.05 * checks.MARK
    rest = checks.BIAS + noise
    assert noise < checks.BIAS
    assert rest < lt.largest_disturbance(v)
    assert -v + checks.MARK - checks.BIAS > lt.critical_point(v)
    assert checks.letter_action(v, checks.MARK) == (1, 1)
    assert checks.letter_action(v, -checks.MARK) == (-1, -1)
    assert checks.letter_action(v, rest) == (-1, 1)


def test_the_three_units_of_four_orders_mean_what_they_are_said_to():
    model, theta = checks.four_orders()
    x, labels = marked_noise(FOUR_ORDERS, 60, 10, 3, 0.05, seed=1)
    for sequence, label in zip(x, labels, strict=True):
        word = FOUR_ORDERS[label]
        signs = np.sign(model.forward(theta, sequence).h[-1])
        meant = np.array(["X" in word, "Y" in word, word[-1] == "X"])
        assert np.array_equal(signs > 0, meant), word


@pytest.mark.parametrize("classes", [2, 5, 9])
def test_one_value_is_read_out_by_the_tangent_that_touches_at_it(classes):
    model, theta = checks.classes_in_one_value(classes)
    weights = model.layout.views(theta)
    held = tanh_half(np.linspace(-1.5, 1.5, classes))
    layer = np.vstack([np.full(classes, tanh_half(1.0)), held])
    net = weights["w_out"] @ layer / checks.READ_OUT  # of each output for each value held
    np.testing.assert_allclose(net, held**2 - (held - held[:, None]) ** 2, atol=1e-12)
    assert weights["u_hid"] == 1.0


def test_a_weight_below_0_takes_marks_as_its_size_does():
    pulses = (-8.0, -1.0, 1.0, 8.0)
    actions = [checks.letter_action(4.0, pulse) for pulse in pulses]
    assert [checks.letter_action(-4.0, pulse) for pulse in pulses] == actions
    assert len(set(actions)) == 3


def test_a_unit_that_does_not_latch_ends_on_the_side_of_the_nudge_whatever_the_mark():
    assert checks.letter_action(1.0, 8.0) == checks.letter_action(1.0, -8.0) == (-1, -1)
