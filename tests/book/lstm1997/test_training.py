"""Drift: its verdict, the order that the page predicts, and its figures."""

import numpy as np
from book.lstm1997.training import checks, experiment
from throughtime.arrays.activations import logistic, tanh_half, twice_tanh_half


def test_seeds_are_solved_in_the_order_of_the_prediction():
    biases = np.arange(-5.0, 1.0)
    gates = logistic(biases)
    predicted = gates * tanh_half.derivative(experiment.STEPS * float(twice_tanh_half(1.0)) * gates)
    order = biases[np.argsort(-predicted)]
    assert [checks.seeds(bias) for bias in order] == [20, 20, 18, 15, 6, 0]
