"""What networks refuse: errors that name the argument, what was given and what was expected; overflow at any time."""

import numpy as np
import pytest
from throughtime.arrays.activations import identity, tanh
from throughtime.textbook import LFMN, LSTM1997, Elman, FullyRecurrent, Jordan, PeepholeLSTM
from throughtime.textbook.lstm1997 import TIMINGS

NET = FullyRecurrent(2, 3)
GOOD = {"theta": np.zeros(15), "x": np.ones((4, 2)), "targets": np.ones((4, 3)), "mask": np.ones(4)}
BAD_CALLS = [
    ("theta", np.zeros(3), ValueError, r"theta: expected shape \(15,\), got \(3,\)"),
    ("x", np.ones((4, 3)), ValueError, r"x: expected shape \(T, 2\) with T >= 1, got \(4, 3\)"),
    ("x", np.ones((0, 4, 2)), ValueError, r"x: expected shape \(B, T, 2\) with B, T >= 1, got \(0, 4, 2\)"),
    ("targets", np.ones((5, 3)), ValueError, r"targets: expected shape \(4, 3\), got \(5, 3\)"),
    ("targets", np.ones((4, 3), complex), TypeError, "targets: expected real numbers, got dtype complex128"),
    ("mask", [0, 1, 0.5, 1], ValueError, r"mask: expected zeros and ones, got 0.5 at index \(2,\)"),
    ("mask", np.ones(3), ValueError, r"mask: expected shape \(4,\) or \(4, 3\), got \(3,\)"),
]


@pytest.mark.parametrize(("argument", "value", "error", "message"), BAD_CALLS)
def test_a_bad_argument_is_named(argument, value, error, message):
    arguments = GOOD | {argument: value}
    calls = [NET.loss, NET.gradient, NET.error_signals]
    for call in calls:
        with pytest.raises(error, match=message):
            call(**arguments)
    if argument in ("theta", "x"):
        with pytest.raises(error, match=message):
            NET.forward(arguments["theta"], arguments["x"])


@pytest.mark.parametrize("argument", ["theta", "x"])
def test_gradients_are_taken_at_real_numbers_only(argument):
    for call in (NET.gradient, NET.error_signals):
        with pytest.raises(TypeError, match=f"{argument}: expected real numbers, got dtype complex128"):
            call(**GOOD | {argument: GOOD[argument].astype(complex)})


CALLS = [
    (lambda: NET.gradient(**GOOD, method="rtrl"), ValueError, "method: expected one of 'bptt', got 'rtrl'"),
    (lambda: NET.error_flow(GOOD["theta"], GOOD["x"], 5, 1), ValueError, "s <= t <= T = 4, got t = 5 and s = 1"),
    (lambda: NET.error_flow(GOOD["theta"], GOOD["x"], 2, 3), ValueError, "s <= t <= T = 4, got t = 2 and s = 3"),
    (lambda: NET.error_flow(GOOD["theta"], GOOD["x"], 2, 0), ValueError, "s: expected at least 1, got 0"),
    (lambda: NET.error_flow(GOOD["theta"], GOOD["x"], 2.0, 1), TypeError, "t: expected an integer, got 2.0"),
    (lambda: NET.error_flow(GOOD["theta"] * 1j, GOOD["x"], 2, 1), TypeError, "theta: expected real numbers"),
    (lambda: NET.init(0, 0.0), ValueError, r"scale: expected a number in \(0, inf\), got 0.0"),
    (lambda: NET.init(None), TypeError, "seed: expected an integer"),
    (lambda: FullyRecurrent(-1, 1), ValueError, "n_in: expected at least 0, got -1"),
    (lambda: FullyRecurrent(1, True), TypeError, "n_out: expected an integer, got True"),
    (lambda: FullyRecurrent(1, 2, "sine"), ValueError, r"activation\[0\]: expected one of 'identity', .*, got 'sine'"),
    (lambda: FullyRecurrent(1, 2, np.tanh), TypeError, "activation: expected an ActivationFunction, .*, got ufunc"),
    (lambda: FullyRecurrent(1, 2, [tanh]), ValueError, "activation: expected 2, one for each unit, got 1"),
    (lambda: Elman(1, 0, 1), ValueError, "hidden: expected at least 1, got 0"),
    (lambda: Jordan(1, 1, 1, "sine"), ValueError, "f_hid: expected one of .*, got 'sine'"),
    (lambda: Jordan(1, 1, 1, start=np.nan), ValueError, "start: expected a number in .*, got nan"),
    (lambda: LFMN(0, (1, 0, 0), (1, 0, 0)), ValueError, "n_in: expected at least 1, got 0"),
    (lambda: LFMN(1, (1, 0), (1, 0, 0)), TypeError, "hidden: expected three counts"),
    (lambda: LFMN(1, (1, -1, 0), (1, 0, 0)), ValueError, "hidden.net: expected at least 0, got -1"),
    (lambda: LFMN(1, (1, 0, 0), (0, 0, 0)), ValueError, "output: expected at least one unit"),
    (
        lambda: LFMN(1, (1, 0, 0), (1, 0, 0), np.tanh),
        TypeError,
        "activation: expected an ActivationFunction or the name",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), CALLS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


# With tanh all around, activations stay small when a net input overflows, and then the net forgets it.
SATURATING = {
    LFMN(1, (1, 0, 1), (0, 0, 1), tanh): "net_hid",
    LFMN(1, (0, 0, 0), (0, 0, 1), tanh): "net_out",
    FullyRecurrent(1, 2, tanh): "z",
    Elman(1, 2, 1, tanh, tanh): "net_f",
    Jordan(1, 2, 1, tanh, tanh): "net_f",
    PeepholeLSTM(1, 1, 1, 1, peepholes=False, g=tanh, f_out=tanh): "net_ig",
    **{LSTM1997(1, 1, 1, 1, 1, timing=timing, g=tanh, h=tanh, f_hid=tanh, f_out=tanh): "net_ig" for timing in TIMINGS},
}


@pytest.mark.parametrize(("net", "name"), SATURATING.items(), ids=repr)
@pytest.mark.parametrize("at", [0, 1, 3])
@pytest.mark.parametrize("mask", [None, [0, 0, 0, 0]], ids=["all steps", "no step"])
def test_a_net_input_that_overflows_at_any_time_is_an_error(net, name, at, mask):
    theta, x, targets = np.full(net.layout.size, 50.0), np.full((4, 1), 0.5), np.zeros((4, net.n_out))
    assert np.isfinite(net.gradient(theta, x, targets, mask).loss)
    x[at] = 1e308
    calls = [lambda: net.forward(theta, x), lambda: net.loss(theta, x, targets, mask)]
    calls += [lambda how=how: net.gradient(theta, x, targets, mask, how) for how in net.METHODS]
    for call in calls:
        with pytest.raises(FloatingPointError, match=rf"^{name}\[{at + 1}, 0\] overflows float64"):
            call()
    with pytest.raises(FloatingPointError, match=rf"^{name}\[1, {at + 1}, 0\] overflows float64"):
        net.forward(theta, [np.zeros((4, 1)), x])


@pytest.mark.parametrize("net", [FullyRecurrent(1, 1, identity), LFMN(1, (0, 0, 0), (0, 1, 0), identity)], ids=repr)
def test_loss_and_derivatives_that_overflow_alone_are_errors(net):
    """net(t) = 2^t - 1 on ones; 2^1024 is the first power above float64."""
    theta, ones = np.array([1.0, 2.0]), np.ones((1100, 1))
    assert net.forward(theta, ones[:1023]).y[1023, 0] == 2.0**1023
    with pytest.raises(FloatingPointError, match=r"\[1024, 0\]"):
        net.forward(theta, ones)
    with pytest.raises(FloatingPointError, match="loss"):
        net.loss([1.0, 0.5], [[1e200]], [[0.0]])
    last, still = np.arange(1100) == 1099, 0.0 * ones
    with pytest.raises(FloatingPointError, match="gradient"):  # the activations stay zero, derivatives along 2 do not
        net.gradient(theta, still, ones, last)
    if isinstance(net, FullyRecurrent):
        assert net.error_flow(theta, still, 1024, 1)[0, 0] == 2.0**1023
        with pytest.raises(FloatingPointError, match="error_flow"):
            net.error_flow(theta, still, 1025, 1)
        with pytest.raises(FloatingPointError, match="error_signal_z"):
            net.error_signals(theta, still, ones, last)


def test_a_target_under_a_mask_of_zero_has_no_influence_however_large():
    net = FullyRecurrent(1, 1, identity)
    given = [1.5e308, 0.0], [[1.0]], [[-1.5e308]], [0]  # weights, input, target, mask: the difference would overflow
    assert net.loss(*given) == 0.0
    assert net.gradient(*given).gradient.tolist() == [0.0, 0.0]
