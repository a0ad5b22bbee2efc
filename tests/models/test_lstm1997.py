"""What the LSTM of 1997 alone has: timings, hidden units, closed forms, the constant error, and what it refuses."""

import numpy as np
import pytest
from lstm_cases import problem
from throughtime.arrays.activations import identity, logistic, tanh, tanh_half, twice_tanh_half
from throughtime.models.lstm import METHODS
from throughtime.models.lstm1997 import KINDS, LSTM1997, TIMINGS, Cut


def test_an_output_reads_the_step_that_the_timing_says():
    """Without weights from the input to the outputs, one timing is the other a step later."""
    previous, same = (LSTM1997(2, 2, 2, 2, 1, timing=timing, bias=True) for timing in TIMINGS)
    theta, x, _, _ = problem(previous, 7, seed=1)
    previous.layout.views(theta)["w_out"][:, previous.output_sources["x"]] = 0.0
    early, late = same.forward(theta, x), previous.forward(theta, x)
    assert np.array_equal(early.s, late.s)
    assert np.array_equal(early.y[1:-1], late.y[2:])
    assert (early.y[-1] != late.y[-1]).all()


def test_gates_are_shared_within_a_block():
    """Cells of a block with equal weights agree, those of blocks with different gates do not."""
    model = LSTM1997(2, 2, 3, 1)
    theta, x, _, _ = problem(model, 5, seed=2)
    w_cell = model.layout.views(theta)["w_cell"]
    w_cell[:] = w_cell[0, 0]
    s = model.forward(theta, x).s
    assert np.array_equal(s[:, 0], s[:, 1])
    assert np.array_equal(s[:, 0], s[:, 2])
    assert (s[1:, :, 0] != s[1:, :, 1]).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("length", [3, 50])
def test_what_a_cell_stored_once_keeps_its_gradient_in_closed_form(method, timing, length):
    """With both gates at 1/2 the input 1 at t = 0 stores s = g(a)/2, and y(T) = f(b h(s)/2), for any T."""
    model, a, b, d = LSTM1997(1, 1, 1, 1, timing=timing, g=tanh), 0.7, -1.3, 0.9
    theta = model.layout.flatten({name: np.zeros(shape) for name, shape in model.layout.shapes.items()})
    theta[model.layout.index("w_cell", 0, 0, 0)] = a
    theta[model.layout.index("w_out", 0, 1)] = b
    x = np.eye(length, 1)
    s = np.tanh(a) / 2
    y = 1 / (1 + np.exp(-b * np.tanh(s / 2) / 2))
    delta = (y - d) * y * (1 - y)
    by_s = delta * b / 2 * (1 - np.tanh(s / 2) ** 2) / 2
    result = model.gradient(theta, x, np.full((length, 1), d), np.arange(1, length + 1) == length, method=method)
    gradient = model.layout.views(result.gradient)
    assert result.loss == pytest.approx((y - d) ** 2 / 2, rel=1e-13)
    assert gradient["w_out"][0, 1] == pytest.approx(delta * np.tanh(s / 2) / 2, rel=1e-13)
    assert gradient["w_cell"][0, 0, 0] == pytest.approx(by_s / 2 * (1 - np.tanh(a) ** 2), rel=1e-13)
    assert gradient["w_ig"][0, 0] == pytest.approx(by_s / 4 * np.tanh(a), rel=1e-13)


def test_cuts_are_named():
    cuts = LSTM1997(1, 1, 1, 1).cuts("truncated")
    kinds = ("ig", "og", "cell")
    assert cuts == tuple(Cut(f"net_{net}", f"y_{source}") for net in kinds for source in kinds)
    assert str(cuts[2]) == "d net_ig(t+1) / d y_cell(t) = 0"
    assert LSTM1997(1, 1, 1, 1).cuts("rtrl") == ()
    with pytest.raises(ValueError, match="method: expected one of 'truncated', 'bptt', 'rtrl', got 'full'"):
        LSTM1997(1, 1, 1, 1).cuts("full")


def test_a_cut_that_is_none_is_refused():
    model = LSTM1997(1, 2, 2, 2, 2)
    with pytest.raises(ValueError, match=r"cuts: expected some of those of the truncated gradient, got Cut\("):
        model.gradient_with_cuts(*problem(model, 6, seed=5), cuts=[Cut("net_out", "y_cell")])


@pytest.mark.parametrize(("timing", "last"), [("previous", 29), ("same", 30)])
def test_truncated_error_is_constant_inside_the_cells(timing, last):
    model = LSTM1997(2, 2, 2, 2, 2, timing=timing)
    theta, x, targets, _ = problem(model, 30, seed=7)
    s = model.error_signals(theta, x, targets, np.arange(1, 31) == 30, method="truncated").s
    assert (s[last] != 0.0).all()
    assert (s[: last + 1] == s[last]).all()
    assert not s[last + 1 :].any()


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


def test_activations_are_those_of_the_paper_unless_given():
    model = LSTM1997(1, 1, 1, 1)
    assert (model.f, model.g, model.h) == (logistic, twice_tanh_half, tanh_half)
    assert (model.f_hid, model.f_out) == (logistic, logistic)
    assert LSTM1997(1, 1, 1, 1, f_out=identity) != model


def test_a_net_without_inputs_runs_for_as_many_steps_as_x_has_rows():
    """Biases alone: s grows by logistic(0) g(b) at every step."""
    model = LSTM1997(0, 1, 1, 1, bias=["cell"], g=identity)
    theta = np.zeros(model.layout.size)
    theta[model.layout.index("b_cell", 0, 0)] = 3.0
    assert model.forward(theta, np.zeros((3, 0))).s[:, 0, 0].tolist() == [0.0, 1.5, 3.0, 4.5]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"hidden": -1}, ValueError, "hidden: expected at least 0, got -1"),
        ({"timing": "now"}, ValueError, "timing: expected one of 'previous', 'same', got 'now'"),
        ({"timing": True}, ValueError, "timing: expected one of 'previous', 'same', got True"),
        ({"bias": ["ig", "fg"]}, ValueError, "bias: expected one of 'hid', 'ig', 'og', 'cell', 'out', got 'fg'"),
    ],
)
def test_an_impossible_architecture_is_refused(change, error, message):
    with pytest.raises(error, match=message):
        LSTM1997(**{"n_in": 1, "blocks": 1, "cells": 1, "n_out": 1} | change)


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
