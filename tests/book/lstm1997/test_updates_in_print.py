"""Updates in print: the note's sums in independent arithmetic."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from book.lstm1997.updates import checks, experiment
from book.lstm1997.updates.experiment import gradient_from_trace
from throughtime.checks import angle, relative_error
from throughtime.derivation import chain
from throughtime.systems import lstm1997 as s
from throughtime.textbook.lstm1997 import LSTM1997

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "updates-in-print.ipynb"


@pytest.mark.parametrize("name", ["lstm97-71", "lstm97-72"])
def test_wrong_print_has_a_counterexample_in_numbers(judged, name):
    left, right = map(float, re.findall(r"\bis (-?\d[\d.e-]*\d)", judged[name].record["counterexample"]))
    assert abs(left - right) > 0.1 * abs(left) > 0


def test_correction_keeps_both_sums_together(judged):
    for name in ("lstm97-71", "lstm97-72"):
        corrected = judged[name].record["corrected"]
        assert re.search(r"sum_\{i=1\}.*sum_\{k=1\}.*w\^\{\\mathrm\{out\}\}_\{i, .*k - 1", corrected)


# ---- (70), with one letter for a hidden unit and for its column


@pytest.fixture(scope="module")
def by_unit():
    return checks.with_weights_by_unit()


def test_the_letter_of_70_is_the_weight_that_leads_from_the_unit(by_unit):
    own = by_unit.on_instances([chain(checks.w_out[s.i_out, s.p_hid], s.w_out[s.i_out, s.hid_column(s.p_hid)])])
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


@pytest.mark.parametrize("slip", ["column", "past", "error"])
def test_slips_are_found(case, slip):
    net, theta, x, targets = case
    gradient = net.gradient(theta, x, targets, method="truncated").gradient
    errors = net.forward(theta, x).y[1:] - targets
    assert relative_error(gradient_from_trace(net, theta, x, errors), gradient) <= 1e-12
    if slip == "column":  # one output weight for all cells of a block, as (71) and (72) have it
        views = {name: view.copy() for name, view in net.layout.views(theta).items()}
        cells = views["w_out"][:, net.output_sources["y_cell"]].reshape(2, 3, 2)
        cells[:] = cells[:, :1]
        views["w_out"][:, net.output_sources["y_cell"]] = cells.reshape(2, -1)
        theta = net.layout.flatten(views)
    elif slip == "past":  # the sum before the last step is lost
        errors = errors * (np.arange(8) == 7)[:, None]
    else:
        errors = np.abs(errors)
    assert relative_error(gradient_from_trace(net, theta, x, errors), gradient) > 1e-3


def test_errors_travel_along_states_unchanged(case):
    """The library's truncated error signal of every state is constant between two steps with an error."""
    net, theta, x, targets = case
    mask = np.isin(np.arange(1, 9), (3, 8)).astype(float)
    signal = net.error_signals(theta, x, targets, mask, method="truncated").s
    np.testing.assert_array_equal(signal[3:7], np.broadcast_to(signal[7], signal[3:7].shape))
    assert np.abs(signal[2] - signal[3]).min() > 0
