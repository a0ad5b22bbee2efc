"""The chapter on Rprop: its checks, what readers type; its error surface and its runs."""

from itertools import product

import numpy as np
import pytest
from book.shared.records import _written as written
from book.training.counter import gradient as by_network
from book.training.counter import loss as of_network
from book.training.counter import mean_error
from book.training.rprop import checks
from book.training.rprop import experiment as runs
from sympy import Eq, Max, Min, Piecewise
from throughtime.checks import complex_step, relative_error
from throughtime.learning.optimizers import GradientDescent, IRpropMinus, RpropMinus
from throughtime.tasks.temporal_xor import as_prediction, temporal_xor
from throughtime.textbook.simple_recurrent import Elman


def test_no_case_may_be_left_out_and_no_bound_is_hidden():
    at = checks.LETTERS["x"]
    both, size = at["g"] * at["p"], at["D"]
    grown, shrunk = size * checks.GROW, size * checks.SHRINK
    for cases in (
        [(grown, both > 0), (shrunk, True)],
        [(shrunk, both < 0), (grown, True)],
        [(grown, both >= 0), (shrunk, both < 0), (size, True)],
        [(grown, both > 0), (shrunk, both <= 0), (size, True)],
        [(Min(grown, 1), both > 0), (shrunk, both < 0), (size, True)],
        [(grown, both > 0), (Max(shrunk, 0.01), both < 0), (size, True)],
    ):
        assert not checks.is_published(Eq(at["D_new"], Piecewise(*cases)))


def test_bits_that_are_all_0_let_the_printed_step_grow():
    assert checks.step_without_ones() == pytest.approx(0.001 * 1.2**50, rel=1e-9)
    assert checks.step_without_ones(1) == pytest.approx(0.0012)


def test_an_error_with_another_stationary_point_lets_the_way_to_its_minimum_lead_off():
    """v^2 exp(-v^2) has one minimum, at 0, and falls again beyond 1."""
    rprop, theta = RpropMinus(1, 0.01, largest=np.inf), np.array([1.5])
    for _ in range(60):
        theta = rprop.step(theta, 2 * theta * (1 - theta**2) * np.exp(-(theta**2)))
    assert theta[0] > 20


def test_the_starts_that_fail_are_of_one_kind_and_not_all_of_it_fails():
    key = ("bit counter", "iRprop-", 0.1)
    rows = [r for r in runs.stored() if (r["task"], r["method"], r["first_step"]) == key]
    failed, solved = ([runs.start(r["seed"]) for r in rows if (r["fine"] is None) is lost] for lost in (True, False))
    assert (np.array(failed) < [0.0, 0.06]).all()
    assert (np.array(solved) < [0.0, 0.06]).all(axis=1).any()


def test_a_first_step_of_ten_saturates_the_units_and_a_small_one_does_not():
    model, (x, targets) = Elman(1, runs.HIDDEN, 1, start=0.5), as_prediction(temporal_xor(runs.TRIPLES, seed=0))
    flat = {}
    for first in (0.1, 10.0):
        found = []
        for seed in range(runs.NETS):
            theta = model.init(seed, runs.SCALE)
            result = model.gradient(theta, x, targets)
            theta = IRpropMinus(theta.size, first).step(theta, result.gradient, result.loss)
            f = model.forward(theta, x).f[0, 1:]
            found.append(np.mean(f * (1 - f) < 1e-3))
        flat[first] = np.median(found)
    assert flat[0.1] < 0.01
    assert flat[10.0] > 0.5


def test_the_listing_of_the_page_is_rprop_minus(run_cell):
    names = run_cell("def rprop_step(")
    random = np.random.default_rng(0)
    rprop, v, size, p = RpropMinus(3, 0.1), random.normal(size=3), np.full(3, 0.1), np.zeros(3)
    library = v.copy()
    for _ in range(60):
        g = random.normal(size=3) * random.integers(0, 2, 3)
        library = rprop.step(library, g)
        v, size = names["rprop_step"](v, size, g, p)
        assert np.array_equal(v, library)
        p = g


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


def test_the_file_says_how_the_runs_were_made():
    rules = {(name, written(step)): runs.rules(make(1)) for name, step, make in runs.descents()}
    for row in runs.RUNS.read():
        how = runs.SETTINGS[row["task"]] | rules[row["method"], row["first_step"]]
        if row["method"] == "as printed":  # its bounds bound nothing, which the file says as None
            assert (how["smallest"], how["largest"]) == (0, np.inf)
            how |= {"smallest": None, "largest": None}
        assert {name: row[name] for name in how} == {name: written(value) for name, value in how.items()}


def test_gradient_descent_comes_out_the_same_even_where_it_is_chaotic():
    """From these starts the result depends on the last bit of single operations, so their order has to be fixed."""
    stored = {r["seed"]: r for r in runs.stored() if (r["task"], r["method"]) == ("bit counter", "gradient descent")}
    for seed in (0, 44, 75, 81):
        new = runs.count_bits(lambda size: GradientDescent(size, runs.RATE), seed)
        assert all(stored[seed][name] == new[name] for name in ("rough", "fine"))
        assert stored[seed]["error"] == pytest.approx(new["error"], rel=1e-7)
    nudged = runs.path(GradientDescent(2, runs.RATE), runs.start(75) * (1 + 1e-15), runs.STEPS)[1].min()
    assert abs(nudged / stored[75]["error"] - 1) > 1e-3


def test_a_net_on_temporal_xor_learns_in_few_passes(monkeypatch):
    monkeypatch.setattr(runs, "PASSES", 60)
    assert runs.predict_xor(lambda size: IRpropMinus(size, 0.1), 0)["error"] < 0.249
