"""The LSTM of 1997 as an object, and what it refuses: errors that name argument, given and expected."""

import pickle
from functools import partial

import numpy as np
import pytest
from throughtime.gradcheck import relative_error
from throughtime.models.activations import identity, logistic, tanh_half, twice_tanh_half
from throughtime.models.lstm1997 import KINDS, LSTM1997, METHODS, OnlineGradient

# ---------------------------------------------------------------- the model object


def test_layout_has_the_columns_of_the_note():
    """w_hid, w_ig, w_og and w_cell have d_in + d_hid + (2 + n_cell) d_cell columns, w_out has no gates."""
    model = LSTM1997(n_in=3, blocks=2, cells=4, n_out=5, hidden=6)
    columns = 3 + 6 + (2 + 4) * 2
    assert model.layout.shapes == {
        "w_hid": (6, columns),
        "w_ig": (2, columns),
        "w_og": (2, columns),
        "w_cell": (4, 2, columns),
        "w_out": (5, 3 + 6 + 4 * 2),
    }
    assert [*model.sources] == ["x", "y_hid", "y_ig", "y_og", "y_cell"]
    assert [(part.start, part.stop) for part in model.sources.values()] == [(0, 3), (3, 9), (9, 11), (11, 13), (13, 21)]
    assert [*model.output_sources] == ["x", "y_hid", "y_cell"]
    assert [(part.start, part.stop) for part in model.output_sources.values()] == [(0, 3), (3, 9), (9, 17)]


def test_biases_are_those_asked_for_in_the_order_of_the_kinds():
    shapes = LSTM1997(1, 2, 3, 4, 5, bias=True).layout.shapes
    biases = {"b_hid": (5,), "b_ig": (2,), "b_og": (2,), "b_cell": (3, 2), "b_out": (4,)}
    assert {name: shape for name, shape in shapes.items() if name[0] == "b"} == biases
    some = LSTM1997(1, 2, 3, 4, 5, bias=["out", "ig"])
    assert some.bias == ("ig", "out")
    assert [name for name in some.layout.names if name[0] == "b"] == ["b_ig", "b_out"]
    assert LSTM1997(1, 1, 1, 1, bias=True) == LSTM1997(1, 1, 1, 1, bias=KINDS)
    assert hash(LSTM1997(1, 1, 1, 1, bias=["ig"])) == hash(LSTM1997(1, 1, 1, 1, bias=("ig",)))
    assert LSTM1997(1, 1, 1, 1).bias == ()


def test_a_bias_is_a_weight_from_a_unit_that_is_always_one():
    """Also at time 0. The input 1 does the same."""
    biased, plain = LSTM1997(1, 2, 2, 2, 2, bias=True), LSTM1997(2, 2, 2, 2, 2)
    rng = np.random.default_rng(0)
    theta, x, targets = biased.init(rng, 1.0), rng.normal(size=(6, 1)), rng.normal(size=(6, 2))
    parts = biased.layout.views(theta)

    def joined(parts):
        kinds = {kind: np.insert(parts[f"w_{kind}"], 1, parts[f"b_{kind}"], axis=-1) for kind in KINDS}
        return plain.layout.flatten({f"w_{kind}": part for kind, part in kinds.items()})

    with_one = np.hstack([x, np.ones_like(x)])
    for method in METHODS:
        gradient = biased.gradient(theta, x, targets, method=method).gradient
        expected = plain.gradient(joined(parts), with_one, targets, method=method).gradient
        assert relative_error(joined(biased.layout.views(gradient)), expected) <= 1e-14


def test_activations_are_those_of_the_paper_unless_given():
    model = LSTM1997(1, 1, 1, 1)
    assert (model.f, model.g, model.h) == (logistic, twice_tanh_half, tanh_half)
    assert (model.f_hid, model.f_out) == (logistic, logistic)
    assert LSTM1997(1, 1, 1, 1, f_out=identity) != model


def test_model_survives_pickling():
    model = LSTM1997(2, 2, 1, 1, 1, timing="same", bias=["og"])
    theta, x = model.init(0), np.ones((3, 2))
    expected = model.forward(theta, x).y
    copy = pickle.loads(pickle.dumps(model))
    assert copy == model
    assert np.array_equal(copy.forward(theta, x).y, expected)


def test_init_is_uniform_and_repeatable():
    model = LSTM1997(10, 5, 3, 4, 5)
    theta = model.init(0, scale=0.5)
    assert np.array_equal(theta, model.init(np.random.default_rng(0), scale=0.5))
    assert not np.array_equal(theta, model.init(1, scale=0.5))
    assert np.abs(theta).max() == pytest.approx(0.5, rel=0.01)
    assert abs(theta.mean()) < 4 * 0.5 / np.sqrt(3 * theta.size)


@pytest.mark.parametrize("method", METHODS)
def test_read_only_and_strided_arguments_are_accepted_and_nothing_is_written_to(method):
    model = LSTM1997(2, 2, 2, 3, 1, bias=True)
    rng = np.random.default_rng(10)
    theta, x, targets = model.init(rng, 1.5), rng.normal(size=(5, 2)), rng.normal(size=(5, 3))
    mask = np.array([1, 0, 1, 1, 1])
    expected = model.gradient(theta, x, targets, mask, method=method)
    strided = np.repeat(theta, 2)[::2]
    for array in (theta, x, targets, mask):
        array.setflags(write=False)
    for given_theta in (theta, strided):
        result = model.gradient(given_theta, np.asfortranarray(x), targets.tolist(), mask, method=method)
        assert relative_error(result.gradient, expected.gradient) <= 1e-15


def test_a_net_without_inputs_runs_for_as_many_steps_as_x_has_rows():
    """Biases alone: s grows by logistic(0) g(b) at every step."""
    model = LSTM1997(0, 1, 1, 1, bias=["cell"], g=identity)
    theta = np.zeros(model.layout.size)
    theta[model.layout.index("b_cell", 0, 0)] = 3.0
    assert model.forward(theta, np.zeros((3, 0))).s[:, 0, 0].tolist() == [0.0, 1.5, 3.0, 4.5]


# ---------------------------------------------------------------- bad input

MODEL = LSTM1997(2, 1, 1, 3)
SIZE = MODEL.layout.size
GOOD = {"theta": np.zeros(SIZE), "x": np.ones((4, 2)), "targets": np.ones((4, 3)), "mask": np.ones(4)}

BAD_CALLS = [
    ("theta", np.zeros(3), ValueError, rf"theta: expected shape \({SIZE},\), got \(3,\)"),
    ("theta", np.zeros(SIZE, np.float32), TypeError, f"theta: expected a NumPy vector of {SIZE} .* got dtype float32"),
    ("theta", [0.0] * SIZE, TypeError, "theta: .* got list"),
    ("theta", np.full(SIZE, np.nan), ValueError, r"theta: expected finite numbers, got nan at index \(0,\)"),
    ("x", np.ones((4, 3)), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(4, 3\)"),
    ("x", np.ones((0, 2)), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(0, 2\)"),
    ("x", np.ones(2), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(2,\)"),
    ("x", np.full((4, 2), np.inf), ValueError, r"x: expected finite numbers, got inf at index \(0, 0\)"),
    ("x", [["a", "b"]], TypeError, "x: expected .* numbers, got dtype <U1"),
    ("x", [[1.0, 2.0], [3.0]], TypeError, r"x: expected numbers of shape \(T, 2\)"),
    ("targets", np.ones((5, 3)), ValueError, r"targets: expected shape \(4, 3\), got \(5, 3\)"),
    ("targets", np.full((4, 3), np.nan), ValueError, r"targets: expected finite numbers, got nan at index \(0, 0\)"),
    ("targets", np.ones((4, 3), complex), TypeError, "targets: expected real numbers, got dtype complex128"),
    ("mask", np.ones(5), ValueError, r"mask: expected shape \(4,\) or \(4, 3\), got \(5,\)"),
    ("mask", np.ones((4, 1)), ValueError, r"mask: expected shape \(4,\) or \(4, 3\), got \(4, 1\)"),
    ("mask", [0, 1, 0.5, 1], ValueError, r"mask: expected zeros and ones, got 0.5 at index \(2,\)"),
    ("mask", ["0", "1", "0", "1"], TypeError, "mask: expected real numbers, got dtype <U1"),
]

CALLS = [MODEL.loss, MODEL.error_signals, *(partial(MODEL.gradient, method=method) for method in METHODS)]


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
    with pytest.raises(ValueError, match="method: expected one of 'truncated', 'bptt', 'rtrl', got"):
        MODEL.gradient(**GOOD, method=method)
    with pytest.raises(ValueError, match="method: expected one of 'truncated', 'rtrl', got"):
        OnlineGradient(MODEL, GOOD["theta"], method)


def test_methods_are_refused_where_they_do_not_exist():
    with pytest.raises(ValueError, match="method: expected one of 'truncated', 'bptt', got 'rtrl'"):
        MODEL.error_signals(**GOOD, method="rtrl")
    with pytest.raises(ValueError, match="method: expected one of 'truncated', 'rtrl', got 'bptt'"):
        OnlineGradient(MODEL, GOOD["theta"], "bptt")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_in": -1}, ValueError, "n_in: expected at least 0, got -1"),
        ({"n_in": 1.0}, TypeError, "n_in: expected an integer, got 1.0 of type float"),
        ({"blocks": 0}, ValueError, "blocks: expected at least 1, got 0"),
        ({"cells": 0}, ValueError, "cells: expected at least 1, got 0"),
        ({"cells": [2, 1]}, TypeError, r"cells: expected an integer, got \[2, 1\]"),
        ({"n_out": True}, TypeError, "n_out: expected an integer, got True"),
        ({"hidden": -1}, ValueError, "hidden: expected at least 0, got -1"),
        ({"timing": "now"}, ValueError, "timing: expected one of 'previous', 'same', got 'now'"),
        ({"timing": True}, ValueError, "timing: expected one of 'previous', 'same', got True"),
        ({"bias": "ig"}, TypeError, "bias: expected True, False or a sequence of kinds, got 'ig'"),
        ({"bias": 1}, TypeError, "bias: expected True, False or a sequence of kinds, got 1"),
        ({"bias": ["ig", "fg"]}, ValueError, "bias: expected one of 'hid', 'ig', 'og', 'cell', 'out', got 'fg'"),
        ({"f": np.tanh}, TypeError, "f: expected an Activation, got ufunc"),
        ({"g": "tanh"}, TypeError, "g: expected an Activation, got str"),
        ({"f_out": None}, TypeError, "f_out: expected an Activation, got NoneType"),
    ],
)
def test_an_impossible_architecture_is_refused(change, error, message):
    with pytest.raises(error, match=message):
        LSTM1997(**{"n_in": 1, "blocks": 1, "cells": 1, "n_out": 1} | change)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.inf, np.nan, "1", True])
def test_an_impossible_scale_is_refused(scale):
    with pytest.raises((TypeError, ValueError), match=r"scale: expected a number in \(0, inf\)"):
        MODEL.init(0, scale)


@pytest.mark.parametrize(("seed", "error"), [(None, TypeError), ("0", TypeError), (-1, ValueError)])
def test_an_impossible_seed_is_refused(seed, error):
    with pytest.raises(error, match="seed: expected"):
        MODEL.init(seed)


@pytest.mark.parametrize("method", ["truncated", "rtrl"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0],), r"x: expected shape \(2,\), got \(1,\)"),
        (([1.0, np.nan],), r"x: expected finite numbers, got nan at index \(1,\)"),
        (([1.0, 2.0], [1.0]), r"target: expected shape \(3,\), got \(1,\)"),
        (([1.0, 2.0], [1.0, 2.0, 3.0], 2), "sigma: expected zeros and ones, got 2.0"),
        (([1.0, 2.0], [1.0, 2.0, 3.0], [1, 0]), r"sigma: expected shape \(3,\), got \(2,\)"),
    ],
)
def test_a_bad_step_is_refused_and_changes_nothing(arguments, message, method):
    online = OnlineGradient(MODEL, MODEL.init(0), method)
    with pytest.raises(ValueError, match=message):
        online.step(*arguments)
    assert online.time == 0
    assert not online.s.any()
    assert not online.gradient.any()


# ---------------------------------------------------------------- overflow


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("timing", ["previous", "same"])
def test_overflow_of_a_state_is_an_error(method, timing):
    """Both gates at 1/2: s(t+1) = s(t) + w s(t) / 4, four times as much for w = 12."""
    model = LSTM1997(1, 1, 1, 1, timing=timing, g=identity, h=identity)
    theta = np.zeros(model.layout.size)
    theta[model.layout.index("w_cell", 0, 0, 0)] = 1.0
    theta[model.layout.index("w_cell", 0, 0, 3)] = 12.0
    x, targets, mask = np.eye(600, 1), np.zeros((600, 1)), np.zeros(600)
    assert model.forward(theta, x[:400]).s[400, 0, 0] == 0.5 * (1 + 12 / 4) ** 399
    with pytest.raises(FloatingPointError, match=r"\[\d+, \d\] overflows float64"):
        model.forward(theta, x)
    with pytest.raises(FloatingPointError, match="overflows float64"):
        model.gradient(theta, x, targets, mask, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_overflow_of_the_loss_alone_is_an_error(method):
    model = LSTM1997(1, 1, 1, 1, f_out=identity)
    theta = np.zeros(model.layout.size)
    theta[model.layout.index("w_out", 0, 0)] = 1.0
    assert model.forward(theta, [[1e200]]).y[1, 0] == 1e200
    with pytest.raises(FloatingPointError, match="loss overflows float64"):
        model.loss(theta, [[1e200]], [[0.0]])
    with pytest.raises(FloatingPointError, match="overflows float64"):
        model.gradient(theta, [[1e200]], [[0.0]], method=method)


def test_overflow_of_the_error_alone_is_an_error():
    """Without input the state stays zero, the derivative along w = 12 does not."""
    model = LSTM1997(1, 1, 1, 1, timing="same", g=identity, h=identity)
    theta = np.zeros(model.layout.size)
    theta[model.layout.index("w_cell", 0, 0, 3)] = 12.0
    theta[model.layout.index("w_out", 0, 1)] = 1.0
    x, targets, last = np.zeros((600, 1)), np.ones((600, 1)), np.arange(600) == 599
    assert not model.forward(theta, x).s.any()
    with pytest.raises(FloatingPointError, match="error_signal"):
        model.error_signals(theta, x, targets, last)
    with pytest.raises(FloatingPointError, match="error_signal"):
        model.gradient(theta, x, targets, last, method="bptt")
    assert np.isfinite(model.error_signals(theta, x, targets, last, method="truncated").s).all()
