"""The fully recurrent network against a transcription of the note, closed forms and the complex step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.arrays.activations import ACTIVATIONS, identity, logistic, tanh
from throughtime.checks import complex_step, relative_error
from throughtime.models.recurrent import FullyRecurrent

TOLERANCE = 1e-12
EXACT = ("bptt", "rtrl")


def problem(model, length, seed, scale=1.5):
    """Random parameters, inputs, targets and a mask by unit."""
    rng = np.random.default_rng(seed)
    theta = model.init(rng, scale)
    x = rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.n_out))
    return theta, x, targets, rng.integers(0, 2, (length, model.n_out))


@st.composite
def models(draw):
    n_in, n_out = draw(st.integers(0, 4)), draw(st.integers(1, 4))
    activations = st.sampled_from(list(ACTIVATIONS.values()))
    one_each = st.lists(activations, min_size=n_out, max_size=n_out)
    return FullyRecurrent(n_in, n_out, draw(activations | one_each))


@st.composite
def problems(draw):
    model, length = draw(models()), draw(st.integers(1, 8))
    theta, x, targets, _ = problem(model, length, draw(st.integers(0, 2**32 - 1)))
    bits = st.integers(0, 1)
    row = st.lists(bits, min_size=model.n_out, max_size=model.n_out)
    by_step, by_unit = (st.lists(entry, min_size=length, max_size=length) for entry in (bits, row))
    return model, theta, x, targets, draw(st.none() | by_step | by_unit)


def by_unit(mask, length, units):
    """The mask as numbers for each step and unit."""
    if mask is None:
        return np.ones((length, units))
    return np.array([row if isinstance(row, list) else [row] * units for row in np.asarray(mask).tolist()], float)


def continued(model, W, x, y, start=0, bump=None):
    """y(t+1) = f(W [x(t); y(t)]) from y(start) = y to the end, {t: y(t)}; bump = (name, t, i, by how much)."""
    ys = {start: np.array(y, complex)}
    if bump and bump[:2] == ("y", start):
        ys[start][bump[2]] += bump[3]
    for t in range(start, len(x)):
        z = W @ np.concatenate([x[t], ys[t]])
        if bump and bump[:2] == ("z", t + 1):
            z[bump[2]] += bump[3]
        ys[t + 1] = np.array([f(z_i) for f, z_i in zip(model.activation, z, strict=True)])
        if bump and bump[:2] == ("y", t + 1):
            ys[t + 1][bump[2]] += bump[3]
    return ys


# ---------------------------------------------------------------- forward


def transcribed(model, theta, x):
    """The note's forward pass unit by unit: i and j from 1, one scalar at a time."""
    W = model.layout.views(theta)["W"]
    d_in, d_out = model.n_in, model.n_out
    z, y = {}, {(i, 0): 0.0 for i in range(1, d_out + 1)}
    for t in range(len(x)):
        for i in range(1, d_out + 1):
            z[i, t + 1] = 0.0
            for j in range(1, d_in + 1):
                z[i, t + 1] += W[i - 1, j - 1] * x[t, j - 1]
            for j in range(d_in + 1, d_in + d_out + 1):
                z[i, t + 1] += W[i - 1, j - 1] * y[j - d_in, t]
            y[i, t + 1] = model.activation[i - 1](z[i, t + 1])
    units, times = range(1, d_out + 1), range(1, len(x) + 1)
    return tuple(np.array([[values[i, t] for i in units] for t in times]) for values in (z, y))


@given(problems())
def test_forward_is_the_note_transcribed(drawn):
    model, theta, x, _, _ = drawn
    trace = model.forward(theta, x)
    z, y = transcribed(model, theta, x)
    assert trace.length == len(x)
    assert np.array_equal(trace.x, x)
    assert relative_error(trace.z[1:], z) <= TOLERANCE
    assert relative_error(trace.y[1:], y) <= TOLERANCE
    assert not trace.y[0].any()
    assert not trace.z[0].any()
    assert [name for name, _ in trace.items()] == ["x", "z", "y"]
    assert not any(values.flags.writeable for _, values in trace.items())


@given(problems())
def test_loss_is_half_the_masked_sum_of_squares(drawn):
    model, theta, x, targets, mask = drawn
    _, y = transcribed(model, theta, x)
    terms = by_unit(mask, *y.shape) * (y - targets) ** 2 / 2
    assert model.loss(theta, x, targets, mask) == pytest.approx(sum(terms.flat), rel=TOLERANCE, abs=0.0)


@given(problems())
def test_forward_and_loss_are_analytic_in_parameters_and_inputs(drawn):
    model, theta, x, targets, mask = drawn
    rng = np.random.default_rng(0)
    theta, x = theta + 1e-3j * rng.normal(size=theta.shape), x + 1e-3j * rng.normal(size=x.shape)
    y = continued(model, model.layout.views(theta)["W"], x, np.zeros(model.n_out))
    y = np.array([y[t] for t in range(1, len(x) + 1)])
    assert relative_error(model.forward(theta, x).y[1:], y) <= TOLERANCE
    loss = (by_unit(mask, *y.shape) * (y - targets) ** 2 / 2).sum()
    assert relative_error(model.loss(theta, x, targets, mask), loss) <= TOLERANCE


# ---------------------------------------------------------------- exact gradients


@given(problems())
def test_exact_methods_agree_with_each_other_and_the_complex_step(drawn):
    model, theta, x, targets, mask = drawn
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    results = {method: model.gradient(theta, x, targets, mask, method=method) for method in EXACT}
    for method, result in results.items():
        assert result.method == method
        assert result.loss == pytest.approx(model.loss(theta, x, targets, mask), rel=1e-13, abs=0.0)
        assert relative_error(result.gradient, expected) <= TOLERANCE, method
    assert relative_error(results["bptt"].gradient, results["rtrl"].gradient) <= TOLERANCE


@pytest.mark.parametrize("method", EXACT)
def test_agreement_holds_on_a_long_sequence(method):
    model = FullyRecurrent(3, 6, [*ACTIVATIONS.values(), tanh])
    theta, x, targets, mask = problem(model, 300, seed=3, scale=0.3)
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    assert relative_error(model.gradient(theta, x, targets, mask, method=method).gradient, expected) <= TOLERANCE


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("w", [0.5, -0.9, 1.0, 1.5])
def test_linear_unit_in_closed_form(method, w):
    """After one impulse y(t) = v w^(t-1); with target 0 at T alone, L = v^2 w^(2T-2) / 2."""
    model, v, length = FullyRecurrent(1, 1, identity), 0.8, 12
    x = np.zeros((length, 1))
    x[0] = 1.0
    mask = np.arange(1, length + 1) == length
    result = model.gradient(np.array([v, w]), x, np.zeros((length, 1)), mask, method=method)
    by_v = v * w ** (2 * length - 2)
    by_w = v**2 * (length - 1) * w ** (2 * length - 3)
    assert result.loss == pytest.approx(v**2 * w ** (2 * length - 2) / 2, rel=1e-13)
    assert result.gradient == pytest.approx([by_v, by_w], rel=1e-13)


@pytest.mark.parametrize("method", EXACT)
def test_two_units_over_two_steps_in_closed_form(method):
    """Unit 1 reads the input, unit 0 reads unit 1: y_0(2) = sigmoid(a tanh(b x(0)))."""
    model, a, b, x, d = FullyRecurrent(1, 2, [logistic, tanh]), 1.3, -0.7, 0.9, 0.2
    theta = model.layout.flatten({"W": [[0.0, 0.0, a], [b, 0.0, 0.0]]})
    hidden = np.tanh(b * x)
    y = 1 / (1 + np.exp(-a * hidden))
    delta = (y - d) * y * (1 - y)
    result = model.gradient(theta, [[x], [0.0]], [[0.0, 0.0], [d, 0.0]], [[0, 0], [1, 0]], method=method)
    gradient = model.layout.views(result.gradient)["W"]
    assert result.loss == pytest.approx((y - d) ** 2 / 2, rel=1e-14)
    assert gradient[0].tolist() == pytest.approx([0.0, delta * 0.5, delta * hidden], rel=1e-13)  # y_0(1) = 1/2
    assert gradient[1].tolist() == pytest.approx([delta * a * (1 - hidden**2) * x, 0.0, 0.0], rel=1e-13)


def test_masks_by_step_and_by_unit_mean_what_they_say():
    model = FullyRecurrent(2, 3, tanh)
    theta, x, targets, _ = problem(model, 5, seed=4)
    steps = np.array([1, 0, 1, 1, 0])
    for arguments in ({"method": "bptt"}, {"method": "rtrl"}, {"method": "truncated", "window": 2}):

        def gradient(mask, arguments=arguments):
            return model.gradient(theta, x, targets, mask, **arguments).gradient

        assert np.array_equal(gradient(steps), gradient(np.repeat(steps[:, None], 3, axis=1)))
        assert np.array_equal(gradient(None), gradient(np.ones((5, 3), bool)))
        assert not gradient(np.zeros(5)).any()
        parts = [gradient(np.arange(15).reshape(5, 3) == entry) for entry in range(15)]
        assert relative_error(sum(parts), gradient(None)) <= TOLERANCE


# ---------------------------------------------------------------- truncation


def truncated_by_definition(model, theta, x, targets, mask, window):
    """Each loss differentiated by the complex step through its last window + 1 steps, from a frozen state."""
    mask = by_unit(mask, *targets.shape)
    frozen = model.forward(theta, x).y
    gradient = np.zeros_like(theta)
    for t in range(1, len(x) + 1):
        start = max(0, t - window - 1)

        def loss(weights, t=t, start=start):
            y = continued(model, model.layout.views(weights)["W"], x[:t], frozen[start], start)[t]
            return complex((mask[t - 1] * (y - targets[t - 1]) ** 2 / 2).sum())

        gradient += complex_step(loss, theta)
    return gradient


@given(problems(), st.integers(0, 9))
def test_truncated_gradient_is_its_definition(drawn, window):
    model, theta, x, targets, mask = drawn
    result = model.gradient(theta, x, targets, mask, method="truncated", window=window)
    assert result.method == "truncated"
    assert result.loss == pytest.approx(model.loss(theta, x, targets, mask), rel=1e-13, abs=0.0)
    expected = truncated_by_definition(model, theta, x, targets, mask, window)
    assert relative_error(result.gradient, expected) <= TOLERANCE


@given(problems(), st.integers(0, 10**9))
def test_a_window_over_the_whole_sequence_is_exact(drawn, more):
    model, theta, x, targets, mask = drawn
    exact = model.gradient(theta, x, targets, mask).gradient
    whole = model.gradient(theta, x, targets, mask, method="truncated", window=len(x) - 1 + more).gradient
    assert relative_error(whole, exact) <= TOLERANCE


def test_every_shorter_window_loses_something():
    model = FullyRecurrent(2, 3, tanh)
    theta, x, targets, _ = problem(model, 6, seed=5)
    exact = model.gradient(theta, x, targets).gradient
    for window in range(5):
        truncated = model.gradient(theta, x, targets, method="truncated", window=window).gradient
        assert relative_error(truncated, exact) > 1e-3


def test_no_window_at_all_is_the_immediate_derivative():
    """dL/dW_ij with y(t) held: sum of (y_i - d_i)(t+1) f'(z_i(t+1)) [x(t); y(t)]_j, as bptt-weight prints it."""
    model = FullyRecurrent(2, 3, tanh)
    theta, x, targets, mask = problem(model, 6, seed=6)
    trace = model.forward(theta, x)
    delta = mask * (trace.y[1:] - targets) / np.cosh(trace.z[1:]) ** 2
    expected = delta.T @ np.hstack([x, trace.y[:-1]])
    result = model.gradient(theta, x, targets, mask, method="truncated", window=0)
    assert relative_error(result.gradient.reshape(3, 5), expected) <= TOLERANCE


# ---------------------------------------------------------------- error signals and error flow


@given(problems())
def test_error_signals_are_total_derivatives_of_the_loss(drawn):
    model, theta, x, targets, mask = drawn
    W, weight, h = model.layout.views(theta)["W"], by_unit(mask, *targets.shape), 1e-30
    signals = model.error_signals(theta, x, targets, mask)
    expected = {"z": np.zeros((len(x) + 1, model.n_out)), "y": np.zeros((len(x) + 1, model.n_out))}
    for name, rows in expected.items():
        for t in range(name == "z", len(x) + 1):
            for i in range(model.n_out):
                y = continued(model, W, x, np.zeros(model.n_out), bump=(name, t, i, 1j * h))
                loss = sum((weight[s - 1] * (y[s] - targets[s - 1]) ** 2 / 2).sum() for s in range(1, len(x) + 1))
                rows[t, i] = loss.imag / h
    for name, rows in expected.items():
        assert relative_error(getattr(signals, name), rows) <= TOLERANCE, name
        assert not getattr(signals, name).flags.writeable
    assert not signals.z[0].any()


@given(problems())
def test_the_weight_gradient_is_the_error_signals_times_what_the_weights_read(drawn):
    model, theta, x, targets, mask = drawn
    trace, signals = model.forward(theta, x), model.error_signals(theta, x, targets, mask)
    expected = signals.z[1:].T @ np.hstack([x, trace.y[:-1]])
    assert relative_error(model.gradient(theta, x, targets, mask).gradient, expected.ravel()) <= TOLERANCE


@given(problems(), st.data())
def test_error_flow_is_the_derivative_between_net_inputs(drawn, data):
    model, theta, x, _, _ = drawn
    t = data.draw(st.integers(1, len(x)))
    s = data.draw(st.integers(1, t))
    W, h = model.layout.views(theta)["W"], 1e-30
    expected = np.zeros((model.n_out, model.n_out))
    for i in range(model.n_out):
        y = continued(model, W, x, np.zeros(model.n_out), bump=("z", s, i, 1j * h))
        z = W @ np.concatenate([x[t - 1], y[t - 1]])
        expected[:, i] = z.imag / h
    if s == t:
        expected = np.eye(model.n_out)
    assert relative_error(model.error_flow(theta, x, t, s), expected) <= TOLERANCE


@given(problems(), st.data())
def test_error_flow_takes_the_signal_of_one_step_back_and_composes(drawn, data):
    model, theta, x, targets, _ = drawn
    t = data.draw(st.integers(1, len(x)))
    s = data.draw(st.integers(1, t))
    q = data.draw(st.integers(s, t))
    signals = model.error_signals(theta, x, targets, np.arange(1, len(x) + 1) == t).z
    flow = model.error_flow(theta, x, t, s)
    assert relative_error(flow.T @ signals[t], signals[s]) <= TOLERANCE
    assert not signals[t + 1 :].any()
    composed = model.error_flow(theta, x, t, q) @ model.error_flow(theta, x, q, s)
    assert relative_error(composed, flow) <= TOLERANCE


# ---------------------------------------------------------------- online


@pytest.mark.parametrize("window", [None, 0, 1, 3])
@given(drawn=problems())
def test_online_gradient_at_any_time_is_that_of_the_sequence_so_far(window, drawn):
    model, theta, x, targets, mask = drawn
    method = {"method": "bptt"} if window is None else {"method": "truncated", "window": window}
    rows = by_unit(mask, *targets.shape)
    online = model.online(theta, *([] if window is None else ["truncated", window]))
    assert not online.y.any()
    for t, (x_t, target, sigma) in enumerate(zip(x, targets, rows, strict=True), start=1):
        online.step(x_t, target if sigma.any() or t % 2 else None, sigma)
        so_far = model.gradient(theta, x[:t], targets[:t], rows[:t], **method)
        assert online.time == t
        assert np.array_equal(online.y, model.forward(theta, x[:t]).y[t])
        assert online.loss == pytest.approx(so_far.loss, rel=1e-13, abs=0.0)
        assert relative_error(online.gradient, so_far.gradient) <= TOLERANCE


def test_state_size_is_of_third_order_in_the_units_or_linear_in_the_window():
    for n in (1, 2, 5):
        model = FullyRecurrent(3, n)
        theta, weights = model.init(0), n * (3 + n)
        assert model.online(theta).state_size == 2 * weights + 2 * (3 + 2 * n) + 2 * n * weights
        for window in (0, 7):
            ring = (window + 2) * (3 + 2 * n)
            assert model.online(theta, "truncated", window).state_size == 2 * weights + ring
