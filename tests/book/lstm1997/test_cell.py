"""The chapter on the memory cell: its worked example, its figure and its program."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from book.lstm1997 import example
from book.lstm1997.cell import figures
from throughtime.textbook.lstm1997 import LSTM1997

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "cell.ipynb"


@pytest.mark.parametrize("kind", ["hid", "ig", "og", "cell", "out"])
def test_the_terms_of_the_worked_example_add_up(kind):
    run = example.trace()
    for t in range(1, 5):
        for cell in (1, 2) if kind == "cell" else (1,):
            net = getattr(run, f"net_{kind}")[t].ravel()[cell - 1]
            assert sum(term[3] for term in example.terms(kind, t, cell)) == pytest.approx(net, rel=1e-14)


def test_what_the_page_says_of_the_example():
    run = example.trace()
    assert round(float(run.s[3, 0, 0]), 3) == 2.316
    assert round(float(run.y_ig[4, 0]), 2) == 0.92
    assert run.y_ig[1, 0] > 0.85 > 0.3 > run.y_ig[2, 0]


def test_previous_is_same_one_step_late_without_direct_weights():
    theta = example.THETA.copy()
    example.NET.layout.views(theta)["w_out"][:, 0] = 0.0
    late = example.NET.forward(theta, example.X).y
    same = replace(example.NET, timing="same").forward(theta, example.X).y
    np.testing.assert_allclose(late[2:], same[1:-1], rtol=1e-15)
    assert not np.allclose(
        example.trace().y[2:], replace(example.NET, timing="same").forward(example.THETA, example.X).y[1:-1]
    )


def test_the_timings_have_every_output():
    for ax in figures.timings(3).axes:
        assert {"$y(1)$", "$y(3)$", "$x(0)$"} <= {text.get_text() for text in ax.texts}


# --- the code in the text


@pytest.fixture(scope="module")
def typed(run_cell):
    """The functions of the visible cell, as a reader types them."""
    return run_cell("def forward(")


@pytest.mark.parametrize("timing", ["previous", "same"])
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 0), (3, 2, 3, 2, 2)])
def test_the_typed_forward_pass_is_that_of_the_library(typed, timing, sizes):
    draw = np.random.default_rng(3)
    net = LSTM1997(*sizes, timing=timing)
    theta, x = net.init(draw, scale=2.0), draw.normal(size=(9, net.n_in))
    weights = {name.removeprefix("w_"): view for name, view in net.layout.views(theta).items()}
    np.testing.assert_allclose(typed["forward"](weights, x, timing == "same"), net.forward(theta, x).y[1:], rtol=1e-13)


def test_the_typed_forward_pass_computes_the_example(typed):
    weights = {name.removeprefix("w_"): view for name, view in example.NET.layout.views(example.THETA).items()}
    np.testing.assert_allclose(typed["forward"](weights, example.X), example.trace().y[1:], rtol=1e-14)
