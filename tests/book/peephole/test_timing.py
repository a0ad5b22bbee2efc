"""The chapter on timing tasks: the stream that a reader types, what its prose says of the net, the exercises."""

from pathlib import Path

import numpy as np
import pytest
from book.experiments.timed import TEST, TimedTrial
from book.experiments.timed_rows import TASKS, TIMED
from book.experiments.timing import END, INPUT, TARGET, Measured
from throughtime.systems.lstm_family import GATES

PAGE = Path(__file__).parents[3] / "book" / "peephole" / "timing.ipynb"


def test_the_typed_stream_is_that_of_the_experiments(run_cell):
    tape = Measured(7, (0, 1, 3)).tape(50, np.random.default_rng(1))
    x, target = run_cell("def spikes(")["spikes"](7, tape[TARGET, tape[END] > 0].astype(int))
    assert np.array_equal(np.stack([x, target]), tape[[INPUT, TARGET]])


def test_the_net_keeps_time_as_the_text_says():
    trial = TimedTrial(TIMED["gts-10"], "swapped", 0)
    assert trial.run().solved
    trace = trial.net.forward(trial.theta, np.zeros((40, 1)))
    s, fg, og = (part.ravel() for part in (trace.s, trace.y_fg, trace.y_og))
    added = s[1:] - fg[1:] * s[:-1]
    assert fg[1:].min() > 0.9
    climbs = np.diff(s[:10])
    assert (np.diff(climbs) < 0).all()
    assert climbs.min() > 0
    assert added[:9].min() > 0 > added[9:12].max()
    assert all((place % 10 or 10) >= 6 or place % 10 <= 3 for place in np.flatnonzero(og > 0.5))  # around a spike
    assert trial.net.layout.views(trial.theta)["w_block"].ravel()[1] < 0


def test_without_peepholes_the_output_gate_stays_ajar():
    for name in ("gts-10", "gts-10-plain"):
        trial = TimedTrial(TIMED[name], "swapped", 0)
        assert trial.run().solved
        peepholes = [abs(trial.net.layout.views(trial.theta)[f"u_{gate}"]) for gate in GATES if trial.row.peepholes]
        assert not peepholes or min(peepholes) == peepholes[-1]
        assert trial.net.forward(trial.theta, np.zeros((40, 1))).y_og[1:].min() > 0.02
    assert trial.net.layout.size == 14


@pytest.mark.parametrize(("name", "output", "step"), [
    *(("cos", 0.0, 2), ("tri", 0.0, 2), ("rect", 0.0, 6)),
    *(("cos", 0.5, 1), ("tri", 0.5, 1), ("rect", 0.5, 1)),
])  # fmt: skip
def test_exercise_on_the_shortest_stream(name, output, step):
    task = TASKS[f"pfg-{name}-10"]
    wrong = np.abs(task.tape(1, np.random.default_rng(0))[TARGET] - output) >= task.tolerance
    assert np.flatnonzero(wrong)[0] + 1 == step


def test_exercise_on_chance():
    delays = TASKS["nmsd-10"].tape(100_000, np.random.default_rng(0))
    right = delays[TARGET, delays[END] > 0] == 0
    passed = np.diff(np.r_[-1, np.flatnonzero(~right)]) - 1
    assert passed.mean() == pytest.approx(1, abs=0.03)
    assert TEST == 1000
