"""Each network against its statements written out number by number, and the complex step."""

import pickle
from itertools import product

import numpy as np
import pytest
from throughtime.arrays.activations import ACTIVATIONS, tanh
from throughtime.checks import complex_step, relative_error
from throughtime.textbook import LFMN, LSTM1997, Elman, FullyRecurrent, Jordan, PeepholeLSTM

TOLERANCE = 1e-12
FUNCTIONS = [*ACTIVATIONS.values()]
KINDS = [(0, 0, 0), (2, 0, 0), (0, 1, 0), (0, 0, 3), (2, 1, 3)]

NETWORKS = [LFMN(2, hidden, output, tanh) for hidden, output in zip(KINDS, KINDS[-1:] + KINDS[1:], strict=True)]
NETWORKS += [LFMN(3, (1, 2, 1), (1, 1, 2), f) for f in FUNCTIONS]
NETWORKS += [FullyRecurrent(2, 3, f) for f in FUNCTIONS]
NETWORKS += [FullyRecurrent(n_in, 7, [*FUNCTIONS, *FUNCTIONS[1:3]]) for n_in in (0, 3)]
NETWORKS += [
    kind(2, 3, 2, f, g, 0.25) for kind in (Elman, Jordan) for f, g in zip(FUNCTIONS, FUNCTIONS[::-1], strict=True)
]
NETWORKS += [kind(0, 1, 1) for kind in (Elman, Jordan)]
LSTMS = [LSTM1997(2, 2, 2, 2, 1, bias=True), PeepholeLSTM(2, 2, 2, 2, bias=True)]
every_network = pytest.mark.parametrize("net", NETWORKS, ids=repr)


def problem(net, *lead, seed=0, scale=1.2):
    """theta, x, targets and a mask by output, of shape (T,) or (B, T) before their last axis."""
    rng = np.random.default_rng(seed)
    theta, x = net.init(rng, scale), rng.normal(size=(*lead, net.n_in))
    targets = rng.normal(size=(*lead, net.n_out))
    return theta, x, targets, rng.integers(0, 2, targets.shape)


def fully_recurrent(net, theta, x):
    """bptt-forward, i and j from 1."""
    W, units = net.layout.views(theta)["W"], range(1, net.n_out + 1)
    z, y = {(i, 0): 0.0 for i in units}, {(i, 0): 0.0 for i in units}
    for t in range(len(x)):
        for i in units:
            z[i, t + 1] = sum(W[i - 1, j - 1] * x[t, j - 1] for j in range(1, net.n_in + 1))
            z[i, t + 1] += sum(W[i - 1, net.n_in + j - 1] * y[j, t] for j in units)
            y[i, t + 1] = net.activation[i - 1](z[i, t + 1])
    return {"z": z, "y": y}


def simple(net, theta, x):
    """rnn-2 to rnn-7, rnn-9 to rnn-14."""
    p, jordan = net.layout.views(theta), isinstance(net, Jordan)
    hidden, outputs, units = range(net.hidden), range(net.n_out), range(net.n_context)
    f = {(k, 0): 0.0 if jordan else net.start for k in hidden}
    g = {(j, 0): net.start if jordan else 0.0 for j in outputs}
    net_f, net_g = {(k, 0): 0.0 for k in hidden}, {(j, 0): 0.0 for j in outputs}
    for t in range(1, len(x) + 1):
        before = g if jordan else f
        fed = [before[c, t - 1] for c in units]
        source = [1.0, *x[t - 1], *fed]
        for k in hidden:
            net_f[k, t] = sum(value * p["v"][row, k] for row, value in enumerate(source))
            f[k, t] = net.f_hid(net_f[k, t])
        for j in outputs:
            net_g[j, t] = p["w"][0, j] + sum(f[k, t] * p["w"][1 + k, j] for k in hidden)
            g[j, t] = net.f_out(net_g[j, t])
    return {"net_f": net_f, "f": f, "net_g": net_g, "g": g}


def local_feedback(net, theta, x):
    """lfmn-1 to lfmn-6, units and inputs from 0."""
    p, (static_h, net_h, _), (static_y, net_y, _) = net.layout.views(theta), net.hidden, net.output
    h, h_net = ({(j, 0): 0.0 for j in range(net.hidden.total)} for _ in "12")
    y, y_net = ({(i, 0): 0.0 for i in range(net.n_out)} for _ in "12")
    for t in range(1, len(x) + 1):
        for j in range(net.hidden.total):
            h_net[j, t] = sum(p["w_hid"][j, k] * x[t - 1, k] for k in range(net.n_in))
            if static_h <= j < static_h + net_h:
                h_net[j, t] += p["u_hid"][j - static_h] * h_net[j, t - 1]
            elif j >= static_h + net_h:
                h_net[j, t] += p["v_hid"][j - static_h - net_h] * h[j, t - 1]
            h[j, t] = net.activation(h_net[j, t])
        for i in range(net.n_out):
            if i < static_y:
                y_net[i, t] = sum(p["w_out"][i, j] * h[j, t] for j in range(net.hidden.total))
            else:
                y_net[i, t] = sum(p["W_out"][i - static_y, k] * x[t - 1, k] for k in range(net.n_in))
            if static_y <= i < static_y + net_y:
                y_net[i, t] += p["u_out"][i - static_y] * y_net[i, t - 1]
            elif i >= static_y + net_y:
                y_net[i, t] += p["v_out"][i - static_y - net_y] * y[i, t - 1]
            y[i, t] = net.activation(y_net[i, t])
    return {"net_hid": h_net, "h": h, "net_out": y_net, "y": y}


WRITTEN = {FullyRecurrent: fully_recurrent, Elman: simple, Jordan: simple, LFMN: local_feedback}


def rows(values):
    """Numbers by unit and time as an array by time and unit."""
    units, times = (sorted({key[axis] for key in values}) for axis in (0, 1))
    return np.array([[values[unit, t] for unit in units] for t in times])


@every_network
def test_a_trace_is_what_the_statements_say(net):
    theta, x, *_ = problem(net, 6)
    for moved in (0.0, 1e-3j):  # analytic in parameters and inputs
        trace = net.forward(theta + moved, x - moved)
        assert trace.length == 6
        for name, values in WRITTEN[type(net)](net, theta + moved, x - moved).items():
            assert relative_error(getattr(trace, name), rows(values).reshape(7, -1)) <= TOLERANCE, name
        assert not any(values.flags.writeable for _, values in trace.items())


@every_network
def test_loss_and_exact_gradient_are_those_of_the_complex_step(net):
    theta, x, targets, mask = problem(net, 2, 6)
    y = net.forward(theta, x).y[:, 1:]
    found = net.gradient(theta, x, targets, mask)
    assert found.method == "bptt"
    assert found.loss == pytest.approx(net.FACTOR * (mask * (y - targets) ** 2).sum(), rel=TOLERANCE)
    assert net.loss(theta, x, targets, mask) == pytest.approx(found.loss, rel=TOLERANCE)
    exact = complex_step(lambda point: net.loss(point, x, targets, mask), theta)
    assert relative_error(found.gradient, exact) <= TOLERANCE


@pytest.mark.parametrize("net", [*NETWORKS, *LSTMS], ids=repr)
def test_a_batch_is_its_sequences_and_a_mask_of_any_form_what_it_says(net):
    theta, x, targets, mask = problem(net, 3, 5)
    whole, steps = net.forward(theta, x), mask[..., 0]
    for n in range(3):
        for (name, values), (_, alone) in zip(whole.items(), net.forward(theta, x[n]).items(), strict=True):
            assert values[n] == pytest.approx(alone, rel=1e-13, abs=1e-14), name
    forms = [(None, [None] * 3), (steps[0], [steps[0]] * 3), (steps.astype(bool).tolist(), steps), (mask, mask)]
    for method, (given, of_each) in product(net.METHODS, forms):
        parts = [net.gradient(theta, *part, method=method) for part in zip(x, targets, of_each, strict=True)]
        found = net.gradient(theta, x, targets, given, method=method)
        assert relative_error(found.gradient, sum(part.gradient for part in parts)) <= TOLERANCE
        assert found.loss == pytest.approx(sum(part.loss for part in parts), rel=TOLERANCE)


UNITS = [net for net in NETWORKS if isinstance(net, FullyRecurrent)]


def moved(net, theta, x, name, t, unit, h=1e-30):
    """z and y of all times, by rows, where z or y of one unit and time is h i larger."""
    W, y, z = net.layout.views(theta)["W"], np.zeros((len(x) + 1, net.n_out), complex), {}
    y[0] += 1j * h * (np.arange(net.n_out) == unit) * ((name, t) == ("y", 0))
    for s in range(1, len(x) + 1):
        at = 1j * h * (np.arange(net.n_out) == unit) * (s == t)
        z[s] = W @ np.concatenate([x[s - 1], y[s - 1]]) + at * (name == "z")
        y[s] = [f(value) for f, value in zip(net.activation, z[s], strict=True)] + at * (name == "y")
    return z, y


@pytest.mark.parametrize("net", UNITS, ids=repr)
def test_error_signals_and_error_flow_are_total_derivatives(net):
    theta, x, targets, mask = problem(net, 5)
    signals = net.error_signals(theta, x, targets, mask)
    assert not signals.z[0].any()
    for name, found in signals._asdict().items():
        assert not found.flags.writeable
        for t, unit in product(range(name == "z", 6), range(net.n_out)):
            z, y = moved(net, theta, x, name, t, unit)
            loss = (mask * (y[1:] - targets) ** 2 / 2).sum()
            assert found[t, unit] == pytest.approx(loss.imag / 1e-30, rel=TOLERANCE, abs=TOLERANCE)
            if name == "z":
                for s in range(t, 6):
                    flow = net.error_flow(theta, x, s, t)[:, unit]
                    assert flow == pytest.approx(z[s].imag / 1e-30, rel=TOLERANCE, abs=TOLERANCE)
    batch = net.error_signals(theta, x[None], targets[None], mask[None])
    assert batch.z[0] == pytest.approx(signals.z, rel=1e-13)


def test_layouts_and_sources():
    assert FullyRecurrent(3, 2).layout.shapes == {"W": (2, 5)}
    assert FullyRecurrent(3, 2).recurrent_weights(np.arange(10.0)).tolist() == [[3.0, 4.0], [8.0, 9.0]]
    assert Elman(2, 3, 1).layout.shapes == {"v": (6, 3), "w": (4, 1)}
    assert Jordan(2, 3, 1).layout.shapes == {"v": (4, 3), "w": (4, 1)}
    assert Jordan(2, 3, 1).sources == {"1": slice(0, 1), "x": slice(1, 3), "context": slice(3, 4)}
    shapes = {"w_hid": (6, 3), "u_hid": (2,), "v_hid": (3,), "w_out": (2, 6), "W_out": (2, 3), "u_out": (1,)}
    assert LFMN(3, (1, 2, 3), (2, 1, 1)).layout.shapes == shapes | {"v_out": (1,)}


def test_a_network_is_its_arguments_and_survives_pickling():
    assert FullyRecurrent(3, 2, "tanh") == FullyRecurrent(3, 2, [tanh, tanh]) != FullyRecurrent(3, 2)
    assert Elman(1, 2, 1, tanh, start=0.5) != Jordan(1, 2, 1, tanh, start=0.5)
    assert LFMN(3, [1, 2, 3], (2, 1, 1)) == LFMN(3, (1, 2, 3), (2, 1, 1), "tanh_half")
    assert repr(Elman(1, 2, 1)) == "Elman(n_in=1, hidden=2, n_out=1, f_hid=logistic, f_out=logistic, start=0.0)"
    for net in NETWORKS[-12::3]:
        theta, x, *_ = problem(net, 3)
        expected, copy = net.forward(theta, x).y, pickle.loads(pickle.dumps(net))
        assert hash(copy) == hash(net)
        assert np.array_equal(copy.forward(theta, x).y, expected)


def test_init_is_uniform_and_repeatable():
    net = FullyRecurrent(20, 30)
    theta = net.init(0, scale=0.5)
    assert np.array_equal(theta, net.init(np.random.default_rng(0), scale=0.5))
    assert np.abs(theta).max() == pytest.approx(0.5, rel=0.01)
    assert abs(theta.mean()) < 4 * 0.5 / np.sqrt(3 * theta.size)


@pytest.mark.parametrize("net", [FullyRecurrent(2, 3, FUNCTIONS[:3]), LFMN(2, *KINDS[-2:]), Jordan(2, 2, 3)])
def test_arguments_of_any_form_are_taken_and_not_written_to(net):
    given = [np.asarray(values, np.float32) for values in problem(net, 5)]
    expected = net.gradient(*(values.astype(float) for values in given))
    forms = [np.ndarray.tolist, np.asfortranarray, lambda values: np.repeat(values, 2, axis=0)[::2]]
    for form in forms:
        arguments = [form(values) for values in given]
        for values in arguments:
            if isinstance(values, np.ndarray):
                values.setflags(write=False)
        found = net.gradient(*arguments)
        assert np.array_equal(found.gradient, expected.gradient)
        assert found.gradient.dtype == np.float64
    x = given[1].astype(float)
    net.forward(given[0], x)
    assert x.flags.writeable
