"""The experiment on one bit over a lag: a small part of the stored runs again."""

import numpy as np
import pytest
from book.beyond.diagonal_recurrence import experiment as runs

CELLS = [(weights, moduli, lag) for lag in runs.LAGS for weights in runs.WEIGHTS for moduli in runs.MODULI]


def test_every_cell_has_a_run_of_its_best_rate_for_every_seed():
    for cell in CELLS:
        rows = runs.shares(*cell)
        assert {int(row["seed"]) for row in rows} == set(range(100))
        assert {float(row["rate"]) for row in rows} == {runs.best_rate(*cell)}
        assert {int(row["updates"]) for row in rows} == {runs.UPDATES} == {300}


@pytest.mark.parametrize("weights", ["direct", pytest.param("polar", marks=pytest.mark.nightly)])
def test_a_run_again(weights):
    (row,) = (row for row in runs.shares(weights, "1", 10) if row["seed"] == "3")
    found = runs.train(weights, "1", 10, float(row["rate"]), 3)
    assert found.right == float(row["right"])
    assert found.largest == pytest.approx(float(row["largest"]), rel=1e-3)
    assert found.double == pytest.approx(float(row["double"]), rel=0.05)


def test_both_kinds_of_self_weights_start_alike():
    for moduli, (low, high) in runs.MODULI.items():
        direct, polar = (runs.start(weights, moduli, np.random.default_rng(4)) for weights in runs.WEIGHTS)
        largest = [runs.largest_modulus(*pair) for pair in (("direct", direct), ("polar", polar))]
        assert largest[0] == pytest.approx(largest[1], rel=1e-12)
        assert low < largest[0] < high
        data = runs.problem(20, 3, np.random.default_rng(5))
        losses = [runs.network(name).loss(theta, *data) for name, theta in (("direct", direct), ("polar", polar))]
        assert losses[0] == pytest.approx(losses[1], rel=1e-10)
