"""The data files are documented: every column is described; rows have versions and date, or belong to such a run."""

import csv
import re

import pytest
from book.lstm1997.quality import experiment as quality
from book.shared.records import FOLDER

README = (FOLDER / "README.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SECTIONS = {name: text for names, text in SECTION.findall(README) for name in names.split(", ")}
EVERYWHERE = {"python", "numpy", "numba", "date", "seed", "theta"}


def rows(name):
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_readme_has_a_section_for_each_file_and_no_other():
    assert set(SECTIONS) == {path.name for path in FOLDER.glob("*.csv")}


@pytest.mark.parametrize("name", SECTIONS)
def test_every_column_is_told(name):
    told = set(re.findall(r"`([a-z_]+)`", SECTIONS[name])) | EVERYWHERE
    assert set(rows(name)[0]) - told == set()


def test_every_look_at_a_gradient_has_the_run_that_holds_its_settings_and_every_run_its_looks():
    looked_at = {tuple(row[name] for name in quality.RUNS.key) for row in quality.GRADIENTS.read()}
    assert looked_at == quality.RUNS.keys()


WITHOUT_A_DAY = {
    "library_lstms.csv", "lstm1997_lag_1000.csv", "lstm1997_quality_gradients.csv", "lstm1997_scaling.csv",
    "online_rules_angles.csv", "statements.csv",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SECTIONS.keys() - WITHOUT_A_DAY))
def test_rows_of_experiments_say_versions_and_day(name):
    for row in rows(name):
        assert all(re.fullmatch(r"\d+(\.\d+)+", row[package]) for package in ("python", "numpy", "numba"))
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", row["date"])
