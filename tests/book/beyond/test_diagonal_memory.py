"""The chapter on the memory of diagonal recurrences: gates, noise, normalization, learning on line."""

from statistics import NormalDist

import numpy as np
import pytest
from book.beyond.diagonal_recurrence import checks, experiment
from throughtime.tasks.adding import adding

ALONE = {"units": 1, "inputs": 1}
"""A compiled net of one unit with one input."""


def by_first_input(net, theta, x):
    """ds(t) / dx(1) for t = 1, ..., T, by the complex step."""
    return net.forward(theta, x + 1e-30j * (np.arange(len(x)) == 0)[:, None]).s[1:, 0].imag / 1e-30


def test_a_gate_forgets_on_bounded_inputs_and_keeps_as_much_as_one_likes_on_others(interpreted):
    net, random = checks.compiled("minGRU", **ALONE), np.random.default_rng(2)
    weights = {"W_z": [[1.5]], "b_z": [0.3], "W_c": [[1.0]], "b_c": [0.0], "W_out": [[1.0]], "b_out": [0.0]}
    theta = net.layout.flatten({name: np.array(value) for name, value in weights.items()})
    rate = 1 / (1 + np.exp(-(1.5 - 0.3)))
    for x in (random.uniform(-1, 1, size=(12, 1)), np.full((12, 1), -1.0)):
        slopes = by_first_input(net, theta, x)
        kept = slopes / slopes[0]
        assert (np.abs(kept) <= rate ** np.arange(12) * (1 + 1e-12)).all()
    assert np.allclose(kept, rate ** np.arange(12))
    for lag in (10, 100, 1000):
        held = np.full((lag + 1, 1), (-checks.gate_net_input(0.99, lag) - 0.3) / 1.5)
        slopes = by_first_input(net, theta, np.vstack([[[0.5]], held[1:]]))
        assert slopes[lag] / slopes[0] == pytest.approx(0.99, abs=1e-9)


def test_the_noise_bound_and_what_was_drawn():
    spread = checks.NOISE / np.sqrt(3)
    for lag in (1, 7, 100):
        ratios = [checks.best_ratio(one, lag, spread) for one in (0.5, 0.9, 0.999, 1.0)]
        assert ratios == sorted(ratios)
        assert ratios[-1] == pytest.approx(1 / (spread * np.sqrt(lag)))
        powers = 0.9 ** np.arange(lag)
        assert ratios[1] == pytest.approx(0.9**lag / (spread * np.sqrt((powers**2).sum())))
        assert checks.best_ratio(1.1, lag, spread) > (1 - 1e-8) * np.sqrt(1.1**2 - 1) / spread
    for name in checks.KEPT[:3]:
        for lag in (30, 100, 1000):
            likely = checks.likely(float(name.split()[1]), lag)
            assert abs(checks.signs_kept(name, lag) / checks.TAIL - likely) < 4 * np.sqrt(0.25 / checks.TAIL)
    assert {checks.signs_kept(name, lag) for name in checks.KEPT[3:] for lag in checks.LAGS} == {checks.TAIL}


def test_two_linear_units_do_better_than_one_in_noise():
    weights = 1 - 0.9 ** np.arange(1001)
    assert (np.diff(weights) >= 0).all()
    for lag in range(2, 1001):
        assert weights[lag] / np.sqrt((weights[:lag] ** 2).sum()) > 1 / np.sqrt(lag)


def test_margin_of_the_latch_and_ratio_of_the_gate():
    drift = checks.SELF_WEIGHT * np.tanh(0.5) - 1
    assert drift == pytest.approx(0.848, abs=5e-4)
    assert drift > checks.NOISE
    assert np.arccosh(checks.SELF_WEIGHT - 1) > 1  # the state 1 is below the critical point: its margin is its drift
    share, lag = checks.HOLD, 300
    noise = share * np.sqrt(((1 - share) ** (2 * np.arange(lag))).sum())
    assert (1 - share) ** lag / noise == pytest.approx(checks.best_ratio(1 - share, lag, 1.0) / share)
    assert 1 / share == 1000


def test_noise_of_the_exercise():
    enough = NormalDist().inv_cdf(0.99)
    assert enough == pytest.approx(2.326, abs=5e-4)
    assert checks.best_ratio(1.0, 18, 0.1) > enough > checks.best_ratio(1.0, 19, 0.1)
    assert np.sqrt(0.21) / 0.1 == pytest.approx(4.58, abs=5e-3)
    assert checks.likely(1.1, 500, 0.1) > 0.99999


def test_what_the_text_says_of_the_adding_problem():
    assert adding(experiment.STEPS, experiment.NEW, 10**6).targets.var() == pytest.approx(0.036, abs=5e-4)
    x, _, mask, _ = experiment.stream(2000, 1)
    ends, marks = np.flatnonzero(mask), np.flatnonzero(x[:, 1] == 1)
    assert (ends[np.searchsorted(ends, marks)] - marks).min() == 11
    assert 0.5**11 < 0.001
    share = 1 / (1 + np.exp(2))
    assert share == pytest.approx(0.12, abs=0.005)
    assert (1 - share) ** 11 == pytest.approx(0.25, abs=0.005)
