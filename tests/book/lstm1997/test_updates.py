"""The chapter on updates: the updates of the appendix to the letter, and the sums of the note."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from book.lstm1997.updates import checks, experiment
from book.lstm1997.updates.experiment import gradient_from_trace
from throughtime.checks import angle, relative_error
from throughtime.derivation import chain
from throughtime.systems import lstm1997 as s
from throughtime.textbook.lstm1997 import LSTM1997

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "updates.ipynb"


def test_the_rule_has_as_many_lines_as_the_page_says(page_cell):
    assert page_cell("def one_step(").count("\n") + 1 == 27


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


# ---- (70), with one letter for a hidden unit and for its column


def test_the_letter_of_70_is_the_weight_that_leads_from_the_unit():
    own = checks.with_weights_by_unit().on_instances(
        [chain(checks.w_out[s.i_out, s.p_hid], s.w_out[s.i_out, s.hid_column(s.p_hid)])]
    )
    assert own.passed
    assert own.count > 0


def test_the_notes_sums_lead_uphill_in_about_half_of_the_nets():
    beyond = {words: int((angles > 90).sum()) for words, angles in experiment.of_the_sums().items()}
    assert list(beyond.values()) == [0, 200, 94, 97, 98]


# ---- sums computed from a trace


@pytest.fixture(scope="module")
def case():
    draw = np.random.default_rng(11)
    net = LSTM1997(n_in=2, blocks=2, cells=3, n_out=2, hidden=1)
    theta, x = net.init(draw, scale=1.0), draw.normal(size=(8, 2))
    return net, theta, x, draw.uniform(size=(8, 2))


def test_note_adds_up_the_derivative_of_the_sum_of_outputs(case):
    """The corrected sums of lstm97-69 to lstm97-73 are the gradient for the targets y - 1."""
    net, theta, x, _ = case
    sums = gradient_from_trace(net, theta, x, np.ones((8, 2)))
    library = net.gradient(theta, x, net.forward(theta, x).y[1:] - 1, method="truncated").gradient
    assert relative_error(sums, library) <= 1e-12


def test_note_goes_up_where_outputs_are_too_small(case):
    net, theta, x, _ = case
    sums = gradient_from_trace(net, theta, x, np.ones((8, 2)))
    small, large = (net.gradient(theta, x, np.full((8, 2), goal), method="truncated").gradient for goal in (1.0, 0.0))
    assert angle(sums, small) > 120
    assert angle(sums, large) < 60
