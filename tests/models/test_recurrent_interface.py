"""The fully recurrent network as an object, and what it refuses: errors that name argument, given and expected."""

import pickle
from functools import partial

import numpy as np
import pytest
from throughtime.gradcheck import relative_error
from throughtime.models.activations import identity, logistic, tanh
from throughtime.models.recurrent import METHODS, FullyRecurrent, OnlineGradient

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


def test_model_survives_pickling():
    model = FullyRecurrent(2, 2, [logistic, tanh])
    theta, x = model.init(0), np.ones((3, 2))
    expected = model.forward(theta, x).y
    copy = pickle.loads(pickle.dumps(model))
    assert copy == model
    assert np.array_equal(copy.forward(theta, x).y, expected)


def test_init_is_uniform_and_repeatable():
    model = FullyRecurrent(20, 30)
    theta = model.init(0, scale=0.5)
    assert np.array_equal(theta, model.init(np.random.default_rng(0), scale=0.5))
    assert not np.array_equal(theta, model.init(1, scale=0.5))
    assert np.abs(theta).max() == pytest.approx(0.5, rel=0.01)
    assert abs(theta.mean()) < 4 * 0.5 / np.sqrt(3 * theta.size)


@pytest.mark.parametrize("way", WAYS, ids=METHODS)
def test_read_only_and_strided_arguments_are_accepted_and_nothing_is_written_to(way):
    model = FullyRecurrent(2, 3, tanh)
    rng = np.random.default_rng(10)
    theta, x, targets = model.init(rng, 1.5), rng.normal(size=(5, 2)), rng.normal(size=(5, 3))
    mask = np.array([1, 0, 1, 1, 1])
    expected = model.gradient(theta, x, targets, mask, **way)
    strided = np.repeat(theta, 2)[::2]
    for array in (theta, x, targets, mask):
        array.setflags(write=False)
    for given_theta in (theta, strided):
        result = model.gradient(given_theta, np.asfortranarray(x), targets.tolist(), mask, **way)
        assert relative_error(result.gradient, expected.gradient) <= 1e-15


def test_a_net_without_inputs_runs_for_as_many_steps_as_x_has_rows():
    """y(t+1) = 1 + 2 y(t) has no bias to make the 1, but a logistic unit without weights is 1/2 at any time."""
    model = FullyRecurrent(0, 2, [logistic, identity])
    theta = model.layout.flatten({"W": [[0.0, 0.0], [2.0, 2.0]]})
    assert model.forward(theta, np.zeros((4, 0))).y[:, 1].tolist() == [0.0, 0.0, 1.0, 3.0, 7.0]


# ---------------------------------------------------------------- bad input

MODEL = FullyRecurrent(2, 3)
GOOD = {"theta": np.zeros(15), "x": np.ones((4, 2)), "targets": np.ones((4, 3)), "mask": np.ones(4)}
HALF = np.ones((4, 3))
HALF[2, 1] = 0.5

BAD_CALLS = [
    ("theta", np.zeros(3), ValueError, r"theta: expected shape \(15,\), got \(3,\)"),
    ("theta", np.zeros((3, 5)), ValueError, r"theta: expected shape \(15,\), got \(3, 5\)"),
    ("theta", np.zeros(15, np.float32), TypeError, "theta: expected a NumPy vector of 15 .* got dtype float32"),
    ("theta", [0.0] * 15, TypeError, "theta: .* got list"),
    ("theta", np.full(15, np.nan), ValueError, r"theta: expected finite numbers, got nan at index \(0,\)"),
    ("x", np.ones((4, 3)), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(4, 3\)"),
    ("x", np.ones((0, 2)), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(0, 2\)"),
    ("x", np.ones(2), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(2,\)"),
    ("x", np.full((4, 2), np.inf), ValueError, r"x: expected finite numbers, got inf at index \(0, 0\)"),
    ("x", [["a", "b"]], TypeError, "x: expected .* numbers, got dtype <U1"),
    ("x", [[1.0, 2.0], [3.0]], TypeError, r"x: expected numbers of shape \(T, 2\)"),
    ("targets", np.ones((5, 3)), ValueError, r"targets: expected shape \(4, 3\), got \(5, 3\)"),
    ("targets", np.ones((4, 1)), ValueError, r"targets: expected shape \(4, 3\), got \(4, 1\)"),
    ("targets", np.full((4, 3), np.nan), ValueError, r"targets: expected finite numbers, got nan at index \(0, 0\)"),
    ("targets", np.ones((4, 3), complex), TypeError, "targets: expected real numbers, got dtype complex128"),
    ("mask", np.ones(5), ValueError, r"mask: expected shape \(4,\) or \(4, 3\), got \(5,\)"),
    ("mask", np.ones(3), ValueError, r"mask: expected shape \(4,\) or \(4, 3\), got \(3,\)"),
    ("mask", np.ones((4, 1)), ValueError, r"mask: expected shape \(4,\) or \(4, 3\), got \(4, 1\)"),
    ("mask", np.ones((3, 4)), ValueError, r"mask: expected shape \(4,\) or \(4, 3\), got \(3, 4\)"),
    ("mask", [[1, 1, 1], [1], [1], [1]], TypeError, r"mask: expected zeros and ones of shape \(4,\) or \(4, 3\)"),
    ("mask", [0, 1, 0.5, 1], ValueError, r"mask: expected zeros and ones, got 0.5 at index \(2,\)"),
    ("mask", HALF, ValueError, r"mask: expected zeros and ones, got 0.5 at index \(2, 1\)"),
    ("mask", ["0", "1", "0", "1"], TypeError, "mask: expected real numbers, got dtype <U1"),
    ("mask", np.full(4, np.nan), ValueError, "mask: expected finite numbers, got nan"),
]


CALLS = [MODEL.loss, MODEL.error_signals, *(partial(MODEL.gradient, **way) for way in WAYS)]


@pytest.mark.parametrize(("name", "value", "error", "message"), BAD_CALLS)
@pytest.mark.parametrize("call", CALLS, ids=["loss", "error_signals", *METHODS])
def test_a_bad_argument_is_named(name, value, error, message, call):
    with pytest.raises(error, match=message):
        call(**GOOD | {name: value})


@pytest.mark.parametrize("call", CALLS[1:], ids=["error_signals", *METHODS])
@pytest.mark.parametrize("name", ["theta", "x"])
def test_derivatives_are_taken_at_real_numbers_only(name, call):
    with pytest.raises(TypeError, match=f"{name}: expected .*got dtype complex128"):
        call(**GOOD | {name: GOOD[name].astype(complex)})


@pytest.mark.parametrize("method", ["BPTT", "tbptt", None])
def test_an_unknown_method_is_refused(method):
    with pytest.raises(ValueError, match="method: expected one of 'bptt', 'rtrl', 'truncated', got"):
        MODEL.gradient(**GOOD, method=method)


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


@pytest.mark.parametrize(("name", "value", "error", "message"), BAD_CALLS[:11])
def test_the_error_flow_names_a_bad_argument(name, value, error, message):
    arguments = {"theta": GOOD["theta"], "x": GOOD["x"]} | {name: value}
    with pytest.raises(error, match=message):
        MODEL.error_flow(**arguments, t=1, s=1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((-1, 1), ValueError, "n_in: expected at least 0, got -1"),
        ((1.0, 1), TypeError, "n_in: expected an integer, got 1.0 of type float"),
        ((1, 0), ValueError, "n_out: expected at least 1, got 0"),
        ((1, True), TypeError, "n_out: expected an integer, got True"),
        ((1, 2, "tanh"), TypeError, "activation: expected an Activation or a sequence of them, got str"),
        ((1, 2, np.tanh), TypeError, "activation: expected an Activation or a sequence of them, got ufunc"),
        ((1, 2, [tanh]), ValueError, "activation: expected 2, one for each unit, got 1"),
        ((1, 2, [tanh, np.tanh]), TypeError, r"activation\[1\]: expected an Activation, got ufunc"),
    ],
)
def test_an_impossible_architecture_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        FullyRecurrent(*arguments)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.inf, np.nan, "1", True])
def test_an_impossible_scale_is_refused(scale):
    with pytest.raises((TypeError, ValueError), match=r"scale: expected a number in \(0, inf\)"):
        MODEL.init(0, scale)


@pytest.mark.parametrize(("seed", "error"), [(None, TypeError), ("0", TypeError), (-1, ValueError)])
def test_an_impossible_seed_is_refused(seed, error):
    with pytest.raises(error, match="seed: expected"):
        MODEL.init(seed)


@pytest.mark.parametrize("window", [None, 1])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0],), r"x: expected shape \(2,\), got \(1,\)"),
        (([1.0, np.nan],), r"x: expected finite numbers, got nan at index \(1,\)"),
        (([1.0, 2.0], [1.0]), r"target: expected shape \(3,\), got \(1,\)"),
        (([1.0, 2.0], [1.0, 2.0, 3.0], 2), "sigma: expected zeros and ones, got 2.0"),
        (([1.0, 2.0], [1.0, 2.0, 3.0], [1, 0]), r"sigma: expected shape \(3,\), got \(2,\)"),
        (([1.0, 2.0], [1.0, 2.0, 3.0], [1, 0, 3]), r"sigma: expected zeros and ones, got 3.0 at index \(2,\)"),
    ],
)
def test_a_bad_step_is_refused_and_changes_nothing(arguments, message, window):
    online = OnlineGradient(MODEL, MODEL.init(0), window)
    with pytest.raises(ValueError, match=message):
        online.step(*arguments)
    assert online.time == 0
    assert not online.y.any()
    assert not online.gradient.any()


def test_an_impossible_window_online_is_refused():
    with pytest.raises(ValueError, match="window: expected at least 0, got -1"):
        OnlineGradient(MODEL, MODEL.init(0), -1)
    with pytest.raises(TypeError, match="window: expected an integer, got '3'"):
        OnlineGradient(MODEL, MODEL.init(0), "3")


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
    online = OnlineGradient(model, theta, way.get("window"))
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
    with pytest.raises(FloatingPointError, match="error_signal_z"):
        model.gradient(theta, x, np.ones((1100, 1)), last)
