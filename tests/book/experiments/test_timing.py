"""The timing tasks of 2002, and nets that follow a tape until their first error."""

from dataclasses import replace

import numpy as np
import pytest
from book.experiments import runner, timed
from book.experiments.timed import TimedRow, TimedTrial
from book.experiments.timed_rows import TASKS, TIMED, summary
from book.experiments.timing import COUNTED, END, INPUT, TARGET, Generated, Measured, Wave

QUICK = TimedRow("quick", Generated(3), True, 200_000)


def random() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.mark.parametrize("delays", [(0, 1), (0, 1, 2), (0, 7)])
def test_spikes_have_their_distances_and_targets(delays: tuple[int, ...]) -> None:
    tape = Measured(10, delays).tape(500, random())
    times = np.r_[0, np.flatnonzero(tape[INPUT]) + 1]  # T(0) = 0
    drawn = np.diff(times) - 10
    assert set(drawn) == set(delays)
    np.testing.assert_array_equal(tape[TARGET, times[1:] - 1], drawn)
    np.testing.assert_array_equal(tape[COUNTED], tape[INPUT])
    np.testing.assert_array_equal(tape[END], tape[INPUT])
    exchanged = Generated(10, delays).tape(500, random())
    np.testing.assert_array_equal(exchanged[TARGET], tape[INPUT])
    np.testing.assert_array_equal(exchanged[INPUT, times[:-1]], drawn)  # known before its spike
    assert exchanged[INPUT].sum() == drawn.sum()
    assert exchanged[COUNTED].all()


@pytest.mark.parametrize("period", [10, 25])
@pytest.mark.parametrize("shape", ["cosine", "triangle", "rectangle"])
def test_waves(shape: str, period: int) -> None:
    """As the note words them: a raised cosine, straight lines through 0 and 1, one half of the period each."""
    tape = Wave(shape, period).tape(3, random())
    assert tape.shape == (4, 3 * period)
    assert not tape[INPUT].any()
    assert tape[COUNTED].all()
    np.testing.assert_array_equal(np.flatnonzero(tape[END]), [period - 1, 2 * period - 1, 3 * period - 1])
    for place, value in enumerate(tape[TARGET], start=1):
        part = place % period
        late = part > period / 2
        lines = 2 * (period - part) / period if late else 2 * part / period
        expected = {"cosine": np.sin(np.pi * place / period) ** 2, "triangle": lines, "rectangle": float(late)}
        assert value == pytest.approx(expected[shape], abs=1e-12)


def test_nets_have_the_weights_of_the_paper() -> None:
    nets = {row.peepholes: TimedTrial(row, "letter", 0).net for row in (TIMED["gts-10"], TIMED["gts-10-plain"])}
    assert {peepholes: net.layout.size for peepholes, net in nets.items()} == {True: 17, False: 14}
    assert {TASKS[name].squash for name in ("nmsd-10", "msd-10", "gts-10")} == {"logistic"}
    assert {TASKS[name].squash for name in ("msd-10-2", "pfg-cos-10")} == {"identity"}
    views = nets[True].layout.views(TimedTrial(TIMED["gts-10"], "swapped", 3).theta)
    assert [views[f"b_{gate}"].item() for gate in ("fg", "ig", "og")] == [2.0, 0.0, -2.0]
    assert 0.05 < max(np.abs(views[name]).max() for name in views if not name.startswith("b_")) <= 0.1


@pytest.mark.parametrize("name", ["nmsd-10", "msd-10", "gts-10", "pfg-cos-10"])
def test_stream_ends_at_its_first_error(name: str) -> None:
    """Beside a learner that is given the stream up to there: the same weights, and no error before."""
    row = TIMED[name]
    trial, again = (TimedTrial(row, "open", 1) for _ in range(2))
    task, found = row.task, np.zeros(3)
    tape = task.tape(30, random())
    how = not task.continual, trial.memory, 1.0, task.momentum, task.tolerance
    place, done, steps = trial.program.start(tape, 0, 30, *how, found)
    assert done < 30
    begins = np.arange(steps) == 0
    begins[1:] |= (not task.continual) & (tape[END, : steps - 1] > 0)
    again.learner.rate = 1.0
    y = again.learner.run(tape[INPUT, :steps, None], tape[TARGET, :steps, None], tape[COUNTED, :steps], begins).watched
    np.testing.assert_allclose(trial.theta, again.learner.theta, rtol=0, atol=1e-12)
    errors = np.abs(y[:, 0] - tape[TARGET, :steps])[tape[COUNTED, :steps] > 0]
    assert (errors[:-1] < task.tolerance).all()
    assert errors[-1] >= task.tolerance
    assert found == pytest.approx([errors.sum(), (errors**2).sum(), len(errors)])
    assert place == np.flatnonzero(tape[END])[done] + 1  # behind the interval with the error
    assert done == tape[END, : steps - 1].sum()


def test_trial_trains_until_a_test_is_right() -> None:
    trial = TimedTrial(QUICK, "swapped", 0)
    result = trial.run()
    assert result.solved
    assert 1 < result.sequences < QUICK.cap
    assert result.wrong == 0
    assert result.steps >= 2 * result.sequences
    before = TimedTrial(QUICK, "swapped", 0).run(result.sequences - 1)
    assert not before.solved
    assert before.wrong == timed.STREAMS
    assert before.sequences == result.sequences - 1
    assert TimedTrial(QUICK, "swapped", 0).run() == result != TimedTrial(QUICK, "swapped", 1).run()


def test_rows_are_written_and_summed_up(tmp_path, capsys) -> None:
    how = {"trials": 2, "folder": tmp_path, "uncommitted": True}
    runner.run(replace(QUICK, name="gts-10"), "swapped", **how)
    assert runner.missing(replace(QUICK, name="gts-10"), "swapped", 3, tmp_path) == [2]
    with pytest.raises(ValueError, match=r"experiments_2002\.csv: expected lines of gts-10 by program"):
        runner.missing(TIMED["gts-10"], "swapped", 3, tmp_path)
    with pytest.raises(ValueError, match="reading: expected one of letter, open, swapped, got 'program'"):
        runner.chosen(["gts-10"], ["program"])
    lines = runner.records(tmp_path, TimedRow).read()
    (one,) = summary(lines)
    counts = [int(line["sequences"]) for line in lines]
    assert (one.row, one.reading, one.solved, one.trials) == ("gts-10", "swapped", 2, 2)
    assert (one.mean, one.deviation) == pytest.approx((sum(counts) / 2, abs(counts[0] - counts[1]) / 2))
    assert "2/2" in str(one)
    (lost,) = summary([line | {"solved": "False"} for line in lines])
    assert (lost.solved, lost.trials) == (0, 2)
    assert str(lost).endswith("-")
