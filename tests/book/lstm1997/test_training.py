"""Drift: its verdict, the order that the page predicts, and its figures."""

import numpy as np
from book.lstm1997.training import checks, experiment, figures
from book.lstm1997.training.experiment import Drift
from sympy import Eq, Ge, Limit, Min, oo
from throughtime.arrays.activations import logistic, tanh_half, twice_tanh_half


def test_other_runs_would_refute_the_line_on_tuning(monkeypatch):
    line = Ge(Min(*checks.TUNED), 15, evaluate=False)
    assert checks.is_true(line)
    for counts in ({-1.0: 14, -2.0: 20, -3.0: 20, -4.0: 18}, {-1.0: 15, -2.0: 20, -3.0: 0, -4.0: 18}):
        monkeypatch.setattr(checks, "seeds", counts.get)
        assert not checks.is_true(line)


def test_limits_of_other_functions_are_refused():
    a, s = checks.a, checks.s
    assert not checks.is_true(Eq(Limit(checks.f(a), a, oo), 0, evaluate=False))
    assert not checks.is_true(Eq(Limit(checks.y_cell(s), s, oo), 1, evaluate=False))


def test_seeds_are_solved_in_the_order_of_the_prediction():
    biases = np.arange(-5.0, 1.0)
    gates = logistic(biases)
    predicted = gates * tanh_half.derivative(experiment.STEPS * float(twice_tanh_half(1.0)) * gates)
    order = biases[np.argsort(-predicted)]
    assert [checks.seeds(bias) for bias in order] == [20, 20, 18, 15, 6, 0]


def test_figures_show_what_they_are_given():
    setup = Drift(1.0, 1.0, 0.0)
    trace = setup.model().forward(setup.start(0), setup.draw(1, np.random.default_rng(0)).x[0])
    started = figures.drift_at_the_start({0.0: trace})
    assert np.array_equal(started.axes[0].lines[0].get_ydata(), trace.s[:, 0, 0])
    assert np.array_equal(started.axes[1].lines[0].get_ydata(), tanh_half.derivative(trace.s[:, 0, 0]))
    bias = figures.bias_and_success((np.arange(3.0), np.arange(3.0)), {1.0: [0.5]}, {0.0: 3, 1.0: 7})
    assert [bar.get_height() for bar in bias.axes[1].patches] == [3, 7]
    assert [text.get_text() for text in figures.doors().axes[0].texts].count("1 at each step") == 1
