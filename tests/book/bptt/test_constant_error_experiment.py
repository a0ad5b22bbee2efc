"""Experiments with one unit: exact values, agreement with the library's gradient, and results of training."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.models.activations import identity, logistic, tanh
from throughtime.models.recurrent import FullyRecurrent
from throughtime_book.bptt.constant_error import experiment as ce
from throughtime_book.bptt.constant_error import figures

SEEDS = range(5)
NOISE = (ce.STEPS - 1) * ce.NOISE**2


# ---- error flow


@pytest.mark.parametrize("pulse", [-1.3, 0.4, 1.0])
def test_only_the_carousel_has_constant_error_flow(pulse):
    flows = {(a, weight): ce.error_flow(a, weight, 60, pulse) for a, weight, *_ in figures.UNITS}
    constant = [unit for unit, flow in flows.items() if np.array_equal(flow, np.ones(61))]
    assert constant == [(identity, 1.0)]


def test_error_flow_is_the_product_of_weight_and_slopes():
    pulse, weight, lags = 0.8, 1.7, 12
    nets = [pulse]
    for _ in range(lags):
        nets.append(weight * float(tanh(nets[-1])))
    links = weight * tanh.derivative(np.array(nets[:-1]))[::-1]
    expected = np.concatenate([[1.0], np.cumprod(links)])
    np.testing.assert_allclose(ce.error_flow(tanh, weight, lags, pulse), expected, rtol=1e-12)


@given(weight=st.floats(-4, 4), pulse=st.floats(-3, 3))
def test_a_logistic_unit_loses_error_at_every_step(weight, pulse):
    flow = ce.error_flow(logistic, weight, 15, pulse)
    assert np.all(flow[1:] <= flow[:-1])


def test_error_flow_needs_a_lag():
    with pytest.raises(ValueError, match="lags: expected at least 1, got 0"):
        ce.error_flow(tanh, 1.0, 0, 1.0)


# ---- the conflicts


@given(power=st.floats(0, 1e3))
def test_best_weight_is_the_bottom_of_the_error(power):
    def error(u):
        return 0.5 * (u - 1) ** 2 + 0.5 * u**2 * power

    best = ce.best_weight(power)
    assert error(best) == pytest.approx(ce.least_error(power), rel=1e-9, abs=1e-12)
    assert error(best) <= min(error(best + 0.01), error(best - 0.01))


@pytest.mark.parametrize("power", [-0.1, np.nan, np.inf])
def test_power_is_checked(power):
    with pytest.raises(ValueError, match="disturbance: expected a finite power"):
        ce.best_weight(power)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("train", "power", "spread"), [(ce.store, NOISE, 0.2), (ce.read, ce.STEPS - 1, 1e-3)])
def test_one_weight_is_torn_and_training_stands_still(train, power, spread, seed):
    run = train(seed)
    assert abs(run.gradient[-1]) < 1e-9
    assert -run.needing[-1] == pytest.approx(run.disturbed[-1], rel=1e-6)
    assert run.disturbed[-1] > 0.5  # both parts alone are far from zero
    assert run.error[-1] == pytest.approx(ce.least_error(power), rel=spread)
    assert run.weight[-1] == pytest.approx(ce.best_weight(power), rel=2 * spread)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("train", "step"), [(ce.store, 0), (ce.read, -1)])
def test_with_a_gate_the_error_goes_away(train, step, seed):
    run = train(seed, ce.open_at(step))
    assert run.error[-1] < 1e-5
    assert run.weight[-1] == pytest.approx(1.0, abs=0.01)


def test_errors_over_seeds_average_to_the_proved_one():
    errors = [ce.store(seed).error[-1] for seed in range(40)]
    assert np.mean(errors) == pytest.approx(ce.least_error(NOISE), rel=0.02)


def test_both_parts_are_the_gradient_of_the_library_unit():
    """Both parts for the input weight at epochs 0 and 5, from the library's error signals for each sequence."""
    draw = np.random.default_rng(3)
    x = draw.normal(0, ce.NOISE, (ce.SEQUENCES, ce.STEPS))
    x[:, 0] = draw.choice([-1.0, 1.0], ce.SEQUENCES)
    run = ce.store(3)
    unit = FullyRecurrent(n_in=1, n_out=1, activation=identity)
    mask = np.eye(ce.STEPS)[-1]
    for epoch in (0, 5):
        theta = unit.layout.flatten({"W": np.array([[run.weight[epoch], 1.0]])})
        shares = []
        for sequence in x:
            targets = np.full((ce.STEPS, 1), sequence[0])
            signals = unit.error_signals(theta, sequence[:, None], targets, mask).z[1:, 0]
            assert np.ptp(signals) == 0  # a carousel: the same error at every step
            shares.append(signals * sequence)
        needing, *disturbed = np.mean(shares, axis=0)
        assert run.needing[epoch] == pytest.approx(needing, rel=1e-10)
        assert run.disturbed[epoch] == pytest.approx(sum(disturbed), rel=1e-10)


def test_a_run_repeats_itself():
    for train in (ce.store, ce.read):
        first, again = train(2), train(2)
        assert all(np.array_equal(getattr(first, name), getattr(again, name)) for name in vars(first))


@pytest.mark.parametrize("train", [ce.store, ce.read])
def test_bad_gates_are_refused(train):
    with pytest.raises(ValueError, match=r"gate: expected 20 finite factors.*\(3,\)"):
        train(0, np.ones(3))
    with pytest.raises(ValueError, match="gate: expected"):
        train(0, np.full(20, np.nan))
    with pytest.raises(ValueError, match="steps: expected at least 2"):
        train(0, steps=1)


# ---- figures


def test_figures_are_drawn_and_repeat_themselves():
    runs, gated = [ce.store(0)], [ce.store(0, ce.open_at(0))]
    names = ("$u$", "store", "ignore")
    for draw in (lambda: figures.one_unit(100, (0.5,)), lambda: figures.torn_weight(runs, gated, 0.3, names)):
        first, again = (figures.s.to_png(draw()) for _ in range(2))
        assert first == again
        assert all(ax.get_xlabel() and ax.get_title(loc="left") for ax in draw().axes)
