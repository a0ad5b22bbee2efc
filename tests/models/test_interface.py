"""What every model of one sequence promises as an object, and what it refuses: argument, given and expected named."""

import pickle
from functools import partial

import numpy as np
import pytest
from throughtime.gradcheck import relative_error
from throughtime.models import lfmn, lstm, recurrent
from throughtime.models.activations import logistic, tanh
from throughtime.models.lfmn import LFMN
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM
from throughtime.models.recurrent import FullyRecurrent

MODELS = {
    "lfmn": LFMN(2, (1, 1, 1), (1, 1, 1)),
    "recurrent": FullyRecurrent(2, 3, [logistic, tanh, tanh]),
    "lstm1997": LSTM1997(2, 1, 1, 3, 1, bias=True),
    "peephole": PeepholeLSTM(2, 1, 1, 3, bias=True),
}
METHODS = {"lfmn": lfmn.METHODS, "recurrent": recurrent.METHODS, "lstm1997": lstm.METHODS, "peephole": lstm.METHODS}
ONLINE = {
    "lfmn": [lfmn.OnlineGradient],
    "recurrent": [partial(recurrent.OnlineGradient, window=window) for window in (None, 1)],
    "lstm1997": [partial(lstm.OnlineGradient, method=method) for method in ("truncated", "rtrl")],
    "peephole": [partial(lstm.OnlineGradient, method=method) for method in ("truncated", "rtrl")],
}


def way(name, method):
    """The method of this model, as arguments of ``gradient``."""
    return {"method": method} | ({"window": 1} if (name, method) == ("recurrent", "truncated") else {})


WAYS = [(name, way(name, method)) for name in MODELS for method in METHODS[name]]
every_model = pytest.mark.parametrize("name", MODELS)
every_way = pytest.mark.parametrize(("name", "way"), WAYS, ids=[f"{name} {way['method']}" for name, way in WAYS])


def good(name):
    """Arguments that fit."""
    size = MODELS[name].layout.size
    return {"theta": np.zeros(size), "x": np.ones((4, 2)), "targets": np.ones((4, 3)), "mask": np.ones(4)}


@every_model
def test_model_survives_pickling(name):
    model = MODELS[name]
    theta, x = model.init(0), np.ones((3, 2))
    expected = model.forward(theta, x).y
    copy = pickle.loads(pickle.dumps(model))
    assert copy == model
    assert np.array_equal(copy.forward(theta, x).y, expected)


@pytest.mark.parametrize(
    "model",
    [LFMN(20, (0, 0, 50), (1, 0, 0)), FullyRecurrent(20, 30), LSTM1997(10, 5, 3, 4, 5), PeepholeLSTM(10, 5, 3, 4)],
    ids=MODELS,
)
def test_init_is_uniform_and_repeatable(model):
    theta = model.init(0, scale=0.5)
    assert np.array_equal(theta, model.init(np.random.default_rng(0), scale=0.5))
    assert not np.array_equal(theta, model.init(1, scale=0.5))
    assert np.abs(theta).max() == pytest.approx(0.5, rel=0.01)
    assert abs(theta.mean()) < 4 * 0.5 / np.sqrt(3 * theta.size)


@every_model
def test_forward_reads_the_past_only(name):
    model, rng = MODELS[name], np.random.default_rng(1)
    theta, x = model.init(rng, 1.5), rng.normal(size=(6, 2))
    changed = x.copy()
    changed[4:] += 1.0
    whole, other = model.forward(theta, x).y, model.forward(theta, changed).y
    assert np.array_equal(whole[:5], other[:5])
    assert (whole[5:] != other[5:]).all()


@every_way
def test_read_only_and_strided_arguments_are_accepted_and_nothing_is_written_to(name, way):
    model, rng = MODELS[name], np.random.default_rng(10)
    theta, x, targets = model.init(rng, 1.5), rng.normal(size=(5, 2)), rng.normal(size=(5, 3))
    mask = np.array([1, 0, 1, 1, 1])
    expected = model.gradient(theta, x, targets, mask, **way)
    strided = np.repeat(theta, 2)[::2]
    for array in (theta, x, targets, mask):
        array.setflags(write=False)
    for given_theta in (theta, strided):
        result = model.gradient(given_theta, np.asfortranarray(x), targets.tolist(), mask, **way)
        assert relative_error(result.gradient, expected.gradient) <= 1e-15


# ---------------------------------------------------------------- bad input

FLAT = "theta: expected a NumPy vector of SIZE numbers"
STEPS = r"mask: expected shape \(4,\)"
HALF = np.ones((4, 3))
HALF[2, 1] = 0.5

# theta by its size, SIZE in the message
BAD_CALLS = [
    ("theta", lambda n: np.zeros(3), ValueError, r"theta: expected shape \(SIZE,\), got \(3,\)"),
    ("theta", lambda n: np.zeros((1, n)), ValueError, r"theta: expected shape \(SIZE,\), got \(1, SIZE\)"),
    ("theta", lambda n: np.zeros(n, np.float32), TypeError, f"{FLAT}, .* got dtype float32"),
    ("theta", lambda n: np.zeros(n, int), TypeError, f"{FLAT}, .* got dtype int64"),
    ("theta", lambda n: [0.0] * n, TypeError, f"{FLAT}, .* got list"),
    ("theta", lambda n: np.full(n, np.nan), ValueError, r"theta: expected finite numbers, got nan at index \(0,\)"),
    ("x", np.ones((4, 3)), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(4, 3\)"),
    ("x", np.ones((0, 2)), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(0, 2\)"),
    ("x", np.ones(2), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(2,\)"),
    ("x", np.full((4, 2), np.inf), ValueError, r"x: expected finite numbers, got inf at index \(0, 0\)"),
    ("x", [["a", "b"]], TypeError, "x: expected .* numbers, got dtype <U1"),
    ("x", [[1.0, 2.0], [3.0]], TypeError, r"x: expected numbers of shape \(T, 2\)"),
    ("x", None, TypeError, "x: expected .* numbers, got dtype object"),
    ("targets", np.ones((5, 3)), ValueError, r"targets: expected shape \(4, 3\), got \(5, 3\)"),
    ("targets", np.ones((4, 1)), ValueError, r"targets: expected shape \(4, 3\), got \(4, 1\)"),
    ("targets", np.full((4, 3), np.nan), ValueError, r"targets: expected finite numbers, got nan at index \(0, 0\)"),
    ("targets", np.ones((4, 3), complex), TypeError, "targets: expected real numbers, got dtype complex128"),
    ("mask", [0, 1, 0.5, 1], ValueError, r"mask: expected zeros and ones, got 0.5 at index \(2,\)"),
    ("mask", ["0", "1", "0", "1"], TypeError, "mask: expected real numbers, got dtype <U1"),
    ("mask", np.full(4, np.nan), ValueError, "mask: expected finite numbers, got nan"),
]
BAD_STEPS = [("mask", np.ones(5), ValueError, rf"{STEPS}, got \(5,\)")]
BAD_MASKS = [
    ("mask", HALF, ValueError, r"mask: expected zeros and ones, got 0.5 at index \(2, 1\)"),
    *(
        ("mask", np.ones(shape), ValueError, rf"{STEPS} or \(4, 3\), got \({', '.join(map(str, shape))},?\)")
        for shape in ((5,), (3,), (4, 1), (3, 4))
    ),
]


def refused(name):
    return BAD_CALLS + (BAD_STEPS if name == "lfmn" else BAD_MASKS)


def calls(name):
    """What takes theta, x, targets and mask: gradients, error signals and the loss."""
    model = MODELS[name]
    found = {method: partial(model.gradient, **way(name, method)) for method in METHODS[name]}
    if name != "lfmn":
        found["error_signals"] = model.error_signals
    return found | {"loss": model.loss}


CALLS = [(name, call) for name in MODELS for call in calls(name)]


@pytest.mark.parametrize(("name", "call"), CALLS)
def test_a_bad_argument_is_named(name, call):
    for argument, value, error, message in refused(name):
        size = MODELS[name].layout.size
        wrong = {argument: value(size) if callable(value) else value}
        with pytest.raises(error, match=message.replace("SIZE", str(size))):
            calls(name)[call](**good(name) | wrong)


@pytest.mark.parametrize(("name", "call"), [pair for pair in CALLS if pair[1] != "loss"])
@pytest.mark.parametrize("argument", ["theta", "x"])
def test_derivatives_are_taken_at_real_numbers_only(name, call, argument):
    arguments = good(name)
    with pytest.raises(TypeError, match=f"{argument}: expected .*got dtype complex128"):
        calls(name)[call](**arguments | {argument: arguments[argument].astype(complex)})


@every_model
def test_an_unknown_method_is_refused(name):
    known = ", ".join(map(repr, METHODS[name]))
    for method in ("BPTT", "tbptt", None, *({"truncated"} - {*METHODS[name]})):
        with pytest.raises(ValueError, match=f"method: expected one of {known}, got {method!r}"):
            MODELS[name].gradient(**good(name), method=method)


@every_model
@pytest.mark.parametrize("scale", [0.0, -1.0, np.inf, np.nan, "1", True])
def test_an_impossible_scale_is_refused(name, scale):
    with pytest.raises((TypeError, ValueError), match=r"scale: expected a number in \(0, inf\)"):
        MODELS[name].init(0, scale)


@every_model
@pytest.mark.parametrize(("seed", "error"), [(None, TypeError), ("0", TypeError), (-1, ValueError)])
def test_an_impossible_seed_is_refused(name, seed, error):
    with pytest.raises(error, match="seed: expected"):
        MODELS[name].init(seed)


BAD_STEP = [
    (([1.0],), r"x: expected shape \(2,\), got \(1,\)"),
    (([1.0, np.nan],), r"x: expected finite numbers, got nan at index \(1,\)"),
    (([1.0, 2.0], [1.0]), r"target: expected shape \(3,\), got \(1,\)"),
    (([1.0, 2.0], [1.0, 2.0, 3.0], 2), "sigma: expected zeros and ones, got 2.0"),
]
BAD_SIGMA = [  # where it may be one for each output
    (([1.0, 2.0], [1.0, 2.0, 3.0], [1, 0]), r"sigma: expected shape \(3,\), got \(2,\)"),
    (([1.0, 2.0], [1.0, 2.0, 3.0], [1, 0, 3]), r"sigma: expected zeros and ones, got 3.0 at index \(2,\)"),
]


@every_model
def test_a_bad_step_is_refused_and_changes_nothing(name):
    for start in ONLINE[name]:
        online = start(MODELS[name], MODELS[name].init(0))
        for arguments, message in BAD_STEP + ([] if name == "lfmn" else BAD_SIGMA):
            with pytest.raises(ValueError, match=message):
                online.step(*arguments)
            assert online.time == 0
            assert not online.y.any()
            assert not online.gradient.any()
            assert name in ("lfmn", "recurrent") or not online.s.any()


@pytest.mark.parametrize(
    ("argument", "value", "error", "message"), [row for row in BAD_CALLS if row[0] in ("theta", "x")]
)
def test_the_error_flow_names_a_bad_argument(argument, value, error, message):
    model = MODELS["recurrent"]
    size = model.layout.size
    arguments = {name: good("recurrent")[name] for name in ("theta", "x")}
    arguments[argument] = value(size) if callable(value) else value
    with pytest.raises(error, match=message.replace("SIZE", str(size))):
        model.error_flow(**arguments, t=1, s=1)
