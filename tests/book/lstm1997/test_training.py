"""Drift and abuse: the predicted order, sequences and targets of the tasks, initial parameters, reproducible runs."""

import numpy as np
import pytest
from book.lstm1997.training import checks, experiment
from book.lstm1997.training import experiment as tr
from book.lstm1997.training.experiment import ABUSES, DRIFTS, STEPS, Abuse, Drift
from throughtime.arrays.activations import logistic, tanh_half, twice_tanh_half


def test_seeds_are_solved_in_the_order_of_the_prediction():
    biases = np.arange(-5.0, 1.0)
    gates = logistic(biases)
    predicted = gates * tanh_half.derivative(experiment.STEPS * float(twice_tanh_half(1.0)) * gates)
    order = biases[np.argsort(-predicted)]
    assert [sum(checks.solved(bias)) for bias in order] == [20, 20, 18, 15, 6, 0]


def test_inputs_of_drift_are_of_one_sign_and_the_first_tells_the_class():
    x, lengths, targets = Drift(1.0, 1.0, 0.0).draw(200, np.random.default_rng(0))
    assert x.min() >= 0
    assert x[:, 1:].max() <= 0.2
    assert np.array_equal(x[:, 0, 1], targets[:, 0])
    assert np.array_equal(x[:, 0].sum(axis=1), np.ones(200))
    assert set(lengths) == {STEPS}


def test_abuse_asks_for_a_constant_until_the_cue():
    setup = Abuse(0.5, (0.0, -1.0))
    sequences = setup.draw(50, np.random.default_rng(0))
    goals, mask = setup.goals(sequences)
    assert np.all(mask == 1)
    assert np.all(goals[:, :-1] == tr.CONSTANT)
    assert np.array_equal(goals[:, -1], sequences.targets)
    assert np.array_equal(sequences.x[:, :, 2], np.repeat([np.arange(STEPS) == STEPS - 1], 50, axis=0))
    assert np.array_equal(sequences.x[:, 0, 1] == 1, sequences.targets[:, 0] == tr.HIGH)
    assert set(sequences.targets[:, 0]) == {tr.LOW, tr.HIGH}


def test_starts_have_their_biases():
    drift = Drift(1.0, 1.0, -3.0)
    views = drift.model().layout.views(drift.start(0))
    assert abs(views["b_cell"][0, 0] - 1.0) <= 0.1
    assert abs(views["b_ig"][0] + 3.0) <= 0.1
    assert abs(views["b_og"][0]) <= 0.1
    abuse = Abuse(0.5, (-1.0, -2.0, -3.0))
    views = abuse.model().layout.views(abuse.start(0))
    assert np.all(np.abs(views["b_og"] - [-1, -2, -3]) <= 0.1)
    assert "b_out" not in abuse.model().layout.shapes
    assert "b_out" in Abuse(0.5, (0.0,), out_bias=True).model().layout.shapes


def test_use_is_the_share_of_each_cell_in_the_net_input_of_the_output():
    setup = Abuse(0.5, (0.0, -1.0))
    model, sequences = setup.model(), setup.draw(30, np.random.default_rng(1))
    theta = model.init(2, 1.0)
    mean, deviation = tr.use(setup, theta, sequences)
    x_part = model.layout.views(theta)["w_out"][0, model.output_sources["x"]] @ sequences.x[:, STEPS - 2].T
    net = np.array([model.forward(theta, x).net_out[STEPS - 1, 0] for x in sequences.x])
    assert mean.sum() == pytest.approx((net - x_part).mean(), rel=1e-12)
    assert np.all(deviation > 0)


def test_names_tell_setups_apart():
    names = [setup.name for setup in (*DRIFTS, *ABUSES)]
    assert len(set(names)) == len(names)
    assert not [name for name in names if "-0" in name]


def test_one_of_the_stored_runs_can_be_repeated():
    setup = DRIFTS[0]
    stored = next(row for row in tr.RUNS.read() if (row["setup"], row["seed"]) == (setup.name, "0"))
    ended = setup.run(0, tr.CAP)
    assert (int(ended.solved), ended.sequences) == (int(stored["solved"]), pytest.approx(int(stored["taken"]), abs=200))
