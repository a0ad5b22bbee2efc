"""What every model promises as an object, and what it refuses: argument, given and expected named."""

import inspect
import pickle
import pydoc
from functools import partial

import numpy as np
import pytest
import throughtime.models
from model_cases import METHODS, MODELS, every_model, every_online_way, every_way, way
from throughtime.arrays.activations import Activation
from throughtime.arrays.network import Network
from throughtime.checks import relative_error
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM


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
    [
        LSTM1997(10, 5, 3, 4, 5),
        PeepholeLSTM(10, 5, 3, 4),
    ],
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


@every_model
def test_the_exact_gradient_by_bptt_is_the_default_and_rtrl_that_of_the_online_object(name):
    model = MODELS[name]
    theta, x, targets = model.init(0, 1.0), np.ones((5, 2)), np.zeros((5, 3))
    found = model.gradient(theta, x, targets)
    assert found.method == "bptt"
    assert np.array_equal(found.gradient, model.gradient(theta, x, targets, None, "bptt").gradient)
    online = model.online(theta)
    online.run(x, targets)
    assert online.method == "rtrl"
    assert relative_error(online.gradient, found.gradient) <= 1e-13


@every_model
def test_a_network_has_the_methods_of_all_networks_under_the_same_names(name):
    model = MODELS[name]
    assert isinstance(model, Network)
    assert (model.n_in, model.n_out) == (2, 3)
    for method in ("init", "forward", "loss", "gradient"):
        ours, theirs = (inspect.signature(getattr(kind, method)) for kind in (type(model), Network))
        assert [*ours.parameters][: len(theirs.parameters)] == [*theirs.parameters]
        assert {p: v.default for p, v in theirs.parameters.items()}.items() <= {
            p: v.default for p, v in ours.parameters.items()
        }.items() or name == "peephole"
    assert model.init(0).tolist() == model.init(0, 0.1).tolist()
    if hasattr(model, "sources"):
        columns = [*model.sources.values()]
        assert columns[0].start == 0
        assert [part.stop for part in columns[:-1]] == [part.start for part in columns[1:]]
        first = next(iter(model.layout.shapes.values()))
        assert columns[-1].stop == first[-1]


def test_a_hidden_layer_is_a_count_and_activations_have_the_names_of_functions():
    for model in MODELS.values():
        for name in {"f", "g", "h", "f_hid", "f_out", "activation"} & {*vars(model)}:
            given = getattr(model, name)
            assert all(isinstance(f, Activation) for f in (given if type(given) is tuple else [given]))
        assert all(isinstance(n, int) for n in np.atleast_1d(getattr(model, "hidden", 0)).tolist())
    assert LSTM1997(1, 1, 1, 1, g="tanh_half", f_hid="tanh") == pickle.loads(
        pickle.dumps(LSTM1997(1, 1, 1, 1, f_hid="tanh", g="tanh_half"))
    )


@every_way
def test_lists_and_single_precision_are_as_good_as_arrays(name, way):
    model, rng = MODELS[name], np.random.default_rng(3)
    exact = [
        values.astype(np.float32) for values in (model.init(rng, 1.5), rng.normal(size=(5, 2)), rng.normal(size=(5, 3)))
    ]
    mask = np.array([1, 0, 1, 1, 1])
    expected = model.gradient(*(values.astype(float) for values in exact), mask, **way)
    for form in (lambda values: values, np.ndarray.tolist, lambda values: values.astype(np.longdouble)):
        given = [form(values) for values in exact]
        for given_mask in (mask.tolist(), mask.astype(bool), mask.astype(np.float32)):
            found = model.gradient(*given, given_mask, **way)
            assert np.array_equal(found.gradient, expected.gradient)
            assert found.loss == expected.loss
        assert found.gradient.dtype == np.float64
        assert np.array_equal(
            model.forward(*given[:2]).y, model.forward(*(values.astype(float) for values in exact[:2])).y
        )
        if way["method"] != "bptt":
            online = model.online(given[0], **way)
            online.run(*given[1:], mask.tolist())
            assert relative_error(online.gradient, expected.gradient) <= 1e-14


@every_model
def test_repr_and_help_can_be_read(name):
    model = MODELS[name]
    assert "Activation" not in repr(model)
    assert "tanh" in repr(model)
    online = model.online(model.init(0))
    assert repr(online) == f"OnlineGradient({model!r}, method='rtrl', time=0)"
    for thing in (type(model), type(online), type(model.forward(model.init(0), [[0.0, 0.0]]))):
        text = pydoc.render_doc(thing, renderer=pydoc.plaintext)
        assert " at 0x" not in text


def test_the_package_has_its_classes_and_lists_them():
    for name in throughtime.models.__all__:
        assert getattr(throughtime.models, name) is not None
        assert name in dir(throughtime.models)
    assert throughtime.models.PeepholeLSTM is PeepholeLSTM
    with pytest.raises(AttributeError, match="no attribute 'GRU'"):
        throughtime.models.GRU  # noqa: B018


# ---------------------------------------------------------------- bad input

STEPS = r"mask: expected shape \(4,\)"
HALF = np.ones((4, 3))
HALF[2, 1] = 0.5

# theta by its size, SIZE in the message
BAD_CALLS = [
    ("theta", lambda n: np.zeros(3), ValueError, r"theta: expected shape \(SIZE,\), got \(3,\)"),
    ("theta", lambda n: np.zeros((1, n)), ValueError, r"theta: expected shape \(SIZE,\), got \(1, SIZE\)"),
    ("theta", lambda n: ["0"] * n, TypeError, "theta: expected real (or complex )?numbers, got dtype <U1"),
    ("theta", lambda n: np.ma.masked_all(n), ValueError, "theta: expected a number in every entry, got a masked array"),
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
BAD_MASKS = [
    ("mask", HALF, ValueError, r"mask: expected zeros and ones, got 0.5 at index \(2, 1\)"),
    *(
        ("mask", np.ones(shape), ValueError, rf"{STEPS} or \(4, 3\), got \({', '.join(map(str, shape))},?\)")
        for shape in ((5,), (3,), (4, 1), (3, 4))
    ),
]


def calls(name):
    """What takes theta, x, targets and mask: gradients, error signals and the loss."""
    model = MODELS[name]
    found = {method: partial(model.gradient, **way(name, method)) for method in METHODS[name]}
    if hasattr(model, "error_signals"):
        found["error_signals"] = model.error_signals
    return found | {"loss": model.loss}


CALLS = [(name, call) for name in MODELS for call in calls(name)]


@pytest.mark.parametrize(("name", "call"), CALLS)
def test_a_bad_argument_is_named(name, call):
    for argument, value, error, message in BAD_CALLS + BAD_MASKS:
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
def test_a_method_that_cannot_be_carried_forward_is_refused_online(name):
    known = [method for method in METHODS[name] if method != "bptt"]
    for method in ("bptt", "RTRL", None):
        with pytest.raises(ValueError, match=f"method: expected one of {', '.join(map(repr, known))}, got {method!r}"):
            MODELS[name].online(MODELS[name].init(0), method)


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
    (([1.0, 2.0], [1.0, 2.0, 3.0], 2), "mask: expected zeros and ones, got 2.0"),
    (([1.0, 2.0], [1.0, 2.0, 3.0], [1, 0]), r"mask: expected shape \(3,\), got \(2,\)"),
    (([1.0, 2.0], [1.0, 2.0, 3.0], [1, 0, 3]), r"mask: expected zeros and ones, got 3.0 at index \(2,\)"),
]


@every_online_way
def test_a_bad_step_is_refused_and_changes_nothing(name, way):
    online = MODELS[name].online(MODELS[name].init(0), **way)
    for arguments, message in BAD_STEP:
        with pytest.raises(ValueError, match=message):
            online.step(*arguments)
        assert online.time == 0
        assert not online.y.any()
        assert not online.gradient.any()
