"""The chapter on updates: the rule as typed, and the updates of the appendix to the letter."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from book.lstm1997.updates import experiment
from book.lstm1997.updates.experiment import gradient_from_trace
from throughtime.checks import relative_error
from throughtime.textbook.lstm1997 import LSTM1997

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "updates.ipynb"


def outputs(cell_text: str) -> str:
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    (found,) = [c for c in cells if c["cell_type"] == "code" and cell_text in "".join(c["source"])]
    return "".join("".join(o.get("text", o.get("data", {}).get("text/plain", ""))) for o in found["outputs"])


# ---- the whole rule, as a reader types it


@pytest.fixture(scope="module")
def typed(page_cell):
    """The rule as a reader types it, and the loop over the steps; with a replacement in the rule if one is given."""

    def run(right="", wrong=""):
        rule, loop, names = page_cell("def one_step("), page_cell("def rule("), {"np": np}
        assert rule.count("\n") + 1 == 27  # lines, as the page says
        assert not right or rule.count(right) == 1
        exec(rule.replace(right, wrong) if right else rule, names)
        exec(loop[: loop.index("def agreement(")], names)
        return names["rule"]

    return run


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 0), (2, 2, 1, 1, 3), (3, 2, 3, 2, 2)])
def test_the_typed_rule_is_the_truncated_gradient(typed, sizes):
    draw = np.random.default_rng(27)
    net = LSTM1997(*sizes, timing="same")
    theta, x = net.init(draw, scale=1.5), draw.normal(size=(15, net.n_in))
    goal = draw.uniform(size=(15, net.n_out))
    weights = {name.removeprefix("w_"): view for name, view in net.layout.views(theta).items()}
    found = typed()(weights, x, goal)
    flat = net.layout.flatten({f"w_{kind}": values for kind, values in found.items()})
    assert relative_error(flat, net.gradient(theta, x, goal, method="truncated").gradient) <= 1e-12
    assert relative_error(flat, net.gradient(theta, x, goal, method="bptt").gradient) > 1e-6


@pytest.mark.parametrize("slip", ["ig * (1 - ig)", "og * (1 - h**2) / 2", "(4 - g**2) / 4", "A = A + "])
def test_a_slip_in_the_rule_is_found(typed, slip):
    wrong = {"A = A + ": "A = 0.9 * A + "}.get(slip, "1.1 * " + slip)
    draw = np.random.default_rng(4)
    net = LSTM1997(n_in=2, blocks=2, cells=2, n_out=1, hidden=1, timing="same")
    theta, x, goal = net.init(draw, scale=1.0), draw.normal(size=(6, 2)), draw.uniform(size=(6, 1))
    weights = {name.removeprefix("w_"): view for name, view in net.layout.views(theta).items()}
    found = typed(slip, wrong)(weights, x, goal)
    flat = net.layout.flatten({f"w_{kind}": values for kind, values in found.items()})
    assert relative_error(flat, net.gradient(theta, x, goal, method="truncated").gradient) > 1e-4


def test_the_solution_in_the_other_timing_is_the_truncated_gradient():
    assert outputs("def one_step_late(").strip() == "equal to 12 digits: True"


# ---- the updates of the appendix to the letter


def test_what_the_letter_of_the_appendix_gets_wrong():
    for timing, wrong in (("previous", {"hid", "og", "ig", "cell"}), ("same", {"out"})):
        apart, angles = experiment.differences(timing)
        assert {kind for kind, values in apart.items() if values.min() > 1e-3} == wrong
        assert all(values.max() < 1e-12 for kind, values in apart.items() if kind not in wrong)
        assert (angles > 90).sum() == 0
        found = [round(float(value)) for value in (angles.min(), np.median(angles), angles.max())]
        assert found == {"previous": [5, 16, 51], "same": [2, 11, 27]}[timing]
    assert round(float(np.median(experiment.truncation()))) == 11


@pytest.mark.parametrize("timing", ["previous", "same"])
def test_updates_taken_at_one_time_fit_the_timing_of_the_experiments_only(timing):
    draw = np.random.default_rng(19)
    net = LSTM1997(n_in=2, blocks=2, cells=2, n_out=2, hidden=1, timing=timing)
    theta, x, goal = net.init(draw, scale=1.0), draw.normal(size=(8, 2)), draw.uniform(size=(8, 2))
    errors = net.forward(theta, x).y[1:] - goal
    truncated = net.gradient(theta, x, goal, method="truncated").gradient
    literal = gradient_from_trace(net, theta, x, errors, at_one_time=True)
    assert (relative_error(literal, truncated) <= 1e-12) == (timing == "same")
    assert relative_error(literal, truncated) <= 1e-12 or relative_error(literal, truncated) > 0.1
