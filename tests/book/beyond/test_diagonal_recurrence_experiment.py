"""The experiment on one bit over a lag: a small part of the stored runs again, and every number in the page's prose."""

import numpy as np
import pytest
from book.beyond.diagonal_recurrence import experiment as runs

CELLS = [(weights, moduli, lag) for lag in runs.LAGS for weights in runs.WEIGHTS for moduli in runs.MODULI]


def right(weights, moduli, lag):
    return [row for row in runs.shares(weights, moduli, lag) if float(row["right"]) == 1]


def over(rows):
    return sum(float(row["largest"]) > 1 for row in rows)


def test_the_file_holds_every_run():
    assert len(runs.RUNS.keys()) == len(CELLS) * (len(runs.RATES) * runs.TUNING + runs.SEEDS) == 1308
    for cell in CELLS:
        rows = runs.shares(*cell)
        assert {int(row["seed"]) for row in rows} == set(range(100))
        assert {float(row["rate"]) for row in rows} == {runs.best_rate(*cell)}
        assert {int(row["updates"]) for row in rows} == {runs.UPDATES} == {300}


@pytest.mark.parametrize("weights", runs.WEIGHTS)
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


def test_numbers_of_the_prose():
    counts = {cell: len(right(*cell)) for cell in CELLS}
    assert all(counts[weights, moduli, 10] == 100 for weights in runs.WEIGHTS for moduli in runs.MODULI)
    assert [counts[weights, "1", 100] for weights in runs.WEIGHTS] == [100, 100]
    assert [counts[weights, "0.5", 100] for weights in runs.WEIGHTS] == [0, 0]
    assert (counts["direct", "0.5", 30], counts["polar", "0.5", 30]) == (78, 13)
    assert (runs.RATES, runs.TUNING) == ((0.003, 0.01, 0.03), 3)
    assert 0.6**100 < 1e-22
    assert sum(over(right("direct", "1", lag)) for lag in runs.LAGS) == 300
    assert over(right("direct", "0.5", 30)) == 57
    assert not any(over(runs.shares("polar", moduli, lag)) for moduli in runs.MODULI for lag in runs.LAGS)
    double = {name: np.median([float(row["double"]) for row in right(name, "1", 100)]) for name in runs.WEIGHTS}
    assert round(double["direct"]) == 19
    assert 0.8 < double["polar"] < 1.2
