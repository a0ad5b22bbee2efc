"""Pages and tables made from others are up to date; one that is not fails with the command that makes it again."""

import base64
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import programs
from book.index.figures import error_flow
from book.reference import ledger, ledger_pages, reading_paths
from book.shared import records
from book.shared.figure_style import to_png
from nbval_pictures import difference

BOOK = Path(__file__).parents[2] / "book"
REMAKE = "make update-outputs NOTEBOOKS={name}"


def is_stored(name: str, fresh: Iterable[str], stored: Iterable[str], command: str = REMAKE) -> None:
    """A file stores the parts that are made afresh and no others, or the test fails with the command to run."""
    new, old = Counter(fresh), Counter(stored)
    missing, extra = (new - old).total(), (old - new).total()
    what = f"{missing} of {new.total()} parts are new or changed, {extra} stored ones are old"
    assert new == old, f"{name} is out of date: {what}; run `{command.format(name=name)}`"


def html(page: str) -> list[str]:
    """The stored HTML outputs of a page."""
    cells = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    found = (output.get("data", {}) for cell in cells for output in cell.get("outputs", []))
    return ["".join(data["text/html"]) for data in found if "text/html" in data]


def test_ledger_and_errata_are_those_of_the_notebooks() -> None:
    judged, notes = ledger.read_book(BOOK), ledger_pages.NOTES
    tables = [ledger_pages.counts(judged), *(ledger_pages.table(judged, note) for note in notes)]
    tables.append(ledger_pages.others(judged))
    is_stored("book/reference/ledger.ipynb", (table.html for table in tables), html("reference/ledger"))
    errata = [*(ledger_pages.errata(judged, note) for note in notes), ledger_pages.own_errata(judged)]
    is_stored("book/reference/errata.ipynb", (table.html for table in errata), html("reference/errata"))


def test_reading_paths_are_those_of_the_chapters() -> None:
    """The tables of the parts; the page shows courses besides."""
    chapters = reading_paths.read_chapters(BOOK)
    fresh = (reading_paths.table(chapters, part).html for part in dict.fromkeys(chapter.part for chapter in chapters))
    stored = (table for table in html("reference/reading-paths") if "<th>exercises</th>" in table)
    is_stored("book/reference/reading-paths.ipynb", fresh, stored)


def test_table_is_that_of_the_measurements() -> None:
    fresh, stored = programs.table(records.read(programs.CSV)), programs.SUMMARY.read_text(encoding="utf-8")
    is_stored("benchmarks/programs.md", [fresh], [stored], "python benchmarks/programs.py --table")


def test_front_picture_is_what_the_code_draws() -> None:
    pictures = ((BOOK / "assets" / "front.png").read_bytes(), to_png(error_flow()))
    fault = difference(*(base64.b64encode(picture).decode() for picture in pictures))
    assert not fault, f"book/assets/front.png is out of date: {fault}; run `python tools/draw_front.py`"
