"""Nothing goes untested unnoticed: every chapter has a test file, the library tests of its own."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
BOOK, TESTS = ROOT / "book", ROOT / "tests"
# The tests that pass with the wheel alone: a room of tests for each room of the library and each module at its top.
OF_THE_LIBRARY = sorted(
    path for room in (ROOT / "lib" / "throughtime").glob("*") for path in (TESTS / room.stem).rglob("*.py")
)


def test_every_chapter_has_a_test_file() -> None:
    """With hyphens as underscores; a page in print has that of its chapter, one of several that of its first word."""
    lost = []
    for page in BOOK.glob("[!.]*/*.ipynb"):
        name, folder = page.stem.replace("-", "_").removesuffix("_in_print"), TESTS / "book" / page.parent.name
        several = page.stem.endswith("-in-print") and (folder / f"test_{name.split('_')[0]}.py").is_file()
        if folder.name != "reference" and not several and not [*folder.glob(f"test_{name}*.py")]:
            lost.append(f"{page.relative_to(BOOK)} has no test file {folder.relative_to(ROOT)}/test_{name}.py")
    assert lost == []


def test_the_library_is_tested_and_without_the_book() -> None:
    of_the_book = re.compile(r"^\s*(?:from|import) book\b", re.M)
    found = [path for path in OF_THE_LIBRARY if of_the_book.search(path.read_text(encoding="utf-8"))]
    assert [path.relative_to(TESTS).as_posix() for path in found] == []
    tested = {path.relative_to(TESTS).parts[0] for path in OF_THE_LIBRARY}
    assert {"derivation", "textbook", "learning", "tasks", "evidence", "checks", "programs"} <= tested
