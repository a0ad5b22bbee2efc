"""Every notebook of the book is what a fresh run of it leaves behind, and fit to be read by everyone."""

import json
import re
from pathlib import Path

import pytest
from page_guards import GUARDS, code_cells, judged_twice, lost_links, other_numbers, programs, text, wide_lines
from run_notebooks import every_notebook

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
NOTEBOOKS = every_notebook(BOOK)


def load(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.relative_to(BOOK).as_posix())
def test_notebook_is_as_a_fresh_run_leaves_it(path: Path) -> None:
    notebook = load(path)
    faults = [fault for guard in GUARDS for fault in guard(notebook)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", sorted(BOOK.rglob("*.md")), ids=lambda p: p.relative_to(BOOK).as_posix())
def test_programs_in_a_page_of_text_fit_the_column(path: Path) -> None:
    assert list(wide_lines(programs(path.read_text(encoding="utf-8")))) == []


def test_a_page_in_print_begins_with_its_table_and_no_other_page_does() -> None:
    tables = {path for path in NOTEBOOKS for _, cell in code_cells(load(path)) if "in_print(" in text(cell["source"])}
    assert tables == {path for path in NOTEBOOKS if path.stem.endswith("-in-print")}


def test_no_statement_is_judged_twice() -> None:
    assert list(judged_twice([load(path) for path in NOTEBOOKS])) == []


def test_numbers_of_the_prose_are_those_that_cells_keep() -> None:
    pages = {path.relative_to(BOOK).with_suffix("").as_posix(): load(path) for path in NOTEBOOKS}
    assert list(other_numbers(pages)) == []


def test_every_link_to_a_place_finds_it() -> None:
    assert list(lost_links([load(path) for path in NOTEBOOKS])) == []


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = set(re.findall(r"^[- ]*(?:file|root): (\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"), re.M))
    pages = {path.relative_to(ROOT).with_suffix("").as_posix() for path in [*NOTEBOOKS, *BOOK.rglob("*.md")]}
    assert {page for page in pages if ".ipynb_checkpoints" not in page and not page.endswith("README")} == listed
