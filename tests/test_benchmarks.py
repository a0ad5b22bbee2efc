"""The benchmarks: what is written of the measurements is what they say, and a changed setting starts anew."""

import csv
import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
DATA = FOLDER.parent / "lib" / "throughtime" / "data"


def load(name):
    specification = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def fitted(module, stored):
    return module.fitted(stored)


def summary(module, stored):
    return module.summary(stored, rows(module.AGAIN))


STORED = {
    "recurrent_scaling": (FOLDER, fitted),
    "lstm1997_scaling": (DATA, fitted),
    "gradients": (FOLDER, summary),
}


@pytest.mark.parametrize(("name", "folder", "write"), [(name, *where) for name, where in STORED.items()], ids=STORED)
def test_the_written_table_is_that_of_the_stored_measurements(name, folder, write):
    stored, module = rows(folder / f"{name}.csv"), load(name)
    expected = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert write(module, stored) == expected
    stored[0] |= {"seconds": 2.0 * float(stored[0]["seconds"])}
    assert write(module, stored) != expected


def test_a_stopped_run_goes_on_and_a_changed_setting_starts_anew(tmp_path, monkeypatch):
    scaling, path = load("lstm1997_scaling"), tmp_path / "half.csv"
    half = list(scaling.problems())
    for row in half:
        row |= {"seconds": 1.5, "rounds": 3}
    scaling.write(path, half)
    assert {row["rounds"] for row in scaling.stored(path)} == {"3"}
    monkeypatch.setitem(scaling.SETTING, "numpy", "another")
    assert {row["rounds"] for row in scaling.stored(path)} == {0}


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
    row |= {"model": "net", "size": "8", "weights": "9", "method": "bptt"}
    table = gradients.table([row | {"implementation": "throughtime", "seconds": "2"},
                             row | {"implementation": "JAX", "seconds": "1"}])  # fmt: skip
    assert "| net | 8 | 9 | bptt | 1 |  | 0.5 |  |" in table
    assert "100% in the median" in gradients.repeated(
        [row | {"implementation": name, "seconds": "2"} for name in ("throughtime", "JAX")],
        [row | {"implementation": name, "seconds": time} for name, time in (("throughtime", "2"), ("JAX", "4"))],
    )
