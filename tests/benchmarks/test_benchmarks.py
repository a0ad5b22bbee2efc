"""The benchmarks: no model, method or framework is left out, and a stopped measurement goes on."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import measurements
import numpy as np
import program_runs as runs
import programs
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


def test_an_unknown_word_is_refused_before_anything_is_measured(monkeypatch, capsys):
    for arguments, message in [
        (["--agian"], "unrecognized arguments: --agian"),
        (["--rounds", "0"], "argument --rounds: expected a number from 1, got '0'"),
        (["--again", "--table"], "not allowed with argument --again"),
    ]:
        monkeypatch.setattr(sys, "argv", ["programs.py", *arguments])
        with pytest.raises(SystemExit):
            programs.main()
        assert message in capsys.readouterr().err


def test_a_script_is_started_from_anywhere(tmp_path):
    command = [sys.executable, str(FOLDER / "programs.py"), "--help"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, cwd=tmp_path)
    assert "Speed of compiled programs" in ended.stdout


def test_a_stopped_run_goes_on_and_a_changed_setting_starts_anew(tmp_path):
    path = tmp_path / "half.csv"
    problems = [{"method": "bptt", "size": size, "numpy": "2"} for size in (1, 2)]
    taken = []

    def call():
        taken.append(len(taken))
        if len(taken) == 5:
            raise KeyboardInterrupt
        return 4.0 - len(taken)

    with pytest.raises(KeyboardInterrupt):
        measurements.measure(path, measurements.stored(path, problems), [call, call], 3)
    assert [(row["rounds"], row["seconds"]) for row in measurements.read(path)] == [("2", "1"), ("2", "0")]
    measurements.measure(path, measurements.stored(path, problems), [call, call], 3)
    assert len(taken) == 7
    assert [row["rounds"] for row in measurements.read(path)] == ["3", "3"]
    measurements.measure(path, measurements.stored(path, problems), [call, call], 3)
    assert len(taken) == 7
    for other in (problems[:1], [row | {"numpy": "3"} for row in problems], [row | {"more": 1} for row in problems]):
        assert {row["rounds"] for row in measurements.stored(path, other)} == {0}


def test_exponents_are_those_of_powers():
    stored = [{"length": str(n), "seconds": str(3.0 * n**2), "peak_bytes": str(7 - 1e-9 * n)} for n in (1, 10, 100)]
    assert measurements.exponent(stored, "length", "seconds") == 2.0
    assert f"{measurements.exponent(stored, 'length', 'peak_bytes'):.2f}" == "0.00"


def test_no_row_of_the_programs_is_missing():
    """The script compares before it measures; here each table has all that its ratios and exponents need."""
    stored = measurements.read(programs.CSV)
    kinds = {(row["table"], row["implementation"]) for row in stored}
    learning = ["C", "JAX scan", "learner", *(f"learner, {nets} nets" for nets in runs.NETS)]
    assert kinds >= {("learning", name) for name in learning}
    assert kinds >= {("dense", "product"), ("dense", "program"), ("making", "derived"), ("making", "compiled")}
    counts = Counter(row["problem"] if row["table"] == "growth" else row["table"] for row in stored)
    expected = {"dense": 2 * len(runs.DENSE), "batches": 3 * len(runs.BATCHES), "making": 2 * len(runs.MADE)}
    expected |= {name: len(sizes) for name, (_, _, sizes) in runs.GROWING.items()}
    assert {name: counts[name] for name in expected} == expected


def test_a_result_that_differs_stops_the_programs():
    runs.agree("same", np.ones(3), np.ones(3))
    with pytest.raises(AssertionError, match="other differs by"):
        runs.agree("other", np.ones(3), np.ones(3) + 1e-6)
