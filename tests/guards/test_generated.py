"""Pages and tables made from others are up to date; one that is not fails with the command that makes it again."""

from __future__ import annotations

import base64
import csv
import importlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from book.index.figures import error_flow
from book.reference import ledger, ledger_pages, reading_paths
from book.shared.figure_style import to_png
from nbval_pictures import difference

ROOT = Path(__file__).parents[2]
BOOK, BENCHMARKS = ROOT / "book", ROOT / "benchmarks"
NOTEBOOKS = "make update-outputs NOTEBOOKS={name}"


def out_of_date(name: str, fresh: Iterable[str], stored: Iterable[str], command: str) -> Iterator[str]:
    """The fault of a file that stores other parts, or others more, than are made afresh."""
    new, old = Counter(fresh), Counter(stored)
    if new != old:
        missing, extra = (new - old).total(), (old - new).total()
        what = f"{missing} of {new.total()} parts are new or changed, {extra} stored ones are old"
        yield f"{name} is out of date: {what}; run `{command.format(name=name)}`"


def html(page: str) -> list[str]:
    """The stored HTML outputs of a page."""
    cells = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    found = (output.get("data", {}) for cell in cells for output in cell.get("outputs", []))
    return ["".join(data["text/html"]) for data in found if "text/html" in data]


# ---- the ledger and the errata


def stale_ledger(judged: list[ledger.Judged]) -> Iterator[str]:
    notes = ledger_pages.NOTES
    tables = [ledger_pages.counts(judged), *(ledger_pages.table(judged, note) for note in notes)]
    tables.append(ledger_pages.others(judged))
    yield from out_of_date("book/reference/ledger.ipynb", (t.html for t in tables), html("reference/ledger"), NOTEBOOKS)
    errata = [*(ledger_pages.errata(judged, note) for note in notes), ledger_pages.own_errata(judged)]
    yield from out_of_date("book/reference/errata.ipynb", (t.html for t in errata), html("reference/errata"), NOTEBOOKS)


def test_ledger_and_errata_are_those_of_the_notebooks() -> None:
    assert list(stale_ledger(ledger.read_book(BOOK))) == []


# ---- the reading paths


def stale_paths(chapters: list[reading_paths.Chapter]) -> Iterator[str]:
    """The tables of the parts; the page shows courses besides."""
    parts = dict.fromkeys(chapter.part for chapter in chapters)
    fresh = [reading_paths.table(chapters, part).html for part in parts]
    stored = [table for table in html("reference/reading-paths") if "<th>exercises</th>" in table]
    yield from out_of_date("book/reference/reading-paths.ipynb", fresh, stored, NOTEBOOKS)


def test_reading_paths_are_those_of_the_chapters() -> None:
    assert list(stale_paths(reading_paths.read_chapters(BOOK))) == []


# ---- the table of the benchmarks


def test_table_is_that_of_the_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    script = importlib.import_module("programs")
    with (BENCHMARKS / "programs.csv").open(newline="", encoding="utf-8") as file:
        fresh = script.table(list(csv.DictReader(file)))
    stored = (BENCHMARKS / "programs.md").read_text(encoding="utf-8")
    assert list(out_of_date("benchmarks/programs.md", [fresh], [stored], "python benchmarks/programs.py --table")) == []


# ---- the picture of the front page and of the README


def stale_front(stored: bytes) -> Iterator[str]:
    drawn = to_png(error_flow())
    if fault := difference(*(base64.b64encode(picture).decode() for picture in (stored, drawn))):
        yield f"book/assets/front.png is out of date: {fault}; run `python tools/draw_front.py`"


def test_front_picture_is_what_the_code_draws() -> None:
    assert list(stale_front((BOOK / "assets" / "front.png").read_bytes())) == []
