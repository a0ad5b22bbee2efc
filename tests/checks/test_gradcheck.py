"""A gradient is compared with the complex step block by block, each component in its own size."""

import math
from itertools import count

import numpy as np
import pytest
from throughtime.arrays.parameters import Layout
from throughtime.checks import complex_step, gradcheck, relative_error
from throughtime.textbook.lfmn import LFMN
from throughtime.textbook.lstm1997 import LSTM1997
from throughtime.textbook.recurrent import FullyRecurrent

MODEL = LFMN(2, (1, 1, 1), (1, 1, 1))
X = np.random.default_rng(1).normal(size=(5, 2))
LAYOUT = Layout({"W": (2, 2), "u": (), "b": (2,)})
CALLS, DRAW = count(), np.random.default_rng(0)
TWO_VALUES = "function: the loss has two values at the same point: a state or random numbers are kept between calls"
AT = np.array([0.5, -1.0, 2.0, 0.25, 0.75, -0.5, 1.5])


def energy(theta):
    w, u, b = LAYOUT.views(theta).values()
    return (np.sin(w @ b) * u**2).sum() + (w**3).sum()


def energy_gradient():
    w, u, b = LAYOUT.views(AT).values()
    inner = u**2 * np.cos(w @ b)
    parts = {"W": np.outer(inner, b) + 3 * w**2, "u": 2 * u * np.sin(w @ b).sum(), "b": w.T @ inner}
    return LAYOUT.flatten(parts)


def test_a_right_gradient_has_no_wrong_block():
    check = gradcheck(energy, AT, energy_gradient(), LAYOUT)
    assert check.wrong == ()
    assert [block.name for block in check.blocks] == ["W", "u", "b"]
    assert all(block.relative_error < 1e-15 and block.angle < 1e-6 for block in check.blocks)
    assert gradcheck(energy, AT, energy_gradient()).blocks[0].name == "theta"


def test_a_wrong_block_is_named_with_its_error_and_angle():
    gradient = energy_gradient()
    gradient[LAYOUT.slice("b")] = 2.0 * gradient[LAYOUT.slice("b")]
    check = gradcheck(energy, AT, gradient, LAYOUT)
    assert check.wrong == ("b",)
    assert check.blocks[2].relative_error == pytest.approx(0.5)
    assert check.blocks[2].angle == pytest.approx(0.0, abs=1e-6)
    assert str(check).splitlines()[2].startswith("b: relative error 0.5, angle 0 degrees, WRONG, most in component ")
    assert str(check).endswith(", by 0.5")
    gradient = energy_gradient()
    gradient[LAYOUT.index("u")] *= -1.0
    assert gradcheck(energy, AT, gradient, LAYOUT).wrong == ("u",)
    assert gradcheck(energy, AT, gradient, LAYOUT).blocks[1][1:3] == (2.0, 180.0)


def test_one_wrong_component_far_below_its_block_is_seen():
    weights = np.array([1.0, 1e-6, 1e-9])
    for place, error in ((1, 1e-5), (2, 1e-2)):
        wrong = weights * (1 + error * (np.arange(3) == place))
        check = gradcheck(lambda z: z @ weights, np.ones(3), wrong)
        assert not check
        assert check.blocks[0].relative_error < 1e-10
        assert f"WRONG, most in component {place}, by " in str(check)
    rounded = weights + 1e-16 * np.array([1.0, -1.0, 1.0])  # as sums that cancel leave it
    assert gradcheck(lambda z: z @ weights, np.ones(3), rounded)


def test_a_small_block_is_measured_by_itself():
    """Beside a gradient 1e12 times larger, and with the angle that a zero has not."""

    def loss(theta):
        return 1e12 * theta[0] ** 2 + 1e-3 * theta[1]

    layout, point = Layout({"large": (), "small": ()}), np.array([1.0, 1.0])
    check = gradcheck(loss, point, np.array([2e12, 0.0]), layout)
    assert check.wrong == ("small",)
    assert math.isnan(check.blocks[1].angle)
    assert gradcheck(loss, point, np.array([2e12, 1.0001e-3]), layout, tolerance=1e-3).wrong == ()


@pytest.mark.parametrize("model", [MODEL, FullyRecurrent(2, 3), LSTM1997(2, 1, 2, 2)], ids=lambda m: type(m).__name__)
def test_weights_of_1e_minus_150_meet_inputs_of_1e150(model):
    """A step of 1e-30 would be 1e120 times the weight, and the derivative up to 100 % wrong."""
    theta, x = 1e-150 * model.init(1, 1.0), 1e150 * X
    targets = np.zeros(model.forward(theta, x).y[1:].shape)
    gradient = model.gradient(theta, x, targets, method="bptt").gradient
    assert relative_error(complex_step(lambda z: model.loss(z, x, targets), theta), gradient) < 1e-14
    assert np.abs(gradient).max() > 1e100


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: gradcheck(energy, AT, energy_gradient(), "W"),
            TypeError,
            "layout: expected a Layout or None, got str",
        ),
        (lambda: gradcheck(energy, AT[:3], AT, LAYOUT), ValueError, r"theta: expected shape \(7,\), got \(3,\)"),
        (lambda: gradcheck(energy, AT, AT[:3]), ValueError, r"gradient: expected shape \(7,\), got \(3,\)"),
        (lambda: gradcheck(energy, AT, AT, tolerance=0.0), ValueError, "tolerance: expected a number in"),
        (lambda: gradcheck(lambda z: np.vdot(z, z), AT, 2 * AT), ValueError, "function: expected to be analytic"),
        (lambda: gradcheck(lambda z: np.maximum(z - 0.5, 0).sum(), AT, AT), ValueError, "maximum where they switch"),
        (lambda: gradcheck(lambda z: z @ z + next(CALLS), AT, 2 * AT, LAYOUT), ValueError, TWO_VALUES),
        (lambda: gradcheck(lambda z: z @ DRAW.normal(size=7), AT, 2 * AT, LAYOUT), ValueError, TWO_VALUES),
        (
            lambda: gradcheck(lambda z: np.nan * z.sum(), AT, AT, LAYOUT),
            ValueError,
            r"function: expected a finite value at the point, got \(?nan",
        ),
        (
            lambda: gradcheck(lambda z: np.where(z.imag, np.inf, z).sum(), AT, AT, LAYOUT),
            ValueError,
            r"function: .* the point with an imaginary step in component \[0\], got \(?inf",
        ),
        (lambda: gradcheck(None, AT, AT), TypeError, "not callable"),
    ],
)
def test_gradcheck_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
