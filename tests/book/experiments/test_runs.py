"""Trials: when they stop, what is written, what is run again; the command line; the verdict."""

import io
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from book.commands import main
from book.experiments import origin, runner
from book.experiments.later import LATER
from book.experiments.net import Net, SmallNet
from book.experiments.reading import DETAILS, PAIRS, READINGS, Reading, reading
from book.experiments.reber import Reber, words
from book.experiments.rows import DETAILED, ROWS, OnSets, OnTest, Recent, Row, row
from book.experiments.system import BIASED
from book.experiments.tasks import FirstAgain, TwoSequences
from book.experiments.timed_rows import TIMED
from book.experiments.trial import Trial, _held, measured
from book.experiments.verdict import judged
from throughtime import __version__

TINY = Row(
    "tiny", 0, TwoSequences(5, 3), Net(1, 1, BIASED, 0.1), 1.0, Recent(2, window=50), 500, 17, 10, 3, 3000
)  # fmt: skip


@pytest.fixture(scope="module")
def solved() -> Trial:
    trial = Trial(TINY, READINGS["letter"], 0)
    trial.result = trial.run()
    return trial


def test_trial_stops_at_the_first_sequence_at_which_its_rule_holds(solved: Trial) -> None:
    """Beside a net that learns one sequence at a time."""
    assert solved.result.solved
    again = Trial(TINY, READINGS["letter"], 0)
    wrong, taken = [], 0
    while len(wrong) < TINY.rule.window or sum(wrong[-TINY.rule.window :]) > TINY.rule.wrong:
        stream = again._draw(TINY.cap - taken)
        taken += len(stream.lengths)
        for place, (begin, end) in enumerate(zip(stream.begins, stream.ends + 1, strict=True)):
            mask = np.arange(end - begin) == end - begin - 1
            targets = mask[:, None] * stream.targets[place]
            y = again.learner.run(stream.x[begin:end], targets, mask).watched[-1]
            wrong.append(bool(np.abs(y - stream.targets[place]) >= TINY.task.tolerance))
            if len(wrong) >= TINY.rule.window and sum(wrong[-TINY.rule.window :]) <= TINY.rule.wrong:
                break
    assert len(wrong) == solved.result.sequences
    np.testing.assert_allclose(again.learner.theta, solved.learner.theta, rtol=0, atol=1e-12)


def test_test_does_not_teach(solved: Trial) -> None:
    before = solved.learner.theta
    wrong, error, squared = solved.test(500)
    assert wrong < 100
    assert error**2 < squared < error
    assert (solved.learner.theta == before).all()


def test_test_ends_early_with_what_all_of_it_would_say(solved: Trial) -> None:
    trial = Trial(replace(TINY, rate=0.0), READINGS["letter"], 0)
    trial.learner.theta = 0.9 * solved.learner.theta
    stream = trial._clean(500)
    found = trial._errors(trial.learner, stream)
    np.testing.assert_array_equal(np.concatenate([*trial._observed(trial._blocks(stream))]), found)
    wrong, mean = int(trial._wrong(found).sum()), float(found.mean())
    assert wrong > 0
    for most, below in ((wrong, 1.0), (wrong - 1, 1.0), (500, mean * 1.001), (500, mean * 0.999)):
        passed = trial._passes(OnTest(50, 500, most, below), trial._blocks(stream))
        assert passed == (wrong <= most and mean < below)


def test_rule_over_the_most_recent_sequences() -> None:
    rule = Recent(1, 0.5, window=3)
    before = np.array([1.0, 1.0, 1.0])
    new = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    errors = np.array([0.9, 0.9, 0.9, 0.2, 0.2, 0.9, 0.2, 0.2])
    held = _held(np.concatenate([before, new]), errors, rule)
    assert held.tolist() == [False, True, True, True, True]
    assert _held(np.concatenate([before, new]), errors, replace(rule, mean=0.43)).tolist() == [False] * 5
    assert _held(np.concatenate([before, new]), errors, replace(rule, wrong=0)).tolist() == [False] * 5


@pytest.mark.parametrize("fresh", [False, True])
def test_trial_that_stops_by_a_test(fresh: bool) -> None:
    trial = Trial(replace(TINY, rule=OnTest(50, 64, 3, 0.2, fresh)), READINGS["letter"], 2)
    result = trial.run()
    assert result.solved
    assert result.sequences % 50 == 0
    never = Trial(replace(TINY, rule=OnTest(50, 64, 3, 0.0, fresh)), READINGS["letter"], 2)
    looked = []
    assert not never.run(120, looked.append).solved
    assert looked == [50, 100, 120]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", [*READINGS, *DETAILS, *PAIRS])
def test_every_reading_runs(name: str) -> None:
    result = Trial(replace(TINY, cap=20), reading(name), 0).run()
    assert (result.solved, result.sequences) == (False, 20)


def test_readings() -> None:
    assert reading("letter") == Reading()
    assert reading("program+linear") == replace(READINGS["program"], squash="identity")
    assert reading("error+step") == Reading(slope=False, moved="step")
    with pytest.raises(ValueError, match=r"reading: expected one of letter, program, linear, .*, got 'mine'"):
        reading("mine")
    with pytest.raises(ValueError, match=r"got 'linear\+program'"):
        reading("linear+program")


def test_readings_that_change_nothing_of_a_row() -> None:
    opened = {name: {each for each in (*READINGS, *DETAILS) if ROWS[name].open_to(each)} for name in DETAILED}
    assert {"step", "often", "reset"} <= opened["1-3x2-0.5"]
    assert {"squared", "patient"}.isdisjoint(opened["1-3x2-0.5"])
    assert {"at-once", "patient", "impatient", "step"} <= opened["2a-100"]
    assert {"reset", "added"}.isdisjoint(opened["2a-100"])
    assert {"added", "squared"} <= opened["6a"]
    assert {"step", "often", "seldom", "patient"}.isdisjoint(opened["6a"])
    assert "added" not in opened["2c-50-50"]
    assert [name for name in READINGS if ROWS["2a-rtrl-4-1"].open_to(name)] == ["letter"]


def test_trial_whose_weights_move_late_stops_where_it_would_in_one_go() -> None:
    """The stop is found in a chunk that is then taken again: what was not yet applied must not be lost."""
    row = replace(TINY, cap=3000)
    trial = Trial(row, reading("program"), 0)
    result = trial.run()
    assert result.solved
    again = Trial(row, reading("program"), 0)
    while again.taken < result.sequences:
        stream = again._draw(row.cap - again.taken)
        stream = stream.part(0, min(len(stream.lengths), result.sequences - again.taken))
        again._errors(again.learner, stream)
        again._took(stream)
    np.testing.assert_array_equal(again.learner.theta, trial.learner.theta)


@pytest.mark.usefixtures("interpreted")
def test_trial_on_fixed_sets() -> None:
    net = Net(1, 1, ("gates",), 0.2, (), (-1.0,))
    row = replace(TINY, task=Reber(), net=net, rule=OnSets(10, 16, 2), rate=0.5, cap=40)
    trials = [Trial(row, reading("letter"), number) for number in range(3)]
    pairs = [trial.sets() for trial in trials]
    texts = [(words(learnt), words(tested)) for learnt, tested in pairs]
    assert texts[0] == texts[1] != texts[2]
    for learnt, tested in texts:
        assert learnt.isdisjoint(tested)
    looked = []
    assert not trials[0].run(None, looked.append).solved
    assert looked == [10, 20, 30, 40]
    assert {len(learnt.lengths) for learnt, _ in pairs} == {16}


@pytest.mark.usefixtures("interpreted")
def test_cell_is_added_when_the_error_no_longer_falls() -> None:
    row = replace(TINY, task=FirstAgain(4), net=SmallNet("cell"), rule=OnTest(20, 100, fresh=True), grown=True)
    row = replace(row, rate=0.5, cap=400)
    at_once = Trial(row, reading("at-once"), 0)
    assert at_once.grown
    trial = Trial(row, reading("impatient"), 0)
    seen = []
    trial.run(None, lambda taken: seen.append((taken, trial.grown, trial.learner.net.layout.size)))
    assert [size for _, grown, size in seen if not grown] == [25] * sum(not grown for _, grown, _ in seen)
    first = next(taken for taken, grown, _ in seen if grown)
    assert first in (200, 300, 400)
    assert seen[-1][2] == 25 + 15
    kept = Trial(row, reading("letter"), 0)
    before = kept.learner.theta
    kept._begin(row.net)
    np.testing.assert_array_equal(kept.learner.net.layout.views(kept.learner.theta)["W"].ravel(), before)


@pytest.mark.nightly
def test_cell_learns_a_short_lag() -> None:
    row = replace(ROWS["2a-100"], task=FirstAgain(5), cap=20_000)
    assert Trial(row, reading("letter"), 0).run().solved


def test_line_of_a_trial() -> None:
    line, other, again = (measured(TINY, "letter", number) for number in (1, 0, 1))
    assert list(line)[:5] == ["row", "reading", "trial", "cap", "solved"]
    assert line["steps_per_second"] > 0
    for name in ("seconds", "steps_per_second"):
        del line[name], again[name]
    assert line == again  # whatever ran in between
    assert line["sequences"] != other["sequences"]
    with pytest.raises(ValueError, match="reading: expected one of letter, program"):
        measured(TINY, "mine", 0)
    with pytest.raises(ValueError, match="reading: expected one that concerns row tiny, got 'patient'"):
        runner.missing(TINY, "patient", None)


def test_interrupted_runs_go_on(tmp_path: Path) -> None:
    out = io.StringIO()
    how = {"folder": tmp_path, "uncommitted": True, "out": out}
    assert [line["trial"] for line in runner.run(TINY, trials=2, **how)] == [0, 1]
    assert "2/2 trials" in out.getvalue()
    before = runner.records(tmp_path).read()
    assert runner.missing(TINY, "letter", None, tmp_path) == [2]
    assert [line["trial"] for line in runner.run(TINY, **how)] == [2]
    assert runner.run(TINY, **how) == []
    after = runner.records(tmp_path).read()
    assert after[:2] == before
    assert len(after) == 3
    assert {"python", "numpy", "numba", "date"} <= set(after[0])


def test_lines_of_another_program_are_not_continued(tmp_path: Path, monkeypatch) -> None:
    (line,) = runner.run(TINY, trials=1, folder=tmp_path, uncommitted=True, out=io.StringIO())
    assert re.fullmatch(r"[0-9a-f]{10}\+?|\d+\.\d+\.\d+", line["commit"])
    assert line["program"] == origin.program(TINY, "letter")
    assert len({origin.program(one, "letter") for one in (TINY, replace(TINY, rate=2.0), replace(TINY, cap=9))}) == 3
    monkeypatch.setattr(runner, "commit", lambda: "0123456789+")
    with pytest.raises(ValueError, match=r"^experiments_1997.csv: expected lines of tiny by code that .*--uncommitted"):
        runner.run(TINY, folder=tmp_path)
    assert len(runner.records(tmp_path).read()) == 1
    monkeypatch.setattr(runner, "program", lambda *row: "another")  # commits may differ, programs not
    with pytest.raises(ValueError, match=f"expected lines of tiny by program another .*, got {line['program']} of"):
        runner.run(TINY, folder=tmp_path, uncommitted=True)


def test_commit_of_a_package_is_its_version(monkeypatch) -> None:
    def git(*arguments: str) -> str:
        if arguments[0] == "ls-files":
            raise subprocess.CalledProcessError(1, "git")
        return {"rev-parse": "0123456789", "status": " M book/experiments/trial.py"}[arguments[0]]

    monkeypatch.setattr(origin, "_git", git)
    assert origin.commit.__wrapped__() == __version__
    monkeypatch.setattr(origin, "_git", lambda *arguments: git(*arguments) if arguments[0] != "ls-files" else "")
    assert origin.commit.__wrapped__() == "0123456789+"


@pytest.mark.usefixtures("interpreted")
def test_program_of_a_net_that_grows_has_both_nets(monkeypatch) -> None:
    row = replace(TINY, task=FirstAgain(4), net=SmallNet("cell"), grown=True)
    written = []
    begin = Trial._begin
    monkeypatch.setattr(Trial, "_begin", lambda trial, net: (written.append(net.hidden), begin(trial, net)))
    origin.program(row, "letter")
    assert written == ["none", "cell"]


@pytest.mark.parametrize("fresh", [False, True])
def test_how_much_is_tested_does_not_change_what_is_learnt(fresh: bool) -> None:
    learnt = []
    for copies in (32, 64):
        trial = Trial(replace(TINY, rule=OnTest(50, copies, copies, 0.0, fresh)), READINGS["letter"], 2)
        trial.run(100)
        learnt.append(trial.learner.theta)
    np.testing.assert_array_equal(*learnt)


def test_rows_have_a_name_and_are_run_quickest_first() -> None:
    assert row("6a") is ROWS["6a"]
    with pytest.raises(ValueError, match=r"row: expected one of 1-4x1-0.1, .*, 6b, got '6c'"):
        row("6c")
    names = [one.name for one, _ in runner.in_order("letter")]
    assert sorted(names) == sorted(ROWS)
    assert names.index("6a") < names.index("4-1000")
    every = [(one.name, name) for one, name in runner.in_order()]
    assert len(every) == len({*every})
    assert {name for _, name in every} == {*READINGS, *DETAILS, *PAIRS}
    assert {one for one, name in every if name == "error"} == {*DETAILED}
    assert every[0][1] == "letter"
    some = [(one.name, each) for one, each in runner.chosen(["6a", "2a-rtrl-4-1", "6a"], READINGS)]
    assert some == [("2a-rtrl-4-1", "letter"), ("6a", "letter"), ("6a", "program")]
    with pytest.raises(ValueError, match="reading: expected one that concerns 2a-rtrl-4-1, got program"):
        runner.chosen(["2a-rtrl-4-1"], ["program"])


def test_command_line(tmp_path: Path, capsys, monkeypatch) -> None:
    assert main(["experiments"]) == 0
    assert capsys.readouterr().out.count("\n") == len(ROWS) + len(TIMED) + len(LATER) + 1
    assert main(["experiments", "run", "6c"]) == 2
    assert "row: expected one of" in capsys.readouterr().err
    assert main(["experiments", "run", "6a", "--reading", "mine", "--folder", str(tmp_path)]) == 2
    assert "reading: expected one of letter" in capsys.readouterr().err
    assert main(["experiments", "report", "--folder", str(tmp_path / "none")]) == 2
    assert "folder: expected one that is there" in capsys.readouterr().err
    monkeypatch.setitem(ROWS, "tiny", TINY)
    run = ["experiments", "run", "tiny", "--trials", "2", "--jobs", "2", "--uncommitted", "--folder", str(tmp_path)]
    assert main(run) == 0
    assert main(["experiments", "report", "--folder", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "tiny" in out
    assert "too few trials" in out


def line(sequences: int, solved: bool = True) -> dict[str, str]:
    return {"reading": "letter", "sequences": str(sequences), "solved": str(solved)}


def test_verdicts() -> None:
    counts = [400, 450, 480, 500, 520, 550, 600]
    planned = replace(TINY, trials=7)
    found = judged(planned, [line(count) for count in counts])
    assert found.words == "reproduced"
    assert (found.solved, found.trials, found.mean, found.median) == (7, 7, 500.0, 500.0)
    low, high = found.means
    half = 1.96 * np.std(counts) / np.sqrt(planned.counted)
    assert (low, high) == pytest.approx((500 - half, 500 + half), abs=5)
    assert judged(replace(planned, sequences=700), [line(count) for count in counts]).words == "success alone"
    failed = [*(line(count) for count in counts), *(line(3000, False) for _ in range(3))]
    assert judged(planned, failed).words == "mean alone"
    assert judged(replace(planned, sequences=700), failed).words == "not reproduced"
    assert judged(TINY, [line(400)] * 2).words == "too few trials"
    assert judged(planned, [line(3000, False)] * 7).words == "not reproduced"
    assert judged(replace(planned, share=0.0), [line(3000, False)] * 7).words == "reproduced"
    assert judged(replace(planned, share=0.7), failed).words != "not reproduced"
