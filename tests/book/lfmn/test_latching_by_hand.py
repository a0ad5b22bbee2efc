"""LFMNs with constructed weights: states of their units, and the margins for which the constants were chosen."""

import numpy as np
import pytest
from throughtime.tasks.counting import FOUR_ORDERS, marked_noise
from throughtime.tasks.first_input import binary_code
from throughtime_book.lfmn.latching import by_hand
from throughtime_book.lfmn.latching import numbers as lt


@pytest.mark.parametrize("v", [4.0, -3.0, 0.5])
def test_the_one_unit_is_the_latch_of_the_theory(v):
    model, theta = by_hand.one_unit(v)
    forcing = np.random.default_rng(0).normal(size=50)
    trace = model.forward(theta, forcing[:, None])
    states = lt.trajectory(v, 0.0, forcing)
    np.testing.assert_allclose(trace.net_hid[:, 0], states, atol=1e-12)
    np.testing.assert_allclose(trace.y[1:, 0], lt.activation(lt.activation(states[1:])), atol=1e-12)


@pytest.mark.parametrize(("classes", "noise"), [(2, 0.1), (5, 0.05), (5, 0.1)])
def test_classes_in_signs_take_the_least_weight_that_withstands_the_noise(classes, noise):
    code = binary_code(classes)
    model, theta = by_hand.classes_in_signs(code, noise)
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
    v, noise = by_hand.SELF_WEIGHT, 0.05 * by_hand.MARK
    rest = by_hand.BIAS + noise
    assert noise < by_hand.BIAS
    assert rest < lt.largest_disturbance(v)
    assert -v + by_hand.MARK - by_hand.BIAS > lt.critical_point(v)
    assert by_hand.letter_action(v, by_hand.MARK) == (1, 1)
    assert by_hand.letter_action(v, -by_hand.MARK) == (-1, -1)
    assert by_hand.letter_action(v, rest) == (-1, 1)


def test_the_three_units_of_four_orders_mean_what_they_are_said_to():
    model, theta = by_hand.four_orders()
    x, labels = marked_noise(FOUR_ORDERS, 60, 10, 3, 0.05, seed=1)
    for sequence, label in zip(x, labels, strict=True):
        word = FOUR_ORDERS[label]
        signs = np.sign(model.forward(theta, sequence).h[-1])
        meant = np.array(["X" in word, "Y" in word, word[-1] == "X"])
        assert np.array_equal(signs > 0, meant), word


@pytest.mark.parametrize("classes", [2, 5, 9])
def test_one_value_is_read_out_by_the_tangent_that_touches_at_it(classes):
    model, theta = by_hand.classes_in_one_value(classes)
    weights = model.layout.views(theta)
    held = lt.activation(np.linspace(-1.5, 1.5, classes))
    layer = np.vstack([np.full(classes, lt.activation(1.0)), held])
    net = weights["w_out"] @ layer / by_hand.READ_OUT  # of each output for each value held
    np.testing.assert_allclose(net, held**2 - (held - held[:, None]) ** 2, atol=1e-12)
    assert weights["u_hid"] == 1.0


def test_a_weight_below_0_takes_marks_as_its_size_does():
    pulses = (-8.0, -1.0, 1.0, 8.0)
    actions = [by_hand.letter_action(4.0, pulse) for pulse in pulses]
    assert [by_hand.letter_action(-4.0, pulse) for pulse in pulses] == actions
    assert len(set(actions)) == 3


def test_a_unit_that_does_not_latch_ends_on_the_side_of_the_nudge_whatever_the_mark():
    assert by_hand.letter_action(1.0, 8.0) == by_hand.letter_action(1.0, -8.0) == (-1, -1)
