"""Drift and abuse: the predicted order of the seeds, and a run that can be repeated."""

import numpy as np
import pytest
from book.lstm1997.training import checks, experiment
from book.lstm1997.training.experiment import DRIFTS, Abuse
from throughtime.arrays.activations import logistic, tanh_half, twice_tanh_half


def test_seeds_are_solved_in_the_order_of_the_prediction():
    biases = np.arange(-5.0, 1.0)
    gates = logistic(biases)
    predicted = gates * tanh_half.derivative(experiment.STEPS * float(twice_tanh_half(1.0)) * gates)
    order = biases[np.argsort(-predicted)]
    assert [sum(checks.solved(bias)) for bias in order] == [20, 20, 18, 15, 6, 0]


def test_an_output_has_a_bias_where_it_is_asked_for():
    assert ["b_out" in Abuse(0.5, (0.0,), out_bias=one).model().layout.shapes for one in (False, True)] == [False, True]


def test_one_of_the_stored_runs_can_be_repeated():
    setup = DRIFTS[0]
    stored = next(row for row in experiment.RUNS.read() if (row["setup"], row["seed"]) == (setup.name, "0"))
    ended = setup.run(0, experiment.CAP)
    assert (int(ended.solved), ended.sequences) == (int(stored["solved"]), pytest.approx(int(stored["taken"]), abs=200))
