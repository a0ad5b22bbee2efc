"""Rate, gain and window of the chapter on forgetting: the numbers in its prose and its figures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from throughtime.models.activations import tanh_half
from throughtime.models.lfmn import LFMN
from throughtime_book.lfmn.forgetting import numbers as fg


@pytest.mark.parametrize("kind", fg.KINDS)
@pytest.mark.parametrize("weight", [-1.3, -0.4, 0.0, 0.7, 1.0, 2.5])
def test_sensitivities_are_products_of_slopes(kind, weight):
    x = np.random.default_rng(1).normal(size=(7, 1))
    states = fg.unit(kind).forward(fg.unit_parameters(kind, weight, 0.8), x).net_out[:, 0]
    factors = np.full(8, weight) if kind == "net" else weight * tanh_half.derivative(states)
    last = tanh_half.derivative(states[7])
    expected = [abs(0.8 * last * np.prod(factors[7 - lags : 7])) for lags in range(7)]
    found = fg.sensitivities(fg.unit(kind), fg.unit_parameters(kind, weight, 0.8), x)[:, 0, 0]
    assert found == pytest.approx(expected, rel=1e-12)


def test_decay_follows_the_sensitivities_and_does_not_underflow():
    x = np.random.default_rng(2).normal(size=9)
    for kind in fg.KINDS:
        found = fg.sensitivities(fg.unit(kind), fg.unit_parameters(kind, 0.6), x[:, None])[-1, 0, 0]
        last = fg.unit(kind).forward(fg.unit_parameters(kind, 0.6), x[:, None]).net_out[-1, 0]
        decay = fg.unforced_decay(kind, np.array([0.6]), x)[0]
        assert np.exp(decay) * tanh_half.derivative(last) == pytest.approx(found, rel=1e-12)
    assert fg.unforced_decay("net", np.array([0.1]), np.zeros(1001))[0] == pytest.approx(1000 * np.log(0.1), rel=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), tolerance=st.floats(1e-6, 0.5))
def test_window_keeps_its_promise(seed, tolerance):
    draw = np.random.default_rng(seed)
    net = LFMN(n_in=2, hidden=(1, 1, 1), output=(1, 1, 1))
    theta = net.init(draw, scale=0.8)
    enough = fg.window(net, theta, tolerance, spread=2.0)
    one, other = draw.uniform(-1, 1, size=(2, enough + 10, 2))
    mixed = np.concatenate([other[:10], one[10:]])
    apart = net.forward(theta, one).y[-1] - net.forward(theta, mixed).y[-1]
    assert np.abs(apart).max() <= tolerance


def test_window_is_the_smallest_that_the_bound_allows():
    net, theta = fg.unit("net"), fg.unit_parameters("net", 0.9, 0.5)
    assert fg.gain(net, theta) == 0.25
    assert fg.window(net, theta, 0.01, 2.0) == 59
    assert 5 * 0.9**59 <= 0.01 < 5 * 0.9**58
    assert fg.window(net, fg.unit_parameters("net", 0.0), 0.01, 2.0) == 1
    assert fg.window(net, theta, 100.0, 2.0) == 1


def test_units_that_no_output_reads_do_not_count():
    net = LFMN(n_in=1, hidden=(0, 1, 0), output=(0, 0, 1))
    named = {name: np.zeros(shape) for name, shape in net.layout.shapes.items()}
    theta = net.layout.flatten(named | {"u_hid": np.array([3.0]), "v_out": np.array([1.0])})
    assert fg.rate(net, theta) == 0.5


def test_bad_input_is_named():
    net, theta = fg.unit("net"), fg.unit_parameters("net", 0.5)
    with pytest.raises(ValueError, match=r"tolerance: expected a number in \(0, inf\), got 0"):
        fg.window(net, theta, 0.0, 1.0)
    with pytest.raises(ValueError, match=r"spread: expected a number in \(0, inf\), got inf"):
        fg.window(net, theta, 0.1, np.inf)
    with pytest.raises(ValueError, match=r"theta: max.* is 1, expected less than 1"):
        fg.window(net, fg.unit_parameters("net", 1.0), 0.1, 1.0)
    with pytest.raises(ValueError, match="kind: expected one of"):
        fg.unit("static")


UNCLEAR = [
    (
        lambda net, theta: fg.unforced_decay("nonsense", 0.5, [1.0]),
        ValueError,
        "kind: expected one of 'net', 'act', got",
    ),
    (lambda net, theta: fg.unforced_decay("net", "0.5", [1.0]), TypeError, "weight: expected real numbers"),
    (lambda net, theta: fg.unforced_decay("net", 0.5, [[1.0]]), ValueError, r"currents: expected shape \(T,\)"),
    (lambda net, theta: fg.unit_parameters("net", "0.5"), TypeError, "weight: expected a number"),
    (lambda net, theta: fg.unit(None), ValueError, "kind: expected one of 'net', 'act', got None"),
    (lambda net, theta: fg.sensitivities(net, theta, [1.0]), ValueError, r"x: expected shape \(T, 1\)"),
    (lambda net, theta: fg.sensitivities(None, theta, [[1.0]]), TypeError, "net: expected an LFMN, got NoneType"),
    (lambda net, theta: fg.rate(3, theta), TypeError, "net: expected an LFMN, got int"),
    (lambda net, theta: fg.gain(net, ["1", "2"]), TypeError, "theta: expected real numbers, got dtype <U1"),
    (lambda net, theta: fg.window(net, theta[:1], 0.1, 1.0), ValueError, r"theta: expected shape \(2,\), got \(1,\)"),
    (lambda net, theta: fg.window(net, theta, "0.1", 1.0), TypeError, "tolerance: expected a number"),
    (lambda net, theta: fg.window(net, 1e10 * theta * [1, 0], 0.1, 1e300), ValueError, r"spread: gain \* spread"),
]


@pytest.mark.parametrize(("call", "error", "message"), UNCLEAR)
def test_a_bad_argument_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(fg.unit("net"), fg.unit_parameters("net", 0.5))


def test_a_tolerance_far_below_the_spread_has_a_window():
    """Their quotient, 1e-600, underflows; before, its logarithm was a domain error."""
    net, theta = fg.unit("net"), fg.unit_parameters("net", 0.5)
    assert fg.window(net, theta, 1e-300, 1e300) == pytest.approx(600 / np.log10(2), rel=0.01)
