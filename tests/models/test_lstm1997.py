"""The LSTM of 1997 against a reference written from the note, closed forms and the complex step."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from throughtime.gradcheck import STEP, complex_step, relative_error
from throughtime.models.activations import ACTIVATIONS, identity, tanh
from throughtime.models.lstm1997 import KINDS, LSTM1997, METHODS, TIMINGS, Cut, OnlineGradient

TOLERANCE = 1e-12
EXACT = ("bptt", "rtrl")
ONLINE = ("truncated", "rtrl")
NETS = ("net_hid", "net_ig", "net_og", "net_cell", "net_out")


def problem(model, length, seed, scale=1.0):
    """Random parameters, inputs, targets and a mask by output."""
    rng = np.random.default_rng(seed)
    theta, x = model.init(rng, scale), rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.n_out))
    return theta, x, targets, rng.integers(0, 2, (length, model.n_out))


@st.composite
def problems(draw):
    some = st.integers(1, 2)
    activation = st.sampled_from(list(ACTIVATIONS.values()))
    own = {name: draw(activation) for name in ("f", "g", "h", "f_hid", "f_out")} if draw(st.booleans()) else {}
    kinds = draw(st.booleans() | st.lists(st.sampled_from(KINDS), unique=True))
    sizes = (draw(st.integers(0, 2)), draw(some), draw(some), draw(some), draw(st.integers(0, 2)))
    model = LSTM1997(*sizes, timing=draw(st.sampled_from(TIMINGS)), bias=kinds, **own)
    length = draw(st.integers(1, 6))
    theta, x, targets, by_output = problem(model, length, draw(st.integers(0, 2**32 - 1)))
    mask = draw(st.sampled_from([None, by_output, by_output[:, 0]]))
    return model, theta, x, targets, mask


def by_output(mask, targets):
    """The mask as numbers for each step and output."""
    mask = np.ones(targets.shape) if mask is None else np.asarray(mask, float)
    return mask if mask.ndim == 2 else np.repeat(mask[:, None], targets.shape[1], axis=1)


def reference(model, thetas, x, cuts=(), bumps=None):
    """The note's eqs. 36 to 43 for each row of ``thetas``: arrays (T+1, rows, ...) by name.

    Where a path is cut, a net input reads the activations of the first row, without their imaginary parts.
    ``bumps`` are numbers, of the same shapes, added to net inputs and states.
    """
    rows, bumps = len(thetas), bumps or {}
    shapes = {"hid": (model.hidden,), "ig": (model.blocks,), "og": (model.blocks,)}
    shapes |= {"cell": (model.cells, model.blocks), "out": (model.n_out,)}
    p = {name: thetas[:, model.layout.slice(name)].reshape(rows, *shape) for name, shape in model.layout.shapes.items()}

    def zeros(kind):
        return np.zeros((len(x) + 1, rows, *shapes[kind]), complex)

    q = {f"{symbol}_{kind}": zeros(kind) for kind in KINDS for symbol in ("net", "y")} | {"s": zeros("cell")}
    if "s" in bumps:
        q["s"][0] += bumps["s"][0]

    def net(kind, t, sources, at):
        """The net input at t+1 from x(t) and the sources at the time ``at``."""
        w, first = p[f"w_{kind}"], model.n_in
        total = np.einsum("n...j,j->n...", w[..., :first], x[t]) + p.get(f"b_{kind}", 0.0)
        for source in sources:
            act = q[f"y_{source}"][at].reshape(rows, -1)
            if (f"net_{kind}", f"y_{source}") in cuts:
                act = np.repeat(act[:1].real, rows, axis=0)
            total = total + np.einsum("n...j,nj->n...", w[..., first : first + act.shape[1]], act)
            first += act.shape[1]
        assert first == w.shape[-1]
        q[f"net_{kind}"][t + 1] = total + (bumps[f"net_{kind}"][t + 1] if f"net_{kind}" in bumps else 0.0)
        return q[f"net_{kind}"][t + 1]

    for t in range(len(x)):
        q["y_hid"][t + 1] = model.f_hid(net("hid", t, KINDS[:4], t))
        q["y_ig"][t + 1] = model.f(net("ig", t, KINDS[:4], t))
        q["y_og"][t + 1] = model.f(net("og", t, KINDS[:4], t))
        q["s"][t + 1] = q["s"][t] + q["y_ig"][t + 1][:, None] * model.g(net("cell", t, KINDS[:4], t))
        q["s"][t + 1] += bumps["s"][t + 1] if "s" in bumps else 0.0
        q["y_cell"][t + 1] = q["y_og"][t + 1][:, None] * model.h(q["s"][t + 1])
        at = {"previous": t, "same": t + 1}[model.timing]
        q["y_out"][t + 1] = model.f_out(net("out", t, ("hid", "cell"), at))
    return q | {"y": q.pop("y_out")}


def losses(q, targets, mask):
    """The loss of each row."""
    return (by_output(mask, targets)[:, None] * (q["y"][1:] - targets[:, None]) ** 2 / 2).sum(axis=(0, 2))


def gradient_with(cuts, model, theta, x, targets, mask):
    """By the complex step on the reference, all directions at once; row 0 is without a step."""
    steps = np.vstack([np.zeros_like(theta), np.eye(theta.size)])
    q = reference(model, theta + 1j * STEP * steps, x, cuts)
    return losses(q, targets, mask)[1:].imag / STEP


# ---------------------------------------------------------------- forward


@given(problems())
def test_forward_is_the_note_transcribed(drawn):
    model, theta, x, _, _ = drawn
    trace, expected = model.forward(theta, x), reference(model, theta[None], x)
    assert trace.length == len(x)
    assert np.array_equal(trace.x, x)
    assert {name for name, _ in trace.items()} == {"x", *expected}
    for name, values in trace.items():
        assert not values.flags.writeable
        if name != "x":
            assert relative_error(values, expected[name][:, 0].real) <= TOLERANCE, name
            assert not values[0].any()


@given(problems())
def test_forward_and_loss_are_analytic_in_parameters_and_inputs(drawn):
    model, theta, x, targets, mask = drawn
    rng = np.random.default_rng(0)
    theta, x = theta + 1e-3j * rng.normal(size=theta.shape), x + 1e-3j * rng.normal(size=x.shape)
    trace, q = model.forward(theta, x), reference(model, theta[None], x)
    for name, values in trace.items():
        assert name == "x" or relative_error(values, q[name][:, 0]) <= TOLERANCE, name
    assert relative_error(model.loss(theta, x, targets, mask), losses(q, targets, mask)[0]) <= TOLERANCE


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


# ---------------------------------------------------------------- exact gradients


@given(problems())
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


@pytest.mark.parametrize("timing", TIMINGS)
def test_agreement_holds_on_a_long_sequence(timing):
    model = LSTM1997(2, 2, 2, 2, 1, timing=timing, bias=True)
    theta, x, targets, mask = problem(model, 200, seed=3, scale=0.3)
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    for method in EXACT:
        result = model.gradient(theta, x, targets, mask, method=method)
        assert relative_error(result.gradient, expected) <= TOLERANCE


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


def test_masks_by_step_and_by_output_mean_what_they_say():
    model = LSTM1997(2, 1, 2, 3, 1)
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
def test_truncated_gradient_is_that_of_the_listed_cuts(drawn):
    model, theta, x, targets, mask = drawn
    result = model.gradient(theta, x, targets, mask)
    assert result.method == "truncated"
    assert result.loss == pytest.approx(model.loss(theta, x, targets, mask), rel=1e-13, abs=0.0)
    expected = gradient_with(result.cuts, model, theta, x, targets, mask)
    assert relative_error(result.gradient, expected) <= TOLERANCE


@pytest.mark.parametrize("timing", TIMINGS)
def test_every_listed_cut_is_made_and_matters(timing):
    """Any one path left open, the gradient is another; none cut, it is the exact one."""
    model = LSTM1997(1, 2, 2, 2, 2, timing=timing)
    arguments = problem(model, 6, seed=5)
    result = model.gradient(*arguments)
    assert len(result.cuts) == 16
    for cut in result.cuts:
        left = [other for other in result.cuts if other != cut]
        expected = gradient_with(left, model, *arguments)
        assert relative_error(expected, result.gradient) > 1e-6, cut
        partly = model.gradient_with_cuts(*arguments, cuts=left)
        assert partly.cuts == tuple(left)
        assert relative_error(partly.gradient, expected) <= TOLERANCE, cut
    exact = model.gradient(*arguments, method="bptt").gradient
    assert relative_error(gradient_with((), model, *arguments), exact) <= TOLERANCE
    assert relative_error(model.gradient_with_cuts(*arguments, cuts=result.cuts).gradient, result.gradient) <= TOLERANCE
    with pytest.raises(ValueError, match=r"cuts: expected some of those of the truncated gradient, got Cut\("):
        model.gradient_with_cuts(*arguments, cuts=[Cut("net_out", "y_cell")])


@given(problems(), st.data())
def test_gradient_with_any_cuts_is_that_of_these_cuts(drawn, data):
    model, *arguments = drawn
    known = model.cuts("truncated")
    cuts = data.draw(st.lists(st.sampled_from(known), unique=True))
    result = model.gradient_with_cuts(*arguments, cuts=cuts)
    assert set(result.cuts) == set(cuts)
    assert relative_error(result.gradient, gradient_with(cuts, model, *arguments)) <= TOLERANCE


def test_cuts_are_named():
    cuts = LSTM1997(1, 1, 1, 1).cuts("truncated")
    kinds = ("ig", "og", "cell")
    assert cuts == tuple(Cut(f"net_{net}", f"y_{source}") for net in kinds for source in kinds)
    assert str(cuts[2]) == "d net_ig(t+1) / d y_cell(t) = 0"
    assert LSTM1997(1, 1, 1, 1).cuts("rtrl") == ()
    with pytest.raises(ValueError, match="method: expected one of 'truncated', 'bptt', 'rtrl', got 'full'"):
        LSTM1997(1, 1, 1, 1).cuts("full")


@pytest.mark.parametrize("timing", TIMINGS)
def test_truncation_loses_nothing_where_nothing_is_fed_back(timing):
    model = LSTM1997(2, 2, 2, 2, 2, timing=timing, bias=True)
    theta, *goal = problem(model, 8, seed=6)
    parts = model.layout.views(theta)
    for kind in KINDS[:4]:
        parts[f"w_{kind}"][..., model.n_in :] = 0.0
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
        expected = losses(q, targets, mask)[1:].imag.reshape(signal.shape) / STEP
        assert relative_error(signal, expected) <= TOLERANCE, name


@given(problems(), st.sampled_from(["bptt", "truncated"]))
def test_error_signals_make_the_gradient(drawn, method):
    model, theta, x, targets, mask = drawn
    signals = model.error_signals(theta, x, targets, mask, method=method)
    trace = model.forward(theta, x)
    act = [values[:-1].reshape(len(x), -1) for values in (trace.y_hid, trace.y_ig, trace.y_og, trace.y_cell)]
    read = np.hstack([x, *act])
    gradient = model.layout.views(model.gradient(theta, x, targets, mask, method=method).gradient)
    for kind in KINDS[:4]:
        by_net = getattr(signals, f"net_{kind}")[1:]
        by_weight = np.einsum("t...,tq->...q", by_net, read)
        assert relative_error(gradient[f"w_{kind}"], by_weight) <= TOLERANCE
        if kind in model.bias:
            assert relative_error(gradient[f"b_{kind}"], by_net.sum(axis=0)) <= TOLERANCE


@pytest.mark.parametrize(("timing", "last"), [("previous", 29), ("same", 30)])
def test_truncated_error_is_constant_inside_the_cells(timing, last):
    model = LSTM1997(2, 2, 2, 2, 2, timing=timing)
    theta, x, targets, _ = problem(model, 30, seed=7)
    s = model.error_signals(theta, x, targets, np.arange(1, 31) == 30, method="truncated").s
    assert (s[last] != 0.0).all()
    assert (s[: last + 1] == s[last]).all()
    assert not s[last + 1 :].any()


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
        exact = complex_step(lambda z, t=t: model.loss(z, x[:t], targets[:t], rows[:t]), theta)
        cut = gradient_with(model.cuts(method), model, theta, x[:t], targets[:t], rows[:t])
        assert online.time == t
        assert relative_error(online.y, whole.y[t]) <= TOLERANCE
        assert relative_error(online.s, whole.s[t]) <= TOLERANCE
        assert online.loss == pytest.approx(model.loss(theta, x[:t], targets[:t], rows[:t]), rel=1e-13, abs=0.0)
        assert relative_error(online.gradient, cut) <= TOLERANCE
        assert method == "truncated" or relative_error(online.gradient, exact) <= TOLERANCE


@pytest.mark.parametrize("method", ONLINE)
@pytest.mark.parametrize("timing", TIMINGS)
def test_steps_and_runs_of_any_length_mix(method, timing):
    model = LSTM1997(2, 2, 2, 2, 1, timing=timing, bias=["ig", "out"])
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
    model = LSTM1997(3, 2, 2, 2, 1, bias=True)
    theta, x, targets, _ = problem(model, 1, seed=9, scale=0.1)

    def peak(length):
        """Bytes at the worst moment of ``length`` steps fed by a generator."""
        tracemalloc.start()
        online = OnlineGradient(model, theta, method)
        sizes = [online.state_size]
        for x_t, target in ((x[0], targets[0]) for _ in range(length)):
            online.step(x_t, target)
        _ = online.gradient
        sizes.append(online.state_size)
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert sizes[0] == sizes[1]
        return result

    peak(5)  # caches that fill once
    short, long = peak(50), peak(3000)
    one_state_per_step = 8 * model.blocks * model.cells * (3000 - 50)
    assert long - short < one_state_per_step / 25


def test_state_size_is_linear_in_the_weights_truncated_and_of_third_order_in_the_units_exact():
    for blocks in (1, 2, 5):
        model = LSTM1997(3, blocks, 2, 1, 2)
        theta, cells = model.init(0), 2 * blocks
        units = 2 + 2 * blocks + cells
        columns = 3 + units + 1
        weights = 2 * (units * columns + (3 + 2 + cells + 1))
        states = columns + units + cells + 1
        truncated, exact = (OnlineGradient(model, theta, method).state_size for method in ONLINE)
        assert truncated == weights + states + columns + 2 * cells * columns
        assert exact == weights + states + (units + cells) * units * columns


def test_online_gradient_keeps_its_own_parameters():
    model = LSTM1997(1, 1, 2, 1, f_out=identity)
    theta, x, targets, _ = problem(model, 4, seed=10)
    online = OnlineGradient(model, theta)
    expected = model.gradient(theta, x, targets).gradient
    theta += 1.0
    online.run(x, targets)
    online.gradient[:] = 0.0
    assert np.array_equal(online.gradient, expected)
