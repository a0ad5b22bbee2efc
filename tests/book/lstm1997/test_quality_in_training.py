"""Training by the truncated and by the exact gradient: what the prose says beyond the tables."""

import numpy as np
from book.lstm1997.quality import experiment

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
