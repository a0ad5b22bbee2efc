"""Overflow is one error whatever the method, and a target that does not count cannot cause it."""

import numpy as np
import pytest
from model_cases import MODELS, every_way
from throughtime.arrays.activations import identity, tanh
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM

# With tanh all around, activations stay small when a net input overflows at the second step of four, and then the net
# forgets it: all later states are finite.
SATURATING = {
    "lstm1997": LSTM1997(1, 1, 1, 1, 1, timing="same", g=tanh, h=tanh, f_hid=tanh, f_out=tanh),
    "lstm1997 previous": LSTM1997(1, 1, 1, 1, 1, g=tanh, h=tanh, f_hid=tanh, f_out=tanh),
    "peephole": PeepholeLSTM(1, 1, 1, 1, peepholes=False, g=tanh, f_out=tanh),
}
CASES = [(name, {"method": method}) for name, model in SATURATING.items() for method in model.METHODS]
every_case = pytest.mark.parametrize(("name", "how"), CASES, ids=[f"{name} {how['method']}" for name, how in CASES])


def overflowing(model, at):
    """theta and x with one input so large that a net input overflows, at that row of four."""
    theta, x = np.full(model.layout.size, 50.0), np.full((4, 1), 0.5)
    x[at] = 1e308
    return theta, x


@every_case
@pytest.mark.parametrize("at", [0, 1, 3])
@pytest.mark.parametrize("mask", [None, [0, 0, 0, 0]], ids=["all steps", "no step"])
def test_a_net_input_that_overflows_at_any_time_is_an_error_for_every_method(name, how, at, mask):
    model = SATURATING[name]
    theta, x = overflowing(model, at)
    targets = np.zeros((4, model.n_out))
    if name == "lstm1997 previous" and at == 3:
        mask = None  # the output of the last step has not yet read it: the net inputs of the units alone overflow
    calls = {
        "forward": lambda: model.forward(theta, x),
        "loss": lambda: model.loss(theta, x, targets, mask),
        "gradient": lambda: model.gradient(theta, x, targets, mask, **how),
        "batch": lambda: model.gradient(theta, [x, np.zeros((4, 1))], [targets] * 2, mask, **how),
        "batch forward": lambda: model.forward(theta, [np.zeros((4, 1)), x]),
    }
    if how["method"] != "bptt":
        calls["run"] = lambda: model.online(theta, **how).run(x, targets, mask)
    for call in calls.values():
        with pytest.raises(FloatingPointError, match="overflows float64"):
            call()
    assert np.isfinite(model.gradient(theta, np.full((4, 1), 0.5), targets, mask, **how).loss)


@every_case
def test_the_online_object_refuses_the_step_at_which_a_net_input_overflows(name, how):
    if how["method"] == "bptt":
        return
    model = SATURATING[name]
    theta, x = overflowing(model, 1)
    online = model.online(theta, **how)
    online.step(x[0], [0.0] * model.n_out, 0)
    with pytest.raises(FloatingPointError, match=r"^(net|z|s|loss)"):
        online.step(x[1], [0.0] * model.n_out, 0)
    assert online.time == 2


LINEAR = {
    "lstm1997": LSTM1997(1, 1, 1, 1, f_out=identity),
    "peephole": PeepholeLSTM(1, 1, 1, 1, f_out=identity),
}


@pytest.mark.parametrize("name", LINEAR)
def test_a_loss_that_overflows_is_an_error_for_every_method(name):
    model = LINEAR[name]
    theta, x, targets = np.full(model.layout.size, 0.5), np.ones((2, 3, 1)), np.full((2, 3, 1), 1e200)
    for method in model.METHODS:
        for part in (0, slice(None)):
            with pytest.raises(FloatingPointError, match="loss overflows float64"):
                model.loss(theta, x[part], targets[part])
            with pytest.raises(FloatingPointError, match="overflows float64"):
                model.gradient(theta, x[part], targets[part], None, method)


@every_way
def test_a_target_under_a_mask_of_zero_has_no_influence_however_large(name, way):
    model, rng = MODELS[name], np.random.default_rng(0)
    theta, x, targets = model.init(rng, 1.0), rng.normal(size=(2, 4, 2)), rng.normal(size=(2, 4, 3))
    mask = np.ones((2, 4, 3))
    mask[:, 1], mask[0, 2, 1] = 0, 0
    huge = np.where(mask == 0.0, [1e200, -1e308, 1.7e308], targets)
    for part in (0, slice(None)):
        expected = model.gradient(theta, x[part], targets[part], mask[part], **way)
        found = model.gradient(theta, x[part], huge[part], mask[part], **way)
        assert np.array_equal(found.gradient, expected.gradient)
        assert found.loss == expected.loss
        assert model.loss(theta, x[part], huge[part], mask[part]) == model.loss(
            theta, x[part], targets[part], mask[part]
        )
    if way["method"] != "bptt":
        stepped = model.online(theta, **way)
        for t in range(4):
            stepped.step(x[0, t], huge[0, t], mask[0, t])
        assert np.array_equal(stepped.gradient, model.gradient(theta, x[0], targets[0], mask[0], **way).gradient)
