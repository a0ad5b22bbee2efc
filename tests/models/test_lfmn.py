"""The LFMN against a transcription of the note, closed forms and the complex step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.arrays.activations import ACTIVATIONS, identity
from throughtime.checks import complex_step, relative_error, trace_by_parameter
from throughtime.models.lfmn import LFMN, METHODS

TOLERANCE = 1e-12


def f(z):
    return np.tanh(z / 2)


def problem(model, length, seed, scale=1.5):
    """Random parameters, inputs, targets and mask."""
    rng = np.random.default_rng(seed)
    theta = model.init(rng, scale)
    x = rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.output.total))
    return theta, x, targets, rng.integers(0, 2, length)


@st.composite
def problems(draw):
    counts = st.tuples(*[st.integers(0, 2)] * 3)
    hidden, output = draw(counts), draw(counts.filter(any))
    activation = draw(st.sampled_from(list(ACTIVATIONS.values())))
    model = LFMN(draw(st.integers(1, 3)), hidden, output, activation)
    length = draw(st.integers(1, 9))
    theta, x, targets, _ = problem(model, length, draw(st.integers(0, 2**32 - 1)))
    mask = draw(st.lists(st.integers(0, 1), min_size=length, max_size=length))
    return model, theta, x, targets, mask


def transcribed(model, theta, x):
    """lfmn-1 to lfmn-6 as the note prints them, all indices from 1, one scalar at a time."""
    p = model.layout.views(theta)
    d_in, d_hid, d_out = model.n_in, model.hidden.total, model.output.total
    norm_h, rec1_h, _ = model.hidden
    norm_y, rec1_y, _ = model.output
    act = model.activation
    h, h_net, y, y_net = ({} for _ in range(4))
    for j in range(1, d_hid + 1):
        h[j, 0] = h_net[j, 0] = 0.0
    for i in range(1, d_out + 1):
        y[i, 0] = y_net[i, 0] = 0.0
    for t in range(1, len(x) + 1):
        for j in range(1, d_hid + 1):
            h_net[j, t] = sum(p["w_hid"][j - 1, k - 1] * x[t - 1, k - 1] for k in range(1, d_in + 1))
            if norm_h < j <= norm_h + rec1_h:
                h_net[j, t] += p["u_hid"][j - norm_h - 1] * h_net[j, t - 1]
            elif j > norm_h + rec1_h:
                h_net[j, t] += p["v_hid"][j - norm_h - rec1_h - 1] * h[j, t - 1]
            h[j, t] = act(h_net[j, t])
        for i in range(1, d_out + 1):
            if i <= norm_y:
                y_net[i, t] = sum(p["w_out"][i - 1, j - 1] * h[j, t] for j in range(1, d_hid + 1))
            else:
                y_net[i, t] = sum(p["W_out"][i - norm_y - 1, k] * x[t - 1, k] for k in range(d_in))
                if i <= norm_y + rec1_y:
                    y_net[i, t] += p["u_out"][i - norm_y - 1] * y_net[i, t - 1]
                else:
                    y_net[i, t] += p["v_out"][i - norm_y - rec1_y - 1] * y[i, t - 1]
            y[i, t] = act(y_net[i, t])
    table = {"net_hid": (h_net, d_hid), "h": (h, d_hid), "net_out": (y_net, d_out), "y": (y, d_out)}
    return {
        name: np.array([[values[n, t] for n in range(1, size + 1)] for t in range(len(x) + 1)], dtype=float)
        for name, (values, size) in table.items()
    }


# ---------------------------------------------------------------- forward


@given(problems())
def test_forward_is_the_note_transcribed(drawn):
    model, theta, x, _, _ = drawn
    trace = model.forward(theta, x)
    for name, expected in transcribed(model, theta, x).items():
        assert getattr(trace, name).shape == expected.shape
        assert relative_error(getattr(trace, name), expected) <= TOLERANCE, name


@given(problems())
def test_trace_rows_are_times_and_net_is_current_plus_feedback(drawn):
    model, theta, x, _, _ = drawn
    trace, p = model.forward(theta, x), model.layout.views(theta)
    assert trace.length == len(x)
    assert np.array_equal(trace.x[1:], x)
    for name, values in trace.items():
        assert len(values) == len(x) + 1, name
        assert not values[0].any(), name
        assert not values.flags.writeable, name
    assert np.allclose(trace.current_hid[1:], x @ p["w_hid"].T, rtol=1e-13, atol=1e-13)
    static, net = model.output.static, model.output.static + model.output.net
    assert np.allclose(trace.current_out[1:, :static], trace.h[1:] @ p["w_out"].T, rtol=1e-13, atol=1e-13)
    assert np.allclose(trace.current_out[1:, static:], x @ p["W_out"].T, rtol=1e-13, atol=1e-13)
    feedback = trace.net_out[1:] - trace.current_out[1:]
    assert not feedback[:, :static].any()
    assert np.allclose(feedback[:, static:net], p["u_out"] * trace.net_out[:-1, static:net], atol=1e-12)
    assert np.allclose(feedback[:, net:], p["v_out"] * trace.y[:-1, net:], atol=1e-12)


# ---------------------------------------------------------------- loss and gradients


@given(problems())
def test_loss_is_the_masked_sum_of_squares(drawn):
    model, theta, x, targets, mask = drawn
    y = model.forward(theta, x).y[1:]
    terms = [mask[t] * (y[t, i] - targets[t, i]) ** 2 for t in range(len(x)) for i in range(model.output.total)]
    assert model.loss(theta, x, targets, mask) == pytest.approx(sum(terms), rel=1e-13, abs=0.0)


@given(problems())
def test_both_methods_agree_with_each_other_and_the_complex_step(drawn):
    model, theta, x, targets, mask = drawn
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    results = {method: model.gradient(theta, x, targets, mask, method=method) for method in METHODS}
    for method, result in results.items():
        assert result.method == method
        assert result.loss == pytest.approx(model.loss(theta, x, targets, mask), rel=1e-13, abs=0.0)
        assert relative_error(result.gradient, expected) <= TOLERANCE, method
    assert relative_error(results["bptt"].gradient, results["rtrl"].gradient) <= TOLERANCE


def test_agreement_holds_on_a_long_sequence():
    model = LFMN(3, (2, 3, 4), (2, 3, 4))
    theta, x, targets, mask = problem(model, 300, seed=3, scale=0.95)
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    for method in METHODS:
        assert relative_error(model.gradient(theta, x, targets, mask, method=method).gradient, expected) <= TOLERANCE


def test_no_mask_counts_every_step_and_an_empty_one_none():
    model = LFMN(2, (1, 1, 1), (1, 1, 1))
    theta, x, targets, _ = problem(model, 5, seed=4)
    for method in METHODS:
        counted = model.gradient(theta, x, targets, np.ones(5, bool), method=method)
        assert np.array_equal(model.gradient(theta, x, targets, method=method).gradient, counted.gradient)
        nothing = model.gradient(theta, x, targets, np.zeros(5), method=method)
        assert nothing.loss == 0.0
        assert not nothing.gradient.any()


def test_hidden_parameters_have_no_gradient_without_static_outputs():
    model = LFMN(2, (1, 1, 1), (0, 1, 1))
    theta, x, targets, _ = problem(model, 5, seed=5)
    for method in METHODS:
        gradient = model.layout.views(model.gradient(theta, x, targets, method=method).gradient)
        assert not any(gradient[name].any() for name in ("w_hid", "u_hid", "v_hid"))
        assert all(gradient[name].all() for name in ("W_out", "u_out", "v_out"))


@pytest.mark.parametrize("method", METHODS)
def test_static_net_in_closed_form(method):
    """One unit, one weight each way, one step: L = (f(b f(a x)) - d)^2."""
    model = LFMN(1, (1, 0, 0), (1, 0, 0))
    a, b, x, d = 0.7, -1.3, 0.9, 0.4
    theta = model.layout.flatten({**model.layout.views(np.zeros(2)), "w_hid": [[a]], "w_out": [[b]]})
    h, y = f(a * x), f(b * f(a * x))
    outer = 2 * (y - d) * (1 - y**2) / 2
    result = model.gradient(theta, [[x]], [[d]], method=method)
    assert result.loss == pytest.approx((y - d) ** 2, rel=1e-14)
    assert result.gradient == pytest.approx([outer * b * (1 - h**2) / 2 * x, outer * h], rel=1e-14)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("u", [0.5, -0.9, 1.0, 1.5])
def test_linear_net_input_unit_in_closed_form(method, u):
    """After one impulse y(t) = w u^(t-1); with target 0 at T alone, L = w^2 u^(2T-2)."""
    model = LFMN(1, (0, 0, 0), (0, 1, 0), identity)
    w, length = 0.8, 12
    x = np.zeros((length, 1))
    x[0] = 1.0
    mask = np.arange(length) == length - 1
    theta = model.layout.flatten({**model.layout.views(np.zeros(2)), "W_out": [[w]], "u_out": [u]})
    result = model.gradient(theta, x, np.zeros((length, 1)), mask, method=method)
    by_w = 2 * w * u ** (2 * length - 2)
    by_u = w**2 * (2 * length - 2) * u ** (2 * length - 3)
    assert result.loss == pytest.approx(w**2 * u ** (2 * length - 2), rel=1e-13)
    assert result.gradient == pytest.approx([by_w, by_u], rel=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_activation_unit_over_two_steps_in_closed_form(method):
    """y(2) = f(v f(w x1) + w x2)."""
    model = LFMN(1, (0, 0, 0), (0, 0, 1))
    w, v, x1, x2, d = 1.1, 2.5, 0.6, -0.4, 0.3
    theta = model.layout.flatten({**model.layout.views(np.zeros(2)), "W_out": [[w]], "v_out": [v]})
    y1 = f(w * x1)
    y2 = f(v * y1 + w * x2)
    outer = 2 * (y2 - d) * (1 - y2**2) / 2
    result = model.gradient(theta, [[x1], [x2]], [[0.0], [d]], [0, 1], method=method)
    assert result.gradient == pytest.approx([outer * (v * (1 - y1**2) / 2 * x1 + x2), outer * y1], rel=1e-13)


# ---------------------------------------------------------------- online


@given(problems())
def test_online_gradient_at_any_time_is_that_of_the_sequence_so_far(drawn):
    model, theta, x, targets, mask = drawn
    online = model.online(theta)
    assert not online.y.any()
    for t, (x_t, target, sigma) in enumerate(zip(x, targets, mask, strict=True), start=1):
        online.step(x_t, target if sigma or t % 2 else None, sigma)
        so_far = model.gradient(theta, x[:t], targets[:t], mask[:t])
        assert online.time == t
        assert np.array_equal(online.y, model.forward(theta, x[:t]).y[t])
        assert online.loss == pytest.approx(so_far.loss, rel=1e-13, abs=0.0)
        assert relative_error(online.gradient, so_far.gradient) <= TOLERANCE


# ---------------------------------------------------------------- what is printed


def test_the_printed_equation_12_is_wrong_and_the_corrected_one_right():
    """Printed, the gradient by u_hid lacks f'(w_out . h(t)); the sensitivity of the trace itself decides."""
    model = LFMN(2, (1, 1, 1), (2, 0, 0))
    theta, x, targets, mask = problem(model, 6, seed=9)
    trace, p = model.forward(theta, x), model.layout.views(theta)
    j, index = model.hidden.static, model.layout.index("u_hid", 0)
    net_by_u = trace_by_parameter(model, theta, x, index)["net_hid"][1:, j]
    slope = model.activation.derivative
    error = 2 * mask[:, None] * (trace.y[1:] - targets)
    common = slope(trace.net_hid[1:, j]) * net_by_u
    printed = ((error @ p["w_out"][:, j]) * common).sum()
    corrected = (((error * slope(trace.net_out[1:])) @ p["w_out"][:, j]) * common).sum()
    for method in METHODS:
        gradient = model.gradient(theta, x, targets, mask, method=method).gradient[index]
        assert gradient == pytest.approx(corrected, rel=TOLERANCE)
        assert abs(gradient - printed) > 0.1 * abs(gradient)


@given(problems())
def test_the_printed_equation_11_is_right_once_each_unit_keeps_its_own_term(drawn):
    """The recursion of the unit's own kind gives the derivative of net_out by W_out that the trace has."""
    model, theta, x, _, _ = drawn
    trace, p = model.forward(theta, x), model.layout.views(theta)
    static, k = model.output.static, 0
    for m in range(model.output.recurrent):
        i = static + m
        own = trace_by_parameter(model, theta, x, model.layout.index("W_out", m, k))["net_out"][:, i]
        expected = np.zeros(len(x) + 1)
        for t in range(1, len(x) + 1):
            if m < model.output.net:
                carried = p["u_out"][m]
            else:
                carried = p["v_out"][m - model.output.net] * model.activation.derivative(trace.net_out[t - 1, i])
            expected[t] = carried * expected[t - 1] + trace.x[t, k]
        assert relative_error(own, expected) <= TOLERANCE
