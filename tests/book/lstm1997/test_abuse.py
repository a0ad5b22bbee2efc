"""Cells used as biases: the release of abused nets, and the net that adds."""

import numpy as np
import pytest
from book.lstm1997.training import experiment


def test_the_file_of_released_nets_agrees_with_the_first():
    rows = experiment.RELEASED.read()
    before = {row["seed"]: row["solved"] for row in experiment.RUNS.read() if row["setup"] == experiment.ABUSED.name}
    again = {row["seed"]: row["solved"] for row in rows if row["way"] == experiment.WAYS[0]}
    assert all(again[seed] == ended for seed, ended in before.items())


def test_one_run_of_the_release_can_be_repeated():
    rows = (row for row in experiment.RELEASED.read() if row["way"] == experiment.WAYS[1])
    stored = min(rows, key=lambda row: int(row["taken"]))  # the quickest
    again = experiment.goes_on(int(stored["seed"]), stored["way"])
    assert again == (stored["solved"] == "1", int(stored["taken"]))


def test_a_fresh_block_is_one_block_and_the_others_stay():
    theta = experiment.ABUSED.run(0, 300).theta
    fresh = experiment.refreshed(theta, 0)
    old, new = experiment.ABUSED.model().layout.views(theta), experiment.ABUSED.model().layout.views(fresh)
    changed = [np.any(old["w_ig"][block] != new["w_ig"][block]) for block in range(3)]
    assert sum(changed) == 1
    block = changed.index(True)
    assert np.array_equal(np.delete(old["w_cell"], block, 1), np.delete(new["w_cell"], block, 1))
    assert np.flatnonzero(old["w_out"] != new["w_out"]).tolist() == [3 + block]
    assert abs(new["b_og"][block] + 2) <= 0.1


def test_the_error_of_the_net_that_adds_stays_within_a_factor_of_two():
    setup, stored = experiment.ADDING, experiment.adder()
    model, theta = setup.model(), stored[max(stored)]
    sequences = setup.draw(40, np.random.default_rng(99))
    for x, end, target in zip(sequences.x, sequences.lengths, sequences.targets, strict=True):
        goals, last = np.full((end, 1), target[0]), np.arange(end) == end - 1
        signal = model.error_signals(theta, x[:end], goals, last, method="bptt").s[:, 0, 0]
        assert np.all((signal / signal[-1] > 0.5) & (signal / signal[-1] < 2.1))


@pytest.mark.nightly
def test_the_net_that_adds_is_trained_again_as_in_the_file():
    again = experiment.ADDING.run(0, 1000).theta
    np.testing.assert_allclose(again, experiment.adder()[1000], rtol=0, atol=1e-6)
