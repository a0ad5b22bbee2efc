"""The compiled descent takes the very steps that the gradients of the model prescribe."""

import numpy as np
import pytest
from book.lstm1997 import descent
from book.lstm1997.descent import DESCENTS, descend
from kernel_mutants import mutants
from throughtime.arrays.activations import identity, logistic, tanh
from throughtime.checks import relative_error
from throughtime.textbook.lstm1997 import LSTM1997, TIMINGS
from throughtime.textbook.peephole import PeepholeLSTM

MODELS = [
    LSTM1997(2, 3, 2, 1, hidden=1, timing=timing, bias=bias, f_out=f_out)
    for timing, bias, f_out in zip(TIMINGS, (("ig", "out"), True), (logistic, identity), strict=True)
]


def stream(model, seed=0, count=6, longest=7):
    rng = np.random.default_rng(seed)
    x, targets = rng.normal(size=(count, longest, model.n_in)), rng.normal(size=(count, longest, model.n_out))
    mask = rng.integers(0, 2, targets.shape).astype(float)
    return model.init(rng, 0.7), x, rng.integers(1, longest + 1, count), targets, mask


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.timing)
@pytest.mark.parametrize("method", DESCENTS)
def test_descent_is_step_by_step_that_of_the_gradient(model, method):
    theta, x, lengths, targets, mask = stream(model)
    result = descend(model, theta, x, lengths, targets, mask, 0.3, method=method)
    by_hand, losses, outputs = theta.copy(), [], []
    for n, end in enumerate(lengths):
        found = model.gradient(by_hand, x[n, :end], targets[n, :end], mask[n, :end], method=method)
        outputs.append(model.forward(by_hand, x[n, :end]).y[-1])
        by_hand -= 0.3 * found.gradient
        losses.append(found.loss)
    assert relative_error(result.theta, by_hand) <= 1e-12
    assert relative_error(result.losses, np.array(losses)) <= 1e-12
    assert relative_error(result.outputs, np.array(outputs)) <= 1e-12
    assert relative_error(result.theta, theta) > 1e-2


def test_the_methods_differ_and_a_run_can_go_on():
    model = MODELS[0]
    theta, x, lengths, targets, mask = stream(model, seed=1)
    ends = {m: descend(model, theta, x, lengths, targets, mask, 0.3, method=m).theta for m in DESCENTS}
    assert relative_error(ends["truncated"], ends["bptt"]) > 1e-4
    for method in DESCENTS:
        half = descend(model, theta, x[:3], lengths[:3], targets[:3], mask[:3], 0.3, method=method).theta
        rest = descend(model, half, x[3:], lengths[3:], targets[3:], mask[3:], 0.3, method=method).theta
        assert relative_error(rest, ends[method]) <= 1e-14


def test_what_lies_behind_a_sequence_does_not_count():
    model = MODELS[1]
    theta, x, lengths, targets, mask = stream(model, seed=2)
    behind = np.arange(x.shape[1]) >= lengths[:, None]
    other, others = np.where(behind[..., None], 9.0, x), np.where(behind[..., None], 9.0, targets)
    for method in DESCENTS:
        first = descend(model, theta, x, lengths, targets, mask, 0.3, method=method)
        second = descend(model, theta, other, lengths, others, mask, 0.3, method=method)
        assert np.array_equal(first.theta, second.theta)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lengths": np.array([1, 2, 0, 1, 1, 1])}, "lengths: expected an array of 6 integers from 1 to 7, got array"),
        ({"lengths": np.ones(6)}, "lengths: expected an array of 6 integers from 1 to 7, got array"),
        ({"rate": -0.1}, r"rate: expected a number in \[0, inf\), got -0.1"),
        ({"lengths": np.ones(6, bool)}, "lengths: expected an array of 6 integers"),
        ({"lengths": np.ones(5, int)}, "lengths: expected an array of 6 integers"),
        ({"lengths": [[1], [2, 3]]}, "lengths: expected an array of 6 integers"),
        ({"rate": np.nan}, "rate: expected a number"),
        ({"mask": np.ones((7, 6, 1))}, r"mask: expected shape \(6, 7, 1\), got \(7, 6, 1\)"),
        ({"mask": np.full((6, 7, 1), 0.5)}, "mask: expected zeros and ones"),
        ({"x": np.zeros((0, 7, 2))}, "x: expected shape"),
        ({"method": "rtrl"}, "method: expected one of 'truncated', 'bptt', got 'rtrl'"),
        ({"targets": np.zeros((6, 7, 2))}, "targets: expected"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    theta, x, lengths, targets, mask = stream(MODELS[0])
    arguments = {"theta": theta, "x": x, "lengths": lengths, "targets": targets, "mask": mask, "rate": 0.1} | change
    with pytest.raises(ValueError, match=message):
        descend(MODELS[0], **arguments)


def test_another_model_is_refused():
    net = PeepholeLSTM(1, 1, 1, 1)
    with pytest.raises(TypeError, match="model: expected an LSTM1997, got PeepholeLSTM"):
        descend(net, net.init(0), np.ones((1, 2, 1)), np.array([2]), np.ones((1, 2, 1)), None, 0.1)


def test_overflow_is_refused():
    theta, x, lengths, targets, mask = stream(MODELS[1])
    with pytest.raises(FloatingPointError):
        descend(MODELS[1], theta, x, lengths, 1e200 * targets, mask, 1e200)


def test_every_mutant_of_the_loops_is_rejected():
    model, goals = MODELS[0], stream(MODELS[0], seed=4)
    right = [descend(model, *goals, 0.3, method=method) for method in DESCENTS]

    def rejected(mutant):
        try:
            found = [mutant.descend(model, *goals, 0.3, method=method) for method in DESCENTS]
        except (IndexError, ValueError, FloatingPointError):
            return True
        return any(
            relative_error(a, b) > 1e-12 for x, y in zip(found, right, strict=True) for a, b in zip(x, y, strict=True)
        )

    changed = (pair for pair in mutants(descent) if len({*pair[0].split(" -> ")}) == 2)  # "-=" stays itself
    tried = {description: rejected(mutant) for description, mutant in changed}
    assert len(tried) > 8
    assert [description for description, noticed in tried.items() if not noticed] == []


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("method", DESCENTS)
def test_a_net_input_that_overflows_in_the_middle_of_a_sequence_is_refused(timing, method):
    """With tanh all around, activations stay small, and the net forgets it: all later states are finite."""
    model = LSTM1997(1, 1, 1, 1, 1, timing=timing, g=tanh, h=tanh, f_hid=tanh, f_out=tanh)
    theta, x = np.full(model.layout.size, 50.0), np.full((1, 4, 1), 0.5)
    x[0, 1] = 1e308
    given = {"lengths": np.array([4]), "targets": np.zeros((1, 4, 1)), "rate": 0.0, "method": method}
    for mask in (np.zeros((1, 4, 1)), np.ones((1, 4, 1))):
        with pytest.raises(FloatingPointError, match="overflows float64"):
            descend(model, theta, x, mask=mask, **given)
        assert descend(model, theta, 0 * x, mask=mask, **given).losses.shape == (1,)
