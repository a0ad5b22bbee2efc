"""The chapter on constant error flow: its systems, and experiments with one unit that agree with the library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from book.bptt.constant_error import experiment as ce
from book.bptt.constant_error import figures, systems
from hypothesis import given
from hypothesis import strategies as st
from throughtime.arrays.activations import identity, logistic, tanh
from throughtime.textbook.recurrent import FullyRecurrent

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "constant-error.ipynb"
SEEDS = range(5)
NOISE = (ce.STEPS - 1) * ce.NOISE**2


def test_the_systems_that_the_page_shows_are_those_of_the_page_in_print(run_page):
    page = run_page("A = tt.Bench(")
    for shown, bench in (("units", systems.self_connected()), ("carousel", systems.affine())):
        assert [str(line) for line in page[shown].all_definitions()] == [
            str(line) for line in bench.system.all_definitions()
        ]


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


@pytest.mark.parametrize(("train", "step", "weight", "error"), [(ce.store, 0, 1.0, 1e-12), (ce.read, -1, 0.998, 1e-5)])
def test_with_a_gate_the_error_goes_away_and_every_seed_takes_the_same_course(train, step, weight, error):
    first, *others = (train(seed, ce.open_at(step)) for seed in SEEDS)
    assert first.error[-1] < error
    assert first.weight[-1] == pytest.approx(weight, abs=1e-3)
    for run in others:
        np.testing.assert_allclose(run.weight, first.weight, rtol=1e-9, atol=1e-12)


@pytest.fixture(scope="module")
def hundred():
    """The runs without a gate that the page shows."""
    return {train: [train(seed) for seed in range(100)] for train in (ce.store, ce.read)}


def least_of_its_own(seed):
    """The least mean error of one weight on the sequences of a run."""
    draw = np.random.default_rng(seed)
    x = draw.normal(0, ce.NOISE, (ce.SEQUENCES, ce.STEPS))
    x[:, 0] = draw.choice([-1.0, 1.0], ce.SEQUENCES)
    whole, first = x.sum(axis=1), x[:, 0]
    return 0.5 * (1 - np.mean(whole * first) ** 2 / np.mean(whole**2))


def test_the_hundred_runs_of_the_page_end_at_the_bottom(hundred):
    for train, power, spread in ((ce.store, NOISE, 0.07), (ce.read, ce.STEPS - 1, 2e-4)):
        assert max(abs(run.gradient[-1]) for run in hundred[train]) < 1e-9
        assert max(abs(run.weight[-1] - ce.best_weight(power)) for run in hundred[train]) < spread
    below = [run.error[-1] < ce.least_error(NOISE) for run in hundred[ce.store]]
    assert sum(below) == 53
    for seed, run in enumerate(hundred[ce.store]):
        assert run.error[-1] == pytest.approx(least_of_its_own(seed), rel=1e-9)
    mean = np.mean([run.error[-1] for run in hundred[ce.store]])
    assert mean == pytest.approx(ce.least_error(NOISE), rel=0.02)
    lower = 100 / (100 + 1.96**2)  # of Wilson's interval for 100 of 100
    assert lower == pytest.approx(0.963, abs=1e-3)


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


def test_the_figure_marks_the_ends_of_the_runs_and_the_least_error():
    runs = [ce.store(seed) for seed in range(3)]
    upper, lower = figures.conflicts(runs, [ce.read(0)]).axes
    ends = np.array([(run.weight[-1], run.error[-1]) for run in runs])
    assert any(np.array_equal(line.get_xydata(), ends) for line in upper.lines)
    for ax, power in ((upper, NOISE), (lower, ce.STEPS - 1)):
        both = ax.lines[0].get_ydata()
        assert both.min() == pytest.approx(ce.least_error(power), rel=1e-2)


# ---- what a reader types


@pytest.fixture(scope="module")
def typed(run_cell):
    """The names of the cell with the error flow in NumPy."""
    return run_cell("def error_flow(", table=lambda head, rows: [head, *map(list, rows)])


@pytest.mark.parametrize(("kind", "weight"), [("linear", 0.9), ("tanh", 1.3), ("logistic", -2.0)])
def test_the_typed_error_flow_is_that_of_the_library_and_of_the_complex_step(typed, kind, weight):
    model = {"linear": identity, "tanh": tanh, "logistic": logistic}[kind]
    f, slope = typed["kinds"][kind]
    found = typed["error_flow"](f, slope, weight, 0.7, 8)
    np.testing.assert_allclose(np.abs(found), ce.error_flow(model, weight, 8, 0.7), rtol=1e-12)

    def last(start):
        for _ in range(8):
            start = weight * model(start)
        return start

    assert last(0.7 + 1e-30j).imag / 1e-30 == pytest.approx(found[-1], rel=1e-12)


def test_the_numbers_about_the_margin_of_the_linear_unit(typed):
    after = {unit: abs(typed["flows"](*unit)[-1]) for unit in typed["chosen"]}
    assert round(after["linear", 1.05]) == 132
    assert round(1 / after["linear", 0.95]) == 169
    assert after["logistic", 4.0] < after["logistic", 1.0] < 1e-60
    assert {unit for unit, flow in after.items() if flow == 1} == {("linear", 1.0), ("linear", -1.0)}
    assert logistic.derivative(0.0) == 1 / 4
    assert logistic(0.0) == 1 / 2
