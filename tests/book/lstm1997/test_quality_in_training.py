"""Training by the truncated and by the exact gradient: what the prose says beyond the tables, and the figures."""

import numpy as np
import pytest
from book.lstm1997.quality import experiment, figures
from book.lstm1997.tasks import SETUPS
from book.shared import figure_style as style

RUNS, GRADIENTS = experiment.RUNS.read(), experiment.GRADIENTS.read()
TRAINED = [row for row in experiment.TRAINED.read() if row["solved"] == "1"]


def column(key):
    """One number of every net that learnt the latch, at the end of training."""
    rows = (row for row in TRAINED if (row["setup"], row["look"]) == ("latch 20", "end"))
    return np.array([float(row[key]) for row in rows])


def test_shut_gates_move_every_ratio_of_the_latch_further_from_1():
    shut, as_trained = (np.abs(np.log(column(key))) for key in ("ratio_shut", "ratio"))
    assert np.all(shut > as_trained)


def test_every_unsolved_run_stands_at_the_cap():
    assert {row["taken"] for row in RUNS if row["solved"] == "0"} == {str(experiment.CAP)}


def test_figures_show_what_they_are_given():
    moved = figures.gates_moved(TRAINED)
    ends = [line for line in moved.axes[0].lines if line.get_marker() == "o"]
    assert len(ends) == 6  # three shifts at two looks
    assert ends[-2].get_ydata()[0] == pytest.approx(np.median(figures.degrees(column("cosine"))))
    training = figures.angles_in_training(GRADIENTS, [setup.name for setup in SETUPS[:6]])
    seeds = [[line for line in ax.lines if line.get_color() == style.GRADIENT] for ax in training.axes]
    assert [len(lines) for lines in seeds] == [2 * experiment.SEEDS] * 6
    needed = figures.sequences_needed(RUNS, experiment.CAP)
    shown = sum(len(line.get_xdata()) for line in needed.axes[0].lines if line.get_marker() == "o")
    assert shown == sum(row["solved"] == "1" for row in RUNS)
