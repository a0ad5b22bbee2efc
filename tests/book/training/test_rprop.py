"""The chapter on Rprop: its checks, what it says beside its tables, and what readers type."""

from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from book.training.rprop import checks
from book.training.rprop import experiment as runs
from sympy import Eq, Max, Min, Piecewise
from throughtime.learning.optimizers import IRpropMinus, IRpropPlus, RpropMinus, RpropPlus
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


def test_what_the_text_says_beside_the_tables():
    """Where a first step of 10 lands, which starts fail, and what two bits are good for."""
    landed = np.median([runs.path(IRpropMinus(2, 10.0), runs.start(seed), 1)[1][1] for seed in range(runs.SEEDS)])
    assert landed == pytest.approx(1.8e15, rel=0.01)
    key = ("bit counter", "iRprop-", 0.1)
    rows = [r for r in runs.stored() if (r["task"], r["method"], r["first_step"]) == key]
    failed, solved = ([runs.start(r["seed"]) for r in rows if (r["fine"] is None) is lost] for lost in (True, False))
    assert len(failed) == 16
    assert (np.array(failed) < [0.0, 0.06]).all()
    assert (np.array(solved) < [0.0, 0.06]).all(axis=1).any()
    assert runs.least_error_of_two_bits() == pytest.approx(0.2172, abs=5e-5)


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


@pytest.mark.parametrize("variant", [RpropPlus, RpropMinus, IRpropPlus, IRpropMinus])
def test_the_numbers_of_the_page_are_those_of_the_library(variant):
    defaults = {name: value.default for name, value in signature(variant).parameters.items()}
    assert [defaults[name] for name in ("grow", "shrink", "smallest", "largest")] == [1.2, 0.5, 1e-6, 50.0]
