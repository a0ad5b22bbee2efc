"""The fully recurrent network as an object, and what it refuses: errors that name argument, given and expected."""

import numpy as np
import pytest
from throughtime.arrays.activations import identity, logistic, tanh
from throughtime.models.recurrent import METHODS, FullyRecurrent

WAYS = [{"method": "bptt"}, {"method": "rtrl"}, {"method": "truncated", "window": 1}]

# ---------------------------------------------------------------- the model object


def test_layout_and_activations():
    model = FullyRecurrent(3, 2, [logistic, tanh])
    assert model.layout.shapes == {"W": (2, 5)}
    assert model.activation == (logistic, tanh)
    assert FullyRecurrent(3, 2).activation == (logistic, logistic)
    assert FullyRecurrent(3, 2, tanh) == FullyRecurrent(3, 2, [tanh, tanh]) != model
    assert hash(FullyRecurrent(3, 2, tanh)) == hash(FullyRecurrent(3, 2, (tanh, tanh)))


def test_recurrent_weights_are_a_view_of_the_last_columns():
    model = FullyRecurrent(1, 2)
    theta = np.arange(6.0)
    assert model.recurrent_weights(theta).tolist() == [[1.0, 2.0], [4.0, 5.0]]
    model.recurrent_weights(theta)[0, 1] = 9.0
    assert theta[2] == 9.0


def test_a_net_without_inputs_runs_for_as_many_steps_as_x_has_rows():
    """y(t+1) = 1 + 2 y(t) has no bias to make the 1, but a logistic unit without weights is 1/2 at any time."""
    model = FullyRecurrent(0, 2, [logistic, identity])
    theta = model.layout.flatten({"W": [[0.0, 0.0], [2.0, 2.0]]})
    assert model.forward(theta, np.zeros((4, 0))).y[:, 1].tolist() == [0.0, 0.0, 1.0, 3.0, 7.0]


# ---------------------------------------------------------------- bad input

MODEL = FullyRecurrent(2, 3)
GOOD = {"theta": np.zeros(15), "x": np.ones((4, 2)), "targets": np.ones((4, 3)), "mask": np.ones(4)}


@pytest.mark.parametrize(
    ("way", "error", "message"),
    [
        ({"method": "truncated"}, TypeError, "window: expected an integer, got None"),
        ({"method": "truncated", "window": 2.0}, TypeError, "window: expected an integer, got 2.0"),
        ({"method": "truncated", "window": -1}, ValueError, "window: expected at least 0, got -1"),
        ({"method": "bptt", "window": 3}, ValueError, "window: expected None for method 'bptt', got 3"),
        ({"method": "rtrl", "window": 3}, ValueError, "window: expected None for method 'rtrl', got 3"),
    ],
)
def test_a_window_goes_with_truncation_and_only_with_it(way, error, message):
    with pytest.raises(error, match=message):
        MODEL.gradient(**GOOD, **way)


@pytest.mark.parametrize(
    ("t", "s", "error", "message"),
    [
        (5, 1, ValueError, "t, s: expected s <= t <= T = 4, got t = 5 and s = 1"),
        (2, 3, ValueError, "t, s: expected s <= t <= T = 4, got t = 2 and s = 3"),
        (2, 0, ValueError, "s: expected at least 1, got 0"),
        (0, 0, ValueError, "t: expected at least 1, got 0"),
        (2.0, 1, TypeError, "t: expected an integer, got 2.0"),
        (2, None, TypeError, "s: expected an integer, got None"),
    ],
)
def test_times_of_the_error_flow_must_lie_in_the_sequence_and_in_order(t, s, error, message):
    with pytest.raises(error, match=message):
        MODEL.error_flow(GOOD["theta"], GOOD["x"], t, s)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((-1, 1), ValueError, "n_in: expected at least 0, got -1"),
        ((1.0, 1), TypeError, "n_in: expected an integer, got 1.0 of type float"),
        ((1, 0), ValueError, "n_out: expected at least 1, got 0"),
        ((1, True), TypeError, "n_out: expected an integer, got True"),
        ((1, 2, "sine"), ValueError, r"activation\[0\]: expected one of 'identity', .*, got 'sine'"),
        (
            (1, 2, np.tanh),
            TypeError,
            "activation: expected an Activation, the name of one or a sequence of them, got uf",
        ),
        ((1, 2, [tanh]), ValueError, "activation: expected 2, one for each unit, got 1"),
        ((1, 2, [tanh, np.tanh]), TypeError, r"activation\[1\]: expected an Activation or the name of one, got ufunc"),
    ],
)
def test_an_impossible_architecture_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        FullyRecurrent(*arguments)


def test_an_impossible_window_online_is_refused():
    with pytest.raises(ValueError, match="window: expected at least 0, got -1"):
        MODEL.online(MODEL.init(0), "truncated", -1)
    with pytest.raises(TypeError, match="window: expected an integer, got '3'"):
        MODEL.online(MODEL.init(0), "truncated", "3")


@pytest.mark.parametrize("way", WAYS, ids=METHODS)
def test_overflow_is_an_error_with_the_time_at_which_it_happens(way):
    """z(t) = 2^t - 1 on ones; 2^1024 is the first power above float64."""
    model, theta = FullyRecurrent(1, 1, identity), np.array([1.0, 2.0])
    x, targets = np.ones((1100, 1)), np.zeros((1100, 1))
    assert model.forward(theta, x[:1023]).z[1023, 0] == 2.0**1023
    with pytest.raises(FloatingPointError, match=r"z\[1024, 0\]"):
        model.forward(theta, x)
    with pytest.raises(FloatingPointError, match="overflows float64"):
        model.gradient(theta, x, targets, **way)
    if way["method"] == "bptt":
        return
    online = model.online(theta, **way)
    online.run(x[:1023], targets[:1023], np.zeros(1023))
    with pytest.raises(FloatingPointError, match="z"):
        online.step(x[1023])


def test_overflow_of_the_loss_alone_is_an_error():
    model = FullyRecurrent(1, 1, identity)
    theta, x = np.array([1.0, 0.5]), [[1e200]]
    assert model.forward(theta, x).y[1, 0] == 1e200
    with pytest.raises(FloatingPointError, match="loss overflows float64"):
        model.loss(theta, x, [[0.0]])
    for way in WAYS:
        with pytest.raises(FloatingPointError, match="overflows float64"):
            model.gradient(theta, x, [[0.0]], **way)


def test_overflow_of_the_error_alone_is_an_error():
    """Without input the activations stay zero, the derivative along w = 2 does not."""
    model, theta, x = FullyRecurrent(1, 1, identity), np.array([1.0, 2.0]), np.zeros((1100, 1))
    last = np.arange(1100) == 1099
    assert model.error_flow(theta, x, 1024, 1)[0, 0] == 2.0**1023
    with pytest.raises(FloatingPointError, match="error_flow"):
        model.error_flow(theta, x, 1025, 1)
    with pytest.raises(FloatingPointError, match="error_signal_z"):
        model.error_signals(theta, x, np.ones((1100, 1)), last)
    with pytest.raises(FloatingPointError, match="gradient"):
        model.gradient(theta, x, np.ones((1100, 1)), last)
