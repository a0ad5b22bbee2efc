"""The benchmarks: no model, method or framework is left out, and a stopped measurement goes on."""

import csv
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import throughtime.models
from throughtime.checks import relative_error
from throughtime.textbook.peephole import PeepholeLSTM

FOLDER = Path(__file__).parents[2] / "benchmarks"
DATA = FOLDER.parent / "book" / "data"
SCRIPTS = ("gradients", "programs", "lstm1997_scaling")


@pytest.fixture(autouse=True)
def benchmarks_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def load(name):
    return importlib.import_module(name)


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


STORED = {"lstm1997_scaling": DATA}


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_unknown_word_is_refused_before_anything_is_measured(name, monkeypatch, capsys):
    stored_only = "--table" if name in ("gradients", "programs") else "--fit"
    for arguments, message in [
        (["--agian"], "unrecognized arguments: --agian"),
        (["table"], "unrecognized arguments: table"),
        (["--rounds", "0"], "argument --rounds: expected a number from 1, got '0'"),
        (["--again", stored_only], "not allowed with argument --again"),
    ]:
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
        with pytest.raises(SystemExit):
            load(name).main()
        assert message in capsys.readouterr().err


def test_a_script_is_started_from_anywhere(tmp_path):
    command = [sys.executable, str(FOLDER / "gradients.py"), "--help"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, cwd=tmp_path)
    assert "beside PyTorch and JAX" in ended.stdout


def test_a_stopped_run_goes_on_and_a_changed_setting_starts_anew(tmp_path):
    measurements, path = load("measurements"), tmp_path / "half.csv"
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


@pytest.mark.parametrize("name", STORED)
def test_problems_of_the_scaling_are_those_of_the_stored_file(name):
    problems, stored = list(load(name).problems()), rows(STORED[name] / f"{name}.csv")
    varying = {"peak_bytes", "python", "numpy", "numba", "machine", "cores"}
    for row, old in zip(problems, stored, strict=True):
        assert {key: str(value) for key, value in row.items() if key not in varying}.items() <= old.items()


def models_with_a_gradient():
    modules = []
    for found in pkgutil.iter_modules(throughtime.models.__path__):
        if not found.name.startswith("_"):
            modules.append(importlib.import_module(f"throughtime.models.{found.name}"))
    for module in modules:
        for name, value in vars(module).items():
            own = inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_")
            if own and callable(getattr(value, "gradient", None)):
                yield value, getattr(module, "METHODS", ())


def test_every_model_and_every_method_of_the_library_stands_in_the_table():
    gradients = load("gradients")
    measured = {}
    for name, make in gradients.MODELS.items():
        measured.setdefault(type(make(8)), set()).update(gradients.METHODS[name])
    bases = {base for model in measured for base in model.__mro__[1:]}
    found = [(model, methods) for model, methods in models_with_a_gradient() if model not in bases]
    assert len(found) >= 2
    for model, methods in found:
        assert measured[model] >= set(methods), model
        assert ("cuts" in measured[model]) == hasattr(model, "gradient_with_cuts")
    table = [row["model"] + row["method"] for row in rows(gradients.CSV)]
    assert set(table) == {name + method for name in gradients.MODELS for method in gradients.METHODS[name]}
    options = [make(8) for make in gradients.MODELS.values()]
    assert {model.timing for model in options if hasattr(model, "timing")} == {"previous", "same"}
    peephole = [model for model in options if isinstance(model, PeepholeLSTM)]
    assert {bool(model.peepholes) for model in peephole} == {model.direct for model in peephole} == {True, False}
    assert {model.feedback for model in peephole} == {"all", "cells"}


def test_every_row_has_an_equivalent_in_both_frameworks_that_agrees():
    gradients = load("gradients")
    stored = rows(gradients.CSV)
    for key, times in gradients.grouped(stored).items():
        assert {gradients.OURS, gradients.TORCH, gradients.JAX} <= set(times), key
    assert max(float(row["difference"]) for row in stored) <= gradients.TOLERANCE
    assert [float(row["difference"]) for row in stored if row["implementation"] == gradients.OURS] == [0.0] * len(
        gradients.grouped(stored)
    )


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_the_oracles_whose_forward_passes_are_timed_are_there(framework):
    """They need PyTorch and JAX to run, so a file that moved would be seen only when the table is made."""
    transcriptions = Path(__file__).parents[1] / "oracles" / "transcriptions"
    assert (transcriptions / f"lstm_{framework}.py").is_file()


def test_a_gradient_that_differs_stops_the_script(monkeypatch):
    gradients = load("gradients")
    monkeypatch.setattr(gradients.measurements, "setting", lambda *names: {})
    monkeypatch.setattr(gradients, "MODELS", {"LSTM of 2000": gradients.MODELS["LSTM of 2000"]})
    by = {"off": 0.0}

    def others(model, method, given):
        ours = gradients.problem(model, method)[1]()
        yield "other", lambda: ours + by["off"] * np.abs(ours).max()

    monkeypatch.setattr(gradients, "others", others)
    assert len(list(gradients.problems())) == 2 * 2 * 4
    by["off"] = 1e-6
    with pytest.raises(AssertionError, match="LSTM of 2000, 8, bptt: other differs by"):
        list(gradients.problems())


def test_the_problems_are_those_of_their_methods():
    gradients = load("gradients")
    for name, make in gradients.MODELS.items():
        model, found = make(8), {}
        for method in gradients.METHODS[name]:
            _, gradient = gradients.problem(model, method)
            found[method] = gradient()
            assert np.isfinite(found[method]).all()
        exact = [found[method] for method in ("bptt", "rtrl", "closed") if method in found]
        assert relative_error(*exact[:2]) < 1e-9
        if "cuts" in found:
            assert relative_error(found["cuts"], found["truncated"]) < 1e-9
        if "truncated" in found:
            assert relative_error(found["truncated"], found["bptt"]) > 1e-6


def test_ratios_in_two_digits():
    gradients = load("gradients")
    assert [gradients.written(ratio) for ratio in (0.1234, 0.996, 9.94, 10.4, 167.0)] == [
        "0.12",
        "1",
        "9.9",
        "10",
        "170",
    ]


def test_a_slower_library_is_shown_as_such():
    gradients = load("gradients")
    row = dict.fromkeys(["length", "machine", "cores", "rounds", "python", "numpy", "numba", "torch", "jax"], "")
    row |= {"model": "net", "size": "8", "weights": "9", "method": "bptt", "difference": "2e-16", "date": "2001-01-01"}
    table = gradients.table([row | {"implementation": "throughtime", "seconds": "2e-4", "difference": "0"},
                             row | {"implementation": "JAX", "seconds": "1e-4"}])  # fmt: skip
    assert "| net | 8 | 9 | bptt | 200 | 1 |  | 0.5 |  |" in table
    assert "relative 2e-16." in table
    assert "100% in the median" in gradients.repeated(
        [row | {"implementation": name, "seconds": "2"} for name in ("throughtime", "JAX")],
        [row | {"implementation": name, "seconds": time} for name, time in (("throughtime", "2"), ("JAX", "4"))],
    )


def test_exponents_are_those_of_powers():
    measurements = load("measurements")
    stored = [{"length": str(n), "seconds": str(3.0 * n**2), "peak_bytes": str(7 - 1e-9 * n)} for n in (1, 10, 100)]
    assert measurements.exponent(stored, "length", "seconds") == 2.0
    assert f"{measurements.exponent(stored, 'length', 'peak_bytes'):.2f}" == "0.00"


def test_no_row_of_the_programs_is_missing():
    """The script compares before it measures; here each table has all that its ratios and exponents need."""
    programs, runs = load("programs"), load("program_runs")
    stored = rows(programs.CSV)
    kinds = {row["table"]: set() for row in stored}
    for row in stored:
        kinds[row["table"]].add(row["implementation"])
    assert kinds["learning"] >= {"C", "JAX scan", "learner"}
    assert {f"learner, {nets} nets" for nets in runs.NETS} <= kinds["learning"]
    assert kinds["dense"] == {"product", "program"}
    assert kinds["making"] == {"derived", "compiled"}
    counts = {"dense": 2 * len(runs.DENSE), "batches": 3 * len(runs.BATCHES), "making": 2 * len(runs.MADE)}
    assert {name: len([row for row in stored if row["table"] == name]) for name in counts} == counts
    for name, (_, _, sizes) in runs.GROWING.items():
        assert len([row for row in stored if (row["table"], row["problem"]) == ("growth", name)]) == len(sizes)


def test_programs_are_fastest():
    """Three times as fast as the loops by hand of the earlier commit."""
    programs, runs = load("programs"), load("program_runs")
    stored = [row for row in rows(programs.CSV) if row["table"] == "batches"]
    seconds = {(row["problem"], row["implementation"]): float(row["seconds"]) for row in stored}
    for problem in {problem for problem, _ in seconds}:
        program = seconds[problem, runs.PROGRAM]
        assert seconds[problem, runs.EARLIER] >= 3 * program
        assert seconds[problem, "JAX"] > program


def test_activations_of_programs_are_exact_to_a_few_units_in_the_last_place():
    errors = load("program_runs").ulps()
    assert errors["exp"] < 1
    assert max(errors.values()) < 3.5


def test_times_in_two_digits_and_a_unit():
    programs = load("programs")
    assert [programs.written(seconds) for seconds in (2.34, 0.0123, 4.56e-5, 7.89e-8, 1e-10)] == [
        "2.3 s",
        "12 ms",
        "46 µs",
        "79 ns",
        "0.1 ns",
    ]


def test_a_result_that_differs_stops_the_programs():
    runs = load("program_runs")
    runs.agree("same", np.ones(3), np.ones(3))
    with pytest.raises(AssertionError, match="other differs by"):
        runs.agree("other", np.ones(3), np.ones(3) + 1e-6)
