"""The LFMN as an object, and what it refuses: errors that name argument, what was given and expected."""

import numpy as np
import pytest
from throughtime.arrays.activations import identity, tanh, tanh_half
from throughtime.models.lfmn import LFMN, METHODS, Units

# ---------------------------------------------------------------- the model object


def test_layout_of_the_parameters():
    model = LFMN(3, hidden=(1, 2, 3), output=(2, 1, 1))
    assert model.hidden == Units(static=1, net=2, act=3)
    assert (model.hidden.total, model.hidden.recurrent, model.output.total) == (6, 5, 4)
    assert model.layout.shapes == {
        "w_hid": (6, 3),
        "u_hid": (2,),
        "v_hid": (3,),
        "w_out": (2, 6),
        "W_out": (2, 3),
        "u_out": (1,),
        "v_out": (1,),
    }
    assert model.activation is tanh_half
    assert model == LFMN(3, [1, 2, 3], Units(2, 1, 1)) != LFMN(3, (1, 2, 3), (2, 1, 1), tanh)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, (1, 0, 0), (1, 0, 0)), ValueError, "n_in: expected at least 1, got 0"),
        ((1.0, (1, 0, 0), (1, 0, 0)), TypeError, "n_in: expected an integer, got 1.0 of type float"),
        ((1, (1, 0), (1, 0, 0)), TypeError, "hidden: expected three counts"),
        ((1, 3, (1, 0, 0)), TypeError, "hidden: expected three counts"),
        ((1, (1, -1, 0), (1, 0, 0)), ValueError, "hidden.net: expected at least 0, got -1"),
        ((1, (0, 0, 0), (0, 0, True)), TypeError, "output.act: expected an integer, got True"),
        ((1, (1, 0, 0), (0, 0, 0)), ValueError, "output: expected at least one unit"),
        ((1, (1, 0, 0), (1, 0, 0), "sine"), ValueError, "activation: expected one of .*'tanh', .*, got 'sine'"),
        (
            (1, (1, 0, 0), (1, 0, 0), np.tanh),
            TypeError,
            "activation: expected an Activation or the name of one, got ufunc",
        ),
    ],
)
def test_an_impossible_architecture_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        LFMN(*arguments)


def test_overflow_is_an_error_with_the_time_at_which_it_happens():
    """net(t) = 2^t - 1 on ones; 2^1024 is the first power above float64."""
    model = LFMN(1, (0, 1, 0), (1, 0, 0))
    theta = np.array([1.0, 2.0, 1.0])
    x, targets = np.ones((1100, 1)), np.zeros((1100, 1))
    assert model.forward(theta, x[:1023]).net_hid[1023, 0] == 2.0**1023
    with pytest.raises(FloatingPointError, match=r"net_hid\[1024, 0\]"):
        model.forward(theta, x)
    for method in METHODS:
        with pytest.raises(FloatingPointError, match="overflows float64"):
            model.gradient(theta, x, targets, method=method)
    online = model.online(theta)
    online.run(x[:1023], targets[:1023], np.zeros(1023))
    with pytest.raises(FloatingPointError, match="net_hid"):
        online.step(x[1023])


def test_overflow_of_the_loss_alone_is_an_error():
    model = LFMN(1, (0, 0, 0), (0, 1, 0), identity)
    theta, x = np.array([1.0, 0.5]), [[1e200]]
    assert model.forward(theta, x).y[1, 0] == 1e200
    with pytest.raises(FloatingPointError, match="loss overflows float64"):
        model.loss(theta, x, [[0.0]])
    for method in METHODS:
        with pytest.raises(FloatingPointError, match="overflows float64"):
            model.gradient(theta, x, [[0.0]], method=method)
