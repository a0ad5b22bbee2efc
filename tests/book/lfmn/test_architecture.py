"""The chapter on the LFMN's architecture: its worked example by hand, the typed forward pass, its pictures."""

from __future__ import annotations

import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from book.lfmn.architecture import figures as lfmn_architecture
from matplotlib.text import Text
from throughtime.textbook.lfmn import LFMN

PAGE = Path(__file__).parents[3] / "book" / "lfmn" / "architecture.ipynb"


# ---- the worked example, one scalar at a time


def f(z: float) -> float:
    return math.tanh(z / 2)


def by_hand(x: list[float]) -> dict[str, list[float]]:
    """The forward pass of the chapter's six units in scalar arithmetic."""
    rows: dict[str, list[float]] = {}
    h2 = h3 = y2 = y3 = 0.0  # fed back by the recurrent units: net input, activation, net input, activation
    for now in x:
        h1 = f(now)
        h2 = 0.5 * h2 + now
        h3_net = 2.0 * h3 + now
        h3 = f(h3_net)
        y1_net = h1 - f(h2) + h3
        y2 = -0.5 * y2 + now
        y3_net = y3 + now
        y3 = f(y3_net)
        step = {
            "x": now,
            "h_1": h1,
            "net input of h_2": h2,
            "h_2": f(h2),
            "net input of h_3": h3_net,
            "h_3": h3,
            "net input of y_1": y1_net,
            "y_1": f(y1_net),
            "net input of y_2": y2,
            "y_2": f(y2),
            "net input of y_3": y3_net,
            "y_3": y3,
        }
        for name, value in step.items():
            rows.setdefault(name, []).append(value)
    return rows


def printed_outputs() -> str:
    notebook = nbformat.read(PAGE, as_version=4)
    return "".join(
        out.text for cell in notebook.cells for out in cell.get("outputs", []) if out.output_type == "stream"
    )


def test_table_of_the_worked_example_is_what_one_gets_by_hand():
    table = printed_outputs()
    for name, values in by_hand([2.0, 0.0, -2.0]).items():
        (line,) = re.findall(rf"^{re.escape(name)} (.*)$", table, re.M)
        assert [float(number) for number in line.split()] == pytest.approx(values, abs=5.001e-4), name


def test_masked_loss_of_the_worked_example():
    rows = by_hand([2.0, 0.0, -2.0])
    cost = [sum(rows[name][time] ** 2 for name in ("y_1", "y_2", "y_3")) for time in range(3)]
    (shown,) = re.findall(r"^library's loss +([\d.]+)$", printed_outputs(), re.M)
    assert float(shown) == pytest.approx(cost[1] + cost[2], abs=5.001e-4)


# ---- the forward pass that a reader types


@pytest.fixture(scope="module")
def forward(run_cell):
    """The function of the visible cell."""
    return run_cell("def forward(")["forward"]


@pytest.mark.parametrize(("hidden", "output"), [((1, 1, 1), (1, 1, 1)), ((2, 0, 3), (1, 2, 0)), ((0, 2, 1), (2, 0, 3))])
def test_the_typed_forward_pass_is_the_librarys(forward, hidden, output):
    draw = np.random.default_rng(7)
    model = LFMN(2, hidden=hidden, output=output)
    theta, x = model.init(draw, 1.0), draw.normal(size=(9, 2))
    np.testing.assert_allclose(forward(model.layout.views(theta), x), model.forward(theta, x).y[1:], rtol=1e-12)


# ---- the pictures


@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 1, 0), (0, 2, 2)])
def test_network_picture_names_every_unit_and_every_feedback_weight(counts):
    figure = lfmn_architecture.network(hidden=counts, output=counts)
    words = " ".join(text.get_text() for text in figure.findobj(Text))
    for number, kind in enumerate(["static"] * counts[0] + ["net"] * counts[1] + ["act"] * counts[2], 1):
        assert f"$h_{number}$" in words
        assert f"$y_{number}$" in words
        for layer in ("hid", "out"):
            for letter, feeds in (("u", "net"), ("v", "act")):
                assert (rf"${letter}^\mathrm{{{layer}}}_{number}$" in words) == (kind == feeds)


def test_pulse_picture_shows_the_memories_that_the_text_names():
    lines = [line.get_ydata() for line in lfmn_architecture.three_memories().axes[0].lines]
    static, net, weak, strong = lines
    assert abs(static[2:]).max() == 0
    assert weak[5] < 0.02 < net[15]
    assert net[20] < 0.02
    assert strong[20] == pytest.approx(0.86, abs=0.005)
