"""The loops of both LSTMs against references written from the notes and the complex step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lstm_cases import (
    EXACT,
    TOLERANCE,
    by_step,
    every_kind,
    every_net,
    gradient_with,
    losses,
    problem,
    reference,
)  # fmt: skip
from throughtime.checks import STEP, complex_step, relative_error
from throughtime.models.lstm import METHODS
from throughtime.models.lstm1997 import LSTM1997, TIMINGS
from throughtime.models.peephole import FEEDBACK, PeepholeLSTM

# ---------------------------------------------------------------- forward


@every_kind
@given(st.data())
def test_forward_is_the_note_transcribed(problems, data):
    model, theta, x, _, _ = data.draw(problems)
    trace, expected = model.forward(theta, x), reference(model)(model, theta[None], x)
    assert trace.length == len(x)
    inputs = x if isinstance(model, LSTM1997) else np.vstack([np.zeros((1, model.n_in)), x])
    assert np.array_equal(trace.x, inputs)
    assert {name for name, _ in trace.items()} == {"x", *expected}
    for name, values in trace.items():
        assert not values.flags.writeable
        if name != "x":
            assert relative_error(values, expected[name][:, 0].real) <= TOLERANCE, name
            assert not values[0].any()


@every_kind
@given(st.data())
@settings(max_examples=50)
def test_forward_and_loss_are_analytic_in_parameters_and_inputs(problems, data):
    model, theta, x, targets, mask = data.draw(problems)
    rng = np.random.default_rng(0)
    theta, x = theta + 1e-3j * rng.normal(size=theta.shape), x + 1e-3j * rng.normal(size=x.shape)
    trace, q = model.forward(theta, x), reference(model)(model, theta[None], x)
    for name, values in trace.items():
        assert name == "x" or relative_error(values, q[name][:, 0]) <= TOLERANCE, name
    assert relative_error(model.loss(theta, x, targets, mask), losses(q, targets, mask)[0]) <= TOLERANCE


# ---------------------------------------------------------------- exact gradients


@every_kind
@given(st.data())
@settings(max_examples=50)
def test_exact_methods_agree_with_each_other_and_the_complex_step(problems, data):
    model, theta, x, targets, mask = data.draw(problems)
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    results = {method: model.gradient(theta, x, targets, mask, method=method) for method in EXACT}
    for method, result in results.items():
        assert result.method == method
        assert result.cuts == ()
        assert result.loss == pytest.approx(model.loss(theta, x, targets, mask), rel=1e-13, abs=0.0)
        assert relative_error(result.gradient, expected) <= TOLERANCE, method
    assert relative_error(results["bptt"].gradient, results["rtrl"].gradient) <= TOLERANCE


@every_net
def test_agreement_holds_on_a_long_sequence(model):
    theta, x, targets, mask = problem(model, 200, seed=3, scale=0.3)
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    for method in EXACT:
        result = model.gradient(theta, x, targets, mask, method=method)
        assert relative_error(result.gradient, expected) <= TOLERANCE


@pytest.mark.parametrize("model", [LSTM1997(2, 1, 2, 3, 1), PeepholeLSTM(2, 1, 2, 3)], ids=["1997", "2002"])
def test_masks_by_step_and_by_output_mean_what_they_say(model):
    theta, x, targets, _ = problem(model, 5, seed=4)
    steps = np.array([1, 0, 1, 1, 0])
    for method in METHODS:

        def gradient(mask, method=method):
            return model.gradient(theta, x, targets, mask, method=method).gradient

        assert np.array_equal(gradient(steps), gradient(np.repeat(steps[:, None], 3, axis=1)))
        assert np.array_equal(gradient(None), gradient(np.ones((5, 3), bool)))
        assert not gradient(np.zeros(5)).any()
        parts = [gradient(np.arange(15).reshape(5, 3) == entry) for entry in range(15)]
        assert relative_error(sum(parts), gradient(None)) <= TOLERANCE


# ---------------------------------------------------------------- truncation


@every_kind
@given(st.data())
@settings(max_examples=50)
def test_truncated_gradient_is_that_of_the_listed_cuts(problems, data):
    model, theta, x, targets, mask = data.draw(problems)
    result = model.gradient(theta, x, targets, mask, "truncated")
    assert result.method == "truncated"
    assert result.loss == pytest.approx(model.loss(theta, x, targets, mask), rel=1e-13, abs=0.0)
    expected = gradient_with(result.cuts, model, theta, x, targets, mask)
    assert relative_error(result.gradient, expected) <= TOLERANCE


MATTERS = [(LSTM1997(1, 2, 2, 2, 2, timing=timing), 16) for timing in TIMINGS]
MATTERS += [
    (PeepholeLSTM(1, 2, 2, 2, feedback=feedback), {"all": 16, "cells": 4}[feedback] + 3) for feedback in FEEDBACK
]


@pytest.mark.parametrize(("model", "count"), MATTERS, ids=[*TIMINGS, *FEEDBACK])
def test_every_listed_cut_is_made_and_matters(model, count):
    """Any one path left open, the gradient is another; none cut, it is the exact one."""
    arguments = problem(model, 6, seed=5)
    result = model.gradient(*arguments, method="truncated")
    assert len(result.cuts) == count
    for cut in result.cuts:
        left = [other for other in result.cuts if other != cut]
        assert relative_error(gradient_with(left, model, *arguments), result.gradient) > 1e-6, cut
        for cuts in (left, [cut]):
            partly = model.gradient_with_cuts(*arguments, cuts=cuts)
            assert partly.cuts == tuple(cuts)
            assert relative_error(partly.gradient, gradient_with(cuts, model, *arguments)) <= TOLERANCE, cut
    exact = model.gradient(*arguments, method="bptt").gradient
    assert relative_error(gradient_with((), model, *arguments), exact) <= TOLERANCE
    assert relative_error(model.gradient_with_cuts(*arguments, cuts=result.cuts).gradient, result.gradient) <= TOLERANCE


@every_kind
@given(st.data())
@settings(max_examples=50)
def test_gradient_with_any_cuts_is_that_of_these_cuts(problems, data):
    model, *arguments = data.draw(problems)
    cuts = data.draw(st.lists(st.sampled_from(model.cuts("truncated")), unique=True))
    result = model.gradient_with_cuts(*arguments, cuts=cuts)
    assert result.cuts == tuple(cut for cut in model.cuts("truncated") if cut in cuts)
    assert relative_error(result.gradient, gradient_with(cuts, model, *arguments)) <= TOLERANCE


@every_net
def test_truncation_loses_nothing_where_nothing_is_fed_back(model):
    theta, *goal = problem(model, 8, seed=6)
    for name, part in model.layout.views(theta).items():
        if name[0] == "u":
            part[:] = 0.0
        elif name[0] == "w" and name != "w_out":
            part[..., model.n_in :] = 0.0
    truncated, exact = (model.layout.views(model.gradient(theta, *goal, method=m).gradient) for m in METHODS[:2])
    for name, part in exact.items():
        assert relative_error(truncated[name], part) <= TOLERANCE, name


# ---------------------------------------------------------------- error signals


@every_kind
@pytest.mark.parametrize("method", ["bptt", "truncated"])
@given(st.data())
@settings(max_examples=30)
def test_error_signals_are_derivatives_by_an_added_number(problems, method, data):
    model, theta, x, targets, mask = data.draw(problems)
    signals = model.error_signals(theta, x, targets, mask, method=method)._asdict()
    assert {*signals} == {"s", *(name for name, _ in model.forward(theta, x).items() if name.startswith("net"))}
    for name, signal in signals.items():
        steps = np.eye(signal.size + 1)[:, 1:].reshape(signal.size + 1, *signal.shape)  # row 0 is without a step
        bumps = {name: 1j * STEP * np.moveaxis(steps, 0, 1)}
        q = reference(model)(model, np.repeat(theta[None], len(steps), axis=0), x, model.cuts(method), bumps)
        expected = by_step(losses(q, targets, mask)).reshape(signal.shape)
        assert relative_error(signal, expected) <= TOLERANCE, name


@every_kind
@pytest.mark.parametrize("method", ["bptt", "truncated"])
@given(st.data())
@settings(max_examples=50)
def test_error_signals_make_the_gradient(problems, method, data):
    model, theta, x, targets, mask = data.draw(problems)
    signals = model.error_signals(theta, x, targets, mask, method=method)
    trace = model.forward(theta, x)
    read = np.hstack([x, *(getattr(trace, name)[:-1].reshape(len(x), -1) for name in model.sources if name != "x")])
    gradient = model.layout.views(model.gradient(theta, x, targets, mask, method=method).gradient)
    for name in gradient.keys() - {"w_out", "b_out"}:
        by_net = getattr(signals, f"net_{name[2:]}")[1:]
        if name[0] == "w":
            expected = np.einsum("t...,tq->...q", by_net, read)
        elif name[0] == "b":
            expected = by_net.sum(axis=0)
        else:
            expected = np.einsum("tk,tki->ki", by_net, trace.s[1:] if name == "u_og" else trace.s[:-1])
        assert relative_error(gradient[name], expected) <= TOLERANCE, name
