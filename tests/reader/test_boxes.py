"""The reader comes to the verdict of each box again, or the box is on the list of those that it cannot decide.

It reads the boxes of all pages but those of the reference, which repeat them, and shares no code with the engine.
"""

import ast
import csv
import json
import re
import sys
from pathlib import Path

import pytest
from outside_reader.judge import verdict
from outside_reader.pages import BOOK, Box, boxes
from slips import rejected

HERE = Path(__file__).parent
PROGRAM = sorted((HERE / "outside_reader").glob("*.py"))
with (HERE / "undecided.csv").open(encoding="utf-8") as file:
    UNDECIDED = {row["id"]: row["reason"] for row in csv.DictReader(file)}
with (HERE.parents[1] / "book" / "data" / "statements.csv").open(encoding="utf-8") as file:
    LISTED = {row["id"] for row in csv.DictReader(file) if row["note"] != "Our own"}
# A chapter's further statements are read once somebody adds their symbols to systems.toml.
OWN = re.compile(r"mistake-|how-to-read")
BOXES = [box for box in boxes().values() if box.id in LISTED or OWN.match(box.id)]
DECIDED = [box for box in BOXES if box.id not in UNDECIDED]


@pytest.mark.parametrize("box", DECIDED, ids=lambda box: box.id)
def test_the_verdict_is_that_of_the_page(box: Box) -> None:
    assert verdict(box) == box.verdict


@pytest.mark.parametrize("id", UNDECIDED)
def test_a_box_on_the_list_is_one_that_cannot_be_decided(id: str) -> None:
    assert UNDECIDED[id]
    assert verdict(boxes()[id]) == ""


@pytest.mark.parametrize("wanted", [5, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("box", DECIDED, ids=lambda box: box.id)
def test_slips_in_a_box_are_rejected(box: Box, wanted: int) -> None:
    count, _ = rejected(box, wanted)
    assert count == wanted


def test_every_equation_is_decided_and_most_boxes_are() -> None:
    """Boxes that the engine put to exact instances place by place are equations; the others are claims."""
    equations = {id for id, record in records().items() if record["checks"]["instance"]["count"]}
    assert len(equations) > 100
    assert not equations & UNDECIDED.keys()
    notes, paper = ([box for box in BOXES if box.id.startswith("paper97-") == of_paper] for of_paper in (False, True))
    for least, of in ((173, notes), (32, paper)):  # a box of an experiment adds to neither
        assert sum(box.id not in UNDECIDED for box in of) >= least


def records() -> dict[str, dict]:
    """What is stored beside each box, by id."""
    outputs = (
        output.get("data", {}).get("application/vnd.throughtime.statement+json")
        for page in sorted({box.page for box in BOXES})
        for cell in json.loads((BOOK / page).read_text(encoding="utf-8"))["cells"]
        for output in cell.get("outputs", ())
    )
    return {own["id"]: record for record in outputs if record for own in (record, *record.get("also", ()))}


def code_lines(path: Path) -> int:
    """Lines that are neither empty nor a comment nor a docstring."""
    source = path.read_text(encoding="utf-8")
    words = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            words |= set(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(source.splitlines(), 1)
    return sum(bool(line.strip()) and not line.strip().startswith("#") and n not in words for n, line in lines)


def test_the_program_is_short_and_shares_nothing_with_the_engine() -> None:
    assert sum(map(code_lines, PROGRAM)) <= 700
    for path in PROGRAM:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [name.name for name in node.names]
                packages = {name.partition(".")[0] for name in names}
                assert packages <= {"outside_reader", "__future__", *sys.stdlib_module_names}
