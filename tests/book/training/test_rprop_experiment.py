"""The experiment on Rprop: its error surface is that of the bit counter; ends of paths, and the file of runs."""

from itertools import product

import numpy as np
import pytest
from book.training.counter import gradient as by_network
from book.training.counter import loss as of_network
from book.training.counter import mean_error
from book.training.rprop import experiment as runs
from throughtime.checks import complex_step, relative_error
from throughtime.learning.optimizers import GradientDescent, IRpropMinus


@pytest.mark.parametrize("length", [1, 4, 8])
def test_error_and_gradient_are_those_of_the_network_on_all_sequences(length):
    every = np.array(list(product((0, 1), repeat=length)), float)
    for theta in np.random.default_rng(length).uniform(-1.2, 1.2, (5, 2)):
        error, gradient = runs.error_and_gradient(theta, length)
        assert error == pytest.approx(of_network(*theta, every) / 2**length, rel=1e-12)
        assert error == pytest.approx(mean_error(*theta, length), rel=1e-12)
        assert relative_error(gradient, by_network(*theta, every) / 2**length) < 1e-12
        assert relative_error(gradient, complex_step(lambda z: complex(mean_error(*z, length)), theta)) < 1e-12


def test_a_path_ends_where_the_error_is_small_enough_or_the_numbers_overflow():
    places, errors = runs.path(IRpropMinus(2, 0.1), (0.5, 0.5), 1000, until=1e-6)
    assert len(places) == len(errors) < 1000
    assert errors[-1] <= 1e-6 < errors[:-1].min()
    assert runs.steps_until(errors, 1e-6) == len(errors) - 1
    assert runs.steps_until(errors, 0.0) is None
    wild, _ = runs.path(GradientDescent(2, 1.0), (1.5, 1.5), 100)
    assert len(wild) < 100
    assert np.isfinite(wild).all()


def test_all_runs_are_stored_and_the_file_says_how_they_were_made():
    rows = runs.RUNS.read()
    names = [(name, f"{step:.8g}") for name, step, _ in runs.descents()]
    expected = {
        (task, *name, str(seed)) for task, (_, seeds) in runs.TASKS.items() for name in names for seed in range(seeds)
    }
    assert runs.RUNS.keys() == expected
    names = ("task", "steps", "spread", "length", "bounds", "net")
    assert {tuple(r[name] for name in names) for r in rows} == {
        ("bit counter", "1000", "1.5", "8", "0.001 1e-08", "None"),
        ("temporal XOR", "200", "1", "600", "None", "Elman 4"),
    }
    names = ("method", "grow", "shrink", "smallest", "largest", "momentum")
    assert {tuple(r[name] for name in names) for r in rows} == {
        *((name, "1.2", "0.5", "1e-06", "50", "None") for name in runs.FAMILY if name != "as printed"),
        ("as printed", "1.2", "0.5", "None", "None", "None"),
        ("gradient descent", "None", "None", "None", "None", "None"),
        ("momentum", "None", "None", "None", "None", "0.9"),
    }


def test_gradient_descent_comes_out_the_same_even_where_it_is_chaotic():
    """From these starts the result depends on the last bit of single operations, so their order has to be fixed."""
    stored = {r["seed"]: r for r in runs.stored() if (r["task"], r["method"]) == ("bit counter", "gradient descent")}
    for seed in (0, 44, 75, 81):
        new = runs.count_bits(lambda size: GradientDescent(size, runs.RATE), seed)
        assert {name: stored[seed][name] for name in ("rough", "fine")} == {
            name: new[name] for name in ("rough", "fine")
        }
        assert stored[seed]["error"] == pytest.approx(new["error"], rel=1e-7)
    nudged = runs.path(GradientDescent(2, runs.RATE), runs.start(75) * (1 + 1e-15), runs.STEPS)[1].min()
    assert abs(nudged / stored[75]["error"] - 1) > 1e-3


def test_a_net_on_temporal_xor_learns_in_few_passes(monkeypatch):
    monkeypatch.setattr(runs, "PASSES", 60)
    assert runs.predict_xor(lambda size: IRpropMinus(size, 0.1), 0)["error"] < 0.249
