"""Cells used as biases: the release of abused nets, and the net that adds."""

import numpy as np
import pytest
from book.lstm1997.training import experiment


def test_the_file_of_released_nets_is_complete_and_agrees_with_the_first():
    rows = experiment.RELEASED.read()
    assert {(row["seed"], row["way"]) for row in rows} == {
        (str(seed), way) for seed in range(experiment.RELEASED_SEEDS) for way in experiment.WAYS
    }
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


def test_the_second_block_of_the_net_that_adds_is_still_shut():
    setup, stored = experiment.ADDING, experiment.adder()
    model, theta = setup.model(), stored[max(stored)]
    sequences = setup.draw(50, np.random.default_rng(99))
    gates = [
        model.forward(theta, x[:end]).y_ig[1:, 1].max() for x, end in zip(sequences.x, sequences.lengths, strict=True)
    ]
    assert max(gates) < 0.01


def test_the_net_that_adds_does_so_and_its_gate_opens_at_the_marks():
    setup, stored = experiment.ADDING, experiment.adder()
    model, theta = setup.model(), stored[max(stored)]
    sequences = setup.draw(200, np.random.default_rng(99))
    at_marks, elsewhere, errors, out_gates = [], [], [], []
    for x, end, target in zip(sequences.x, sequences.lengths, sequences.targets, strict=True):
        trace = model.forward(theta, x[:end])
        errors.append(abs(trace.y[-1, 0] - target[0]))
        marked = x[:end, 1] == 1.0
        at_marks += [*trace.y_ig[1:, 0][marked]]
        elsewhere += [*trace.y_ig[1:, 0][~marked]]
        between = ~marked & (np.arange(end) < end - 1)
        out_gates.append((trace.y_og[1:, 0][marked].mean(), np.median(trace.y_og[1:, 0][between]), trace.y_og[end, 0]))
        goals = np.full((end, 1), target[0])
        signal = model.error_signals(theta, x[:end], goals, np.arange(end) == end - 1, method="bptt").s[:, 0, 0]
        assert np.all((signal / signal[-1] > 0.5) & (signal / signal[-1] < 2.1))
    assert np.mean(np.array(errors) < 0.15) > 0.98
    assert min(at_marks) > 0.4
    assert max(elsewhere) < 0.05
    assert np.mean(out_gates, axis=0) == pytest.approx([0.58, 0.75, 0.86], abs=0.01)
    assert np.all(np.diff(out_gates, axis=1) > 0)  # a dip at the marks, furthest open at the end


def test_the_net_that_adds_is_trained_again_as_in_the_file():
    again = experiment.ADDING.run(0, 1000).theta
    np.testing.assert_allclose(again, experiment.adder()[1000], rtol=0, atol=1e-6)
