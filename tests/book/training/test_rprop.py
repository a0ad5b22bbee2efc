"""The chapter on Rprop: its checks, what it says of the stored runs, what readers type, and its figures."""

from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from book.shared.intervals import wilson
from book.training.rprop import checks, figures
from book.training.rprop import experiment as runs
from sympy import Eq, Max, Min, Piecewise
from throughtime.learning.optimizers import IRpropMinus, IRpropPlus, PrintedRprop, RpropMinus, RpropPlus
from throughtime.tasks.temporal_xor import as_prediction, temporal_xor
from throughtime.textbook.simple_recurrent import Elman

PAGE = Path(__file__).parents[3] / "book" / "training" / "rprop.ipynb"


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


def cell(task, method, first_step):
    key = (task, method, first_step)
    return [r for r in runs.stored() if (r["task"], r["method"], r["first_step"]) == key]


def median_steps(method, first_step):
    return np.median([r["fine"] for r in cell("bit counter", method, first_step) if r["fine"] is not None])


@pytest.mark.parametrize("first_step", [0.001, 0.1, 1.0])
def test_improved_variants_need_about_half_the_steps(first_step):
    for improved in ("iRprop+", "iRprop-"):
        for other in ("Rprop+", "Rprop-", "as printed"):
            assert 0.35 < median_steps(improved, first_step) / median_steps(other, first_step) < 0.55


def test_the_first_step_hardly_matters_on_the_bit_counter_and_starts_that_fail_are_of_one_kind():
    for method in runs.FAMILY:
        counts = [sum(r["fine"] is not None for r in cell("bit counter", method, s)) for s in runs.FIRST_STEPS]
        assert 75 < min(counts) <= max(counts) < 95
        failed = np.array([runs.start(r["seed"]) for r in cell("bit counter", method, 0.1) if r["fine"] is None])
        assert (failed < [0.0, 0.06]).all()
        solved = np.array([runs.start(r["seed"]) for r in cell("bit counter", method, 0.1) if r["fine"] is not None])
        assert (solved < [0.0, 0.06]).all(axis=1).any()  # not every start of that kind fails
    near = sum(r["rough"] is not None for r in cell("bit counter", "gradient descent", runs.RATE))
    fine = sum(r["fine"] is not None for r in cell("bit counter", "gradient descent", runs.RATE))
    assert (near, fine) == (50, 1)


def test_on_temporal_xor_the_variants_do_not_differ_and_ten_is_too_large():
    errors = {
        (m, s): np.median([r["error"] for r in cell("temporal XOR", m, s)])
        for m in runs.FAMILY
        for s in runs.FIRST_STEPS
    }
    assert all(0.19 < e < 0.225 for (_, s), e in errors.items() if s < 10)
    assert all(e > 0.23 for (_, s), e in errors.items() if s == 10)


def test_on_temporal_xor_a_small_first_step_brings_nearly_all_nets_below_two_bits_and_ten_hardly_any():
    least = runs.least_error_of_two_bits()
    assert least == pytest.approx(0.2172, abs=5e-5)
    below = {
        first: [sum(r["error"] < least for r in cell("temporal XOR", m, first)) for m in runs.FAMILY]
        for first in runs.FIRST_STEPS
    }
    assert {first: (min(counts), max(counts)) for first, counts in below.items()} == {
        0.001: (9, 10),
        0.1: (8, 10),
        1.0: (5, 9),
        10.0: (0, 1),
    }


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


def test_counts_of_the_page():
    """Starts that are solved, their median steps, where a first step of 10 lands, and what gradient descent does."""
    family = [(m, first) for m in runs.FAMILY for first in runs.FIRST_STEPS]
    solved = [sum(r["fine"] is not None for r in cell("bit counter", *key)) for key in family]
    assert (min(solved), max(solved), max(set(solved), key=solved.count)) == (79, 92, 84)
    improved = [median_steps(*key) for key in family if key[0].startswith("i")]
    others = [median_steps(*key) for key in family if not key[0].startswith("i")]
    assert [round(n) for n in (min(improved), max(improved), min(others), max(others))] == [263, 306, 570, 671]
    landed = np.median([runs.path(IRpropMinus(2, 10.0), runs.start(seed), 1)[1][1] for seed in range(runs.SEEDS)])
    assert landed == pytest.approx(1.8e15, rel=0.01)
    failed = [runs.start(r["seed"]) for r in cell("bit counter", "iRprop-", 0.1) if r["fine"] is None]
    assert len(failed) == 16
    assert [100 * bound for bound in wilson(84, 100)] == pytest.approx([75.6, 89.9], abs=0.1)
    assert [100 * bound for bound in wilson(50, 100)] == pytest.approx([40.4, 59.6], abs=0.1)


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


def test_figures_show_the_paths_and_the_distances():
    places, _ = runs.path(PrintedRprop(2, 0.5), (-0.5, 0.5), 30)
    figure = figures.paths({"a": places, "b": places[:5]}, 8)
    drawn = figure.axes[1].lines[0]
    assert np.array_equal(np.column_stack(drawn.get_data()), places[:5])
    values = np.array([1.0, -0.5, 0.25])
    line = figures.distances({"a": (values, (1, 1))}).axes[0].lines[0]
    assert line.get_ydata().tolist() == [1.0, 0.5, 0.25]


@pytest.mark.parametrize("variant", [RpropPlus, RpropMinus, IRpropPlus, IRpropMinus])
def test_the_numbers_of_the_page_are_those_of_the_library(variant):
    defaults = {name: value.default for name, value in signature(variant).parameters.items()}
    assert [defaults[name] for name in ("grow", "shrink", "smallest", "largest")] == [1.2, 0.5, 1e-6, 50.0]
