"""A batch is its sequences: traces side by side, losses and gradients summed, masks of any form."""

import numpy as np
import pytest
from model_cases import MODELS, every_model, every_way, problem
from throughtime.checks import relative_error

TOLERANCE = 1e-12


def masks(mask):
    """Every form of a mask of shape (B, T, n_out), and for each sequence the same in the form for one."""
    steps = mask[:, :, 0]
    return [
        (None, [None] * len(mask)),
        (steps[0], [steps[0]] * len(mask)),
        (steps, steps),
        (steps.astype(bool).tolist(), steps),
        (mask, mask),
    ]


@every_way
def test_loss_and_gradient_are_the_sums_over_sequences(name, way):
    model = MODELS[name]
    theta, x, targets, mask = problem(model, 3, 5)
    for given_mask, of_each in masks(mask):
        parts = [model.gradient(theta, *part, **way) for part in zip(x, targets, of_each, strict=True)]
        whole = model.gradient(theta, x, targets, given_mask, **way)
        assert relative_error(whole.gradient, sum(part.gradient for part in parts)) <= TOLERANCE
        assert whole.loss == pytest.approx(sum(part.loss for part in parts), rel=TOLERANCE)
        assert model.loss(theta, x, targets, given_mask) == pytest.approx(whole.loss, rel=TOLERANCE)
        assert whole.method == way["method"]


@every_model
def test_a_trace_of_a_batch_has_those_of_its_sequences_side_by_side(name):
    model = MODELS[name]
    theta, x, targets, _ = problem(model, 3, 5)
    whole = model.forward(theta, x)
    assert whole.length == 5
    assert whole.y.shape == (3, 6, 3)
    for n in range(3):
        for (field, values), (_, expected) in zip(whole.items(), model.forward(theta, x[n]).items(), strict=True):
            assert np.array_equal(values[n], expected), field
            assert not values.flags.writeable
    if hasattr(model, "error_signals"):
        signals = model.error_signals(theta, x, targets)
        for n in range(3):
            for values, expected in zip(signals, model.error_signals(theta, x[n], targets[n]), strict=True):
                assert np.array_equal(values[n], expected)


@every_way
def test_a_batch_of_one_is_the_sequence(name, way):
    model = MODELS[name]
    theta, x, targets, mask = problem(model, 5)
    one, batch = (
        model.gradient(theta, x, targets, mask, **way),
        model.gradient(theta, x[None], [targets], [mask], **way),
    )
    assert np.array_equal(one.gradient, batch.gradient)
    assert one.loss == batch.loss


@every_model
def test_what_does_not_fit_a_batch_is_refused_by_name(name):
    model = MODELS[name]
    theta, x, targets, _ = problem(model, 3, 4)
    for arguments, message in [
        ((x[:, :, :1], targets), r"x: expected shape \(B, T, 2\) with B, T >= 1, got \(3, 4, 1\)"),
        ((x[:0], targets[:0]), r"x: expected shape \(B, T, 2\) with B, T >= 1, got \(0, 4, 2\)"),
        ((x, targets[0]), r"targets: expected shape \(3, 4, 3\), got \(4, 3\)"),
        ((x, targets, np.ones(3)), r"mask: expected shape \(4,\) or \(3, 4\) or \(3, 4, 3\), got \(3,\)"),
        ((x, targets, np.ones((4, 3))), r"mask: expected shape \(4,\) or \(3, 4\) or \(3, 4, 3\), got \(4, 3\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.gradient(theta, *arguments)
