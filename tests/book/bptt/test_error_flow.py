"""The chapter on error flow: sums over paths, and the functions that a reader types."""

import json
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
import throughtime
from book.bptt import networks as ef
from book.bptt.bench import make_bench
from book.bptt.error_flow import checks
from sympy import Integer
from throughtime.arrays.activations import tanh
from throughtime.derivation import CheckError, DerivationError, Lemma, Paths, chain, d, lag
from throughtime.systems import recurrent as s
from throughtime.textbook.recurrent import FullyRecurrent

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "error-flow.ipynb"
i, j, t, z, w = s.i, s.j, s.t, s.net, s.w
n = lag("n", 1)


def path_sum(link) -> Paths:
    return Paths(link, s.before, s.after, s.link_number, i, j, n)


def later(unit):
    return s.f.prime(z[unit, t - s.link_number], unit)


WRONG_LINKS = {
    "transposed weight, as in the paper's (3.2)": w[s.after, s.before] * later(s.after),
    "slope of the later unit at the earlier time": w[s.before, s.after] * later(s.before),
    "slope one step too early": w[s.before, s.after] * s.f.prime(z[s.after, t - s.link_number - 1], s.after),
}


@pytest.fixture(scope="module")
def S():
    return make_bench(masked=False)


@pytest.mark.parametrize("link", WRONG_LINKS.values(), ids=WRONG_LINKS)
def test_wrong_path_sums_are_refused(S, link):
    with pytest.raises(CheckError, match="wrong as printed"):
        S.equation("wrong", chain(d(z[i, t], z[j, t - n]), path_sum(link)))
    with pytest.raises(DerivationError, match="induction"):
        Lemma(d(z[i, t], z[j, t - n]), path_sum(link), n, 1).prove(S.reducer)


@pytest.mark.parametrize("steps", range(4))
def test_paths_are_products_of_matrices(steps):
    assert checks.paths_are_product(steps)
    assert checks.errors_come_back(steps)


# ---- what a reader types


@pytest.fixture(scope="module")
def typed():
    """The functions of the visible cell, and what the cell after it computes with them."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names = {"np": np, "tt": throughtime, "pairwise": pairwise, "product": product, "table": lambda head, rows: rows}
    for source in sources:
        if "def errors_back(" in source or "errors_back(W, slopes, row)" in source:
            exec(source, names)
    return names


@pytest.mark.parametrize(("units", "steps"), [(1, 1), (2, 5), (4, 3)])
def test_typed_functions_carry_errors_back_as_the_library_does(typed, units, steps):
    random = np.random.default_rng(units)
    net = FullyRecurrent(n_in=2, n_out=units, activation=tanh)
    theta, x = net.init(random, scale=2.0), random.normal(size=(steps + 3, 2))
    targets, now = random.normal(size=(steps + 3, units)), steps + 2
    ran, mask = net.forward(theta, x), np.eye(steps + 3)[now - 1]
    slopes = tanh.derivative(ran.z)[now - 1 : now - steps - 1 : -1]
    W = net.recurrent_weights(theta)
    signals = net.error_signals(theta, x, targets, mask).z
    found = typed["errors_back"](W, slopes, signals[now])
    np.testing.assert_allclose(found, signals[now : now - steps - 1 : -1], rtol=1e-11, atol=1e-14)
    by_paths = typed["paths"](W, slopes, 0, units - 1)
    assert len(by_paths) == units ** (steps - 1)
    assert sum(by_paths.values()) == pytest.approx(ef.flow(ef.links(W, slopes))[-1, 0, units - 1], rel=1e-10, abs=1e-12)


def test_typed_flow_is_that_of_the_complex_step(typed):
    """A net input of time 1 is moved by an input of its own."""
    net = FullyRecurrent(n_in=3, n_out=3, activation=tanh)
    random = np.random.default_rng(5)
    W = random.normal(size=(3, 3))
    theta = net.layout.flatten({"W": np.hstack([np.eye(3), W])})
    x = random.normal(size=(4, 3))
    slopes = tanh.derivative(net.forward(theta, x).z)[[3, 2, 1]]
    for unit in range(3):
        moved = x.astype(complex)
        moved[0, unit] += 1e-30j
        by_steps = net.forward(theta, moved).z[4].imag / 1e-30
        flow = [typed["errors_back"](W, slopes, row)[-1][unit] for row in np.eye(3)]
        np.testing.assert_allclose(flow, by_steps, rtol=1e-12)


def test_the_paths_of_the_page_are_as_its_text_says(typed):
    sizes = sorted(map(abs, typed["every"].values()))
    assert len(sizes) == 9
    assert {np.sign(size) for size in typed["every"].values()} == {-1, 1}
    assert [f"{size:.4f}" for size in (sizes[0], sizes[-1])] == ["0.0005", "0.0467"]
    first, second = sorted(typed["every"].values(), key=abs)[:-3:-1]
    assert abs(first + second) < 0.05 * abs(first)


def test_the_solution_that_counts_paths(typed):
    links = np.ones((3, 3)) - np.eye(3)
    assert sum(typed["paths"](links, np.ones((4, 3)), 0, 0).values()) == 6


def test_a_number_of_steps_may_be_given(S):
    three = chain(d(z[i, t], z[j, t - 3]), s.error_flow(i, j, Integer(3)))
    assert S.equation("three", three, title="three steps").verdict == "holds"
