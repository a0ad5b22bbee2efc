"""Nothing goes untested unnoticed: every chapter has a test file, the library tests of its own.

Figures are found by `tests/book/test_figures.py` itself.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
BOOK, TESTS = ROOT / "book", ROOT / "tests"
# The tests that pass with the wheel alone: a room of tests for each room of the library and each module at its top.
OF_THE_LIBRARY = sorted(
    path for room in (ROOT / "lib" / "throughtime").glob("*") for path in (TESTS / room.stem).rglob("*.py")
)


# ---- chapters


def chapters_without_tests(pages: Iterable[str], tests: Iterable[str]) -> Iterator[str]:
    """Pages ``part/chapter`` without a test file ``part/test_chapter*.py``, hyphens as underscores.

    A page in print has the file of its chapter; one of several, as paper-cell-in-print, that of its first word.
    """
    found = list(tests)
    for page in pages:
        part, chapter = page.replace("-", "_").removesuffix("_in_print").split("/")
        several = f"{part}/test_{chapter.split('_')[0]}.py" if page.endswith("-in-print") else None
        if not any(test.startswith(f"{part}/test_{chapter}") or test == several for test in found):
            yield f"{page} has no test file tests/book/{part}/test_{chapter}.py"


def test_every_chapter_has_a_test_file() -> None:
    pages = (path.relative_to(BOOK).with_suffix("").as_posix() for path in sorted(BOOK.glob("[!.]*/*.ipynb")))
    tests = (path.relative_to(TESTS / "book").as_posix() for path in (TESTS / "book").glob("*/test_*.py"))
    assert list(chapters_without_tests((page for page in pages if not page.startswith("reference/")), tests)) == []


# ---- the library


def test_the_library_is_tested_without_the_book() -> None:
    of_the_book = re.compile(r"^\s*(?:from|import) book\b", re.M)
    found = [path for path in OF_THE_LIBRARY if of_the_book.search(path.read_text(encoding="utf-8"))]
    assert [path.relative_to(TESTS).as_posix() for path in found] == []


def test_every_room_of_the_library_has_its_tests() -> None:
    tested = {path.relative_to(TESTS).parts[0] for path in OF_THE_LIBRARY}
    assert {"derivation", "textbook", "learning", "tasks", "evidence", "checks", "programs"} <= tested
