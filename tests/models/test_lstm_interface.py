"""What both LSTMs promise as objects, besides test_interface: biases, cuts, methods, and an error for each overflow."""

import numpy as np
import pytest
from lstm_cases import problem
from throughtime.arrays.activations import identity
from throughtime.checks import relative_error
from throughtime.models.lstm import METHODS
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM

PAIR = pytest.mark.parametrize("kind", [LSTM1997, PeepholeLSTM])


@pytest.mark.parametrize(
    ("biased", "plain"),
    [
        (LSTM1997(1, 2, 2, 2, 2, bias=True), LSTM1997(2, 2, 2, 2, 2)),
        (PeepholeLSTM(1, 2, 2, 2, bias=True), PeepholeLSTM(2, 2, 2, 2)),
    ],
    ids=["1997", "2002"],
)
def test_a_bias_is_a_weight_from_a_unit_that_is_always_one(biased, plain):
    """Also at time 0. The input 1 does the same."""
    rng = np.random.default_rng(0)
    theta, x, targets = biased.layout.uniform(rng, 1.0), rng.normal(size=(6, 1)), rng.normal(size=(6, 2))
    parts = biased.layout.views(theta)

    def joined(parts):
        kinds = {kind: np.insert(parts[f"w_{kind}"], 1, parts[f"b_{kind}"], axis=-1) for kind in biased.bias}
        seen = {name: part for name, part in parts.items() if name[0] == "u"}
        return plain.layout.flatten({f"w_{kind}": part for kind, part in kinds.items()} | seen)

    with_one = np.hstack([x, np.ones_like(x)])
    for method in METHODS:
        gradient = biased.gradient(theta, x, targets, method=method).gradient
        expected = plain.gradient(joined(parts), with_one, targets, method=method).gradient
        assert relative_error(joined(biased.layout.views(gradient)), expected) <= 1e-14


@PAIR
def test_methods_are_refused_where_they_do_not_exist(kind):
    model = kind(2, 1, 1, 3)
    theta, x, targets, _ = problem(model, 4, seed=0)
    with pytest.raises(ValueError, match="method: expected one of 'truncated', 'bptt', got 'rtrl'"):
        model.error_signals(theta, x, targets, method="rtrl")
    for method in ("bptt", "BPTT", "tbptt", None):
        with pytest.raises(ValueError, match=f"method: expected one of 'truncated', 'rtrl', got {method!r}"):
            model.online(theta, method)


@PAIR
def test_cuts_are_a_collection_that_can_be_looked_at_twice(kind):
    model = kind(2, 1, 1, 3)
    theta, x, targets, _ = problem(model, 2, seed=0)
    cuts = model.cuts("truncated")
    assert model.gradient_with_cuts(theta, x, targets, cuts={*cuts}).cuts == cuts
    for wrong in (None, 3, "all", iter(cuts), (cut for cut in cuts)):
        with pytest.raises(TypeError, match="cuts: expected a collection of cuts, got"):
            model.gradient_with_cuts(theta, x, targets, cuts=wrong)
    for wrong in (cuts[0], [[1]], [None]):
        with pytest.raises(ValueError, match="cuts: expected some of those of the truncated gradient, got"):
            model.gradient_with_cuts(theta, x, targets, cuts=wrong)


@PAIR
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_in": -1}, ValueError, "n_in: expected at least 0, got -1"),
        ({"n_in": 1.0}, TypeError, "n_in: expected an integer, got 1.0 of type float"),
        ({"blocks": 0}, ValueError, "blocks: expected at least 1, got 0"),
        ({"cells": 0}, ValueError, "cells: expected at least 1, got 0"),
        ({"cells": [2, 1]}, TypeError, r"cells: expected an integer, got \[2, 1\]"),
        ({"n_out": True}, TypeError, "n_out: expected an integer, got True"),
        ({"bias": "ig"}, TypeError, "bias: expected True, False or a sequence of kinds, got 'ig'"),
        ({"bias": 1}, TypeError, "bias: expected True, False or a sequence of kinds, got 1"),
        ({"f": np.tanh}, TypeError, "f: expected an Activation or the name of one, got ufunc"),
        ({"g": "sine"}, ValueError, "g: expected one of .*, got 'sine'"),
        ({"f_out": None}, TypeError, "f_out: expected an Activation or the name of one, got NoneType"),
    ],
)
def test_an_impossible_architecture_is_refused(kind, change, error, message):
    with pytest.raises(error, match=message):
        kind(**{"n_in": 1, "blocks": 1, "cells": 1, "n_out": 1} | change)


# ---------------------------------------------------------------- overflow


@PAIR
@pytest.mark.parametrize("method", METHODS)
def test_overflow_of_the_loss_alone_is_an_error(kind, method):
    model = kind(1, 1, 1, 1, f_out=identity)
    theta = np.zeros(model.layout.size)
    theta[model.layout.index("w_out", 0, 0)] = 1.0
    assert model.forward(theta, [[1e200]]).y[1, 0] == 1e200
    with pytest.raises(FloatingPointError, match="loss overflows float64"):
        model.loss(theta, [[1e200]], [[0.0]])
    with pytest.raises(FloatingPointError, match="overflows float64"):
        model.gradient(theta, [[1e200]], [[0.0]], method=method)


LINEAR = [LSTM1997(1, 1, 1, 1, timing="same", g=identity, h=identity), PeepholeLSTM(1, 1, 1, 1, g=identity)]


@pytest.mark.parametrize("model", LINEAR, ids=["1997", "2002"])
def test_overflow_of_the_error_alone_is_an_error(model):
    """Without input the state stays zero, the derivative along w = 12 does not."""
    theta = np.zeros(model.layout.size)
    theta[model.layout.index("w_cell", 0, 0, model.sources["y_cell"].start)] = 12.0
    theta[model.layout.index("w_out", 0, 1)] = 1.0
    x, targets, last = np.zeros((600, 1)), np.ones((600, 1)), np.arange(600) == 599
    assert not model.forward(theta, x).s.any()
    with pytest.raises(FloatingPointError, match="error_signal"):
        model.error_signals(theta, x, targets, last)
    with pytest.raises(FloatingPointError, match="gradient"):
        model.gradient(theta, x, targets, last, method="bptt")
    assert np.isfinite(model.error_signals(theta, x, targets, last, method="truncated").s).all()
