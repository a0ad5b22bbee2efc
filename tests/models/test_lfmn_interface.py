"""The LFMN as an object, and what it refuses: errors that name argument, what was given and expected."""

import pickle
from functools import partial

import numpy as np
import pytest
from throughtime.gradcheck import relative_error
from throughtime.models.activations import identity, tanh, tanh_half
from throughtime.models.lfmn import LFMN, METHODS, OnlineGradient, Units

# ---------------------------------------------------------------- the model object


def test_layout_of_the_parameters():
    model = LFMN(3, hidden=(1, 2, 3), output=(2, 1, 1))
    assert model.hidden == Units(static=1, net=2, act=3)
    assert (model.hidden.total, model.hidden.recurrent, model.output.total) == (6, 5, 4)
    assert model.layout.shapes == {
        "w_hid": (6, 3),
        "u_hid": (2,),
        "v_hid": (3,),
        "w_out": (2, 6),
        "W_out": (2, 3),
        "u_out": (1,),
        "v_out": (1,),
    }
    assert model.activation is tanh_half
    assert model == LFMN(3, [1, 2, 3], Units(2, 1, 1)) != LFMN(3, (1, 2, 3), (2, 1, 1), tanh)


def test_model_survives_pickling():
    model = LFMN(2, (1, 1, 1), (1, 0, 0))
    theta = model.init(0)
    copy = pickle.loads(pickle.dumps(model))
    assert copy == model
    assert np.array_equal(copy.layout.views(theta)["w_hid"], model.layout.views(theta)["w_hid"])


def test_init_is_uniform_and_repeatable():
    model = LFMN(20, (0, 0, 50), (1, 0, 0))
    theta = model.init(0, scale=0.5)
    assert np.array_equal(theta, model.init(np.random.default_rng(0), scale=0.5))
    assert not np.array_equal(theta, model.init(1, scale=0.5))
    assert np.abs(theta).max() == pytest.approx(0.5, rel=0.01)
    assert abs(theta.mean()) < 4 * 0.5 / np.sqrt(3 * theta.size)


def test_read_only_and_strided_parameters_are_accepted_and_nothing_is_written_to():
    model = LFMN(2, (1, 1, 1), (1, 1, 1))
    rng = np.random.default_rng(10)
    theta, x, targets = model.init(rng, 1.5), rng.normal(size=(5, 2)), rng.normal(size=(5, 3))
    mask = np.array([1, 0, 1, 1, 1])
    expected = model.gradient(theta, x, targets, mask)
    strided = np.repeat(theta, 2)[::2]
    for array in (theta, x, targets, mask):
        array.setflags(write=False)
    for given_theta in (theta, strided):
        for method in METHODS:
            result = model.gradient(given_theta, np.asfortranarray(x), targets.tolist(), mask, method=method)
            assert relative_error(result.gradient, expected.gradient) <= 1e-15


# ---------------------------------------------------------------- bad input

MODEL = LFMN(2, (1, 1, 1), (1, 1, 1))
GOOD = {
    "theta": np.zeros(MODEL.layout.size),
    "x": np.ones((4, 2)),
    "targets": np.ones((4, 3)),
    "mask": np.ones(4),
}
NAN, INF = np.full((4, 3), np.nan), np.full((4, 2), np.inf)

BAD_CALLS = [
    ("theta", np.zeros(3), ValueError, r"theta: expected shape \(17,\), got \(3,\)"),
    ("theta", np.zeros((1, 17)), ValueError, r"theta: expected shape \(17,\), got \(1, 17\)"),
    (
        "theta",
        np.zeros(17, np.float32),
        TypeError,
        "theta: expected a NumPy vector of 17 .* got dtype float32",
    ),
    ("theta", np.zeros(17, int), TypeError, "theta: .* got dtype int64"),
    ("theta", [0.0] * 17, TypeError, "theta: .* got list"),
    ("theta", np.full(17, np.nan), ValueError, r"theta: expected finite numbers, got nan at index \(0,\)"),
    ("x", np.ones((4, 3)), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(4, 3\)"),
    ("x", np.ones((0, 2)), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(0, 2\)"),
    ("x", np.ones(2), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(2,\)"),
    ("x", INF, ValueError, r"x: expected finite numbers, got inf at index \(0, 0\)"),
    ("x", [["a", "b"]], TypeError, "x: expected .* numbers, got dtype <U1"),
    ("x", [[1.0, 2.0], [3.0]], TypeError, r"x: expected numbers of shape \(T, 2\)"),
    ("x", None, TypeError, "x: expected .* numbers, got dtype object"),
    ("targets", np.ones((5, 3)), ValueError, r"targets: expected shape \(4, 3\), got \(5, 3\)"),
    ("targets", np.ones((4, 1)), ValueError, r"targets: expected shape \(4, 3\), got \(4, 1\)"),
    ("targets", NAN, ValueError, r"targets: expected finite numbers, got nan at index \(0, 0\)"),
    ("targets", np.ones((4, 3), complex), TypeError, "targets: expected real numbers, got dtype complex128"),
    ("mask", np.ones(5), ValueError, r"mask: expected shape \(4,\), got \(5,\)"),
    ("mask", [0, 1, 0.5, 1], ValueError, r"mask: expected zeros and ones, got 0.5 at index \(2,\)"),
    ("mask", ["0", "1", "0", "1"], TypeError, "mask: expected real numbers, got dtype <U1"),
]


@pytest.mark.parametrize(("name", "value", "error", "message"), BAD_CALLS)
@pytest.mark.parametrize("call", [MODEL.loss, *(partial(MODEL.gradient, method=name) for name in METHODS)])
def test_a_bad_argument_is_named(name, value, error, message, call):
    with pytest.raises(error, match=message):
        call(**GOOD | {name: value})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["theta", "x"])
def test_gradients_are_taken_of_real_numbers_only(name, method):
    with pytest.raises(TypeError, match=f"{name}: expected .*got dtype complex128"):
        MODEL.gradient(**GOOD | {name: GOOD[name].astype(complex)}, method=method)


@pytest.mark.parametrize("method", ["BPTT", "truncated", None])
def test_an_unknown_method_is_refused(method):
    with pytest.raises(ValueError, match="method: expected one of 'bptt', 'rtrl', got"):
        MODEL.gradient(**GOOD, method=method)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, (1, 0, 0), (1, 0, 0)), ValueError, "n_in: expected at least 1, got 0"),
        ((1.0, (1, 0, 0), (1, 0, 0)), TypeError, "n_in: expected an integer, got 1.0 of type float"),
        ((1, (1, 0), (1, 0, 0)), TypeError, "hidden: expected three counts"),
        ((1, 3, (1, 0, 0)), TypeError, "hidden: expected three counts"),
        ((1, (1, -1, 0), (1, 0, 0)), ValueError, "hidden.net: expected at least 0, got -1"),
        ((1, (0, 0, 0), (0, 0, True)), TypeError, "output.act: expected an integer, got True"),
        ((1, (1, 0, 0), (0, 0, 0)), ValueError, "output: expected at least one unit"),
        ((1, (1, 0, 0), (1, 0, 0), "tanh"), TypeError, "activation: expected an Activation, got str"),
        ((1, (1, 0, 0), (1, 0, 0), np.tanh), TypeError, "activation: expected an Activation, got ufunc"),
    ],
)
def test_an_impossible_architecture_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        LFMN(*arguments)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.inf, np.nan, "1", True])
def test_an_impossible_scale_is_refused(scale):
    with pytest.raises((TypeError, ValueError), match=r"scale: expected a number in \(0, inf\)"):
        MODEL.init(0, scale)


@pytest.mark.parametrize(("seed", "error"), [(None, TypeError), ("0", TypeError), (-1, ValueError)])
def test_an_impossible_seed_is_refused(seed, error):
    with pytest.raises(error, match="seed: expected"):
        MODEL.init(seed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0],), r"x: expected shape \(2,\), got \(1,\)"),
        (([1.0, np.nan],), r"x: expected finite numbers, got nan at index \(1,\)"),
        (([1.0, 2.0], [1.0]), r"target: expected shape \(3,\), got \(1,\)"),
        (([1.0, 2.0], [1.0, 2.0, 3.0], 2), "sigma: expected zeros and ones, got 2.0"),
    ],
)
def test_a_bad_step_is_refused_and_changes_nothing(arguments, message):
    online = OnlineGradient(MODEL, MODEL.init(0))
    with pytest.raises(ValueError, match=message):
        online.step(*arguments)
    assert online.time == 0
    assert not online.gradient.any()


def test_overflow_is_an_error_with_the_time_at_which_it_happens():
    """net(t) = 2^t - 1 on ones; 2^1024 is the first power above float64."""
    model = LFMN(1, (0, 1, 0), (1, 0, 0))
    theta = np.array([1.0, 2.0, 1.0])
    x, targets = np.ones((1100, 1)), np.zeros((1100, 1))
    assert model.forward(theta, x[:1023]).net_hid[1023, 0] == 2.0**1023
    with pytest.raises(FloatingPointError, match=r"net_hid\[1024, 0\]"):
        model.forward(theta, x)
    for method in METHODS:
        with pytest.raises(FloatingPointError, match="overflows float64"):
            model.gradient(theta, x, targets, method=method)
    online = OnlineGradient(model, theta)
    online.run(x[:1023], targets[:1023], np.zeros(1023))
    with pytest.raises(FloatingPointError, match="net_hid"):
        online.step(x[1023])


def test_overflow_of_the_loss_alone_is_an_error():
    model = LFMN(1, (0, 0, 0), (0, 1, 0), identity)
    theta, x = np.array([1.0, 0.5]), [[1e200]]
    assert model.forward(theta, x).y[1, 0] == 1e200
    with pytest.raises(FloatingPointError, match="loss overflows float64"):
        model.loss(theta, x, [[0.0]])
    for method in METHODS:
        with pytest.raises(FloatingPointError, match="overflows float64"):
            model.gradient(theta, x, [[0.0]], method=method)
