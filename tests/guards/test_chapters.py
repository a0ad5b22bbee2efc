"""Every chapter says what to know first, and every exercise has its solution."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from book.reference.reading_paths import KNOW
from run_notebooks import every_notebook

BOOK = Path(__file__).parents[2] / "book"
PAGES = every_notebook(BOOK)
# The front page and the reference part are no chapters.
CHAPTERS = [path for path in PAGES if path.parent not in (BOOK, BOOK / "reference")]

EXERCISE = re.compile(r"^`{3,}\{exercise\}[^\n]*\n((?::\w+:[^\n]*\n)*)", re.M)
LABEL = re.compile(r"^:label: *(\S+)", re.M)
SOLUTION = re.compile(r"^(`{3,})\{solution\} *(\S*)\n((?::\w+:[^\n]*\n)*)(.*?)^\1$", re.M | re.S)
SPREAD = re.compile(
    r"^`{3,}\{solution-start\} *(\S*)\n(?::\w+:[^\n]*\n)*`{3,}\n(.*?)^`{3,}\{solution-end\}$", re.M | re.S
)
OPENED = re.compile(r"^`{3,}\{solution(?:-start)?\}", re.M)


def prose(page: Path) -> str:
    """The text of a notebook; a cell of code in between is a line of its own, so that a solution may consist of one."""
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    texts = ("".join(cell["source"]) if cell["cell_type"] == "markdown" else "(code)" for cell in cells)
    return "\n\n".join(texts)


def says_nothing_of_prerequisites(text: str) -> Iterator[str]:
    if not KNOW.search(text):
        yield "expected a paragraph that begins with **You should know**: the reading paths are made from it"


def exercise_without_solution(text: str) -> Iterator[str]:
    labels = [label[1] if (label := LABEL.search(options)) else "" for options in EXERCISE.findall(text)]
    solved = [(name, body) for _, name, _, body in SOLUTION.findall(text)] + SPREAD.findall(text)
    if missing := labels.count(""):
        yield f"{missing} exercises have no :label:, which their solution needs"
    if (opened := len(OPENED.findall(text))) != len(solved):
        yield f"{opened} solutions begin, {len(solved)} end"
    counts = Counter(name for name, _ in solved)
    yield from (f"exercise {label} has no solution" for label in labels if label and not counts[label])
    yield from (f"the solution of {name} solves no exercise of this page" for name in counts if name not in labels)
    yield from (f"exercise {name} has {times} solutions" for name, times in counts.items() if times > 1)
    yield from (f"the solution of {name} is empty" for name, body in solved if not body.strip())


def test_pages_have_no_fault() -> None:
    assert sum(len(EXERCISE.findall(prose(page))) for page in PAGES) > 100
    guards = {says_nothing_of_prerequisites: CHAPTERS, exercise_without_solution: PAGES}
    found = ((page, fault) for guard, pages in guards.items() for page in pages for fault in guard(prose(page)))
    assert [f"{page.relative_to(BOOK)}: {fault}" for page, fault in found] == []
