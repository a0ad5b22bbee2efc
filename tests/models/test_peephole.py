"""What the LSTM with forget gates and peepholes alone has: closed forms, relatives, options, and what it refuses."""

import numpy as np
import pytest
from lstm_cases import TOLERANCE, problem
from throughtime.arrays.activations import identity, logistic, tanh, twice_tanh_half
from throughtime.checks import relative_error
from throughtime.models.lstm import METHODS
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import GATE_BIASES, GATES, KINDS, Cut, PeepholeLSTM

MODEL = PeepholeLSTM(2, 1, 1, 3)


@pytest.mark.parametrize("peepholes", [False, ["fg"]])
def test_only_a_peephole_sees_the_state_while_the_output_gate_is_shut(peepholes):
    model = PeepholeLSTM(1, 1, 1, 1, peepholes=peepholes, feedback="cells", bias=["og"])
    theta = model.init(0, 1.0, gate_biases={"og": -800.0})
    trace, silent = (model.forward(theta, x) for x in (np.eye(6, 1), np.zeros((6, 1))))
    assert not trace.y_cell.any()
    assert trace.s[1:].all()
    assert (trace.y_fg[2:] != silent.y_fg[2:]).all() == bool(peepholes)
    assert (trace.y_fg[2:] == silent.y_fg[2:]).all() != bool(peepholes)


def test_forget_gates_held_open_make_the_lstm_of_1997():
    """Forget gates at 1 within rounding, no peepholes, cells read alone: the recursion of 1997."""
    ours = PeepholeLSTM(2, 2, 1, 2, peepholes=False, bias=["fg"])
    theirs = LSTM1997(2, 2, 1, 2, timing="same", h=identity)
    theta = theirs.init(0, 0.9)
    old, new = theirs.layout.views(theta), np.zeros(ours.layout.size)
    parts = ours.layout.views(new)
    parts["b_fg"][:] = 800.0
    for kind in ("ig", "og", "cell"):
        w = old[f"w_{kind}"].reshape(2, -1)
        parts[f"w_{kind}"].reshape(2, -1)[:] = np.hstack([w[:, :2], np.zeros((2, 2)), w[:, 2:]])
    parts["w_out"][:] = old["w_out"]
    x, targets = np.random.default_rng(1).normal(size=(2, 7, 2))
    assert relative_error(ours.forward(new, x).y, theirs.forward(theta, x).y) <= TOLERANCE
    for method in METHODS:
        mine = ours.layout.views(ours.gradient(new, x, targets, method=method).gradient)
        other = theirs.layout.views(theirs.gradient(theta, x, targets, method=method).gradient)
        assert relative_error(mine["w_out"], other["w_out"]) <= TOLERANCE
        for kind in ("ig", "og", "cell"):
            read = np.delete(mine[f"w_{kind}"].reshape(2, -1), [2, 3], axis=1)
            assert relative_error(read, other[f"w_{kind}"].reshape(2, -1)) <= TOLERANCE, (method, kind)


def test_gates_are_shared_within_a_block():
    """Cells of a block with equal weights and equal peepholes agree, those of other blocks do not."""
    model = PeepholeLSTM(2, 2, 3, 1)
    theta, x, _, _ = problem(model, 5, seed=2)
    w_cell = model.layout.views(theta)["w_cell"]
    w_cell[:] = w_cell[0, 0]
    s = model.forward(theta, x).s
    assert np.array_equal(s[:, :, 0], s[:, :, 1])
    assert np.array_equal(s[:, :, 0], s[:, :, 2])
    assert (s[1:, 0] != s[1:, 1]).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("length", [3, 20])
def test_what_a_cell_stored_once_decays_with_its_forget_gate_in_closed_form(method, length):
    """All gates at f(0), the forget gate at f(c): s(T) = f(c)^(T-1) g(a)/2, y(T) = f(b s(T)/2)."""
    model, a, b, c, d = PeepholeLSTM(1, 1, 1, 1, peepholes=False, bias=["fg"], g=tanh), 0.7, -1.3, 0.4, 0.9
    theta = np.zeros(model.layout.size)
    index = model.layout.index
    theta[index("w_cell", 0, 0, 0)], theta[index("w_out", 0, 1)], theta[index("b_fg", 0)] = a, b, c
    keep = 1 / (1 + np.exp(-c))
    decay = keep ** (length - 1)
    s = decay * np.tanh(a) / 2
    y = 1 / (1 + np.exp(-b * s / 2))
    delta = (y - d) * y * (1 - y)
    x = np.eye(length, 1)
    result = model.gradient(theta, x, np.full((length, 1), d), np.arange(1, length + 1) == length, method=method)
    gradient = model.layout.views(result.gradient)
    assert result.loss == pytest.approx((y - d) ** 2 / 2, rel=1e-12)
    assert gradient["w_out"][0, 1] == pytest.approx(delta * s / 2, rel=1e-12)
    by_s = delta * b / 2
    assert gradient["w_cell"][0, 0, 0] == pytest.approx(by_s * decay / 2 * (1 - np.tanh(a) ** 2), rel=1e-12)
    assert gradient["w_ig"][0, 0] == pytest.approx(by_s * decay / 4 * np.tanh(a), rel=1e-12)
    assert gradient["b_fg"][0] == pytest.approx(by_s * (length - 1) * (1 - keep) * s, rel=1e-12)


def test_a_cut_that_is_none_is_refused():
    model = PeepholeLSTM(1, 1, 1, 1, peepholes=["og"])
    with pytest.raises(ValueError, match="cuts: expected some of those of the truncated gradient, got Cut"):
        model.gradient_with_cuts(*problem(model, 2, seed=0), cuts=[Cut("net_fg", "s", 1)])


def test_cuts_are_named():
    model = PeepholeLSTM(1, 1, 1, 1, feedback="cells")
    kinds = (*GATES, "cell")
    expected = [Cut(f"net_{kind}", "y_cell", 1) for kind in kinds]
    assert model.cuts("truncated") == (*expected, Cut("net_fg", "s", 1), Cut("net_ig", "s", 1), Cut("net_og", "s", 0))
    assert [str(cut) for cut in model.cuts("truncated")[3:]] == [
        "d net_cell(t) / d y_cell(t-1) = 0",
        "d net_fg(t) / d s(t-1) = 0",
        "d net_ig(t) / d s(t-1) = 0",
        "d net_og(t) / d s(t) = 0",
    ]
    assert len(PeepholeLSTM(1, 1, 1, 1, peepholes=False).cuts("truncated")) == 16
    assert model.cuts("rtrl") == ()
    with pytest.raises(ValueError, match="method: expected one of 'truncated', 'bptt', 'rtrl', got 'full'"):
        model.cuts("full")


def test_truncated_error_inside_the_cells_shrinks_by_the_forget_gates_alone():
    model = PeepholeLSTM(2, 2, 2, 2)
    theta, x, targets, _ = problem(model, 30, seed=7)
    s = model.error_signals(theta, x, targets, np.arange(1, 31) == 30, method="truncated").s
    keep = model.forward(theta, x).y_fg
    assert (s[30] != 0.0).all()
    for t in range(30, 0, -1):
        assert relative_error(s[t - 1], keep[t][:, None] * s[t]) <= 1e-15


# ---------------------------------------------------------------- the model object


def test_layout_has_the_columns_of_the_note():
    """Gates and cells have d_in + n_block (3 + d_block) columns, the outputs d_in + n_block d_block."""
    model = PeepholeLSTM(n_in=3, blocks=2, cells=4, n_out=5)
    columns = 3 + 2 * (3 + 4)
    assert model.layout.shapes == {
        "w_fg": (2, columns),
        "w_ig": (2, columns),
        "w_og": (2, columns),
        "w_cell": (2, 4, columns),
        "w_out": (5, 3 + 2 * 4),
        "u_fg": (2, 4),
        "u_ig": (2, 4),
        "u_og": (2, 4),
    }
    assert [*model.sources] == ["x", "y_fg", "y_ig", "y_og", "y_cell"]
    assert [(part.start, part.stop) for part in model.sources.values()] == [(0, 3), (3, 5), (5, 7), (7, 9), (9, 17)]
    assert {name: (part.start, part.stop) for name, part in model.output_sources.items()} == {
        "x": (0, 3),
        "y_cell": (3, 11),
    }


def test_the_net_of_the_experiments_has_seventeen_parameters():
    model = PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity)
    assert [*model.sources] == ["x", "y_cell"]
    assert model.output_sources["x"] == slice(0, 0)
    assert model.layout.shapes["w_fg"] == (1, 2)
    assert model.layout.shapes["w_out"] == (1, 1)
    assert model.layout.size == 4 * 3 + 3 + 2 == 17


def test_peepholes_are_those_asked_for():
    assert PeepholeLSTM(1, 1, 1, 1).peepholes == ("fg", "ig", "og")
    assert PeepholeLSTM(1, 1, 1, 1, peepholes=False).peepholes == ()
    some = PeepholeLSTM(1, 2, 3, 1, peepholes=["og", "fg"])
    assert some.peepholes == ("fg", "og")
    assert [name for name in some.layout.names if name[0] == "u"] == ["u_fg", "u_og"]


def test_biases_are_those_asked_for_in_the_order_of_the_kinds():
    shapes = PeepholeLSTM(1, 2, 3, 4, bias=True).layout.shapes
    biases = {"b_fg": (2,), "b_ig": (2,), "b_og": (2,), "b_cell": (2, 3), "b_out": (4,)}
    assert {name: shape for name, shape in shapes.items() if name[0] == "b"} == biases
    some = PeepholeLSTM(1, 2, 3, 4, bias=["out", "ig"])
    assert some.bias == ("ig", "out")
    assert PeepholeLSTM(1, 1, 1, 1, bias=True) == PeepholeLSTM(1, 1, 1, 1, bias=KINDS)
    assert hash(PeepholeLSTM(1, 1, 1, 1, bias=["ig"])) == hash(PeepholeLSTM(1, 1, 1, 1, bias=("ig",)))
    assert PeepholeLSTM(1, 1, 1, 1).bias == ()


def test_gate_biases_start_as_in_the_paper_unless_given():
    model = PeepholeLSTM(1, 2, 1, 1, bias=["fg", "ig", "og", "cell"])
    paper, drawn = model.layout.views(model.init(0)), model.layout.views(model.init(0, gate_biases={}))
    assert GATE_BIASES == {"fg": -2.0, "ig": 0.0, "og": 2.0}
    for gate, value in GATE_BIASES.items():
        assert (paper[f"b_{gate}"] == value).all()
        assert (np.abs(drawn[f"b_{gate}"]) < 0.1).all()
    for name in ("w_fg", "w_cell", "b_cell", "u_og"):
        assert np.array_equal(paper[name], drawn[name])
    own = model.layout.views(model.init(0, gate_biases={"fg": 1.0}))
    assert own["b_fg"].tolist() == [1.0, 1.0]
    assert np.array_equal(own["b_og"], drawn["b_og"])
    with pytest.raises(ValueError, match="gate_biases: expected one of 'fg', 'ig', 'og', got 'cell'"):
        model.init(0, gate_biases={"cell": 0.0})
    with pytest.raises(ValueError, match=r"gate_biases\['fg'\]: expected a number in .*, got nan"):
        model.init(0, gate_biases={"fg": np.nan})


def test_activations_are_those_of_the_note_unless_given():
    model = PeepholeLSTM(1, 1, 1, 1)
    assert (model.f, model.g, model.h, model.f_out) == (logistic, twice_tanh_half, identity, logistic)
    assert PeepholeLSTM(1, 1, 1, 1, f_out=identity) != model


def test_a_net_without_inputs_runs_for_as_many_steps_as_x_has_rows():
    """Biases alone, gates at 1/2: s(t) = s(t-1)/2 + 3/2."""
    model = PeepholeLSTM(0, 1, 1, 1, bias=["cell"], g=identity)
    theta = np.zeros(model.layout.size)
    theta[model.layout.index("b_cell", 0, 0)] = 3.0
    assert model.forward(theta, np.zeros((3, 0))).s[:, 0, 0].tolist() == [0.0, 1.5, 2.25, 2.625]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"feedback": "gates"}, ValueError, "feedback: expected one of 'all', 'cells', got 'gates'"),
        ({"direct": 1}, TypeError, "direct: expected True or False, got 1"),
        ({"peepholes": "fg"}, TypeError, "peepholes: expected True, False or a sequence of kinds, got 'fg'"),
        ({"peepholes": ["cell"]}, ValueError, "peepholes: expected one of 'fg', 'ig', 'og', got 'cell'"),
        ({"bias": ["ig", "hid"]}, ValueError, "bias: expected one of 'fg', 'ig', 'og', 'cell', 'out', got 'hid'"),
    ],
)
def test_an_impossible_architecture_is_refused(change, error, message):
    with pytest.raises(error, match=message):
        PeepholeLSTM(**{"n_in": 1, "blocks": 1, "cells": 1, "n_out": 1} | change)


@pytest.mark.parametrize("method", METHODS)
def test_overflow_of_a_state_is_an_error(method):
    """All gates at 1/2: s(t) = s(t-1)/2 + w s(t-1)/4, three and a half times as much for w = 12."""
    model = PeepholeLSTM(1, 1, 1, 1, g=identity)
    theta = np.zeros(model.layout.size)
    theta[model.layout.index("w_cell", 0, 0, 0)] = 1.0
    theta[model.layout.index("w_cell", 0, 0, 4)] = 12.0
    x, targets, mask = np.eye(600, 1), np.zeros((600, 1)), np.zeros(600)
    assert model.forward(theta, x[:400]).s[400, 0, 0] == pytest.approx(0.5 * 3.5**399, rel=1e-12)
    with pytest.raises(FloatingPointError, match=r"\[\d+, \d\] overflows float64"):
        model.forward(theta, x)
    with pytest.raises(FloatingPointError, match="overflows float64"):
        model.gradient(theta, x, targets, mask, method=method)


@pytest.mark.parametrize("biases", [None, ["fg"], 0.5])
def test_biases_of_gates_are_a_mapping(biases):
    with pytest.raises(TypeError, match="gate_biases: expected a mapping"):
        MODEL.init(0, gate_biases=biases)
