"""The LSTM with forget gates and peepholes against a reference written from the note, closed forms, complex step."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from throughtime.gradcheck import STEP, complex_step, relative_error
from throughtime.models.activations import ACTIVATIONS, identity, tanh
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import GATES, KINDS, METHODS, SOURCES, Cut, OnlineGradient, PeepholeLSTM

TOLERANCE = 1e-12
EXACT = ("bptt", "rtrl")
ONLINE = ("truncated", "rtrl")
NETS = ("net_fg", "net_ig", "net_og", "net_cell", "net_out")


def problem(model, length, seed, scale=1.0):
    """Random parameters, inputs, targets and a mask by output."""
    rng = np.random.default_rng(seed)
    theta, x = model.init(rng, scale, gate_biases={}), rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.n_out))
    return theta, x, targets, rng.integers(0, 2, (length, model.n_out))


@st.composite
def problems(draw):
    some = st.integers(1, 2)
    activation = st.sampled_from(list(ACTIVATIONS.values()))
    own = {name: draw(activation) for name in ("f", "g", "h", "f_out")} if draw(st.booleans()) else {}
    chosen = {
        name: draw(st.booleans() | st.lists(st.sampled_from(kinds), unique=True))
        for name, kinds in {"bias": KINDS, "peepholes": GATES}.items()
    }
    sizes = (draw(st.integers(0, 2)), draw(some), draw(some), draw(some))
    model = PeepholeLSTM(*sizes, sources=draw(st.sampled_from(SOURCES)), direct=draw(st.booleans()), **chosen, **own)
    length = draw(st.integers(1, 6))
    theta, x, targets, by_output = problem(model, length, draw(st.integers(0, 2**32 - 1)))
    mask = draw(st.sampled_from([None, by_output, by_output[:, 0]]))
    return model, theta, x, targets, mask


def by_output(mask, targets):
    """The mask as numbers for each step and output."""
    mask = np.ones(targets.shape) if mask is None else np.asarray(mask, float)
    return mask if mask.ndim == 2 else np.repeat(mask[:, None], targets.shape[1], axis=1)


def reference(model, thetas, x, cuts=(), bumps=None):
    """The note's eqs. 1 to 5, 13, 14 for each row of ``thetas``: arrays (T+1, rows, ...) by name.

    Where a path is cut, a net input reads activations and states of the first row, without their imaginary
    parts. ``bumps`` are numbers, of the same shapes, added to net inputs and states.
    """
    rows, bumps = len(thetas), bumps or {}
    shapes = dict.fromkeys(GATES, (model.blocks,)) | {"cell": (model.blocks, model.cells), "out": (model.n_out,)}
    p = {name: thetas[:, model.layout.slice(name)].reshape(rows, *shape) for name, shape in model.layout.shapes.items()}

    def zeros(kind):
        return np.zeros((len(x) + 1, rows, *shapes[kind]), complex)

    q = {f"{symbol}_{kind}": zeros(kind) for kind in KINDS for symbol in ("net", "y")} | {"s": zeros("cell")}
    if "s" in bumps:
        q["s"][0] += bumps["s"][0]
    inner = (*GATES, "cell") if model.sources == "all" else ("cell",)

    def held(values):
        return np.repeat(values[:1].real, rows, axis=0)

    def net(kind, t, sources, at, inputs=True, seen=None):
        """The net input at t, from x(t), the sources at the time ``at`` and the states at ``seen``."""
        w, first = p[f"w_{kind}"], model.n_in if inputs else 0
        total = np.einsum("n...j,j->n...", w[..., :first], x[t - 1][:first]) + p.get(f"b_{kind}", 0.0)
        for source in sources:
            act = q[f"y_{source}"][at].reshape(rows, -1)
            if Cut(f"net_{kind}", f"y_{source}") in cuts:
                act = held(act)
            total = total + np.einsum("n...j,nj->n...", w[..., first : first + act.shape[1]], act)
            first += act.shape[1]
        assert first == w.shape[-1]
        if f"u_{kind}" in p:
            s = q["s"][seen]
            s = held(s) if Cut(f"net_{kind}", "s", t - seen) in cuts else s
            total = total + (p[f"u_{kind}"] * s).sum(axis=-1)
        q[f"net_{kind}"][t] = total + (bumps[f"net_{kind}"][t] if f"net_{kind}" in bumps else 0.0)
        return q[f"net_{kind}"][t]

    for t in range(1, len(x) + 1):
        q["y_fg"][t] = model.f(net("fg", t, inner, t - 1, seen=t - 1))
        q["y_ig"][t] = model.f(net("ig", t, inner, t - 1, seen=t - 1))
        kept = q["y_fg"][t][..., None] * q["s"][t - 1]
        q["s"][t] = kept + q["y_ig"][t][..., None] * model.g(net("cell", t, inner, t - 1))
        q["s"][t] += bumps["s"][t] if "s" in bumps else 0.0
        q["y_og"][t] = model.f(net("og", t, inner, t - 1, seen=t))
        q["y_cell"][t] = q["y_og"][t][..., None] * model.h(q["s"][t])
        q["y_out"][t] = model.f_out(net("out", t, ("cell",), t, inputs=model.direct))
    return q | {"y": q.pop("y_out")}


def by_step(loss):
    """Derivatives in all directions but that of row 0; below the step there is but its own error, of order h^2."""
    derivative = loss[1:].imag / STEP
    return np.where(np.abs(derivative) < STEP, 0.0, derivative)


def losses(q, targets, mask):
    """The loss of each row."""
    return (by_output(mask, targets)[:, None] * (q["y"][1:] - targets[:, None]) ** 2 / 2).sum(axis=(0, 2))


def gradient_with(cuts, model, theta, x, targets, mask):
    """By the complex step on the reference, all directions at once; row 0 is without a step."""
    steps = np.vstack([np.zeros_like(theta), np.eye(theta.size)])
    q = reference(model, theta + 1j * STEP * steps, x, cuts)
    return by_step(losses(q, targets, mask))


# ---------------------------------------------------------------- forward


@given(problems())
def test_forward_is_the_note_transcribed(drawn):
    model, theta, x, _, _ = drawn
    trace, expected = model.forward(theta, x), reference(model, theta[None], x)
    assert trace.length == len(x)
    assert np.array_equal(trace.x[1:], x)
    assert {name for name, _ in trace.items()} == {"x", *expected}
    for name, values in trace.items():
        assert not values.flags.writeable
        assert not values[0].any()
        if name != "x":
            assert relative_error(values, expected[name][:, 0].real) <= TOLERANCE, name


@given(problems())
@settings(max_examples=50)
def test_forward_and_loss_are_analytic_in_parameters_and_inputs(drawn):
    model, theta, x, targets, mask = drawn
    rng = np.random.default_rng(0)
    theta, x = theta + 1e-3j * rng.normal(size=theta.shape), x + 1e-3j * rng.normal(size=x.shape)
    trace, q = model.forward(theta, x), reference(model, theta[None], x)
    for name, values in trace.items():
        assert name == "x" or relative_error(values, q[name][:, 0]) <= TOLERANCE, name
    assert relative_error(model.loss(theta, x, targets, mask), losses(q, targets, mask)[0]) <= TOLERANCE


@pytest.mark.parametrize("peepholes", [False, ["fg"]])
def test_only_a_peephole_sees_the_state_while_the_output_gate_is_shut(peepholes):
    model = PeepholeLSTM(1, 1, 1, 1, peepholes=peepholes, sources="cells", bias=["og"])
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


# ---------------------------------------------------------------- exact gradients


@given(problems())
@settings(max_examples=50)
def test_exact_methods_agree_with_each_other_and_the_complex_step(drawn):
    model, theta, x, targets, mask = drawn
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    results = {method: model.gradient(theta, x, targets, mask, method=method) for method in EXACT}
    for method, result in results.items():
        assert result.method == method
        assert result.cuts == ()
        assert result.loss == pytest.approx(model.loss(theta, x, targets, mask), rel=1e-13, abs=0.0)
        assert relative_error(result.gradient, expected) <= TOLERANCE, method
    assert relative_error(results["bptt"].gradient, results["rtrl"].gradient) <= TOLERANCE


@pytest.mark.parametrize("sources", SOURCES)
def test_agreement_holds_on_a_long_sequence(sources):
    model = PeepholeLSTM(2, 2, 2, 2, sources=sources, bias=True)
    theta, x, targets, mask = problem(model, 200, seed=3, scale=0.3)
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    for method in EXACT:
        result = model.gradient(theta, x, targets, mask, method=method)
        assert relative_error(result.gradient, expected) <= TOLERANCE


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


def test_masks_by_step_and_by_output_mean_what_they_say():
    model = PeepholeLSTM(2, 1, 2, 3)
    theta, x, targets, _ = problem(model, 5, seed=4)
    steps = np.array([1, 0, 1, 1, 0])
    for method in METHODS:

        def gradient(mask, method=method):
            return model.gradient(theta, x, targets, mask, method=method).gradient

        assert np.array_equal(gradient(steps), gradient(np.repeat(steps[:, None], 3, axis=1)))
        assert np.array_equal(gradient(None), gradient(np.ones((5, 3), bool)))
        assert not gradient(np.zeros(5)).any()
        parts = [gradient(np.arange(15).reshape(5, 3) == entry) for entry in range(15)]
        assert relative_error(sum(parts), gradient(None)) <= TOLERANCE


# ---------------------------------------------------------------- truncation


@given(problems())
@settings(max_examples=50)
def test_truncated_gradient_is_that_of_the_listed_cuts(drawn):
    model, theta, x, targets, mask = drawn
    result = model.gradient(theta, x, targets, mask)
    assert result.method == "truncated"
    assert result.loss == pytest.approx(model.loss(theta, x, targets, mask), rel=1e-13, abs=0.0)
    expected = gradient_with(result.cuts, model, theta, x, targets, mask)
    assert relative_error(result.gradient, expected) <= TOLERANCE


@pytest.mark.parametrize("sources", SOURCES)
def test_every_listed_cut_is_made_and_matters(sources):
    """Any one path left open, the gradient is another; none cut, it is the exact one."""
    model = PeepholeLSTM(1, 2, 2, 2, sources=sources)
    arguments = problem(model, 6, seed=5)
    result = model.gradient(*arguments)
    assert len(result.cuts) == {"all": 16, "cells": 4}[sources] + 3
    for cut in result.cuts:
        left = [other for other in result.cuts if other != cut]
        assert relative_error(gradient_with(left, model, *arguments), result.gradient) > 1e-6, cut
        alone = model.gradient_with_cuts(*arguments, cuts=[cut])
        assert alone.cuts == (cut,)
        assert relative_error(alone.gradient, gradient_with([cut], model, *arguments)) <= TOLERANCE
    exact = model.gradient(*arguments, method="bptt").gradient
    assert relative_error(gradient_with((), model, *arguments), exact) <= TOLERANCE


@given(problems(), st.randoms())
@settings(max_examples=50)
def test_any_of_the_cuts_can_be_left_out(drawn, random):
    model, theta, x, targets, mask = drawn
    cuts = [cut for cut in model.cuts("truncated") if random.random() < 0.5]
    result = model.gradient_with_cuts(theta, x, targets, mask, cuts=cuts)
    assert result.cuts == tuple(cuts)
    expected = gradient_with(cuts, model, theta, x, targets, mask)
    assert relative_error(result.gradient, expected) <= TOLERANCE


def test_a_cut_that_is_none_is_refused():
    model = PeepholeLSTM(1, 1, 1, 1, peepholes=["og"])
    with pytest.raises(ValueError, match="cuts: expected some of those of the truncated gradient, got Cut"):
        model.gradient_with_cuts(*problem(model, 2, seed=0), cuts=[Cut("net_fg", "s", 1)])


def test_cuts_are_named():
    model = PeepholeLSTM(1, 1, 1, 1, sources="cells")
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


def test_truncation_loses_nothing_where_nothing_is_fed_back():
    model = PeepholeLSTM(2, 2, 2, 2, bias=True)
    theta, *goal = problem(model, 8, seed=6)
    for name, part in model.layout.views(theta).items():
        if name[0] == "u":
            part[:] = 0.0
        elif name[0] == "w" and name != "w_out":
            part[..., model.n_in :] = 0.0
    truncated, exact = (model.layout.views(model.gradient(theta, *goal, method=m).gradient) for m in METHODS[:2])
    for name, part in exact.items():
        assert relative_error(truncated[name], part) <= TOLERANCE, name


# ---------------------------------------------------------------- error signals


@given(problems(), st.sampled_from(["bptt", "truncated"]))
@settings(max_examples=50)
def test_error_signals_are_derivatives_by_an_added_number(drawn, method):
    model, theta, x, targets, mask = drawn
    signals = model.error_signals(theta, x, targets, mask, method=method)._asdict()
    assert set(signals) == {*NETS, "s"}
    for name, signal in signals.items():
        steps = np.eye(signal.size + 1)[:, 1:].reshape(signal.size + 1, *signal.shape)  # row 0 is without a step
        bumps = {name: 1j * STEP * np.moveaxis(steps, 0, 1)}
        q = reference(model, np.repeat(theta[None], len(steps), axis=0), x, model.cuts(method), bumps)
        expected = by_step(losses(q, targets, mask)).reshape(signal.shape)
        assert relative_error(signal, expected) <= TOLERANCE, name


@given(problems(), st.sampled_from(["bptt", "truncated"]))
@settings(max_examples=50)
def test_error_signals_make_the_gradient(drawn, method):
    model, theta, x, targets, mask = drawn
    signals = model.error_signals(theta, x, targets, mask, method=method)
    trace = model.forward(theta, x)
    read = np.hstack([x, *(getattr(trace, name)[:-1].reshape(len(x), -1) for name in model.columns if name != "x")])
    gradient = model.layout.views(model.gradient(theta, x, targets, mask, method=method).gradient)
    for kind in (*GATES, "cell"):
        by_net = getattr(signals, f"net_{kind}")[1:]
        assert relative_error(gradient[f"w_{kind}"], np.einsum("t...,tq->...q", by_net, read)) <= TOLERANCE
        if kind in model.bias:
            assert relative_error(gradient[f"b_{kind}"], by_net.sum(axis=0)) <= TOLERANCE
        if kind in model.peepholes:
            seen = trace.s[1:] if kind == "og" else trace.s[:-1]
            assert relative_error(gradient[f"u_{kind}"], np.einsum("tk,tki->ki", by_net, seen)) <= TOLERANCE


def test_truncated_error_inside_the_cells_shrinks_by_the_forget_gates_alone():
    model = PeepholeLSTM(2, 2, 2, 2)
    theta, x, targets, _ = problem(model, 30, seed=7)
    s = model.error_signals(theta, x, targets, np.arange(1, 31) == 30, method="truncated").s
    keep = model.forward(theta, x).y_fg
    assert (s[30] != 0.0).all()
    for t in range(30, 0, -1):
        assert relative_error(s[t - 1], keep[t][:, None] * s[t]) <= 1e-15


# ---------------------------------------------------------------- online


@pytest.mark.parametrize("method", ONLINE)
@given(drawn=problems())
@settings(max_examples=20)
def test_online_gradient_at_any_time_is_that_of_the_sequence_so_far(method, drawn):
    model, theta, x, targets, mask = drawn
    rows = by_output(mask, targets)
    online = OnlineGradient(model, theta, method)
    assert not online.y.any()
    whole = model.forward(theta, x)
    for t, (x_t, target, sigma) in enumerate(zip(x, targets, rows, strict=True), start=1):
        online.step(x_t, target if sigma.any() or t % 2 else None, sigma)
        cut = gradient_with(model.cuts(method), model, theta, x[:t], targets[:t], rows[:t])
        assert online.time == t
        assert relative_error(online.y, whole.y[t]) <= TOLERANCE
        assert relative_error(online.s, whole.s[t]) <= TOLERANCE
        assert online.loss == pytest.approx(model.loss(theta, x[:t], targets[:t], rows[:t]), rel=1e-13, abs=0.0)
        assert relative_error(online.gradient, cut) <= TOLERANCE


@pytest.mark.parametrize("method", ONLINE)
def test_steps_and_runs_of_any_length_mix(method):
    model = PeepholeLSTM(2, 2, 2, 2, bias=["ig", "out"])
    theta, x, targets, mask = problem(model, 11, seed=8)
    whole, online = OnlineGradient(model, theta, method), OnlineGradient(model, theta, method)
    whole.run(x, targets, mask)
    for part in (slice(0, 4), slice(4, 5), slice(5, 8)):
        online.run(x[part], targets[part], mask[part])
    for t in range(8, 11):
        online.step(x[t], targets[t], mask[t])
    assert np.array_equal(online.gradient, whole.gradient)
    assert online.loss == pytest.approx(whole.loss, rel=1e-14)


@pytest.mark.parametrize("method", ONLINE)
def test_memory_of_the_online_gradient_does_not_grow_with_the_sequence(method):
    model = PeepholeLSTM(3, 2, 2, 2, bias=True)
    theta, x, targets, _ = problem(model, 1, seed=9, scale=0.1)

    def peak(length):
        """Bytes at the worst moment of ``length`` steps fed by a generator."""
        tracemalloc.start()
        online = OnlineGradient(model, theta, method)
        size = online.state_size
        for x_t, target in ((x[0], targets[0]) for _ in range(length)):
            online.step(x_t, target)
        _ = online.gradient
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert online.state_size == size
        return result

    peak(5)  # caches that fill once
    short, long = peak(50), peak(1500)
    one_state_per_step = 8 * model.blocks * model.cells * (1500 - 50)
    assert long - short < one_state_per_step / 25


def test_state_size_is_linear_in_the_weights_truncated_and_of_third_order_in_the_units_exact():
    for blocks in (1, 2, 5):
        model = PeepholeLSTM(3, blocks, 2, 1)
        theta, cells = model.init(0), 2 * blocks
        units = 3 * blocks + cells
        columns = 3 + units + 1
        width = columns + 2
        weights = 2 * (units * width + (3 + cells + 1))
        states = columns + 2 * units + cells + 1
        truncated, exact = (OnlineGradient(model, theta, method).state_size for method in ONLINE)
        assert truncated == weights + states + 3 * cells * width
        assert exact == weights + states + (units + cells) * units * width


def test_online_gradient_keeps_its_own_parameters():
    model = PeepholeLSTM(1, 1, 2, 1, f_out=identity)
    theta, x, targets, _ = problem(model, 4, seed=10)
    online = OnlineGradient(model, theta)
    expected = model.gradient(theta, x, targets).gradient
    theta += 1.0
    online.run(x, targets)
    online.gradient[:] = 0.0
    assert np.array_equal(online.gradient, expected)
