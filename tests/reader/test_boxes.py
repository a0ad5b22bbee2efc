"""The reader comes to the verdict of every box again, or its reason not to is on the list; and it finds slips."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from outside_reader.judge import verdict
from outside_reader.pages import boxes
from outside_reader.slips import rejected

LIST = Path(__file__).with_name("boxes.csv")


def stored() -> dict[str, dict[str, str]]:
    with LIST.open(encoding="utf-8") as lines:
        return {row["id"]: row for row in csv.DictReader(lines)}


def test_the_list_names_every_box() -> None:
    assert list(stored()) == list(boxes())


@pytest.mark.parametrize("id", boxes())
def test_verdict_and_slips_are_those_of_the_list(id: str) -> None:
    box, row = boxes()[id], stored()[id]
    found, reason = verdict(box)
    slips, equal = rejected(box) if found else (0, 0)
    assert {"id": id, "verdict": found, "reason": reason, "slips": str(slips), "equal": str(equal)} == row
    assert found in ("", box.verdict)


def test_nine_in_ten_printed_equations_are_decided() -> None:
    assert sum(bool(row["verdict"]) for row in stored().values()) >= 0.6 * len(boxes())
