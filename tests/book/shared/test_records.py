"""Files of long experiments: resumable, one header, one line per key, complete after any interruption."""

from importlib import import_module

import pytest
from book.lstm1997.quality import experiment as lstm1997_quality
from book.lstm1997.training import experiment as lstm1997_training
from book.shared import records as module
from book.shared.records import FOLDER, Records, begin, missing
from book.training.rprop import experiment as rprop
from book.training.temporal_xor import experiment as temporal_xor


@pytest.fixture
def records(tmp_path):
    return Records("some.csv", ("setup", "seed"), tmp_path)


def test_lines_are_added_and_read(records):
    assert records.read() == []
    records.add([{"setup": "a", "seed": 0, "value": 1 / 3, "pair": (1.0, -2.0)}])
    records.add(
        [{"setup": "a", "seed": 1, "value": 2.0, "pair": ()}, {"setup": "b", "seed": 0, "value": 3, "pair": ()}]
    )
    records.add([])
    assert records.keys() == {("a", "0"), ("a", "1"), ("b", "0")}
    assert records.read()[0] == {"setup": "a", "seed": "0", "value": "0.33333333", "pair": "1.0 -2.0"}


def test_a_line_takes_the_place_of_that_with_its_key(records):
    records.add([{"setup": "a", "seed": seed, "value": seed} for seed in range(3)])
    records.add([{"setup": "a", "seed": 1, "value": 9}])
    assert records.path.read_text() == "setup,seed,value\na,0,0\na,1,9\na,2,2\n"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError])
def test_what_is_interrupted_leaves_the_file_as_it_was(records, stop, monkeypatch):
    def rows(seeds):
        yield from ({"setup": "a", "seed": seed} for seed in range(seeds))
        raise stop

    class Stopped(module.csv.DictWriter):
        def writerows(self, lines):
            super().writerow(next(iter(lines)))
            raise stop

    with pytest.raises(stop):
        records.add(rows(2))
    assert not records.path.exists()
    records.add([{"setup": "a", "seed": 0}])
    with pytest.raises(stop):
        records.add(rows(3))
    with monkeypatch.context() as patched:
        patched.setattr(module.csv, "DictWriter", Stopped)
        with pytest.raises(stop):
            records.add([{"setup": "a", "seed": 1}])
    assert records.keys() == {("a", "0")}
    records.add([{"setup": "a", "seed": 1}])
    assert records.keys() == {("a", "0"), ("a", "1")}
    assert [path.name for path in records.folder.iterdir()] == ["some.csv"]


def test_the_command_line_is_empty_or_begins_again(records, capsys):
    records.add([{"setup": "a", "seed": 0}])
    begin("What it does.", [], records)
    none = str(records.folder / "none")
    for wrong in (["--agian"], ["again"], ["--ag"], ["--help"], ["--folder", none], ["--first", "0"]):
        with pytest.raises(SystemExit):
            begin("What it does.", wrong, records)
    said = capsys.readouterr()
    assert "What it does." in said.out
    for words in ("unrecognized arguments: --agian", "expected a folder that is there", "a number from 1, got '0'"):
        assert words in said.err
    assert records.keys() == {("a", "0")}
    begin(None, ["--again"], records)
    assert records.read() == []


def test_what_is_missing_is_told_run_by_run(records, capsys):
    records.add([{"setup": "a", "seed": 1, "value": 0}, {"setup": "0.5", "seed": 0, "value": 0}])
    runs = {("a", seed): f"a{seed}" for seed in range(3)}
    assert list(missing(records, runs)) == [(("a", 0), "a0"), (("a", 2), "a2")]
    assert capsys.readouterr().out == "1/3  a, 0\n3/3  a, 2\n"
    assert [key for key, _ in missing(records, runs, first=2)] == [("a", 0)]
    begun = {(0.5,): None, (0.25,): None}
    assert [key for key, _ in missing(records, begun)] == [(0.25,)]  # by the beginning of the key
    assert list(missing(records, {})) == []


def test_files_are_put_elsewhere(records, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    records.add([{"setup": "a", "seed": 0}])
    assert begin(None, ["--folder", str(other), "--first", "3", "--again"], records) == 3
    assert records.read() == []
    assert (tmp_path / "some.csv").exists()
    assert begin(None, [], records) is None


# But for the net that plays a wave, which is one run with a line for each weight.
EXPERIMENTS = [
    import_module(f"book.{path.parts[-3]}.{path.parts[-2]}.experiment")
    for path in sorted(FOLDER.parent.glob("*/*/experiment.py"))
    if " = Records(" in path.read_text(encoding="utf-8") and path.parent.name != "timing"
]
assert len(EXPERIMENTS) > 8
every_experiment = pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda one: one.__name__)


@every_experiment
def test_the_stored_files_hold_the_runs_that_are_planned_and_no_other(experiment, monkeypatch):
    planned: dict[str, set[tuple[str, ...]]] = {}

    def plan(record, todo, first=None):
        planned.setdefault(record.file, set()).update(tuple(map(module._written, key)) for key in todo)
        return ()

    monkeypatch.setattr(experiment, "missing", plan)
    experiment.main([])
    files = {value.file: value for value in vars(experiment).values() if isinstance(value, Records)}
    for file, runs in planned.items():
        stored, columns = files[file].keys(), len(min(runs))
        assert {key[:columns] for key in stored} == runs, file
        if file != "peephole_cuts.csv":  # two of its nets have no last look: tests of the chapter say why
            assert len(stored) == len(runs) * len({key[columns:] for key in stored}), file


SHORT = {  # what makes a first run short
    rprop: {},
    temporal_xor: {"EPOCHS": 25},
    lstm1997_quality: {"CAP": 300, "TRAINED_SEEDS": 0},
    lstm1997_training: {"CAP": 200, "RELEASED_SEEDS": 0, "record_adder": lambda: None},
}


@pytest.mark.parametrize("experiment", SHORT, ids=lambda one: one.__name__)
def test_a_first_run_is_written_once_with_the_columns_of_the_stored_file(experiment, tmp_path, monkeypatch):
    stored, looks = experiment.RUNS.read(), lstm1997_quality.GRADIENTS.read()[:3]
    for value in [*vars(experiment).values()]:
        if isinstance(value, Records):
            monkeypatch.setattr(value, "folder", tmp_path)
    for name, value in SHORT[experiment].items():
        monkeypatch.setattr(experiment, name, value)
    experiment.main(["--first", "1"])
    (row,) = experiment.RUNS.read()
    assert list(row) == list(stored[0])
    assert experiment.RUNS._key(row) in map(experiment.RUNS._key, stored)
    if experiment is lstm1997_quality:
        *found, last = experiment.GRADIENTS.read()
        assert last["sequences"] == "300"
        for one, other in zip(found, looks, strict=True):
            assert [*map(float, [*one.values()][2:])] == pytest.approx([*map(float, [*other.values()][2:])], rel=1e-6)
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    experiment.main(["--first", "1"])
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files


@every_experiment
def test_a_stored_file_has_one_line_for_each_key_and_stays_as_it_is(experiment, tmp_path):
    for stored in (value for value in vars(experiment).values() if isinstance(value, Records)):
        rows = stored.read()
        assert len(rows) == len(stored.keys()) > 0
        again = Records(stored.file, stored.key, tmp_path)
        again.add(rows)
        assert again.path.read_bytes() == stored.path.read_bytes()


def test_other_columns_are_refused_and_a_file_can_be_removed(records):
    records.add([{"setup": "a", "seed": 0}])
    with pytest.raises(ValueError, match="rows: expected the columns"):
        records.add([{"setup": "a", "seed": 1, "more": 2}])
    records.clear()
    records.clear()
    assert not records.path.exists()
