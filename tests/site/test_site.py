"""Every page of the built book, in a browser (``make site-test``)."""

import re
from pathlib import Path

import pytest
from site_check import ALL, Reader, check, looks_at
from site_files import SITE, Served, chosen_pages, pages

ROOT = Path(__file__).parents[2]
LOOKS = {page: looks_at(place) for place, page in enumerate(pages(SITE))}


def test_the_site_is_the_whole_book() -> None:
    built = {Path(page).with_suffix("") for page in pages(SITE)}
    book = {
        path.relative_to(ROOT).with_suffix("")
        for path in (ROOT / "book").rglob("*")
        if path.suffix in (".ipynb", ".md") and path.name != "README.md"
    }
    assert {page for page in book if ".ipynb_checkpoints" not in page.parts} <= built, "run `make book` first"


def test_no_formula_defines_or_numbers_anything_for_those_below() -> None:
    """formulas.js spares readers the wait until all above have been read."""
    for page in pages(SITE):
        assert not re.search(r"\\(newcommand|def|let|label|ref|eqref)\b", (SITE / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", chosen_pages(SITE))
def test_page(reader: Reader, served: Served, page: str) -> None:
    faults = check(reader, served, page, LOOKS[page], axe=LOOKS[page] == ALL)
    assert not faults, "\n".join(faults)
