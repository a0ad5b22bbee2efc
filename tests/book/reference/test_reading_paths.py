"""Reading paths: every chapter is on one, and what it needs stands before it."""

import json
from pathlib import Path

import pytest
from book.reference import reading_paths as paths

BOOK = Path(__file__).parents[3] / "book"


@pytest.fixture(scope="module")
def chapters() -> list[paths.Chapter]:
    """Read in the tests, so that a chapter that cannot be read is a failure of these and not of the collection."""
    return paths.read_chapters(BOOK)


def chapter(page: str, *needs: str) -> paths.Chapter:
    return paths.Chapter(page, "part", page, needs, ())


def test_every_chapter_of_the_contents_is_on_a_path(chapters):
    on_disk = {path.relative_to(BOOK).with_suffix("").as_posix() for path in BOOK.glob("*/*.ipynb")}
    in_print = {page for page in on_disk if page.endswith(paths.IN_PRINT)}
    found = {chapter.page for chapter in chapters}
    assert found == {page for page in on_disk - in_print if not page.startswith("reference/")}
    of_the_paper = {f"lstm1997/paper{section}" for section in ("", "-error-flow", "-cell", "-appendix")}
    assert {page.removesuffix(paths.IN_PRINT) for page in in_print} <= found | of_the_paper


def test_needs_are_read_and_lead_backwards_only(chapters):
    place = {chapter.page: number for number, chapter in enumerate(chapters)}
    assert chapters[place["bptt/vanishing"]].needs == ("bptt/error-flow",)
    assert chapters[place["lstm1997/cell"]].needs == ("bptt/forward", "bptt/constant-error")  # it also names the next
    for one in chapters:
        assert all(place[need] < place[one.page] for need in one.needs)


def test_the_part_that_says_that_it_needs_no_other_needs_none(chapters):
    alone = [one for one in chapters if one.page.startswith("lfmn/")]
    assert {need.partition("/")[0] for one in alone for need in one.needs} == {"lfmn"}
    assert "This part needs no other." in (BOOK / f"{alone[0].page}.ipynb").read_text(encoding="utf-8")


def test_way_holds_what_is_needed_by_what_is_needed_in_order():
    some = [chapter("a"), chapter("b", "a"), chapter("c"), chapter("d", "b", "c")]
    assert [one.page for one in paths.way_to(some, "d")] == ["a", "b", "c", "d"]
    assert [one.page for one in paths.way_to(some, "b", "c")] == ["a", "b", "c"]
    with pytest.raises(KeyError):
        paths.way_to(some, "e")


def test_chapter_without_prerequisites_is_refused(tmp_path):
    (tmp_path / "_toc.yml").write_text("parts:\n  - caption: One\n    chapters:\n      - file: book/one/page\n")
    page = tmp_path / "book/one/page.ipynb"
    page.parent.mkdir(parents=True)
    page.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["# Title"]}]}))
    with pytest.raises(ValueError, match="one/page: expected a paragraph"):
        paths.read_chapters(tmp_path / "book")


@pytest.mark.parametrize(
    ("source", "html", "tags", "hours"),
    [
        ("word " * 18_000, "", [], "1½ h"),
        ("", "<details>" + "word " * 18_000 + "</details>", [], "½ h"),
        ("```{solution} a\n" + "word " * 18_000 + "\n```", r"<p>\[x\]</p>" * 58, [], "1 h"),
        ("$$\na\n$$\n" * 30 + "a $x$ " * 800, "", [], "1½ h"),
        ("", "", ["hide-input"], "½ h"),
        ("", "", [], "2 h"),
    ],
    ids=["words", "fold", "formulas without a solution", "formulas in lines", "folded code", "open code"],
)
def test_hours_are_those_of_words_formulas_and_open_code(tmp_path, source, html, tags, hours):
    code = {"cell_type": "code", "source": "x\n" * (0 if source or html else 1_440), "metadata": {"tags": tags}}
    cells = [{"cell_type": "markdown", "source": source}, code | {"outputs": [{"data": {"text/html": html}}]}]
    notebook = tmp_path / "page.ipynb"
    notebook.write_text(json.dumps({"cells": cells}))
    assert paths.reading_time(notebook) == hours
