"""Optimizers copied, overflows, and what an optimizer refuses."""

import pickle
from copy import deepcopy
from functools import partial

import numpy as np
import pytest
from descents import PUBLISHED, SETTINGS, positions, told
from throughtime.learning.optimizers import (
    Adam,
    GradientDescent,
    IRpropMinus,
    IRpropPlus,
    Momentum,
    PrintedRprop,
    RpropMinus,
    RpropPlus,
)  # fmt: skip

ALL = [
    lambda: GradientDescent(4, 0.1),
    lambda: Momentum(4, 0.1, 0.9),
    lambda: Adam(4),
    lambda: PrintedRprop(4),
    *(lambda v=v: v(4, **SETTINGS) for v in PUBLISHED),
]
every = pytest.mark.parametrize("make", ALL, ids=[type(make()).__name__ for make in ALL])


@every
@pytest.mark.parametrize("pause", [0, 1, 17])
@pytest.mark.parametrize("copied", [deepcopy, lambda one: pickle.loads(pickle.dumps(one))], ids=["copy", "pickle"])
def test_a_copy_goes_on_as_if_nothing_had_happened(make, pause, copied):
    gradients, losses = told(3, 40)
    whole = list(positions(make(), gradients, losses))
    first, theta = make(), np.zeros(4)
    for g, loss in zip(gradients[:pause], losses[:pause], strict=True):
        theta = first.step(theta, g, loss)
    second = copied(first)
    list(positions(first, gradients, losses))
    for n, (g, loss) in enumerate(zip(gradients[pause:], losses[pause:], strict=True), pause):
        theta = second.step(theta, g, loss)
        assert np.array_equal(theta, whole[n])


@every
def test_arguments_are_not_written_to(make):
    theta, g = np.ones(4), np.full(4, 0.5)
    theta.setflags(write=False)
    g.setflags(write=False)
    moved = make().step(theta, g, 0.0)
    assert not np.shares_memory(moved, theta)


def same(optimizer, before):
    """Whether the state is what it was."""
    return all(np.array_equal(values, vars(before)[name]) for name, values in vars(optimizer).items())


OVERFLOWS = [
    (lambda: GradientDescent(1, 1e300), "theta"),
    (lambda: Momentum(1, 1e300, 0.9), "velocity"),
    (lambda: Adam(1), "square"),
    *((lambda v=v: v(1, 1e308, grow=10.0, largest=np.inf), "steps") for v in PUBLISHED),
    (lambda: PrintedRprop(1, 1e308, grow=10.0), "steps"),
    (lambda: PrintedRprop(1, 1e308, grow=10.0, move_first=True), "steps"),
]


@pytest.mark.parametrize(("make", "name"), OVERFLOWS)
def test_a_step_out_of_float64_is_refused_and_can_be_repeated(make, name):
    """The state after the exception is that before the call, and the next step is that of an optimizer without it."""
    tried, other, theta = make(), make(), np.zeros(1)
    for optimizer in (tried, other):
        theta = optimizer.step(np.zeros(1), np.array([1e-200]), 1.0)
    before = deepcopy(tried)
    with pytest.raises(FloatingPointError, match=rf"{name}\[0\] overflows float64"):
        tried.step(theta, np.array([1e300]), 0.5)
    assert same(tried, before)
    again = [optimizer.step(theta, np.array([-1e-200]), 0.5) for optimizer in (tried, other)]
    assert again[0] == again[1]


def test_the_stored_loss_is_not_the_array_of_the_caller():
    rprop, loss = IRpropPlus(1), np.array(1.0)
    rprop.step(np.zeros(1), np.ones(1), loss)
    loss[...] = 100.0
    assert rprop.last_loss == 1.0


@pytest.mark.parametrize(
    ("optimizer", "text"),
    [
        (GradientDescent(3, 0.5), "GradientDescent(size=3, rate=0.5)"),
        (GradientDescent(2, [0.5, 0.25]), "GradientDescent(size=2, rate=array([0.5 , 0.25]))"),
        (Momentum(1, 0.5, 0.9), "Momentum(size=1, rate=0.5, momentum=0.9)"),
        (Adam(2), "Adam(size=2, rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08)"),
        *(
            (v(2, 0.2), f"{v.__name__}(size=2, first_step=0.2, grow=1.2, shrink=0.5, smallest=1e-06, largest=50.0)")
            for v in PUBLISHED
        ),
        (PrintedRprop(2), "PrintedRprop(size=2, first_step=0.001, grow=1.2, shrink=0.5, start=0.0, move_first=False)"),
    ],
)
def test_an_optimizer_is_printed_as_its_call(optimizer, text):
    assert repr(optimizer) == text
    array = np.array
    again = eval(text, {"array": array} | {type(optimizer).__name__: type(optimizer)})
    assert repr(again) == text


REFUSED = [
    (lambda: RpropMinus(0), ValueError, "size: expected at least 1, got 0"),
    (lambda: RpropMinus(2, 60.0), ValueError, "first_step: expected 1e-06 to 50.0, got 60.0"),
    (lambda: RpropMinus(2, [0.1, -0.1]), ValueError, "first_step: expected positive numbers"),
    (lambda: RpropMinus(2, [0.1]), ValueError, r"first_step: expected shape \(2,\)"),
    (lambda: RpropMinus(2, grow=1.0), ValueError, r"grow: expected a number in \(1, inf\)"),
    (lambda: RpropMinus(2, shrink=1.0), ValueError, r"shrink: expected a number in \(0, 1\)"),
    (
        lambda: RpropMinus(2, smallest=1.0, largest=0.5),
        ValueError,
        r"largest: expected .* in \[1.0, inf\], got 0.5",
    ),
    (lambda: GradientDescent(2, 0.0), ValueError, "rate: expected positive numbers"),
    (lambda: Momentum(2, 0.1, 1.0), ValueError, r"momentum: expected a number in \[0, 1\)"),
    (lambda: GradientDescent(True, 0.1), TypeError, "size: expected an integer"),
    (lambda: GradientDescent(2, True), TypeError, "rate: expected real numbers, got dtype bool"),
    (lambda: RpropMinus(2, smallest=-1.0), ValueError, "smallest: expected a number"),
    (lambda: PrintedRprop(2, grow=0.5), ValueError, "grow: expected a number"),
    (lambda: PrintedRprop(2, shrink=1.5), ValueError, "shrink: expected a number"),
    (lambda: PrintedRprop(2, start=np.nan), ValueError, "start: expected a number"),
    (lambda: PrintedRprop(2, move_first=1), TypeError, "move_first: expected True or False"),
    (lambda: RpropMinus(2).step(np.zeros(2), np.ones(2, int)), TypeError, "gradient: .* got dtype int64"),
    (lambda: RpropMinus(2).step(np.zeros((2, 1)), np.ones(2)), ValueError, r"theta: expected shape \(2,\)"),
    (lambda: IRpropPlus(2).step(np.zeros(2), np.zeros(2), np.ones(2)), ValueError, r"loss: expected shape \(\)"),
    *(
        (lambda make=make: make(2).step(np.zeros(2), np.zeros(2), "1"), TypeError, "loss: expected")
        for make in (partial(GradientDescent, rate=0.1), Adam, RpropMinus, RpropPlus, IRpropMinus, PrintedRprop)
    ),
    (lambda: Adam(2, 0.0), ValueError, "rate: expected positive numbers"),
    (lambda: Adam(2, beta1=1.0), ValueError, r"beta1: expected a number in \[0, 1\)"),
    (lambda: Adam(2, beta2=-0.1), ValueError, r"beta2: expected a number in \[0, 1\)"),
    (lambda: Adam(2, epsilon=0.0), ValueError, r"epsilon: expected a number in \(0, inf\)"),
    (lambda: IRpropPlus(2).step(np.zeros(2), np.zeros(2)), TypeError, "loss: iRprop\\+ decides by the loss"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_refused_gradient_leaves_the_state_alone():
    rprop = IRpropPlus(1)
    rprop.step(np.zeros(1), np.ones(1), 1.0)
    before = deepcopy(rprop)
    for g, loss in [(np.array([np.inf]), 1.0), (np.ones(1), np.inf)]:
        with pytest.raises(ValueError, match="finite"):
            rprop.step(np.zeros(1), g, loss)
    assert same(rprop, before)
